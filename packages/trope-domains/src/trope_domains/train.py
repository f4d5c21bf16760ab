"""`python -m trope_domains.train --from DATA`: the networks, from lcc-domains train.

Rows that share a text with dev or a test set (`leaks.tsv`) are left out. Where the span of a row is
not known, a guess of the corpus is taken; where there is none, the content word that networks
trained on the other rows find most probable for the label.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
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
from trope_domains import MODEL, RECORD, SHIPPED, encoder_checksum
from trope_domains.features import (
    MEMORY_DOUBT,
    MEMORY_SHARE,
    WORDS,
    SpanReader,
    SpanRows,
    StemMemory,
    read_words,
    stems_of,
)
from trope_domains.networks import Concepts, LabelledSpans, Network, Settings, Trainer, save

CORPUS, TRAIN = "lcc-domains", "source_train"
_CANDIDATES, _LEAST_METAPHOR = 8, 0.05


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
    start, end = int(starts[place[0]]), int(starts[place[1]]) - 1
    tokens = enumerate(analysis.tokens)
    found = tuple(at for at, token in tokens if token.start < end and start < token.end)
    return domain_span(analysis, found)


def _candidates(analysis: Analysis) -> list[DomainSpan]:
    """The content words that are most probably metaphors."""
    places = [
        (token.metaphor or 0.0, at)
        for at, token in enumerate(analysis.tokens)
        if token.upos in CONTENT and (token.metaphor or 0.0) >= _LEAST_METAPHOR
    ]
    return [domain_span(analysis, (at,)) for _, at in sorted(places, reverse=True)[:_CANDIDATES]]


@dataclass(frozen=True, slots=True)
class TrainingSpans:
    """Spans that are known or guessed with their stems, and candidates of the other rows."""

    given: LabelledSpans
    known: npt.NDArray[np.bool_]
    stems: npt.NDArray[np.str_]
    candidates: list[tuple[int, SpanRows]]
    """The concept of a row, and the rows of its candidates."""

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
    labels: list[int] = []
    known: list[bool] = []
    stems: list[str] = []
    others: list[tuple[int, list[DomainSpan]]] = []
    for text, analysis in zip(texts, analyses, strict=True):
        label = concepts.names.index(text.name)
        if place := text.span or text.guess:
            spans.append(span_of(text, analysis, place))
            labels.append(label)
            known.append(text.span is not None)
            stems.append(stems_of(spans[-1]))
        elif found := _candidates(analysis):
            others.append((label, found))
    given = LabelledSpans(reader.read(spans), np.array(labels), np.ones(len(spans), np.float32))
    every = reader.read([span for _, own in others for span in own])
    candidates = []
    at = 0
    for label, own in others:
        rows = SpanRows(every.dense[at : at + len(own)], every.words[at : at + len(own)])
        candidates.append((label, rows))
        at += len(own)
    return TrainingSpans(given, np.array(known), np.array(stems), candidates)


def find_spans(
    trainer: Trainer, networks: Sequence[Network], spans: TrainingSpans
) -> LabelledSpans:
    """Of each row without a span, the candidate that is most probably of its concept."""
    every = SpanRows(
        np.vstack([rows.dense for _, rows in spans.candidates]),
        [own for _, rows in spans.candidates for own in rows.words],
    )
    shares = trainer.shares(networks, every)
    best, labels, at = [], [], 0
    for label, rows in spans.candidates:
        best.append(at + int(shares[at : at + len(rows.words), label].argmax()))
        labels.append(label)
        at += len(rows.words)
    dense, words = every.dense[best], [every.words[row] for row in best]
    weights = np.full(len(labels), trainer.settings.found_weight, np.float32)
    return LabelledSpans(SpanRows(dense, words), np.array(labels), weights)


def train(
    spans: TrainingSpans, concepts: Concepts, settings: Settings
) -> tuple[Trainer, list[Network]]:
    """The networks that ship."""
    trainer, every = Trainer.of(settings, concepts, spans.given), spans.given
    if spans.candidates and settings.finders:
        finders = [trainer.fit(every, settings.seed + at) for at in range(settings.finders)]
        every = every.joined(find_spans(trainer, finders, spans))
        trainer = Trainer.of(settings, concepts, every)
    return trainer, [trainer.fit(every, settings.seed + at) for at in range(settings.networks)]


def cross_validate(
    spans: TrainingSpans, concepts: Concepts, settings: Settings, folds: int
) -> dict[str, float | int]:
    """Accuracy on known spans of train that neither the networks nor the guesses have seen."""
    drawn = np.random.default_rng(settings.seed).integers(0, folds, len(spans.known))
    right: Counter[str] = Counter()
    for fold in range(folds):
        held = (drawn == fold) & spans.known
        kept = (drawn != fold) & ~spans.guessed_from(held)
        if not held.any() or not kept.any():
            continue  # so few texts that a fold has none
        seen = spans.given.part(kept)
        own = TrainingSpans(seen, spans.known[kept], spans.stems[kept], spans.candidates)
        trainer, networks = train(own, concepts, settings)
        rows, labels = spans.given.part(held).rows, spans.given.labels[held]
        shares = own.memory().mixed(trainer.shares(networks, rows), spans.stems[held])
        groups = shares @ np.eye(len(concepts.groups))[concepts.group_of]
        name = shares.argmax(1) == labels
        group = groups.argmax(1) == concepts.group_of[labels]
        new = ~np.isin(spans.stems[held], own.stems)
        right.update(spans=len(labels), name=int(name.sum()), group=int(group.sum()))
        right.update(new_stems=int(new.sum()), unseen=int((group & new).sum()))
    return {
        "folds": folds,
        "spans": right["spans"],
        "name": round(right["name"] / max(right["spans"], 1), 4),
        "group": round(right["group"] / max(right["spans"], 1), 4),
        "spans with new stems": right["new_stems"],
        "unseen group": round(right["unseen"] / max(right["new_stems"], 1), 4),
    }


def main() -> None:
    """Train the networks and write their weights with a record of how they were made."""
    given = argparse.ArgumentParser(prog="trope_domains.train", description=main.__doc__)
    given.add_argument("--from", dest="data", type=Path, required=True, help="research data")
    given.add_argument("--out", type=Path, default=SHIPPED, help="folder for the weights")
    given.add_argument("--folds", type=int, default=0, help="cross-validate first, and record it")
    given.add_argument("--threads", type=int, default=1)
    options = given.parse_args()
    torch.set_num_threads(options.threads)
    settings, pipeline = Settings(), Pipeline(threads=options.threads)
    texts = training_texts(options.data)
    concepts = concepts_of(texts)
    reader = SpanReader(pipeline.encoder, read_words())
    spans = read_spans(texts, analyses_of(texts, pipeline), concepts, reader)
    measured = cross_validate(spans, concepts, settings, options.folds) if options.folds else None
    trainer, networks = train(spans, concepts, settings)
    path = options.out / MODEL
    save(trainer, networks, spans.memory(), path)
    record = {
        "sha256": sha256(path),
        "trope": __version__,
        "encoder": encoder_checksum(pipeline.encoder),
        "words": sha256(WORDS),
        "data": {
            "corpus": CORPUS,
            "sha256": sha256(options.data / CORPUS / f"{TRAIN}.csv.gz"),
            "texts": len(texts),
            "known spans": int(spans.known.sum()),
            "guessed spans": int((~spans.known).sum()),
            "spans found by networks": len(spans.candidates),
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
