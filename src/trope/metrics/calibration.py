"""Calibration: of the words that get a probability of 0.7, seven in ten should be metaphors."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.intervals import Floats, Interval, bootstrap_sums

BINS = 15


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Items of about the same probability: how many, their mean probability, their true share."""

    low: float
    high: float
    items: int
    predicted: float
    true: float


def reliability(probabilities: Sequence[float], gold: Sequence[bool]) -> list[CalibrationBin]:
    """Bins of equal width from 0 to 1; empty ones are left out."""
    sums = _sums(probabilities, gold, None)[0].reshape(BINS, 3)
    return [
        CalibrationBin(
            n / BINS, (n + 1) / BINS, int(items), float(total / items), float(true / items)
        )
        for n, (items, total, true) in enumerate(sums)
        if items
    ]


def calibration_error(
    probabilities: Sequence[float],
    gold: Sequence[bool],
    *,
    groups: Sequence[Hashable] | None = None,
    seed: int,
) -> Interval:
    """Expected calibration error: the gap between predicted and true share, weighted by items.

    Resamples are drawn over groups (sentences). Their mean gap is larger than the gap itself, as
    noise never shrinks a distance, so that the interval leans upwards.
    """
    return bootstrap_sums(_sums(probabilities, gold, groups), _error, seed=seed)[0]


def _error(sums: Floats) -> Floats:
    by_bin = sums.reshape(len(sums), BINS, 3)
    gaps = np.abs(by_bin[:, :, 1] - by_bin[:, :, 2]).sum(axis=1)
    error: Floats = (gaps / by_bin[:, :, 0].sum(axis=1))[:, None]
    return error


def _sums(
    probabilities: Sequence[float], gold: Sequence[bool], groups: Sequence[Hashable] | None
) -> Floats:
    """One row per group, or one for all: per bin its items, their sum, the positives."""
    if len(probabilities) != len(gold):
        raise BadInput(f"{len(probabilities)} probabilities but {len(gold)} labels; give one each")
    shares = np.asarray(probabilities, dtype=np.float64)
    if shares.size and not ((shares >= 0) & (shares <= 1)).all():
        raise BadInput("a probability lies outside of 0 to 1; calibration is about probabilities")
    numbers: dict[Hashable, int] = {}
    rows = np.array([numbers.setdefault(g, len(numbers)) for g in groups or [0] * len(gold)])
    table = np.zeros((max(1, len(numbers)), BINS, 3))
    places = np.minimum((shares * BINS).astype(int), BINS - 1)
    values = np.stack([np.ones_like(shares), shares, np.asarray(gold, dtype=float)], axis=1)
    if shares.size:
        np.add.at(table, (rows, places), values)
    return table.reshape(len(table), -1)
