"""What spelling alone gives away: how many pairs of letters a choice shares with the question."""

from __future__ import annotations

from collections.abc import Sequence

from trope.corpora.mean import Analogy


def overlap(choice: str, item: Analogy) -> float:
    """How alike a choice is spelt to the second domain and to the element, 0 to 2."""
    return letter_likeness(choice, item.second_domain) + letter_likeness(choice, item.element)


def letter_likeness(one: str, other: str, size: int = 2) -> float:
    """Dice's coefficient of the pairs (or more) of neighbouring letters of two texts."""
    first, second = _runs(one, size), _runs(other, size)
    return 2 * len(first & second) / max(1, len(first) + len(second))


def overlaps(item: Analogy) -> tuple[float, ...]:
    """The likeness of every choice."""
    return tuple(overlap(choice, item) for choice in item.choices)


def share_of_gold(scores: Sequence[float]) -> float:
    """What the first choice gets of one point where those with the best score share it."""
    best = max(scores)
    return (scores[0] == best) / list(scores).count(best)


def _runs(text: str, size: int) -> set[str]:
    small = text.lower()
    return {small[at : at + size] for at in range(len(small) - size + 1)}
