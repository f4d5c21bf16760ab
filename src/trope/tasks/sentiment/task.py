"""Sentiment of figurative language: the scale, the interface of systems, rounding, validation.

A system reads tweets that have been analysed and gives each a real number from −5 to 5. The task
scores integers, the same ones for both of its measures.

Choices are made without the test set: on folds of train and trial, weighted as the test set is
mixed. It has other shares of the four categories than the training data (its paper prints them), so
that a choice by plain cross-validation would be a choice for sarcasm alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from trope.core.errors import BadInput
from trope.core.judgments import round_half_up
from trope.core.records import Analysis
from trope.tasks.sentiment.categories import Category, category_of
from trope.text.duplicates import comparable

LOWEST, HIGHEST = -5, 5
"""The ends of the scale."""


class SentimentSystem(Protocol):
    """What an entry of `SENTIMENT_SYSTEMS` makes."""

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """A real number from −5 to 5 per tweet."""


def to_integers(scores: Iterable[float]) -> list[int]:
    """Scores as the task wants them: rounded half up (−2.5 is −2), inside of the scale."""
    return [min(HIGHEST, max(LOWEST, round_half_up(score))) for score in scores]


def clipped(score: float) -> float:
    """The score, moved to the end of the scale where it lies beyond it."""
    return min(float(HIGHEST), max(float(LOWEST), score))


TEST_SHARES: Mapping[Category, float] = {
    "sarcasm": 0.3,
    "irony": 0.2,
    "metaphor": 0.2,
    "other": 0.3,
}
"""Shares of the categories in the test set, as printed in Table 4 of the paper."""

FOLDS = 5


def folds_of(texts: Sequence[str], *, folds: int = FOLDS, seed: int = 0) -> list[int]:
    """The fold of each text; texts that say the same are in one fold.

    Raises:
        BadInput: for fewer different texts than folds.
    """
    groups: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        groups.setdefault(comparable(text), []).append(at)
    if folds < 2 or len(groups) < folds:
        raise BadInput(f"{len(groups)} different texts cannot be split into {folds} folds")
    found = [0] * len(texts)
    order = np.random.default_rng(seed).permutation(len(groups)).tolist()
    for place, places in zip(order, groups.values(), strict=True):
        for at in places:
            found[at] = place % folds
    return found


def category_weights(
    texts: Sequence[str], shares: Mapping[Category, float] = TEST_SHARES
) -> list[float]:
    """One weight per text that gives the categories the wanted shares; the mean weight is 1."""
    categories = [category_of(text) for text in texts]
    counts = Counter(categories)
    present = sum(shares.get(name, 0.0) for name in counts)
    return [shares.get(c, 0.0) / present * len(texts) / counts[c] for c in categories]


def held_out_scores(
    predict: Callable[[Sequence[int], Sequence[int]], Sequence[float]], folds: Sequence[int]
) -> list[float]:
    """A score for every item by a system that has not seen it.

    Args:
        predict: learns from the items at the first places, gives scores of those at the second.
        folds: the fold of each item.
    """
    scores = [0.0] * len(folds)
    for fold in sorted(set(folds)):
        inside = [at for at, own in enumerate(folds) if own != fold]
        outside = [at for at, own in enumerate(folds) if own == fold]
        for at, score in zip(outside, predict(inside, outside), strict=True):
            scores[at] = score
    return scores
