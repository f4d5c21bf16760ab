"""MACE (Hovy et al. 2013): an annotator knows the label, or answers by habit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trope.metrics.aggregation.results import (
    Aggregate,
    fix_known,
    known_places,
    labelled,
    normalised,
    rated,
    sum_by,
)
from trope.metrics.votes import Floats, Ints, Votes

Training = Literal["variational", "em"]


@dataclass(frozen=True, slots=True)
class _State:
    """How often each annotator knows, and what each answers without knowing."""

    knows: Floats
    guesses: Floats
    habits: Floats


@dataclass(frozen=True, slots=True)
class _Expected:
    """The step of expectation: probabilities of labels, expected counts, log-likelihood."""

    probabilities: Floats
    known: Floats
    guessed: Floats
    answers: Floats
    log_likelihood: float


def mace(
    votes: Votes,
    *,
    known: Mapping[str, str] | None = None,
    training: Training = "variational",
    restarts: int = 10,
    iterations: int = 1000,
    tolerance: float = 1e-9,
    competence_prior: float = 0.5,
    habit_prior: float = 10.0,
    seed: int = 0,
) -> Aggregate:
    """The most probable labels, from the best of several seeded starts.

    Args:
        known: true labels of some items, which stay as they are.
        training: "variational" has a Beta prior on knowing and a Dirichlet prior on habits (both
            symmetric); "em" adds 0.01 / labels to all counts.
        restarts: how many random starts; the start with the greatest likelihood wins.
        seed: decides the starts.

    The quality of an annotator is the probability of knowing the label.
    """
    rng = np.random.default_rng(seed)
    fixed = known_places(votes, known or {})
    best: tuple[_State, _Expected, int] | None = None
    for _ in range(max(1, restarts)):
        state = _start(votes, rng)
        expected = _expect(votes, state, fixed)
        done = 0
        while done < iterations:
            done += 1
            state = _maximise(votes, expected, training, competence_prior, habit_prior)
            before, expected = expected, _expect(votes, state, fixed)
            change = abs(expected.log_likelihood - before.log_likelihood)
            if change < tolerance * len(votes):
                break
        if best is None or expected.log_likelihood > best[1].log_likelihood + 1e-9:
            best = state, expected, done
    if best is None:
        raise AssertionError("there is at least one start")
    state, expected, done = best
    return Aggregate(
        "mace",
        "probability of knowing the label",
        labelled(votes, expected.probabilities),
        rated(votes, state.knows),
        done,
        done < iterations,
        expected.log_likelihood,
    )


def _start(votes: Votes, rng: np.random.Generator) -> _State:
    knowing = rng.uniform(1, 2.5, size=(len(votes.annotators), 2))
    habits = rng.uniform(1, 2.5, size=(len(votes.annotators), len(votes.labels)))
    knowing /= knowing.sum(axis=1, keepdims=True)
    return _State(knowing[:, 1], knowing[:, 0], habits / habits.sum(axis=1, keepdims=True))


def _expect(votes: Votes, state: _State, fixed: tuple[Ints, Ints]) -> _Expected:
    annotators, width = len(votes.annotators), len(votes.labels)
    guess = (state.guesses[:, None] * state.habits)[votes.annotator, votes.label]
    knows = state.knows[votes.annotator]
    other, same = np.log(guess), np.log(guess + knows)
    # every label gets the likelihood of being another one, the given label what it has more
    base = np.bincount(votes.item, other, minlength=len(votes.items))
    cell = votes.item * width + votes.label
    extra = np.bincount(cell, same - other, minlength=len(votes.items) * width)
    joint = base[:, None] + extra.reshape(-1, width) - np.log(width)
    probabilities, evidence = normalised(joint)
    rows, labels = fixed
    evidence[rows] = joint[rows, labels]
    probabilities = fix_known(probabilities, fixed)
    right = probabilities[votes.item, votes.label]
    knew = right * knows / (guess + knows)
    guessed = 1 - knew
    counts = np.bincount(votes.annotator * width + votes.label, guessed, annotators * width)
    return _Expected(
        probabilities,
        sum_by(votes.annotator, knew, annotators)[:, 0],
        sum_by(votes.annotator, guessed, annotators)[:, 0],
        counts.reshape(annotators, width).astype(np.float64),
        float(evidence.sum()),
    )


def _maximise(
    votes: Votes, expected: _Expected, training: Training, competence: float, habit: float
) -> _State:
    knowing = np.column_stack([expected.guessed, expected.known])
    if training == "variational":
        knowing, habits = _variational(knowing + competence), _variational(expected.answers + habit)
    else:
        little = 0.01 / len(votes.labels)
        knowing, habits = _normal(knowing + little), _normal(expected.answers + little)
    return _State(knowing[:, 1], knowing[:, 0], habits)


def _normal(counts: Floats) -> Floats:
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _variational(counts: Floats) -> Floats:
    """The exponent of the expected logarithm of a Dirichlet's shares; they sum to less than 1."""
    return np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True)))


def digamma(values: Floats) -> Floats:
    """The derivative of log Γ at positive numbers, by recurrence and its asymptotic series."""
    shifted = np.array(values, dtype=np.float64)
    result = np.zeros_like(shifted)
    for _ in range(6):
        small = shifted < 6
        result = result - np.where(small, 1 / shifted, 0)
        shifted = shifted + small
    inverse = 1 / shifted**2
    series = np.zeros_like(shifted)
    for term in (1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12):
        series = inverse * (series + term)
    sums: Floats = result + np.log(shifted) - 0.5 / shifted - series
    return sums
