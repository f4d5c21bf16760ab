"""Choosing without the test set: folds of train and trial, weighted as the test set is mixed.

The test set has other shares of the four categories than the training data (its paper prints
them), so that a choice by plain cross-validation would be a choice for sarcasm alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from trope.core.errors import BadInput
from trope.tasks.sentiment.categories import Category, category_of
from trope.text.duplicates import comparable

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
