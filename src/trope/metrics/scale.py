"""Scores on a scale: correlations, and the measures of SemEval-2015 Task 11 with their penalties.

Over n submitted of N items the cosine is multiplied by n/N, the mean squared error by N/n.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import Floats, bootstrap_sums, group_sums

MEASURES = ("cosine", "mse")
ZERO = "undefined: the submitted scores are all 0, and so is the length of their vector"
ZERO_GOLD = "undefined: the gold scores are all 0, and so is the length of their vector"


@dataclass(frozen=True, slots=True)
class ScaleScore:
    """Both measures with their penalty; cosine is None where a vector has no length."""

    cosine: float | None
    mse: float
    submitted: int
    asked: int
    note: str = ""


def score_scale(
    gold: Sequence[float], given: Sequence[float], *, asked: int | None = None
) -> ScaleScore:
    """Both measures over the items that were answered, times the penalty for the others.

    Args:
        gold: the right scores of the answered items.
        given: the answers, in the same order.
        asked: how many items there are in all; by default, as many as were answered.

    Raises:
        BadInput: where nothing was answered, or more than was asked.
    """
    asked = len(gold) if asked is None else asked
    if len(gold) != len(given):
        raise BadInput(f"{len(gold)} gold scores but {len(given)} answers; give one for each")
    if not gold or asked < len(gold):
        raise BadInput(f"{len(gold)} of {asked} items are answered; there is nothing to score")
    truth, ours = np.asarray(gold, dtype=np.float64), np.asarray(given, dtype=np.float64)
    share = len(gold) / asked
    error = float(np.mean((truth - ours) ** 2)) / share
    lengths = math.sqrt(float(truth @ truth) * float(ours @ ours))
    if lengths == 0:
        note = ZERO if not ours.any() else ZERO_GOLD
        return ScaleScore(None, error, len(gold), asked, note)
    return ScaleScore(float(truth @ ours) / lengths * share, error, len(gold), asked)


def scale_figures(
    prefix: str,
    gold: Sequence[float],
    given: Sequence[float],
    *,
    data: DataRef,
    seed: int,
    asked: int | None = None,
    weights: Sequence[float] | None = None,
    chosen_on: str = "",
    note: str = "",
) -> list[Measurement]:
    """`prefix.cosine` and `prefix.mse` with intervals by bootstrap over the answered items.

    `weights` count some items more than others, in cross-validation and nowhere else.
    """
    score = score_scale(gold, given, asked=asked)
    share = score.submitted / score.asked
    truth, ours = np.asarray(gold, dtype=np.float64), np.asarray(given, dtype=np.float64)
    sums = np.stack([truth * ours, truth**2, ours**2, (truth - ours) ** 2, truth * 0 + 1], axis=1)
    if weights is not None:
        sums *= np.asarray(weights, dtype=np.float64)[:, None]

    def measures(rows: Floats) -> Floats:
        product, own, theirs, squares, count = rows.T
        lengths = np.sqrt(own * theirs)
        cosine = np.divide(product, lengths, out=np.full_like(product, np.nan), where=lengths > 0)
        return np.stack([cosine * share, squares / count / share], axis=1)

    return [
        Measurement(
            f"{prefix}.{name}",
            interval.value,
            interval.low,
            interval.high,
            n=score.submitted,
            data=data,
            chosen_on=chosen_on,
            note="; ".join(p for p in (score.note if interval.value is None else "", note) if p),
        )
        for name, interval in zip(MEASURES, bootstrap_sums(sums, measures, seed=seed), strict=True)
    ]


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """The correlation of the ranks, equal values sharing theirs; None where a side is constant.

    Raises:
        BadInput: for lists of different lengths, or of fewer than two.
    """
    if len(one) != len(other) or len(one) < 2:
        raise BadInput(f"{len(one)} and {len(other)} values have no rank correlation")
    first, second = _ranks(one), _ranks(other)
    if first.std() == 0 or second.std() == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _ranks(values: Sequence[float]) -> Floats:
    """Ranks from 1, the mean rank for equal values."""
    table = np.asarray(values, dtype=np.float64)
    below = (table[None, :] < table[:, None]).sum(axis=1)
    equal = (table[None, :] == table[:, None]).sum(axis=1)
    ranks: Floats = below + (equal + 1) / 2
    return ranks


def correlation_figures(
    prefix: str,
    gold: Sequence[float],
    given: Sequence[float],
    *,
    data: DataRef,
    seed: int,
    groups: Sequence[Hashable] | None = None,
    scores: Sequence[str] = ("pearson", "spearman"),
    note: str = "",
) -> list[Measurement]:
    """`prefix.pearson`, `prefix.spearman` and `prefix.mae`, with intervals over groups of items.

    The ranks of Spearman's correlation are those of all items in every resample.

    Raises:
        BadInput: for lists of different lengths.
    """
    if len(gold) != len(given):
        raise BadInput(f"{len(gold)} gold scores but {len(given)} answers; give one for each")
    figures = []
    for score in scores:
        truth, ours = (np.asarray(values, dtype=np.float64) for values in (gold, given))
        if score == "spearman":
            truth, ours = _ranks(gold), _ranks(given)
        sums = np.stack(
            [truth, ours, truth**2, ours**2, truth * ours, np.abs(truth - ours), truth * 0 + 1],
            axis=1,
        )
        statistic = _mean_error if score == "mae" else _correlation
        (interval,) = bootstrap_sums(group_sums(sums, groups), statistic, seed=seed)
        figures.append(
            Measurement(
                f"{prefix}.{score}",
                interval.value,
                interval.low,
                interval.high,
                n=len(gold),
                data=data,
                note=note if interval.value is not None else "undefined: one side is constant",
            )
        )
    return figures


def _correlation(sums: Floats) -> Floats:
    one, other, squares, other_squares, products, _, count = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (squares - one**2 / count) * (other_squares - other**2 / count)
        shared = products - one * other / count
        return np.where(spread > 1e-12, shared / np.sqrt(np.maximum(spread, 0)), np.nan)[:, None]


def _mean_error(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = (sums[:, 5] / sums[:, 6])[:, None]
    return found
