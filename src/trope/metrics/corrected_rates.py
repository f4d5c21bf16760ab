"""Rates of a corpus from a model's answers to all of it, corrected by a judged random sample.

Prediction-powered inference (Angelopoulos et al. 2023), with the weight λ of the model's answers
tuned to the sample (PPI++, 2024): the corrected rate is λ · mean(model, all items) + mean(judged −
λ · model, judged items). A useless model gets λ = 0, which leaves the classical estimate.

A residual of the judged items is (1 − λ) · label + λ · missed − λ · false, where the model missed
the label or gave it falsely. Each of these three shares has Jeffreys's interval, since Wilson's is
long where a share is near 0, as that of errors often is. The three are combined by the variance
estimates recovered from their limits (MOVER, Zou and Donner 2008), so a sample with few errors of
the model, or none, does not make it perfect. `benchmarks/corrected_rates.py` measures the coverage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.intervals import NORMAL, Floats, Interval, jeffreys, wilson

LEAST_JUDGED = 40
"""Judged items below which the model's answers are not used: with fewer, the interval covers less
than it says."""


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A rate with the interval that the model's answers give it, beside the classical one.

    `model` is the rate by the model alone, `weight` is λ, `notes` say what could not be done.
    """

    corrected: Interval
    classical: Interval
    model: float
    judged: int
    items: int
    weight: float
    notes: tuple[str, ...] = ()
    beyond: bool = False
    residual: float = 0.0
    model_variance: float = 0.0

    @property
    def width(self) -> float | None:
        """From the lower to the upper bound of the corrected interval."""
        low, high = self.corrected.low, self.corrected.high
        return None if low is None or high is None else high - low

    @property
    def judgments_for_half(self) -> int | None:
        """How many judged items in all an interval half as wide needs; None: all do not suffice."""
        return self.judgments_for(min((self.width or 0.1) / 2, 0.99) or 0.01)

    def judgments_for(self, width: float) -> int | None:
        """How many judged items in all an interval of this width needs; None: all do not suffice.

        Estimated from this sample, so the fewer judgments there are, the rougher.
        """
        if not 0 < width < 1:
            raise BadInput(f"an interval of a rate is between 0 and 1 wide, not {width}")
        variance = (width / 2 / NORMAL) ** 2
        found = [number for number in self._needed(variance) if number is not None]
        return max(LEAST_JUDGED, min(found)) if found else None

    def _needed(self, variance: float) -> list[int | None]:
        share = self.corrected.value or 0.0
        share = min(max(share, 0.5 / max(self.judged, 1)), 1 - 0.5 / max(self.judged, 1))
        plain = share * (1 - share)
        if not self.beyond:
            spread = self.residual if self.weight else plain
            number = spread / variance
            return [math.ceil(number / (1 + number / self.items))]
        left = variance - self.weight**2 * self.model_variance / max(self.items - self.judged, 1)
        tuned = math.ceil(self.residual / left) if self.weight and left > 0 else None
        return [tuned, math.ceil(plain / variance)]


@dataclass(frozen=True, slots=True)
class RateDifference:
    """The difference of two rates: corrected, and classical."""

    corrected: Interval
    classical: Interval


def corrected_rate(
    judged: Sequence[float],
    predicted: Sequence[float],
    everything: Sequence[float],
    *,
    beyond: bool = False,
) -> CorrectedRate:
    """The rate of a label.

    Args:
        judged: for each item of a random sample 1 if people gave it the label, else 0.
        predicted: what the model says of the same items, 0 to 1.
        everything: what it says of all items, those of the sample among them.
        beyond: whether the rate is that of what the items were drawn from, not of the items alone.

    Raises:
        BadInput: for nothing judged, values outside 0 to 1, or lengths that do not fit.
    """
    every = _shares(everything)
    if not len(every):
        raise BadInput("there are no answers of the model; give one for each item")
    spread = _Spread(len(every), float(every.mean()), float(every.var()))
    return _corrected(_shares(judged), _shares(predicted), spread, beyond)


def corrected_count(
    judged: Sequence[float], predicted: Sequence[float], *, positive: int, items: int
) -> CorrectedRate:
    """The rate of a label in a corpus of any size, of which the model gave it to `positive` items.

    Raises:
        BadInput: as `corrected_rate`.
    """
    if not 0 <= positive <= items or not items:
        raise BadInput(f"the model cannot give a label to {positive} of {items} items")
    share = positive / items
    spread = _Spread(items, share, share * (1 - share))
    return _corrected(_shares(judged), _shares(predicted), spread, False)


@dataclass(frozen=True, slots=True)
class _Spread:
    """What is known about the model's answers to all items."""

    items: int
    mean: float
    variance: float


