"""`trope evaluate TASK --on FILE`: any system on labels of a user's own, with constants beside it.

Texts that a system was trained on are never scored. With folds, a light system is trained on the
other folds and scored on each in turn; no text is in two folds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from trope.core.errors import BadInput, BadRecord
from trope.core.progress import MessageWriter, counted
from trope.core.records import TextKind
from trope.corpora.labelled_texts import LabelledSet, OwnLabel
from trope.lexicon.readings import GRANULARITIES, LITERAL, Granularity, readings, to_name_class
from trope.metrics.classification import binary_figures
from trope.metrics.figures import (
    DataRef,
    Evaluation,
    Measurement,
    Share,
    new_evaluation,
    share_figures,
)
from trope.metrics.scale import scale_figures
from trope.pipeline import Pipeline
from trope.tasks.metaphor.encoder_heads import EncoderDetector
from trope.tasks.metaphor.task import highest
from trope.tasks.metonymy.encoder_head import EncoderMetonymy, masking_in_texts
from trope.tasks.metonymy.task import decide, fill_readings
from trope.tasks.own_systems import OpenedSystem
from trope.tasks.sentiment.encoder_head import EncoderSentiment
from trope.tasks.sentiment.task import to_integers
from trope.train.own_labels import ReadItems, fit_light, read_items

_METAPHOR_SCORES = ("f1", "precision", "recall", "accuracy", "macro_f1", "share")
_CONSTANT_SCORES = ("f1", "accuracy", "macro_f1", "share")


@dataclass(frozen=True, slots=True)
class OwnEvaluation:
    """What is measured: a system on all texts that it has not seen, or light ones by folds."""

    labelled: LabelledSet
    pipeline: Pipeline
    system: OpenedSystem | None = None
    folds: int = 0
    kind: TextKind = "plain"
    seed: int = 0


def evaluate_own(request: OwnEvaluation, say: MessageWriter) -> Evaluation:
    """Figures of the system, of the heads that ship, and of constant answers.

    Raises:
        BadRecord: where no text is left that the system has not seen.
    """
    labelled, system = request.labelled, request.system
    items = [item for item in labelled.items if system is None or item.digest not in system.seen]
    if system is not None and len(items) < len(labelled.items):
        number = counted(len(labelled.items) - len(items), "text")
        say(f"{number} left out: {system.name} was trained on them")
    if not items:
        remedy = "give other texts, or measure with --folds 5"
        raise BadRecord(labelled.path, None, f"the system was trained on all texts; {remedy}")
    _tell_of_one_label(items, say)
    read = read_items(labelled, items, request.pipeline, request.kind)
    answers: dict[str, tuple[list[Any], str]] = {}
    if request.folds:
        given = _cross_validated(labelled, read, request.folds)
        answers["light"] = given, f"{request.folds} folds that share no text"
    elif system is not None:
        answers["system"] = _answers(labelled, read, system.system), system.name
    answers["encoder"] = _answers(labelled, read, _shipped(request)), "the heads that ship"
    answers |= _constants(labelled, read)
    data = DataRef(labelled.path.name, "own labels", labelled.sha256)
    figures: list[Measurement] = []
    for name, (given, note) in answers.items():
        prefix = f"{labelled.task}.own.{name}"
        figures += _FIGURES[labelled.task](prefix, read, given, data, request.seed, note)
    checksum = system.sha256 if system is not None else request.pipeline.model_sha256
    return new_evaluation(labelled.task, request.pipeline.tier, checksum, figures)


def _tell_of_one_label(items: Sequence[OwnLabel], say: MessageWriter) -> None:
    """A set with one label is easy to be right about, and says little."""
    if len({item.answer for item in items}) == 1:
        number = counted(len(items), "text")
        say(f"all {number} scored have the same label; give more texts, or measure with --folds 5")


def _shipped(request: OwnEvaluation) -> Any:
    pipeline = request.pipeline
    if request.labelled.task == "metaphor":
        return EncoderDetector(pipeline.detector)
    if request.labelled.task == "metonymy":
        return EncoderMetonymy(pipeline.heads, mask=masking_in_texts(pipeline.heads))
    return EncoderSentiment(pipeline.heads, kind=request.kind)


def _answers(labelled: LabelledSet, read: ReadItems, system: Any) -> list[Any]:
    """Verdicts, scores or readings, one per item."""
    if labelled.task == "sentiment":
        return list(system.score(read.analyses))
    if labelled.task == "metonymy":
        return list(system.predict(read.names))
    if labelled.level == "verbs":
        sentences = [p[number] for p, (number, _) in zip(read.sentences, read.targets, strict=True)]
        rows = system.score_words(sentences)
        scores = [row[at] for row, (_, at) in zip(rows, read.targets, strict=True)]
        limit = system.threshold
    else:
        flat = iter(system.score_sentences([p for parses in read.sentences for p in parses]))
        scores = [highest(next(flat) for _ in parses) for parses in read.sentences]
        limit = getattr(system, "sentence_threshold", system.threshold)
    return [score is not None and score >= limit for score in scores]


def _cross_validated(labelled: LabelledSet, read: ReadItems, folds: int) -> list[Any]:
    """The answers of light systems that were trained without the fold of the text."""
    if folds < 2:
        raise BadInput(f"{folds} folds leave nothing to train on; give at least 2")
    places = _balanced_folds(read.items, folds)
    found: list[Any] = [None] * len(places)
    for held in range(folds):
        inside = [at for at, place in enumerate(places) if place != held]
        outside = [at for at, place in enumerate(places) if place == held]
        if outside:
            system, _ = fit_light(labelled, _part(read, inside))
            given = _answers(labelled, _part(read, outside), system)
            for at, answer in zip(outside, given, strict=True):
                found[at] = answer
    return found


def _balanced_folds(items: Sequence[OwnLabel], folds: int) -> list[int]:
    """The fold of each item: texts in the order of their digests are dealt out in turn."""
    order = {digest: at for at, digest in enumerate(sorted({item.digest for item in items}))}
    return [order[item.digest] % folds for item in items]


def _part(read: ReadItems, places: Sequence[int]) -> ReadItems:
    def chosen(values: Sequence[Any]) -> list[Any]:
        return [values[at] for at in places] if values else []

    return ReadItems(
        chosen(read.items),
        chosen(read.analyses),
        chosen(read.sentences),
        chosen(read.targets),
        chosen(read.names),
    )


def _constants(labelled: LabelledSet, read: ReadItems) -> dict[str, tuple[list[Any], str]]:
    """Answers that read nothing: what a system must beat."""
    number = len(read.items)
    if labelled.task == "metaphor":
        return {
            "always_metaphorical": ([True] * number, "the same answer for all"),
            "always_literal": ([False] * number, "the same answer for all"),
        }
    if labelled.task == "metonymy":
        literal = [fill_readings({LITERAL: 1.0}, name.name_class) for name in read.names]
        return {"always_literal": (literal, "the same answer for all")}
    common = Counter(to_integers(read.answers())).most_common(1)[0][0]
    return {"constant": ([float(common)] * number, f"{common}, the most frequent score, for all")}


def _metaphor_figures(
    prefix: str, read: ReadItems, given: list[Any], data: DataRef, seed: int, note: str
) -> list[Measurement]:
    groups = [item.digest for item in read.items]
    return binary_figures(
        prefix,
        read.answers(),
        given,
        groups=groups,
        data=data,
        seed=seed,
        scores=_METAPHOR_SCORES if len(set(given)) > 1 else _CONSTANT_SCORES,
        note=note,
    )


def _sentiment_figures(
    prefix: str, read: ReadItems, given: list[Any], data: DataRef, seed: int, note: str
) -> list[Measurement]:
    return scale_figures(
        prefix, read.answers(), to_integers(given), data=data, seed=seed, note=note
    )


def _metonymy_figures(
    prefix: str, read: ReadItems, given: list[Any], data: DataRef, seed: int, note: str
) -> list[Measurement]:
    """Accuracy at the three granularities, as the task has it."""
    counts: list[dict[Granularity, bool]] = []
    for name, item, shares in zip(read.names, read.items, given, strict=True):
        right = readings(to_name_class(name.name_class))[item.answer]
        counts.append({g: decide(shares, name.name_class, g) == right.at(g) for g in GRANULARITIES})
    shares_of = {f"accuracy.{g}": partial(_right_at, granularity=g) for g in GRANULARITIES}
    return share_figures(prefix, counts, shares_of, data=data, seed=seed, note=note)


def _right_at(row: dict[Granularity, bool], granularity: Granularity) -> Share:
    return Share(int(row[granularity]), 1, 1)


_FIGURES = {
    "metaphor": _metaphor_figures,
    "sentiment": _sentiment_figures,
    "metonymy": _metonymy_figures,
}
