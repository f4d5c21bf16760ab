"""What spelling alone gives away: how many pairs of letters a choice shares with the question."""

from __future__ import annotations

from collections.abc import Sequence

from trope.corpora.mean import Analogy


def overlap(choice: str, item: Analogy) -> float:
    """How alike a choice is spelt to the second domain and to the element, 0 to 2."""
    pairs = _pairs(choice)
    return _dice(pairs, _pairs(item.second_domain)) + _dice(pairs, _pairs(item.element))


def overlaps(item: Analogy) -> tuple[float, ...]:
    """The likeness of every choice."""
    return tuple(overlap(choice, item) for choice in item.choices)


def share_of_gold(scores: Sequence[float]) -> float:
    """What the first choice gets of one point where those with the best score share it."""
    best = max(scores)
    return (scores[0] == best) / list(scores).count(best)


def _pairs(text: str) -> set[str]:
    small = text.lower()
    return {small[at : at + 2] for at in range(len(small) - 1)}


def _dice(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / max(1, len(one) + len(other))
