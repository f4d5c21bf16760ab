"""How far annotators agree: percent, Fleiss' and Cohen's kappa, Krippendorff's alpha.

Every statistic is a function of sums over items, so that one bootstrap over items gives the
intervals of all of them. Formulas, conventions and undefined cases: docs/agreement.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations

import numpy as np

from trope.metrics.intervals import RESAMPLES, bootstrap_sums
from trope.metrics.votes import Floats, Ints, Votes

MOST_PAIRED = 200
"""With more annotators than this, pairs share too few items for Cohen's kappa."""

SHARES = ("percent", "unanimous", "overlap", "word_percent", "word_unanimous")
"""Shares: not corrected for chance, so no kappa."""

TITLES = {
    "percent": "share of equal answers",
    "unanimous": "share of unanimous items",
    "fleiss": "Fleiss' kappa",
    "fleiss_complete": "Fleiss' kappa, complete items",
    "cohen": "Cohen's kappa, mean of pairs",
    "alpha_nominal": "Krippendorff's alpha",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "alpha_interval": "Krippendorff's alpha, interval",
    "overlap": "mean overlap of marked words",
    "any_fleiss": "Fleiss' kappa of any words or none",
    "word_percent": "share of equal answers, per word",
    "word_unanimous": "share of unanimous words",
    "word_fleiss": "Fleiss' kappa of words",
    "word_alpha": "Krippendorff's alpha of words",
    "word_cohen": "Cohen's kappa of words, mean of pairs",
}
"""What pages and reports call the statistics."""

_MOST_CELLS = 20_000_000  # of a table of sums that is resampled
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Agreement:
    """One statistic with its 95 % interval; an undefined value is None and the note says why.

    `n` is the number of items that it rests on.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    note: str = ""

    @property
    def word(self) -> str:
        """What Landis and Koch call a kappa or alpha of this size; empty for shares."""
        if self.value is None or self.name in SHARES:
            return ""
        return landis_koch(self.value)

    @property
    def title(self) -> str:
        """What a page calls it; of two people, their names."""
        return TITLES.get(self.name, self.name)


@dataclass(frozen=True, slots=True)
class SumStatistic:
    """Statistics of column sums: `value` maps rows of sums to rows of values, NaN: undefined."""

    names: tuple[str, ...]
    columns: Floats
    value: Callable[[Floats], Floats]
    sizes: tuple[int, ...]


def landis_koch(value: float) -> str:
    """The word for a kappa, which is first rounded to two digits: 0.804 is still substantial."""
    rounded = float(Decimal(repr(float(value))).quantize(Decimal("0.01"), ROUND_HALF_UP))
    if rounded < 0:
        return "poor"
    bands = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
    return next((word for top, word in bands if rounded <= top), "almost perfect")


def item_agreement(counts: Floats) -> Floats:
    """For each item the share of pairs of answers that are equal; NaN under two answers."""
    answers = counts.sum(axis=1)
    pairs = answers * (answers - 1)
    same = (counts * (counts - 1)).sum(axis=1)
    return _ratio(same, pairs)


def percent_agreement(counts: Floats) -> SumStatistic:
    """`percent`: the mean of `item_agreement`; `unanimous`: the share of items with one label."""
    paired = _paired(counts)
    pairs = item_agreement(paired)
    columns = np.column_stack([pairs, pairs > 1 - _TINY, np.ones(len(pairs))])

    def value(sums: Floats) -> Floats:
        return _ratio(sums[:, :2], sums[:, 2:])

    return SumStatistic(("percent", "unanimous"), columns, value, (len(paired),) * 2)


def fleiss_kappa(counts: Floats, name: str = "fleiss") -> SumStatistic:
    """Fleiss' kappa; with unequal numbers of answers every item counts the same.

    Observed agreement is the mean over items of the share of equal pairs, and the share of a
    label in chance agreement is the mean over items of its share there. Items with fewer than two
    answers are left out of both.
    """
    paired = _paired(counts)
    shares = _ratio(paired, paired.sum(axis=1, keepdims=True))
    columns = np.column_stack([item_agreement(paired), np.ones(len(paired)), shares])

    def value(sums: Floats) -> Floats:
        observed = _ratio(sums[:, :1], sums[:, 1:2])
        chance = (_ratio(sums[:, 2:], sums[:, 1:2]) ** 2).sum(axis=1, keepdims=True)
        return _ratio(observed - chance, 1 - chance)

    return SumStatistic((name,), columns, value, (len(paired),))


def krippendorff_nominal(counts: Floats) -> SumStatistic:
    """Krippendorff's alpha with equal or unequal labels."""
    paired = _paired(counts)
    answers = paired.sum(axis=1)
    unequal = (answers**2 - (paired**2).sum(axis=1)) / (answers - 1)
    columns = np.column_stack([unequal, paired])

    def value(sums: Floats) -> Floats:
        total = sums[:, 1:].sum(axis=1, keepdims=True)
        chance = (total**2 - (sums[:, 1:] ** 2).sum(axis=1, keepdims=True)) / (total - 1)
        return 1 - _ratio(sums[:, :1], chance)

    return SumStatistic(("alpha_nominal",), columns, value, (len(paired),))


