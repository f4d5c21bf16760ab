"""One label for each item, by any of the methods; spans by a vote on each character."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trope.annotate.rules.gold import gold_of, reliabilities
from trope.core.errors import BadInput
from trope.core.judgments import Judgment
from trope.metrics.aggregation.majority import TieBreak, majority
from trope.metrics.aggregation.results import Aggregate, ItemResult
from trope.metrics.aggregation.weighted_mean import mean, weighted_mean
from trope.metrics.votes import encode_votes

METHODS = ("majority", "mean", "weighted-mean", "dawid-skene", "mace", "glad")


@dataclass(frozen=True, slots=True)
class AggregationOptions:
    """How answers become a label; each method ignores options that it does not have."""

    method: str = "majority"
    ties: TieBreak = "none"
    default_reliability: float | None = None
    use_gold: bool = False
    smoothing: float = 0.0
    restarts: int = 10
    training: Literal["variational", "em"] = "variational"
    seed: int = 0


def aggregate_question(judgments: Sequence[Judgment], options: AggregationOptions) -> Aggregate:
    """The labels of the items of one question, and the quality of its annotators.

    Raises:
        BadInput: for a mean of labels that are not numbers, or without test questions.
    """
    if options.method == "weighted-mean":
        return _weighted_mean(judgments, options)
    votes = encode_votes(judgments)
    if options.method == "majority":
        return majority(votes, ties=options.ties, seed=options.seed)
    if options.method == "mean":
        return mean(votes)
    known = _known_labels(judgments) if options.use_gold else {}
    if options.method == "dawid-skene":
        from trope.metrics.aggregation.dawid_skene import dawid_skene

        return dawid_skene(votes, known=known, smoothing=options.smoothing)
    if options.method == "glad":
        from trope.metrics.aggregation.glad import glad

        return glad(votes, known=known)
    from trope.metrics.aggregation.mace import mace

    return mace(
        votes, known=known, training=options.training, restarts=options.restarts, seed=options.seed
    )


def _weighted_mean(judgments: Sequence[Judgment], options: AggregationOptions) -> Aggregate:
    gold = gold_of(judgments)
    if not gold:
        raise BadInput("no test questions, so no reliabilities; name their column with --gold")
    known = reliabilities(judgments, gold)
    return weighted_mean(encode_votes(judgments), known, default=options.default_reliability)


def _known_labels(judgments: Sequence[Judgment]) -> dict[str, str]:
    """Items with exactly one right label; ranges and alternatives fix nothing."""
    return {
        item: next(iter(gold.labels))
        for item, gold in gold_of(judgments).items()
        if len(gold.labels) == 1
    }


def agreed_spans(item: str, given: Sequence[tuple[Sequence[Sequence[int]], float]]) -> ItemResult:
    """The spans that more than half of the weight marked, as JSON.

    The confidence is the mean share of those who marked a character of them.

    Args:
        item: the item's id.
        given: the spans of each person, with the person's weight.
    """
    marks: Counter[int] = Counter()
    for spans, weight in given:
        for start, end in spans:
            for place in range(start, end):
                marks[place] += weight  # type: ignore[assignment]  # weights need not be whole
    whole = sum(weight for _, weight in given)
    chosen = sorted(place for place, weight in marks.items() if weight * 2 > whole)
    found: list[list[int]] = []
    for place in chosen:
        if found and found[-1][1] == place:
            found[-1][1] = place + 1
        else:
            found.append([place, place + 1])
    share = sum(marks[place] for place in chosen) / (whole * len(chosen)) if chosen else None
    note = "" if chosen else "nothing was marked by more than half"
    return ItemResult(item, json.dumps(found), share, len(given), note)
