"""A light ranker: a linear score of a choice, learnt so that the right one of four has the best.

Conditional logistic regression by Newton's method, in numpy alone; features are standardised on
what is learnt from. How strongly weights are held down is chosen by cross-validation inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_STRENGTHS = (0.3, 3.0, 30.0, 300.0)
_STEPS, _ENOUGH = 12, 1e-4


@dataclass(frozen=True, slots=True)
class ChoiceRanker:
    """Weights of standardised features."""

    mean: Floats
    scale: Floats
    weights: Floats

    def arrays(self) -> dict[str, Floats]:
        """Everything that a file keeps of the ranker."""
        return {"mean": self.mean, "scale": self.scale, "weights": self.weights}

    def score(self, features: Floats) -> Floats:
        """Scores, items × choices."""
        scores: Floats = ((features - self.mean) / self.scale) @ self.weights
        return scores


def fit_ranker(features: Floats, *, strength: float) -> ChoiceRanker:
    """The ranker of items × choices × features; the first choice of each item is the right one."""
    flat = features.reshape(-1, features.shape[-1])
    mean, scale = flat.mean(axis=0), flat.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    given = (features - mean) / scale
    weights = np.zeros(features.shape[-1])
    for _ in range(_STEPS):
        chances = _softmax(given @ weights)
        centred = given - (chances[..., None] * given).sum(axis=1, keepdims=True)
        gradient = -centred[:, 0].sum(axis=0) + strength * weights
        rows = (np.sqrt(chances)[..., None] * centred).reshape(-1, len(weights))
        curvature = rows.T @ rows + strength * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < _ENOUGH:
            break
    return ChoiceRanker(mean, scale, weights)


def log_likelihood(ranker: ChoiceRanker, features: Floats) -> float:
    """How likely the right choices are to the ranker, as a logarithm."""
    return float(np.log(_softmax(ranker.score(features))[:, 0] + 1e-12).sum())


def choose_strength(
    features: Floats,
    groups: Sequence[str],
    *,
    seed: int,
    strengths: Sequence[float] = _STRENGTHS,
    folds: int = 5,
) -> float:
    """The strength under which left-out groups are most likely."""
    names = sorted(set(groups))
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[at]: rank % folds for rank, at in enumerate(order)}
    place = np.array([fold_of[group] for group in groups])
    parts = [place == fold for fold in range(min(folds, len(names)))]

    def likelihood(strength: float) -> float:
        return sum(
            log_likelihood(fit_ranker(features[~part], strength=strength), features[part])
            for part in parts
        )

    return max(strengths, key=likelihood)


def cross_validate(
    features: Floats,
    groups: Sequence[str],
    folds: Sequence[Sequence[int]],
    *,
    seed: int,
    also: Floats | None = None,
    inner: int = 5,
) -> tuple[Floats, Floats]:
    """Scores of every item by the ranker of its fold, whose strength its own training part chose.

    The second table has the scores of the same items with the features of `also`.
    """
    other = features if also is None else also
    scores = np.zeros(features.shape[:2])
    others = np.zeros(features.shape[:2])
    for fold in folds:
        apart = np.zeros(len(features), dtype=bool)
        apart[list(fold)] = True
        train = features[~apart]
        named = [group for group, out in zip(groups, apart, strict=True) if not out]
        strength = choose_strength(train, named, seed=seed, folds=inner)
        ranker = fit_ranker(train, strength=strength)
        scores[apart], others[apart] = ranker.score(features[apart]), ranker.score(other[apart])
    return scores, others


def _softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    found: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return found
