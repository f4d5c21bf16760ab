"""Scores on a scale: the mean of the answers, weighted by how reliable each annotator is.

S(t) = Σ R(u)·A(u,t) / Σ R(u), as in SemEval-2015 Task 11, where R(u) is the share of test
questions that u answered inside their range. A mean with all R equal is the plain one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from trope.core.errors import BadInput
from trope.core.judgments import as_number, round_half_up
from trope.metrics.aggregation.results import Aggregate, AnnotatorResult, ItemResult
from trope.metrics.votes import Votes


def mean(votes: Votes) -> Aggregate:
    """The mean of the answers of each item, weighted by the weights of the votes alone."""
    return weighted_mean(votes, dict.fromkeys(votes.annotators, 1.0), method="mean")


def weighted_mean(
    votes: Votes,
    reliabilities: Mapping[str, float],
    *,
    default: float | None = None,
    method: str = "weighted-mean",
) -> Aggregate:
    """The weighted mean of each item and, as its label, the mean rounded half up (−2.5 is −2).

    The confidence is the share of the weight that gave exactly the rounded score. An item whose
    weights are all 0 has no score: nothing is divided by nothing.

    Args:
        reliabilities: R of each annotator.
        default: R of those who have none; None leaves their answers out.

    Raises:
        BadInput: for labels that are not numbers.
    """
    numbers = votes.numbers()
    if numbers is None:
        raise BadInput(f"labels such as {_strange(votes)!r} are not numbers and have no mean")
    known = [reliabilities.get(name, default) for name in votes.annotators]
    trust = np.array([0.0 if value is None else value for value in known])
    weights = votes.weight * trust[votes.annotator]
    answers = numbers[votes.label]
    items = len(votes.items)
    total = np.bincount(votes.item, weights, minlength=items)
    first = np.bincount(votes.item, weights * answers, minlength=items)
    score = np.divide(first, total, out=np.full(items, np.nan), where=total > 0)
    gap = (answers - score[votes.item]) ** 2
    squares = np.bincount(votes.item, np.nan_to_num(weights * gap), minlength=items)
    rounded = np.array([round_half_up(one) if one == one else np.nan for one in score.tolist()])
    at_score = np.bincount(votes.item, weights * (answers == rounded[votes.item]), minlength=items)
    counted = np.bincount(votes.item, [known[a] is not None for a in votes.annotator], items)
    return Aggregate(
        method,
        "1 for all" if method == "mean" else "share of test questions answered in range, R(u)",
        tuple(
            _result(item, score[at], total[at], squares[at], at_score[at], int(counted[at]))
            for at, item in enumerate(votes.items)
        ),
        _annotators(votes, known, reliabilities),
    )


def _result(
    item: str, score: float, total: float, squares: float, at_score: float, counted: int
) -> ItemResult:
    if not counted:
        return ItemResult(item, None, None, 0, "undefined: no answer of a judged annotator")
    if total <= 0:
        return ItemResult(item, None, None, counted, "undefined: all weights are 0")
    return ItemResult(
        item,
        str(round_half_up(score)),
        float(at_score / total),
        counted,
        score=float(score),
        deviation=math.sqrt(max(0.0, squares / total)),
    )


def _annotators(
    votes: Votes, known: list[float | None], given: Mapping[str, float]
) -> tuple[AnnotatorResult, ...]:
    counts = np.bincount(votes.annotator, minlength=len(votes.annotators))
    notes = [
        "" if name in given else "no test question answered: "
        + ("left out" if value is None else "default taken")
        for name, value in zip(votes.annotators, known, strict=True)
    ]  # fmt: skip
    return tuple(
        AnnotatorResult(name, value, int(number), note)
        for name, value, number, note in zip(votes.annotators, known, counts, notes, strict=True)
    )


def _strange(votes: Votes) -> str:
    return next(label for label in votes.labels if as_number(label) is None)