def krippendorff_interval(counts: Floats, numbers: Floats) -> SumStatistic:
    """Krippendorff's alpha with squared differences of numbers."""
    paired = _paired(counts)
    answers = paired.sum(axis=1)
    if len(paired):  # sums of squares lose digits far from zero
        numbers = numbers - float(paired.sum(axis=0) @ numbers / paired.sum())
    first, second = paired @ numbers, paired @ numbers**2
    spread = 2 * (answers * second - first**2) / (answers - 1)
    columns = np.column_stack([spread, answers, first, second])

    def value(sums: Floats) -> Floats:
        spread, total, first, second = np.hsplit(sums, 4)
        return 1 - _ratio(spread, 2 * (total * second - first**2) / (total - 1))

    return SumStatistic(("alpha_interval",), columns, value, (len(paired),))


def krippendorff_ordinal(counts: Floats) -> SumStatistic:
    """Krippendorff's alpha with squared differences of middle ranks; labels are ordered."""
    paired = _paired(counts)
    width = counts.shape[1]
    answers = paired.sum(axis=1, keepdims=True)
    low, high = np.triu_indices(width, 1)
    coincidences = 2 * paired[:, low] * paired[:, high] / (answers - 1)
    columns = np.hstack([coincidences, paired])

    def value(sums: Floats) -> Floats:
        pairs, totals = sums[:, : len(low)], sums[:, len(low) :]
        total = totals.sum(axis=1, keepdims=True)
        ranks = np.cumsum(totals, axis=1) - totals / 2
        distance = (ranks[:, low] - ranks[:, high]) ** 2
        observed = (pairs * distance).sum(axis=1, keepdims=True)
        expected = 2 * (totals[:, low] * totals[:, high] * distance).sum(axis=1, keepdims=True)
        return 1 - _ratio(observed, expected / (total - 1))

    return SumStatistic(("alpha_ordinal",), columns, value, (len(paired),))


def cohen_kappas(votes: Votes) -> SumStatistic | None:
    """Cohen's kappa of every two annotators who share an item, `a|b`, and their mean, `cohen`.

    None where nobody shares an item or there are over `MOST_PAIRED` annotators. A pair whose
    kappa is undefined, or that shares one item alone, is left out of the mean.
    """
    annotators, width = len(votes.annotators), len(votes.labels)
    if annotators > MOST_PAIRED:
        return None
    given = np.full((len(votes.items), annotators), -1, dtype=np.int64)
    given[votes.item, votes.annotator] = votes.label
    cells = annotators * (annotators - 1) // 2 * len(votes.items) * (2 * width + 2)
    names, blocks, sizes = [], [], []
    for one, other in combinations(range(annotators), 2):
        shared = np.flatnonzero((given[:, one] >= 0) & (given[:, other] >= 0))
        if len(shared):
            names.append(f"{votes.annotators[one]}|{votes.annotators[other]}")
            sizes.append(len(shared))
            columns = _pair_columns(given[:, one], given[:, other], shared, width)
            # too many to resample: the sums alone
            blocks.append(columns if cells <= _MOST_CELLS else columns.sum(axis=0, keepdims=True))
    if not blocks:
        return None
    value = _cohen_value(len(names), width)
    return SumStatistic((*names, "cohen"), np.hstack(blocks), value, (*sizes, len(given)))


def _pair_columns(one: Ints, other: Ints, rows: Ints, width: int) -> Floats:
    """For each item whether the two agree, whether both answered, and the label of each."""
    columns = np.zeros((len(one), 2 * width + 2))
    columns[rows, 0] = one[rows] == other[rows]
    columns[rows, 1] = 1
    columns[rows, 2 + one[rows]] = 1
    columns[rows, 2 + width + other[rows]] = 1
    return columns


def _cohen_value(pairs: int, width: int) -> Callable[[Floats], Floats]:
    def value(sums: Floats) -> Floats:
        blocks = sums.reshape(len(sums), pairs, 2 * width + 2)
        agreed, shared = blocks[:, :, 0], blocks[:, :, 1]
        chance = (blocks[:, :, 2 : 2 + width] * blocks[:, :, 2 + width :]).sum(axis=2)
        chance = _ratio(chance, shared**2)
        kappas = np.where(shared > 1, _ratio(_ratio(agreed, shared) - chance, 1 - chance), np.nan)
        defined = np.isfinite(kappas)
        mean = _ratio(np.where(defined, kappas, 0).sum(axis=1), defined.sum(axis=1))
        return np.column_stack([kappas, mean])

    return value


def with_intervals(
    statistics: Sequence[SumStatistic], *, seed: int, resamples: int = RESAMPLES
) -> list[Agreement]:
    """The values of the statistics with intervals by bootstrap over items.

    A statistic over one item, or over too many cells to resample, has no interval.
    """
    measured: list[Agreement] = []
    for statistic in statistics:
        rows = len(statistic.columns)
        times = resamples if rows > 1 and statistic.columns.size <= _MOST_CELLS else 1
        if not rows:
            continue
        intervals = bootstrap_sums(statistic.columns, statistic.value, seed=seed, resamples=times)
        for name, size, interval in zip(statistic.names, statistic.sizes, intervals, strict=True):
            low, high = (interval.low, interval.high) if times > 1 else (None, None)
            measured.append(Agreement(name, interval.value, low, high, size))
    return measured


def _paired(counts: Floats) -> Floats:
    """The items with two answers or more: one answer agrees with nothing."""
    paired: Floats = counts[counts.sum(axis=1) >= 2]
    return paired


def _ratio(above: Floats, below: Floats) -> Floats:
    """The quotient, NaN where the divisor is nothing."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    quotients: Floats = np.full(shape, np.nan)
    np.divide(above, below, out=quotients, where=np.abs(below) > _TINY)
    return quotients
