"""Accuracy, precision, recall and F of labels, with intervals; None where a score is undefined.

Intervals are by bootstrap over groups (sentences, where an item is a word), since items of one
sentence are not independent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import Floats, bootstrap_sums, group_sums

Bools = npt.NDArray[np.bool_]
SCORES = ("f1", "precision", "recall", "accuracy", "macro_f1", "share")
"""All scores; `share` is that of the items that are called yes."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many were found rightly, how many were found, how many there were to find."""

    right: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float | None:
        """The share of what was found that is right."""
        return ratio(self.right, self.predicted)

    @property
    def recall(self) -> float | None:
        """The share of what there was that was found."""
        return ratio(self.right, self.gold)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return ratio(2 * self.right, self.predicted + self.gold)


def ratio(part: float, whole: float) -> float | None:
    """Part by whole, None where the whole is nothing."""
    return part / whole if whole else None


def count_sets(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> Counts:
    """The counts of one item whose answers are sets; an answer given twice counts once."""
    wanted, found = set(gold), set(predicted)
    return Counts(right=len(wanted & found), predicted=len(found), gold=len(wanted))


def count_classes(
    gold: Sequence[Hashable], predicted: Sequence[Hashable]
) -> dict[Hashable, Counts]:
    """The counts of every class that occurs on either side."""
    _check_lengths(gold, predicted)
    right = Counter(a for a, b in zip(gold, predicted, strict=True) if a == b)
    wanted, found = Counter(gold), Counter(predicted)
    labels = list(dict.fromkeys([*gold, *predicted]))
    return {label: Counts(right[label], found[label], wanted[label]) for label in labels}


def accuracy(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> float | None:
    """The share of items with the right label."""
    _check_lengths(gold, predicted)
    return ratio(sum(a == b for a, b in zip(gold, predicted, strict=True)), len(gold))


def macro_f1(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> float | None:
    """The plain mean of F over the classes that occur on either side."""
    scores = [counts.f1 for counts in count_classes(gold, predicted).values()]
    known = [score for score in scores if score is not None]
    return ratio(sum(known), len(known))


def matthews(gold: Sequence[bool], predicted: Sequence[bool]) -> float:
    """The correlation of yes-or-no answers with the truth; 0 where either side is constant."""
    _check_lengths(gold, predicted)
    pairs = Counter(zip(gold, predicted, strict=True))
    both, neither = pairs[True, True], pairs[False, False]
    missed, wrong = pairs[True, False], pairs[False, True]
    product = (both + missed) * (both + wrong) * (neither + missed) * (neither + wrong)
    return (both * neither - missed * wrong) / math.sqrt(product) if product else 0.0


def _check_lengths(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> None:
    if len(gold) != len(predicted):
        raise BadInput(
            f"{len(gold)} gold labels but {len(predicted)} predicted ones; give one for each item"
        )


def binary_figures(
    prefix: str,
    gold: Sequence[bool],
    called: Sequence[bool],
    *,
    data: DataRef,
    seed: int,
    groups: Sequence[Hashable] | None = None,
    scores: Sequence[str] = SCORES,
    chosen_on: str = "",
    note: str = "",
) -> list[Measurement]:
    """One figure per score, `prefix.score`, with its interval.

    Args:
        groups: what each item belongs to; without, every item is drawn by itself.
    """
    if len(gold) != len(called):
        raise BadInput(f"{len(gold)} labels but {len(called)} answers; give one for each item")
    table = _grouped(np.array(gold, dtype=bool), np.array(called, dtype=bool), groups)
    chosen = [SCORES.index(score) for score in scores]
    intervals = bootstrap_sums(table, lambda sums: _values(sums)[:, chosen], seed=seed)
    return [
        Measurement(
            name=f"{prefix}.{score}",
            value=interval.value,
            low=interval.low,
            high=interval.high,
            n=len(gold),
            data=data,
            chosen_on=chosen_on,
            note=note if interval.value is not None else "undefined: nothing to divide by",
        )
        for score, interval in zip(scores, intervals, strict=True)
    ]


def _grouped(gold: Bools, called: Bools, groups: Sequence[Hashable] | None) -> Floats:
    """One row per group: true positives, predicted positives, positives, items."""
    columns = np.stack([gold & called, called, gold, np.ones_like(gold)], axis=1).astype(np.float64)
    return group_sums(columns, groups)


def _values(sums: Floats) -> Floats:
    """The scores, in the order of `SCORES`, of rows of sums; NaN where undefined."""
    right, called, true, items = sums.T
    right_no = items - called - true + right
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = 2 * right / (called + true)
        f1_no = 2 * right_no / (2 * items - called - true)
        # a class that neither side has does not count
        macro = np.nanmean(np.stack([f1, f1_no]), axis=0) if len(sums) else f1
        columns = [f1, right / called, right / true, (right + right_no) / items, macro]
        return np.stack([*columns, called / items], axis=1)
