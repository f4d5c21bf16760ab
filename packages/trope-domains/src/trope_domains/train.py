"""`python -m trope_domains.train --from DATA`: the system, from lcc-domains train.

Networks also learn what a large encoder says of metaphors in other texts of the corpus.
Rows that share a text with dev or a test set (`leaks.tsv`) are left out. Where the span of a row is
not known, a guess of the corpus is taken; where there is none, the content word that networks
trained on the other rows find most probable for the label.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from trope import __version__
from trope.core.files import atomic_write, sha256
from trope.core.records import Analysis
from trope.corpora.conceptual_metaphors import ConceptText, read_concept_texts
from trope.corpora.leaks import read_leaks
from trope.pipeline import Pipeline
from trope.tasks.figures.views import CONTENT, DomainSpan, domain_span
from trope_domains import MODEL, RECORD, SHIPPED
from trope_domains.features import (
    MEMORY_DOUBT,
    MEMORY_SHARE,
    WORDS,
    SpanReader,
    SpanRows,
    StemMemory,
    probe_rows,
    read_words,
    span_between,
    stems_of,
)
from trope_domains.kernel import KernelMachine, together
from trope_domains.networks import (
    Concepts,
    LabelledSpans,
    Network,
    Settings,
    TaughtSpans,
    Trainer,
    save,
)
from trope_domains.taught import CORPUS, TAUGHT, TaughtShares, taught_spans

TRAIN = "source_train"
_CANDIDATES, _LEAST_METAPHOR = 8, 0.05
Lessons = Callable[[int], TaughtSpans | None]
"""What a teacher says, by its number: that of the fold that it has not seen, or -1."""


def concepts_of(texts: Sequence[ConceptText]) -> Concepts:
    """The concepts of texts, in alphabetical order."""
    group = {text.name: text.group for text in texts}
    names, groups = tuple(sorted(group)), tuple(sorted(set(group.values())))
    return Concepts(names, groups, np.array([groups.index(group[name]) for name in names]))


def training_texts(data: Path) -> list[ConceptText]:
    """The rows to train on."""
    folder = data / CORPUS
    leaks = {row.id for row in read_leaks(folder / "leaks.tsv") if row.file == TRAIN}
    rows = read_concept_texts(folder / f"{TRAIN}.csv.gz")
    return [row for row in rows if row.id not in leaks]


def analyses_of(texts: Sequence[ConceptText], pipeline: Pipeline) -> list[Analysis]:
    """The texts with tags, trees and scores of metaphor."""
    joined = (" ".join(text.words) for text in texts)
    return list(pipeline.analyze_many(joined, tasks=("syntax", "metaphor")))


def span_of(text: ConceptText, analysis: Analysis, place: tuple[int, int]) -> DomainSpan:
    """The tokens that overlap the blank-separated words of a place."""
    starts = np.cumsum([0, *(len(word) + 1 for word in text.words)])
    return span_between(analysis, int(starts[place[0]]), int(starts[place[1]]) - 1)


def candidates(analysis: Analysis) -> list[DomainSpan]:
    """The content words that are most probably metaphors."""
    places = [
        (token.metaphor or 0.0, at)
        for at, token in enumerate(analysis.tokens)
        if token.upos in CONTENT and (token.metaphor or 0.0) >= _LEAST_METAPHOR
    ]
    return [domain_span(analysis, (at,)) for _, at in sorted(places, reverse=True)[:_CANDIDATES]]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Of a row without a span: the number of its text, its concept, and words that may be it."""

    text: int
    label: int
    rows: SpanRows


