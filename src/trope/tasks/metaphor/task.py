"""Metaphor detection: what is scored, and the interface of all detectors.

A detector gives a score to a word, to an expression of a verb and its object, or to a sentence;
what it cannot judge has no score. Scores of one detector compare with each other and
with its threshold, not with those of another.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from trope.core.errors import BadInput
from trope.core.records import Parse
from trope.metrics.classification import matthews
from trope.relations import verb_objects

Criterion = Literal["f1", "macro_f1"]
"""What a threshold is chosen by."""

_FOLDS = 5

Score = float | None
"""How metaphorical; None where a detector cannot judge."""


@dataclass(frozen=True, slots=True)
class VerbExpression:
    """A verb and a noun that is its object (or its subject, where it has no object), as lemmas.

    `verb_at` and `noun_at` are their places in the sentence they come from, if from any, and
    `words` is that sentence.
    """

    verb: str
    noun: str
    verb_at: int | None = None
    noun_at: int | None = None
    words: tuple[str, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        """Verb and noun in lower case: what makes two expressions the same."""
        return self.verb.lower(), self.noun.lower()


class Detector(Protocol):
    """What an entry of `DETECTORS` makes. A score at or above `threshold` means metaphor."""

    threshold: float

    def score_words(self, sentences: Sequence[Parse]) -> list[tuple[Score, ...]]:
        """One score per word of every sentence."""

    def score_expressions(self, expressions: Sequence[VerbExpression]) -> list[Score]:
        """One score per expression."""

    def score_sentences(self, sentences: Sequence[Parse]) -> list[Score]:
        """One score per sentence."""


def find_expressions(sentence: Parse) -> tuple[VerbExpression, ...]:
    """All verbs of a sentence with a noun as object, before any filter."""
    return tuple(
        VerbExpression(
            sentence.lemmas[r.verb], sentence.lemmas[r.object], r.verb, r.object, sentence.words
        )
        for r in verb_objects(sentence)
        if r.object is not None
        and sentence.upos[r.verb] == "VERB"
        and sentence.upos[r.object] in ("NOUN", "PROPN")
    )


def words_by_expressions(detector: Detector, sentences: Sequence[Parse]) -> list[tuple[Score, ...]]:
    """Every verb with the highest score of its expressions; other words have none."""
    found = [find_expressions(sentence) for sentence in sentences]
    scores = iter(detector.score_expressions([e for expressions in found for e in expressions]))
    rows: list[tuple[Score, ...]] = []
    for sentence, expressions in zip(sentences, found, strict=True):
        row: list[Score] = [None] * len(sentence)
        for expression in expressions:
            at, score = expression.verb_at, next(scores)
            if at is not None:
                row[at] = highest((row[at], score))
        rows.append(tuple(row))
    return rows


def highest(scores: Iterable[Score]) -> Score:
    """The highest of the scores that there are: a sentence is as metaphorical as its best word."""
    return max((score for score in scores if score is not None), default=None)


def choose_threshold(
    scores: Sequence[Score], labels: Sequence[bool], *, by: Criterion = "f1"
) -> float:
    """The threshold that is best on held-out data; what has no score counts as literal.

    Args:
        by: F1 of the metaphors, or the mean of the F1 of both classes. Where metaphors are
            frequent and scores weak, calling everything a metaphor gives the best F1;
            "macro_f1" avoids that.

    Raises:
        BadInput: where there is no metaphor with a score to choose by.
    """
    known = [(s, label) for s, label in zip(scores, labels, strict=True) if s is not None]
    if not any(label for _, label in known):
        raise BadInput("no metaphor has a score, so no threshold can be chosen; give more data")
    known.sort(key=lambda pair: -pair[0])
    values = np.array([score for score, _ in known])
    called = np.arange(1, len(known) + 1)
    right = np.cumsum([label for _, label in known])
    metaphors, items = sum(labels), len(labels)
    quality = 2 * right / (called + metaphors)
    if by == "macro_f1":
        literal = items - called - (metaphors - right)  # rightly left out
        quality = quality + 2 * literal / (2 * items - called - metaphors).clip(min=1)
    quality[:-1][values[:-1] == values[1:]] = 0  # equal scores stand on one side of any threshold
    best = int(np.argmax(quality))
    below = values[best + 1] if best + 1 < len(values) else values[best]
    return float((values[best] + below) / 2)


def tuned_threshold(
    scores: Sequence[Score], labels: Sequence[bool], groups: Sequence[Hashable]
) -> tuple[float, Criterion]:
    """The best threshold on held-out data, and the criterion that it is best by.

    The rule, which reads validation data alone: choose a threshold by each criterion on four
    fifths of the groups and let it judge the last fifth, in all five ways; the criterion whose
    verdicts correlate more with the truth (Matthews, mean of the five) is used on all of them.
    Neither criterion maximises correlation, and a constant answer cannot win; a tie goes to F1,
    the measure of the field.

    Args:
        groups: what each item belongs to; items of one group are never on both sides.
    """
    order = sorted(set(groups), key=repr)
    random.Random(0).shuffle(order)
    fold = {group: number % _FOLDS for number, group in enumerate(order)}
    sums: dict[Criterion, float] = {"f1": 0.0, "macro_f1": 0.0}
    for held in range(_FOLDS):
        inside = [at for at, group in enumerate(groups) if fold[group] != held]
        outside = [at for at, group in enumerate(groups) if fold[group] == held]
        if not outside or not any(labels[at] and scores[at] is not None for at in inside):
            continue
        for by in sums:
            limit = choose_threshold(
                [scores[at] for at in inside], [labels[at] for at in inside], by=by
            )
            called = [(s := scores[at]) is not None and s >= limit for at in outside]
            sums[by] += matthews([labels[at] for at in outside], called)
    best: Criterion = "macro_f1" if sums["macro_f1"] > sums["f1"] else "f1"
    return choose_threshold(scores, labels, by=best), best
