"""F at ten of substitutes, as the SWORDS benchmark counts it.

For every target the system's first ten words, base forms without the target's own, are compared
with the words that people accepted. Sums over all targets make precision (right over given) and
recall (right over all that could be right: the accepted words, at most ten a target); F is their
harmonic mean. A word is *acceptable* where more than half of its judges agreed, *conceivable* where
any did. In the *lenient* setting words that nobody judged are dropped before the first ten are
taken, in the *strict* one they are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FIRST = 10
ACCEPTABLE, CONCEIVABLE = 0.5, 0.0


@dataclass(frozen=True, slots=True)
class TargetCounts:
    """What one target adds: right words, words given, words that could have been right."""

    right: int
    given: int
    possible: int


def target_counts(
    answers: Sequence[str],
    judged: Mapping[str, float],
    own: str,
    *,
    above: float = ACCEPTABLE,
    lenient: bool = True,
    first: int = FIRST,
) -> TargetCounts:
    """The counts of one target: answers in order, shares of agreeing judges, its own base form."""
    gold = {word for word, share in judged.items() if share > above and word != own}
    words = [word for word in dict.fromkeys(answers) if word != own]
    if lenient:
        words = [word for word in words if word in judged]
    words = words[:first]
    right = sum(word in gold for word in words)
    return TargetCounts(right, len(words), min(len(gold), first))


def f_score(counts: Sequence[TargetCounts]) -> float | None:
    """The harmonic mean of precision and recall; None where there is nothing to find."""
    given = sum(count.given for count in counts)
    possible = sum(count.possible for count in counts)
    if not given + possible:
        return None
    # 2pr / (p + r) with p = right / given and r = right / possible
    return 2 * sum(count.right for count in counts) / (given + possible)
