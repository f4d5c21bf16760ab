"""What the ways of aggregation share: results, sums over votes, and probabilities of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.votes import Floats, Ints, Votes


@dataclass(frozen=True, slots=True)
class ItemResult:
    """The label of one item; None where there is none, and the note says why.

    `confidence` is the probability of the label, or the share of the votes behind it; `shares`
    has it for every label (empty for means), `deviation` the spread of the answers around a mean.
    """

    item: str
    label: str | None
    confidence: float | None
    answers: int
    note: str = ""
    score: float | None = None
    deviation: float | None = None
    shares: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnnotatorResult:
    """How good one annotator is, in the terms of the method; None where it is unknown."""

    annotator: str
    quality: float | None
    answers: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Labels of items and qualities of annotators; `quality_is` says what `quality` means."""

    method: str
    quality_is: str
    items: tuple[ItemResult, ...]
    annotators: tuple[AnnotatorResult, ...]
    iterations: int = 0
    converged: bool = True
    log_likelihood: float | None = None
    note: str = ""


def labelled(votes: Votes, probabilities: Floats) -> tuple[ItemResult, ...]:
    """The most probable label of each item; of two that are as probable, the first."""
    answers = np.bincount(votes.item, minlength=len(votes.items))
    best = probabilities.argmax(axis=1)
    return tuple(
        ItemResult(
            item,
            votes.labels[best[at]],
            float(probabilities[at, best[at]]),
            int(answers[at]),
            shares=dict(zip(votes.labels, probabilities[at].tolist(), strict=True)),
        )
        for at, item in enumerate(votes.items)
    )


def rated(votes: Votes, qualities: Floats) -> tuple[AnnotatorResult, ...]:
    """The annotators with their qualities; NaN becomes None."""
    answers = np.bincount(votes.annotator, minlength=len(votes.annotators))
    return tuple(
        AnnotatorResult(name, float(value) if np.isfinite(value) else None, int(number))
        for name, value, number in zip(votes.annotators, qualities, answers, strict=True)
    )


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
