"""Logistic regression with a penalty, in numpy: small, exact, the same on every machine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_STEPS = 50
_CLOSE = 1e-8


def fit_logistic(
    rows: npt.ArrayLike, labels: npt.ArrayLike, *, penalty: float, shares: npt.ArrayLike = 1.0
) -> tuple[Floats, float]:
    """Weights and bias that make the labels likely; columns are standardised for the penalty.

    Args:
        rows: items × features.
        labels: 0 or 1 (or a probability) for each item.
        penalty: how dear the squares of the standardised weights are.
        shares: how much each item counts.
    """
    table = np.asarray(rows, dtype=np.float64)
    wanted = np.asarray(labels, dtype=np.float64)
    counted = np.broadcast_to(np.asarray(shares, dtype=np.float64), wanted.shape)
    centre, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    inputs = np.hstack([(table - centre) / spread, np.ones((len(table), 1))])
    ridge = np.diag([penalty] * table.shape[1] + [1e-9])
    weights = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        said = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (counted * (said - wanted)) + ridge @ weights
        curve = (inputs * (counted * said * (1 - said) + 1e-9)[:, None]).T @ inputs + ridge
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < _CLOSE:
            break
    own = weights[:-1] / spread
    return own, float(weights[-1] - own @ centre)
