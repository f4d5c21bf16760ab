"""From what heads say to what users read: probabilities with the threshold of the best figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trope.train.encoder.corpus import UNKNOWN

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probability = sigmoid(slope · logit + shift); a metaphor if at least `threshold`."""

    slope: float
    shift: float
    threshold: float

    def probabilities(self, logits: Floats) -> Floats:
        """The calibrated probabilities of logits."""
        return _sigmoid(self.slope * logits + self.shift)


def calibrate(logits: Floats, answers: npt.NDArray[np.int64], *, by: str) -> Calibration:
    """Platt's scaling, and the threshold of the best figure: "f1" of metaphors or "macro_f1"."""
    from scipy.optimize import minimize

    known = answers != UNKNOWN
    logits, truth = logits[known], answers[known].astype(float)

    def loss(parameters: Floats) -> float:
        line = parameters[0] * logits + parameters[1]
        return float((np.logaddexp(0, line) - truth * line).mean())

    # without derivatives: two parameters, and no step that could run away
    slope, shift = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    shares = _sigmoid(slope * logits + shift)
    return Calibration(float(slope), float(shift), best_threshold([(shares, truth > 0)], by=by))


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -60, 60))))


_GRID = np.arange(0.05, 0.951, 0.005)


Judged = Sequence[tuple[Floats, npt.NDArray[np.bool_]]]
"""For each of some sets its scores and answers; the mean over them counts none by its size."""


def best_threshold(sets: Judged, *, by: str) -> float:
    """The threshold, in steps of 0.005, with the best mean figure; the middle of the best ones."""
    figures = _figures_by_threshold(sets, by)
    return round(float(_GRID[figures >= figures.max() - 1e-9].mean()), 4)


def highest_nearly_best(sets: Judged, *, within: float) -> float:
    """The highest threshold, in steps of 0.005, whose mean F1 is so near the best."""
    figures = _figures_by_threshold(sets, "f1")
    return round(float(_GRID[figures >= figures.max() - within].max()), 4)


def lowest_nearly_best(sets: Judged, *, within: float) -> float:
    """The lowest threshold, in steps of 0.005, whose mean F1 is so near the best."""
    figures = _figures_by_threshold(sets, "f1")
    return round(float(_GRID[figures >= figures.max() - within].min()), 4)


def lowest_quiet(highest: Floats, *, share: float) -> float:
    """The lowest threshold, in steps of 0.005, that at most this share of the scores reach."""
    quiet = [t for t in _GRID if (highest >= t).mean() <= share]
    return round(float(quiet[0] if quiet else _GRID[-1]), 4)


def _figures_by_threshold(sets: Judged, by: str) -> Floats:
    return np.array(
        [np.mean([_quality(shares >= t, truth, by) for shares, truth in sets]) for t in _GRID]
    )


def _quality(called: npt.NDArray[np.bool_], truth: npt.NDArray[np.bool_], by: str) -> float:
    def f1(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_]) -> float:
        return float(2 * (a & b).sum() / max(a.sum() + b.sum(), 1))

    return f1(called, truth) if by == "f1" else (f1(called, truth) + f1(~called, ~truth)) / 2


def figures_when(
    name: str, logits: Floats, answers: npt.NDArray[np.int64], *, by: str
) -> dict[str, float]:
    """How well a set is judged when calibration and threshold are chosen on that very set.

    Such figures are too high; they serve to compare models.
    """
    chosen = calibrate(logits, answers, by=by)
    called = chosen.probabilities(logits) >= chosen.threshold
    figures = {f"{name}_{by}": round(_quality(called, answers == 1, by), 4)}
    if by == "macro_f1":
        figures[f"{name}_accuracy"] = round(float((called == (answers == 1)).mean()), 4)
    return figures
