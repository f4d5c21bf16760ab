"""Sums over votes and probabilities of labels: what the latent-label models share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.votes import Floats, Ints, Votes


def sum_by(groups: Ints, values: Floats, size: int) -> Floats:
    """The rows of `values` summed by group, size × columns."""
    columns = values.reshape(len(groups), -1)
    sums = [np.bincount(groups, column, minlength=size) for column in columns.T]
    return np.column_stack(sums)


def normalised(logarithms: Floats) -> tuple[Floats, Floats]:
    """Probabilities of each row of log-likelihoods, and the logarithm of the row's sum."""
    top = logarithms.max(axis=1, keepdims=True)
    likelihoods = np.exp(logarithms - top)
    sums = likelihoods.sum(axis=1, keepdims=True)
    return likelihoods / sums, (top + np.log(sums))[:, 0]


def known_places(votes: Votes, known: Mapping[str, str]) -> tuple[Ints, Ints]:
    """The items whose label is known, and the labels, as places.

    Raises:
        BadInput: for a known label that nobody has given.
    """
    label_at = {label: place for place, label in enumerate(votes.labels)}
    rows, labels = [], []
    for at, item in enumerate(votes.items):
        if item in known:
            if known[item] not in label_at:
                problem = f"the known label {known[item]!r} of item {item!r} was given by nobody"
                raise BadInput(f"{problem}; labels are {', '.join(votes.labels)}")
            rows.append(at)
            labels.append(label_at[known[item]])
    return np.array(rows, dtype=np.int64), np.array(labels, dtype=np.int64)


def fix_known(probabilities: Floats, known: tuple[Ints, Ints]) -> Floats:
    """The probabilities with all of it on the label that is known."""
    rows, labels = known
    probabilities[rows] = 0.0
    probabilities[rows, labels] = 1.0
    return probabilities
