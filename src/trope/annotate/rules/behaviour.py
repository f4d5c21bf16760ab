"""How people work rather than what they answer: too fast, the same again and again, copied.

These are signs, not proof: each gives a reason for the owner to check, with a small known rate of
false alarms.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import median

from trope.core.judgments import Judgment, as_number

CLOSE = 2.0
"""Numbers that are at most this far apart count as agreeing."""


def too_fast(
    judgments: Iterable[Judgment], *, share: float = 0.25, after: int = 10
) -> dict[str, str]:
    """Annotators whose median time is under a share of the median annotator's.

    Needs `seconds` on `after` judgments of an annotator, and three such annotators.
    """
    times: dict[str, list[float]] = {}
    for judgment in judgments:
        if judgment.seconds is not None:
            times.setdefault(judgment.annotator, []).append(judgment.seconds)
    medians = {name: median(found) for name, found in times.items() if len(found) >= after}
    if len(medians) < 3:
        return {}
    usual = median(medians.values())
    return {
        name: f"too fast: {seconds:.1f} s per answer, the others {usual:.1f} s"
        for name, seconds in medians.items()
        if seconds < share * usual
    }


def straight_lines(judgments: Sequence[Judgment], *, alarm: float = 1e-3) -> dict[str, str]:
    """Annotators with a run of equal answers that is unlikely by chance.

    If p is the share of the most frequent label of all judgments, a run of r comes up among n
    answers with probability under n · p^r; a run for which that is under `alarm` is reported.
    """
    labels = Counter(judgment.label for judgment in judgments)
    if len(labels) < 2:
        return {}
    common = max(labels.values()) / labels.total()
    sequences: dict[str, list[str]] = {}
    for judgment in judgments:
        sequences.setdefault(judgment.annotator, []).append(judgment.label)
    found = {}
    for name, answers in sequences.items():
        run = longest_run(answers)
        if math.log(len(answers)) + run * math.log(common) < math.log(alarm):
            found[name] = f"straight line: the same answer {run} times in a row"
    return found


def longest_run(answers: Sequence[str]) -> int:
    """The length of the longest run of equal answers."""
    longest = run = 0
    for at, answer in enumerate(answers):
        run = run + 1 if at and answer == answers[at - 1] else 1
        longest = max(longest, run)
    return longest


def copiers(
    judgments: Sequence[Judgment], *, alarm: float = 1e-3, least: int = 5
) -> dict[str, str]:
    """Pairs of annotators who deviate from the others together far more often than other pairs.

    Equal right answers prove nothing, so only items count where one of the two departs from three
    or more third parties who agree: from the label that all of these give or, among
    numbers no more than `CLOSE` apart, by more than 1 from their median. How often do the two give
    the very same answer there? What is usual comes from all other pairs. The one whose first
    answer is later in the rows is named.

    Args:
        alarm: the rate of false alarms of all pairs together.
        least: how many departures a pair needs.
    """
    answers: dict[str, dict[str, str]] = {}
    by_item: dict[str, dict[str, str]] = {}
    for judgment in judgments:
        answers.setdefault(judgment.annotator, {})[judgment.item] = judgment.label
        by_item.setdefault(judgment.item, {})[judgment.annotator] = judgment.label
    numbers = {judgment.label: as_number(judgment.label) for judgment in judgments}
    scale = {label: number for label, number in numbers.items() if number is not None}
    if len(scale) < max(len(numbers), 3):
        scale = {}
    pairs: dict[tuple[str, str], list[bool]] = {}
    for found in by_item.values():
        for pair in combinations(found, 2):
            pairs.setdefault(pair, [])
            if _departs(found, pair, scale):
                pairs[pair].append(found[pair[0]] == found[pair[1]])
    return _unusual_pairs(pairs, list(answers), alarm, least)


def binomial_tail(successes: int, trials: int, probability: float) -> float:
    """The probability of that many successes or more."""
    return sum(
        math.comb(trials, k) * probability**k * (1 - probability) ** (trials - k)
        for k in range(successes, trials + 1)
    )


def _departs(found: dict[str, str], pair: tuple[str, str], scale: dict[str, float]) -> bool:
    """Whether one of the two deviates from all third parties on an item."""
    third = [label for name, label in found.items() if name not in pair]
    if len(third) < 3:
        return False
    one, other = found[pair[0]], found[pair[1]]
    if scale:
        values = sorted(scale[label] for label in third)
        middle = median(values)
        if values[-1] - values[0] > CLOSE:
            return False
        return abs(scale[one] - middle) > 1 or abs(scale[other] - middle) > 1
    return third.count(third[0]) == len(third) and not (one == other == third[0])


def _unusual_pairs(
    pairs: dict[tuple[str, str], list[bool]], order: list[str], alarm: float, least: int
) -> dict[str, str]:
    together = sum(sum(same) for same in pairs.values())
    departures = sum(len(same) for same in pairs.values())
    found = {}
    for pair, same in pairs.items():
        if len(same) < least:
            continue
        usual = (together - sum(same) + 1) / (departures - len(same) + 2)
        if binomial_tail(sum(same), len(same), usual) < alarm / len(pairs):
            first, later = sorted(pair, key=order.index)
            found[later] = f"copies {first!r}: {sum(same)} of {len(same)} departures are the same"
    return found