@dataclass(frozen=True, slots=True)
class TrainingSpans:
    """Spans that are known or guessed with their stems, and candidates of the other rows."""

    given: LabelledSpans
    known: npt.NDArray[np.bool_]
    stems: npt.NDArray[np.str_]
    texts: npt.NDArray[np.intp]
    """A number for each text: some rows of the corpus have the same one."""
    candidates: list[Candidates]
    spans: list[DomainSpan]

    def part(self, chosen: npt.NDArray[np.bool_], without: Container[int] = ()) -> TrainingSpans:
        """Some of the spans, and the candidates of texts other than those left out."""
        own = (self.known[chosen], self.stems[chosen], self.texts[chosen])
        others = [one for one in self.candidates if one.text not in without]
        spans = [self.spans[at] for at in np.flatnonzero(chosen)]
        return TrainingSpans(self.given.part(chosen), *own, others, spans)

    def fold_of(self, folds: int) -> npt.NDArray[np.int64]:
        """The fold of each span; those of one text are in one fold."""
        drawn = np.random.default_rng(0).integers(0, folds, int(self.texts.max()) + 1)
        return np.asarray(drawn[self.texts])

    def without(self, held: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The other spans, less the guesses that only those held out can have led to."""
        return ~held & ~self.guessed_from(held & self.known)

    def guessed_from(self, held: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The guesses that only these spans can have led to.

        The corpus guessed words that are typical of a concept among all known spans. Where some of
        these are held out, a guess of the same stems and concept that no other span has would say
        what they are.
        """
        pairs = list(zip(self.stems.tolist(), self.given.labels.tolist(), strict=True))
        away = {pairs[at] for at in np.flatnonzero(held)}
        away -= {pairs[at] for at in np.flatnonzero(self.known & ~held)}
        return np.array([pair in away for pair in pairs], dtype=np.bool_) & ~self.known

    def memory(self) -> StemMemory:
        """The concepts of the spans by their stems."""
        return StemMemory.of(self.stems, self.given.labels)


def read_spans(
    texts: Sequence[ConceptText],
    analyses: Sequence[Analysis],
    concepts: Concepts,
    reader: SpanReader,
) -> TrainingSpans:
    """The spans of texts."""
    spans: list[DomainSpan] = []
    others: list[tuple[int, int, list[DomainSpan]]] = []
    rows: list[tuple[int, bool, int]] = []  # concept, whether the span is known, text
    numbers: dict[tuple[str, ...], int] = {}
    for text, analysis in zip(texts, analyses, strict=True):
        label = concepts.names.index(text.name)
        number = numbers.setdefault(text.words, len(numbers))
        if place := text.span or text.guess:
            spans.append(span_of(text, analysis, place))
            rows.append((label, text.span is not None, number))
        elif found := candidates(analysis):
            others.append((number, label, found))
    labels, known, own_texts = map(np.array, zip(*rows, strict=True))
    given = LabelledSpans(reader.read(spans), labels, np.ones(len(spans), np.float32))
    stems = np.array([stems_of(span) for span in spans])
    every = reader.read([span for *_, own in others for span in own])
    found_rows: list[Candidates] = []
    at = 0
    for number, label, own in others:
        found_rows.append(Candidates(number, label, every.part(range(at, at + len(own)))))
        at += len(own)
    return TrainingSpans(given, known, stems, own_texts, found_rows, spans)


def find_spans(
    trainer: Trainer, networks: Sequence[Network], spans: TrainingSpans
) -> LabelledSpans:
    """Of each row without a span, the candidate that is most probably of its concept."""
    every = SpanRows.joined([one.rows for one in spans.candidates])
    shares = trainer.shares(networks, every)
    best, at = [], 0
    for one in spans.candidates:
        best.append(at + int(shares[at : at + len(one.rows.words), one.label].argmax()))
        at += len(one.rows.words)
    labels = np.array([one.label for one in spans.candidates])
    weights = np.full(len(labels), trainer.settings.found_weight, np.float32)
    return LabelledSpans(every.part(best), labels, weights)


@dataclass(frozen=True, slots=True)
class TrainedSystem:
    """All that decides together."""

    trainer: Trainer
    networks: list[Network]
    kernel: KernelMachine
    memory: StemMemory

    def shares(self, rows: SpanRows, stems: Sequence[str]) -> npt.NDArray[Any]:
        """[span, concept]: probabilities."""
        shares = self.trainer.shares(self.networks, rows)
        return self.memory.mixed(together(shares, self.kernel.scores(rows)), stems)


def train(
    spans: TrainingSpans, concepts: Concepts, settings: Settings, taught: TaughtSpans | None
) -> TrainedSystem:
    """The system that ships."""
    trainer, every = Trainer.of(settings, concepts, spans.given.rows), spans.given
    if spans.candidates and settings.finders:
        finders = [trainer.fit(every, settings.seed + at) for at in range(settings.finders)]
        every = every.joined(find_spans(trainer, finders, spans))
    read = SpanRows.joined([every.rows, taught.rows]) if taught else every.rows
    trainer = Trainer.of(settings, concepts, read)
    networks = [trainer.fit(every, settings.seed + at, taught) for at in range(settings.networks)]
    given = spans.given
    kernel = KernelMachine.fit(given.rows, given.labels, spans.known, len(concepts.names))
    return TrainedSystem(trainer, networks, kernel, spans.memory())


def cross_validate(
    spans: TrainingSpans, concepts: Concepts, settings: Settings, folds: int, taught: Lessons
) -> dict[str, float | int]:
    """Accuracy on known spans of train of which neither system nor teacher has seen texts or
    guesses."""
    right: Counter[str] = Counter()
    fold_of = spans.fold_of(folds)
    for fold in range(folds):
        held, kept = (fold_of == fold) & spans.known, spans.without(fold_of == fold)
        if not held.any() or not kept.any():
            continue  # so few texts that a fold has none
        own = spans.part(kept, without=set(spans.texts[held].tolist()))
        left = spans.given.part(held)
        system = train(own, concepts, settings, taught(fold))
        shares = system.shares(left.rows, spans.stems[held].tolist())
        groups = shares @ np.eye(len(concepts.groups))[concepts.group_of]
        name = shares.argmax(1) == left.labels
        group = groups.argmax(1) == concepts.group_of[left.labels]
        new = ~np.isin(spans.stems[held], own.stems)
        right.update(spans=len(name), name=int(name.sum()), group=int(group.sum()))
        right.update(new_stems=int(new.sum()), unseen=int((group & new).sum()))
        print(f"fold {fold + 1} of {folds}: {dict(right)}", file=sys.stderr, flush=True)
    return {
        "folds": folds,
        "spans": right["spans"],
        "name": round(right["name"] / max(right["spans"], 1), 4),
        "group": round(right["group"] / max(right["spans"], 1), 4),
        "spans with new stems": right["new_stems"],
        "unseen group": round(right["unseen"] / max(right["new_stems"], 1), 4),
    }


def lessons_of(
    data: Path, said: TaughtShares | None, pipeline: Pipeline, reader: SpanReader
) -> Lessons:
    """What each teacher says."""
    if said is None:
        return lambda teacher: None
    rows = reader.read(taught_spans(data, said, pipeline))
    return lambda teacher: TaughtSpans(rows, said.by(teacher))


def main() -> None:
    """Train the system and write its weights with a record of how they were made."""
    given = argparse.ArgumentParser(prog="trope_domains.train", description=main.__doc__)
    given.add_argument("--from", dest="data", type=Path, required=True, help="research data")
    given.add_argument("--out", type=Path, default=SHIPPED, help="folder for the weights")
    given.add_argument("--folds", type=int, default=0, help="cross-validate first, and record it")
    given.add_argument("--taught", type=Path, default=TAUGHT, help="what a teacher says of spans")
    given.add_argument("--untaught", action="store_true", help="learn from marked spans alone")
    given.add_argument("--threads", type=int, default=1)
    options = given.parse_args()
    torch.set_num_threads(options.threads)
    settings, pipeline = Settings(), Pipeline(threads=options.threads)
    texts = training_texts(options.data)
    concepts = concepts_of(texts)
    reader = SpanReader(pipeline.encoder, read_words())
    spans = read_spans(texts, analyses_of(texts, pipeline), concepts, reader)
    said = None if options.untaught else TaughtShares.read(options.taught, concepts.names)
    if said and options.folds not in (0, said.folds):
        given.error(f"{options.taught} is for {said.folds} folds: give that, or --untaught")
    lessons = lessons_of(options.data, said, pipeline, reader)
    measured = (
        cross_validate(spans, concepts, settings, options.folds, lessons) if options.folds else None
    )
    made = train(spans, concepts, settings, lessons(-1))
    path = options.out / MODEL
    save(made.trainer, made.networks, path, {**made.memory.arrays(), **made.kernel.arrays(),
         "probe": probe_rows(reader)})  # fmt: skip
    record = {
        "sha256": sha256(path),
        "trope": __version__,
        "encoder": sha256(pipeline.encoder.folder / "encoder.onnx"),
        "words": sha256(WORDS),
        "data": {
            "corpus": CORPUS,
            "sha256": sha256(options.data / CORPUS / f"{TRAIN}.csv.gz"),
            "texts": len(texts),
            "known spans": int(spans.known.sum()),
            "guessed spans": int((~spans.known).sum()),
            "spans found by networks": len(spans.candidates),
            "spans taught": len(said.rows) if said else 0,
            "taught": sha256(options.taught) if said else "",
        },
        "settings": {
            **asdict(settings),
            "memory_share": MEMORY_SHARE,
            "memory_doubt": MEMORY_DOUBT,
        },
        "cross-validation on train": measured,
    }
    _write_record(record, options.out / RECORD)
    print(json.dumps(record, indent=2))


def _write_record(record: dict[str, Any], path: Path) -> None:
    with atomic_write(path) as file:
        file.write(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
