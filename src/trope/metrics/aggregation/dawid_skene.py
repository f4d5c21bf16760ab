"""Dawid and Skene (1979): every annotator has a table of errors, learnt with the labels by EM."""

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

_LEAST = 1e-10


def dawid_skene(
    votes: Votes,
    *,
    known: Mapping[str, str] | None = None,
    smoothing: float = 0.0,
    iterations: int = 1000,
    tolerance: float = 1e-9,
) -> Aggregate:
    """The most probable labels under confusion matrices of annotators; begins at the majority.

    Args:
        known: true labels of some items, which stay as they are.
        smoothing: added to each cell of each annotator's table, against overconfidence with few
            answers; 0 is maximum likelihood.
        tolerance: EM ends when the log-likelihood of a vote grows by less.

    The quality of an annotator is the expected share of right answers, Σ prior · P(right).
    """
    fixed = known_places(votes, known or {})
    counts = votes.counts()
    probabilities = fix_known(counts / counts.sum(axis=1, keepdims=True), fixed)
    before, now, done = -np.inf, -np.inf, 0
    while done < iterations:
        done += 1
        priors = np.maximum(probabilities.mean(axis=0), _LEAST)
        errors = _error_tables(votes, probabilities, smoothing)
        probabilities, now = _labels(votes, priors, errors, fixed)
        if now - before < tolerance * len(votes):
            break
        before = now
    priors = probabilities.mean(axis=0)
    errors = _error_tables(votes, probabilities, smoothing)
    quality = np.einsum("c,acc->a", priors, errors)
    return Aggregate(
        "dawid-skene",
        "expected share of right answers",
        labelled(votes, probabilities),
        rated(votes, quality),
        done,
        done < iterations,
        float(now),
    )


def _error_tables(votes: Votes, probabilities: Floats, smoothing: float) -> Floats:
    """P(answer | truth) of every annotator, annotators × answers × truths."""
    annotators, width = len(votes.annotators), len(votes.labels)
    cell = votes.annotator * width + votes.label
    given = np.bincount(cell, minlength=annotators * width) > 0
    sums = [
        np.bincount(cell, probabilities[votes.item, truth], minlength=annotators * width)
        for truth in range(width)
    ]
    tables = np.column_stack(sums) + smoothing
    # labels that an annotator never gave have no part in it, unless smoothing gives them one
    tables = np.where(given[:, None] | (smoothing > 0), np.maximum(tables, _LEAST), 0.0)
    tables = tables.reshape(annotators, width, width)
    shares: Floats = tables / tables.sum(axis=1, keepdims=True)
    return shares


def _labels(
    votes: Votes, priors: Floats, errors: Floats, fixed: tuple[Ints, Ints]
) -> tuple[Floats, float]:
    """Probabilities of the labels of items, and the log-likelihood of all votes."""
    with np.errstate(divide="ignore"):  # answers that nobody gave are not asked for
        logarithms = np.log(errors)
    columns = [
        np.bincount(
            votes.item, logarithms[votes.annotator, votes.label, truth], minlength=len(votes.items)
        )
        for truth in range(len(votes.labels))
    ]
    joint: Floats = np.column_stack(columns).astype(np.float64) + np.log(priors)
    probabilities, evidence = normalised(joint)
    rows, labels = fixed
    evidence[rows] = joint[rows, labels]
    return fix_known(probabilities, fixed), float(evidence.sum())
