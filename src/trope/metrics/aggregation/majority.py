"""The label that most annotators gave."""

from __future__ import annotations

from typing import Literal

import numpy as np

from trope.metrics.aggregation.results import Aggregate, ItemResult, rated
from trope.metrics.votes import Floats, Ints, Votes

TieBreak = Literal["none", "first", "random"]


def majority(votes: Votes, *, ties: TieBreak = "none", seed: int = 0) -> Aggregate:
    """The label with the largest sum of weights; its confidence is its share of them.

    Args:
        ties: what an item gets whose first labels have as many votes: "none" no label (it is
            unresolved), "first" the first of them in the order of labels, "random" one of them.
        seed: decides "random".

    The quality of an annotator is the share of the own answers that are the label. Items that
    nobody else answered say nothing about it; in a tie without a label, nobody has the majority.
    """
    rng = np.random.default_rng(seed)
    weights = votes.weights()
    answers = np.bincount(votes.item, minlength=len(votes.items))
    chosen = np.full(len(votes.items), -1, dtype=np.int64)
    results = []
    for at, item in enumerate(votes.items):
        total = weights[at].sum()
        tied = np.flatnonzero(weights[at] >= weights[at].max() - 1e-9)
        note = ""
        if total <= 0:
            note = "unresolved: all weights are 0"
        elif len(tied) > 1:
            names = ", ".join(votes.labels[place] for place in tied)
            note = f"unresolved: tie of {names}" if ties == "none" else f"tie of {names}"
        if not note.startswith("unresolved"):
            chosen[at] = tied[rng.integers(len(tied))] if ties == "random" else tied[0]
        results.append(_result(votes, at, item, weights[at], int(chosen[at]), answers[at], note))
    return Aggregate(
        "majority",
        "share of own answers that are the majority's",
        tuple(results),
        rated(votes, _accuracy(votes, chosen, answers)),
    )


def _result(
    votes: Votes, at: int, item: str, weights: Floats, chosen: int, answers: int, note: str
) -> ItemResult:
    total = float(weights.sum())
    shares = weights / total if total > 0 else weights
    return ItemResult(
        item,
        votes.labels[chosen] if chosen >= 0 else None,
        float(shares[chosen]) if chosen >= 0 else None,
        int(answers),
        note,
        shares=dict(zip(votes.labels, shares.tolist(), strict=True)),
    )


def _accuracy(votes: Votes, chosen: Ints, answers: Ints) -> Floats:
    shared = answers[votes.item] > 1
    right = (votes.label == chosen[votes.item]) & shared
    size = len(votes.annotators)
    seen = np.bincount(votes.annotator[shared], minlength=size).astype(np.float64)
    agreed = np.bincount(votes.annotator[right], minlength=size)
    shares: Floats = np.full(size, np.nan)
    np.divide(agreed, seen, out=shares, where=seen > 0)
    return shares
