"""What every way of aggregation gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from trope.metrics.votes import Floats, Votes


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
