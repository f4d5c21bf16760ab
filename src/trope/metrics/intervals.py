"""Bootstrap intervals of statistics that are sums over items (sentences, texts, documents).

A resample draws as many items as there are, with replacement, so its sums are the items' counts
times how often each was drawn: one matrix product for all statistics and all resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput

RESAMPLES = 1000
LEVEL = 0.95
_CELLS = 4_000_000  # draws held in memory at a time

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and the bounds of its interval; None for what is undefined."""

    value: float | None
    low: float | None
    high: float | None


def written_share(share: float | None) -> float | None:
    """A share as JSON and tables of numbers have it: four places, null where it is undefined.

    What is shown in per cent is made from the share itself: a number is rounded once.
    """
    return None if share is None else round(float(share), 4)


def bootstrap_ratios(
    parts: npt.ArrayLike,
    wholes: npt.ArrayLike,
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> list[Interval]:
    """For every column the ratio of its sums, sum(parts) / sum(wholes), with its interval.

    Args:
        parts: items × statistics (or items alone, for one statistic).
        wholes: of the same shape; F is 2 · right over predicted + gold.
        seed: the same seed draws the same items, so intervals of two systems can be compared.
        resamples: how many times the items are drawn anew.
        level: share of the resamples inside the interval.
    """
    above, below = _columns(parts), _columns(wholes)
    if above.shape != below.shape:
        raise BadInput(f"parts of shape {above.shape} do not fit wholes of shape {below.shape}")
    width = above.shape[1]

    def ratios(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(sums[:, width:] > 0, sums[:, :width] / sums[:, width:], np.nan)

    return bootstrap_sums(
        np.hstack([above, below]), ratios, seed=seed, resamples=resamples, level=level
    )


def bootstrap_sums(
    counts: npt.ArrayLike,
    statistic: Callable[[Floats], Floats],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> list[Interval]:
    """Intervals of any statistics of column sums.

    `statistic` maps rows of sums to rows of values, NaN where undefined. A resample in which a
    value is undefined is left out of that value's interval.
    """
    table = _columns(counts)
    values = statistic(table.sum(axis=0, keepdims=True))[0]
    if not len(table):
        return [_interval(value, np.empty(0), level) for value in values]
    drawn = np.vstack([statistic(sums) for sums in _resampled_sums(table, resamples, seed)])
    return [_interval(value, column, level) for value, column in zip(values, drawn.T, strict=True)]


def _resampled_sums(table: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of sums, resamples × columns, small enough for any number of items."""
    rng = np.random.default_rng(seed)
    items = len(table)
    block = max(1, _CELLS // items)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        draws = rng.integers(0, items, size=(rows, items)) + np.arange(rows)[:, None] * items
        times = np.bincount(draws.ravel(), minlength=rows * items).reshape(rows, items)
        yield times.astype(np.float64) @ table


def _interval(value: float, drawn: Floats, level: float) -> Interval:
    if not np.isfinite(value):
        return Interval(None, None, None)
    defined = drawn[np.isfinite(drawn)]
    if not len(defined):  # few items: every resample may lack what the value needs
        return Interval(float(value), None, None)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(value), float(low), float(high))


def _columns(values: npt.ArrayLike) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    return table[:, None] if table.ndim == 1 else table
