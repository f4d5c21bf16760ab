"""GLAD (Whitehill et al. 2009): annotators differ in ability, items in difficulty.

An answer is right with probability σ(α·e^β), α of the annotator (negative: works against the
truth), e^β of the item (large: easy); wrong answers are spread over the other labels evenly. Both
have a normal prior around 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trope.metrics.aggregation.results import (
    Aggregate,
    fix_known,
    known_places,
    labelled,
    normalised,
    rated,
)
from trope.metrics.votes import Floats, Ints, Votes

_PRIOR = 1.0
_STEPS = 10  # of Newton's method within one step of EM
_HALVINGS = 20


def glad(
    votes: Votes,
    *,
    known: Mapping[str, str] | None = None,
    iterations: int = 1000,
    tolerance: float = 1e-9,
) -> Aggregate:
    """The most probable labels under abilities and difficulties, all labels being as likely before.

    The quality of an annotator is the ability α.
    """
    fixed = known_places(votes, known or {})
    ability, ease = np.full(len(votes.annotators), 1.0), np.full(len(votes.items), 1.0)
    probabilities, before = _labels(votes, ability, ease, fixed)
    now, done = before, 0
    while done < iterations:
        done += 1
        right = probabilities[votes.item, votes.label]
        for _ in range(_STEPS):
            ability = _climb(votes, right, ability, ease, of_item=False)
            ease = _climb(votes, right, ability, ease, of_item=True)
        probabilities, now = _labels(votes, ability, ease, fixed)
        if now - before < tolerance * len(votes):
            break
        before = now
    return Aggregate(
        "glad",
        "ability α",
        labelled(votes, probabilities),
        rated(votes, ability),
        done,
        done < iterations,
        float(now),
    )


def _labels(
    votes: Votes, ability: Floats, ease: Floats, fixed: tuple[Ints, Ints]
) -> tuple[Floats, float]:
    """Probabilities of labels, and the logarithm of likelihood and priors together."""
    width, items = len(votes.labels), len(votes.items)
    strength = ability[votes.annotator] * np.exp(ease[votes.item])
    right = -np.logaddexp(0, -strength)
    wrong = -np.logaddexp(0, strength) - np.log(max(width - 1, 1))
    base = np.bincount(votes.item, wrong, minlength=items)
    cell = votes.item * width + votes.label
    extra = np.bincount(cell, right - wrong, minlength=items * width).reshape(items, width)
    joint = base[:, None] + extra - np.log(width)
    probabilities, evidence = normalised(joint)
    rows, labels = fixed
    evidence[rows] = joint[rows, labels]
    penalty = ((ability - _PRIOR) ** 2).sum() / 2 + ((ease - _PRIOR) ** 2).sum() / 2
    return fix_known(probabilities, fixed), float(evidence.sum() - penalty)


def _climb(votes: Votes, right: Floats, ability: Floats, ease: Floats, *, of_item: bool) -> Floats:
    """The abilities (or eases) after one safe step uphill, each for itself, the others held."""
    group = votes.item if of_item else votes.annotator
    now = ease if of_item else ability

    def strength(values: Floats) -> Floats:
        one, other = (ability, values) if of_item else (values, ease)
        return one[votes.annotator] * np.exp(other[votes.item])

    def objective(values: Floats) -> Floats:
        power = strength(values)
        gain = -right * np.logaddexp(0, -power) - (1 - right) * np.logaddexp(0, power)
        return np.bincount(group, gain, minlength=len(values)) - (values - _PRIOR) ** 2 / 2

    power = strength(now)
    slope = power if of_item else np.exp(ease[votes.item])
    chance = 1 / (1 + np.exp(-np.clip(power, -500, 500)))
    gradient = np.bincount(group, (right - chance) * slope, len(now)) - (now - _PRIOR)
    curvature = np.bincount(group, chance * (1 - chance) * slope**2, len(now)) + 1
    step = np.clip(gradient / curvature, -1, 1)
    start = objective(now)
    for _ in range(_HALVINGS):
        worse = objective(now + step) < start
        if not worse.any():
            break
        step = np.where(worse, step / 2, step)
    else:
        step = np.where(objective(now + step) < start, 0, step)
    return now + step
