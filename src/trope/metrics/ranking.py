"""How good a ranked list of candidates is.

Equal scores have no order, so they get what a random order would give on average: no file order can
help or hurt.

F at ten of substitutes is counted as in the SWORDS benchmark. Of every target, the system's first
ten words (base forms, without the target's own) are compared with the words that people accepted.
Sums over all targets give precision (right over given) and recall (right over all that could be
right: the accepted words, at most ten per target). A word is *acceptable* where more than half of
its judges agreed, and *conceivable* where any did. The *lenient* setting drops words that nobody
judged before it takes the first ten; in the *strict* one they are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput


def first_right(scores: Sequence[float], right: Sequence[bool]) -> float:
    """The chance that the candidate with the highest score is right."""
    if not len(scores) or len(scores) != len(right):
        raise BadInput(f"{len(scores)} scores do not fit {len(right)} verdicts; give one for each")
    best = max(scores)
    top = [verdict for score, verdict in zip(scores, right, strict=True) if score == best]
    return sum(map(bool, top)) / len(top)


def area_under_curve(
    scores: npt.ArrayLike, right: npt.ArrayLike, times: npt.ArrayLike | None = None
) -> float | None:
    """The chance that a right candidate has a higher score than a wrong one; equal counts half.

    `times` says how often each candidate counts, as a bootstrap draws it. None where there is no
    right or no wrong candidate.
    """
    values = np.asarray(scores, dtype=np.float64)
    verdicts = np.asarray(right, dtype=bool)
    if values.shape != verdicts.shape:
        raise BadInput(f"{values.size} scores do not fit {verdicts.size} verdicts")
    counts = np.ones(len(values)) if times is None else np.asarray(times, dtype=np.float64)
    _, level = np.unique(values, return_inverse=True)
    number = int(level.max()) + 1 if len(level) else 0
    good = np.bincount(level[verdicts], counts[verdicts], minlength=number)
    bad = np.bincount(level[~verdicts], counts[~verdicts], minlength=number)
    if not good.sum() or not bad.sum():
        return None
    below = np.cumsum(bad) - bad
    return float((good * (below + bad / 2)).sum() / (good.sum() * bad.sum()))


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