def _corrected(y: Floats, f: Floats, every: _Spread, beyond: bool) -> CorrectedRate:
    if not len(y) or len(y) != len(f):
        raise BadInput(
            f"{len(y)} judged items and {len(f)} answers of the model; give one for each"
        )
    n, items, model = len(y), every.items, every.mean
    if items < n:
        raise BadInput(f"{n} judged items of {items}; give all answers of the model")
    rest = items - n
    left = 1.0 if beyond else rest / items  # what a sample of a finite corpus leaves open
    plain = _sampled(float(y.mean()), n, left)
    if not rest and not beyond:
        return CorrectedRate(plain, plain, model, n, items, 0.0, ("all items are judged",))
    weight = _weight(y, f, n / rest if beyond and rest else 0.0)
    why = _why_not(y, f, weight, rest)
    if why:
        return CorrectedRate(plain, plain, model, n, items, 0.0, (why,), beyond)
    elsewhere = (model * items - float(f.sum())) / rest if beyond else model
    residuals = y - weight * f
    value = weight * elsewhere + float(residuals.mean())
    residual = (float(((residuals - residuals.mean()) ** 2).sum()) + 1) / (n - 2)
    below, above = _distances(y, f, weight, n / left)
    if beyond:  # the answers to the other items are a sample, too
        by_others = NORMAL * weight * math.sqrt(every.variance / rest)
        below, above = math.hypot(below, by_others), math.hypot(above, by_others)
    value = min(max(value, 0.0), 1.0)
    corrected = Interval(value, max(value - below, 0.0), min(value + above, 1.0))
    return CorrectedRate(
        *(corrected, plain, model, n, items, weight, (), beyond, residual, every.variance)
    )


def rate_difference(one: CorrectedRate, other: CorrectedRate) -> RateDifference:
    """The rate of one group less that of another, judged separately (Newcombe's interval)."""
    return RateDifference(
        _difference(one.corrected, other.corrected), _difference(one.classical, other.classical)
    )


def _shares(values: Sequence[float]) -> Floats:
    found = np.asarray(values, dtype=np.float64).reshape(-1)
    if not np.all((found >= 0) & (found <= 1)):
        raise BadInput("a rate needs values from 0 to 1; give 1 for items with the label, else 0")
    return found


def _weight(y: Floats, f: Floats, ratio: float) -> float:
    """PPI++'s λ, at least 0 and at most 1; `ratio` is judged to other items, 0 for all of them."""
    spread = float(f.var())
    if not spread:
        return 0.0
    together = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, together / spread / (1 + ratio)))


def _why_not(y: Floats, f: Floats, weight: float, rest: int) -> str:
    """Why the model's answers are of no use, or the empty string."""
    classical = "so the interval is the classical one"
    if not rest:
        return f"there are no items beyond the judged ones, {classical}"
    if len(y) < LEAST_JUDGED:
        number = f"{len(y)} judged item{'s' if len(y) > 1 else ''}"
        return f"{number} cannot correct a model ({LEAST_JUDGED} or more can), {classical}"
    if not y.any() or y.all():
        what = "all judged items have" if y.all() else "no judged item has"
        return f"{what} this label, {classical}; judge more items"
    if not f.var():
        return f"the model says the same of all judged items, {classical}"
    if not weight:
        return f"the model's answers do not go with the judgments, {classical}"
    return ""


def _sampled(share: float, judged: int, left: float) -> Interval:
    """Wilson's interval of a sample of which a finite corpus leaves only `left` open."""
    if not left:
        return Interval(share, share, share)
    number = judged / left
    return wilson(share * number, number)


def _distances(y: Floats, f: Floats, weight: float, number: float) -> tuple[float, float]:
    """From the mean of y − weight · f down and up to its bounds, for `number` judgments."""
    shares = np.vstack([y, y * (1 - f), (1 - y) * f])
    factors = np.array([1 - weight, weight, -weight])
    spreads = shares.std(axis=1)
    apart = np.outer(spreads, spreads)
    together = np.cov(shares, bias=True)
    related = np.divide(together, apart, out=np.zeros_like(apart), where=apart > 0)
    np.fill_diagonal(related, 1.0)
    bounds = [_bounds(share, number) for share in shares]
    sides = np.array([(mean - low, high - mean) for mean, low, high in bounds])
    # where a share is subtracted, its upper bound makes the lower one
    sides[2] = sides[2][::-1]
    below, above = (
        math.sqrt(max(float((side * factors) @ related @ (side * factors)), 0.0))
        for side in sides.T
    )
    return below, above


def _bounds(share: Floats, number: float) -> tuple[float, float, float]:
    """Mean of shares, and Jeffreys's bounds for as many yes-or-no judgments as vary as little.

    The variance of shares that are not yes or no counts one more judgment that differs.
    """
    mean = float(share.mean())
    most = mean * (1 - mean)
    variance = min(most, float(share.var()) + 1 / len(share))
    number = number * most / variance if variance else number
    found = jeffreys(round(mean * number, 6), round(number, 6))
    return mean, min(mean, found.low or 0.0), max(mean, found.high or 0.0)


def _difference(one: Interval, other: Interval) -> Interval:
    values = (one.value, one.low, one.high, other.value, other.low, other.high)
    a, a_low, a_high, b, b_low, b_high = (float(value or 0.0) for value in values)
    below = math.hypot(a - a_low, b_high - b)
    above = math.hypot(a_high - a, b - b_low)
    return Interval(a - b, a - b - below, a - b + above)
