"""Values with their 95 % intervals, by bootstrap or in closed form for shares; and McNemar's test.

The test asks whether two systems err on the same items equally often. Only items that one of them
alone gets right count: b by the first, c by the second. Three variants are in use, and their
results differ, so all are given and each is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput

RESAMPLES = 1000
LEVEL = 0.95
_CELLS = 4_000_000  # draws held in memory at a time

Floats = npt.NDArray[np.float64]

NORMAL = 1.959963984540054  # 95 %


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


def group_sums(columns: Floats, groups: Sequence[Hashable] | None) -> Floats:
    """The sums of the columns over the items of each group; the items if there are no groups."""
    if groups is None:
        return columns
    numbers: dict[Hashable, int] = {}
    rows = [numbers.setdefault(group, len(numbers)) for group in groups]
    sums = np.zeros((len(numbers), columns.shape[1]))
    np.add.at(sums, rows, columns)
    return sums


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
    # few items, or a statistic that resampling pulls to one side: the value is inside all the same
    return Interval(float(value), float(min(low, value)), float(max(high, value)))


def _columns(values: npt.ArrayLike) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    return table[:, None] if table.ndim == 1 else table


def wilson(part: float, whole: float) -> Interval:
    """The share of `whole` trials that succeeded, with Wilson's 95 % interval."""
    if whole <= 0:
        return Interval(None, None, None)
    share = part / whole
    square = NORMAL**2
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    reach = sqrt(share * (1 - share) / whole + square / (4 * whole**2)) * NORMAL
    reach /= 1 + square / whole
    # rounding must not put the share outside its own interval
    return Interval(
        share, min(share, max(0.0, middle - reach)), max(share, min(1.0, middle + reach))
    )


@dataclass(slots=True)
class ClusteredShare:
    """A share of things that come in clusters, such as the words of texts.

    Words of one text are alike, so they carry less information than words of different texts. The
    interval is Wilson's for as many independent words as would vary as much as the clusters do
    (the ratio estimator's variance between clusters); never for more words than there are.
    """

    clusters: int = 0
    part: int = 0
    whole: int = 0
    _part_squares: int = 0
    _products: int = 0
    _whole_squares: int = 0

    @classmethod
    def from_sums(
        cls,
        clusters: int,
        part: int,
        whole: int,
        part_squares: int,
        products: int,
        whole_squares: int,
    ) -> ClusteredShare:
        """The share from sums over clusters that are not empty."""
        return cls(clusters, part, whole, part_squares, products, whole_squares)

    def add(self, part: int, whole: int) -> None:
        """Count one more cluster; an empty one is ignored."""
        if not whole:
            return
        self.clusters += 1
        self.part += part
        self.whole += whole
        self._part_squares += part * part
        self._products += part * whole
        self._whole_squares += whole * whole

    def merge(self, other: ClusteredShare) -> None:
        """Count the clusters of another share too."""
        self.clusters += other.clusters
        self.part += other.part
        self.whole += other.whole
        self._part_squares += other._part_squares
        self._products += other._products
        self._whole_squares += other._whole_squares

    @property
    def effective(self) -> float:
        """The effective number of independent things."""
        if self.clusters < 2 or not 0 < self.part < self.whole:
            return self.whole
        share = self.part / self.whole
        residuals = self._part_squares - 2 * share * self._products + share**2 * self._whole_squares
        variance = residuals / self.whole**2 * self.clusters / (self.clusters - 1)
        if variance <= 0:
            return self.whole
        return min(self.whole, max(1.0, share * (1 - share) / variance))

    def interval(self) -> Interval:
        """The share with its 95 % interval."""
        if not self.whole:
            return Interval(None, None, None)
        effective = self.effective
        return wilson(self.part / self.whole * effective, effective)


@dataclass(frozen=True, slots=True)
class McNemar:
    """Both counts of items that one system alone gets right, among `n` items."""

    first_only: int
    second_only: int
    n: int

    @property
    def statistic(self) -> int:
        """Of the exact test: the smaller count."""
        return min(self.first_only, self.second_only)

    @property
    def exact_p(self) -> float:
        """Exact binomial, two-sided: conservative. 1 where the systems never differ."""
        return min(1.0, 2 * self._tail(self.statistic))

    @property
    def mid_p(self) -> float:
        """Exact binomial with half the weight of what was seen: less conservative."""
        if not self._differing:
            return 1.0
        here = math.comb(self._differing, self.statistic) / (1 << self._differing)
        return min(1.0, 2 * self._tail(self.statistic) - here)

    @property
    def corrected_statistic(self) -> float:
        """Chi-square with one degree of freedom and continuity correction."""
        if not self._differing:
            return 0.0
        gap = max(0, abs(self.first_only - self.second_only) - 1)
        return gap * gap / self._differing

    @property
    def corrected_p(self) -> float:
        """Of the chi-square: good for many differing items only."""
        return math.erfc(math.sqrt(self.corrected_statistic / 2))

    @property
    def _differing(self) -> int:
        return self.first_only + self.second_only

    def _tail(self, most: int) -> float:
        """The chance of at most this many heads among the differing items."""
        ways = sum(math.comb(self._differing, k) for k in range(most + 1))
        return ways / (1 << self._differing)


def mcnemar(
    gold: Sequence[Hashable], first: Sequence[Hashable], second: Sequence[Hashable]
) -> McNemar:
    """The test of two systems' answers to the same items."""
    if not len(gold) == len(first) == len(second):
        raise BadInput(
            f"{len(gold)} items but {len(first)} and {len(second)} answers; give one for each"
        )
    right = [(a == g, b == g) for g, a, b in zip(gold, first, second, strict=True)]
    return McNemar(right.count((True, False)), right.count((False, True)), len(gold))


@lru_cache(maxsize=4096)
def jeffreys(part: float, whole: float) -> Interval:
    """The share of `whole` trials that succeeded, with Jeffreys's 95 % interval.

    Where hardly any trial succeeded, it is shorter than Wilson's.
    """
    if whole <= 0:
        return Interval(None, None, None)
    low, high = (
        _beta_quantile(part + 0.5, whole - part + 0.5, tail)
        for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    )
    return Interval(part / whole, low if part > 0 else 0.0, high if part < whole else 1.0)


def _beta_quantile(a: float, b: float, tail: float) -> float:
    low, high = 0.0, 1.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if _beta_share(a, b, middle) < tail else (low, middle)
    return low


def student_tail(t: float, freedom: float) -> float:
    """The chance that Student's t with `freedom` degrees of freedom is above `t`."""
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    tail = _beta_share(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return tail if t > 0 else 1 - tail


def _beta_share(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction of the other side converges fast
        return 1 - _beta_share(b, a, 1 - x)
    front = a * math.log(x) + b * math.log1p(-x)
    front += math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 500):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + step * d), 1 + step / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return math.exp(front) * fraction / a
