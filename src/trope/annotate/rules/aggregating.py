"""One label for each item, by any of the methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trope.annotate.rules.gold import gold_of, reliabilities
from trope.core.errors import BadInput
from trope.core.judgments import Judgment
from trope.metrics.aggregation.majority import TieBreak, majority
from trope.metrics.aggregation.results import Aggregate
from trope.metrics.aggregation.weighted_mean import mean, weighted_mean
from trope.metrics.votes import encode_votes

METHODS = ("majority", "mean", "weighted-mean", "dawid-skene", "mace", "glad")


@dataclass(frozen=True, slots=True)
class Way:
    """How answers become a label; what a method does not know it ignores."""

    method: str = "majority"
    ties: TieBreak = "none"
    default_reliability: float | None = None
    use_gold: bool = False
    smoothing: float = 0.0
    restarts: int = 10
    training: Literal["variational", "em"] = "variational"
    seed: int = 0


def aggregate_question(judgments: Sequence[Judgment], way: Way) -> Aggregate:
    """The labels of the items of one question, and the quality of its annotators.

    Raises:
        BadInput: for a mean of labels that are no numbers, or reliabilities without test questions.
    """
    if way.method == "weighted-mean":
        return _weighted_mean(judgments, way)
    votes = encode_votes(judgments)
    if way.method == "majority":
        return majority(votes, ties=way.ties, seed=way.seed)
    if way.method == "mean":
        return mean(votes)
    known = _known_labels(judgments) if way.use_gold else {}
    if way.method == "dawid-skene":
        from trope.metrics.aggregation.dawid_skene import dawid_skene

        return dawid_skene(votes, known=known, smoothing=way.smoothing)
    if way.method == "glad":
        from trope.metrics.aggregation.glad import glad

        return glad(votes, known=known)
    from trope.metrics.aggregation.mace import mace

    return mace(votes, known=known, training=way.training, restarts=way.restarts, seed=way.seed)


def _weighted_mean(judgments: Sequence[Judgment], way: Way) -> Aggregate:
    gold = gold_of(judgments)
    if not gold:
        raise BadInput("no test questions, so no reliabilities; name their column with --gold")
    known = reliabilities(judgments, gold)
    return weighted_mean(encode_votes(judgments), known, default=way.default_reliability)


def _known_labels(judgments: Sequence[Judgment]) -> dict[str, str]:
    """Items with exactly one right label; ranges and alternatives fix nothing."""
    return {
        item: next(iter(gold.labels))
        for item, gold in gold_of(judgments).items()
        if len(gold.labels) == 1
    }
