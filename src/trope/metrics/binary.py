"""Figures of yes-or-no answers: F1 of the yes, precision, recall, accuracy, macro-F1, share.

Intervals by bootstrap over groups (sentences, where an item is a word), since items of one
sentence are not independent.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import Floats, bootstrap_sums, group_sums

Bools = npt.NDArray[np.bool_]

SCORES = ("f1", "precision", "recall", "accuracy", "macro_f1", "share")
"""All scores; `share` is that of the items that are called yes."""


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
