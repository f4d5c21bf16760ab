"""Evidence against honest work that grows with every answer, with a bound on false dismissals.

Each answer that can be checked multiplies a ratio: how likely it is for someone who guesses, over
how likely for someone honest. Under honest work (right with the stated probability or more) the
ratio has the expectation 1 or less at any time, so that it ever reaches 1/α with probability α at
most (Ville's inequality): one may look after every answer. Two sources count:

* test questions: right with `honest_gold`; a guess is right with the share of labels that are;
* peers, on other items: the answer is that of the others' clear majority (on a scale: near their
  median) with `honest_peers`; a guess with the share of labels that are. What peers say against an
  annotator is capped, so that good answers to test questions outweigh it.

For work that was good and became bad the ratio is also started anew at the beginning of every
page, weighted so that the sum stays within the bound.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np

from trope.annotate.rules.gold import KnownAnswer
from trope.core.judgments import as_number
from trope.metrics.votes import Floats


@dataclass(frozen=True, slots=True)
class SequentialRule:
    """The assumptions, the bound on false dismissals, and when judging begins."""

    honest_gold: float = 0.8
    honest_peers: float = 0.75
    alpha: float = 0.01
    peer_cap: float = 8.0
    review_alpha: float = 0.001
    after_gold: int = 5
    page: int = 10
    near: float = 2.0
    least_peers: int = 3
    clear_majority: float = 0.75


@dataclass(frozen=True, slots=True)
class Evidence:
    """One answer that could be checked; `chance` is how often a blind guess passes."""

    source: Literal["gold", "peers"]
    passed: bool
    chance: float


@dataclass(frozen=True, slots=True)
class ConductVerdict:
    """The result of the evidence: dismissed after that many answers, or to be reviewed, and why."""

    action: Literal["", "review", "dismiss"]
    reason: str = ""
    after: int = 0


def gold_evidence(label: str, gold: KnownAnswer, scale: Sequence[str]) -> Evidence | None:
    """What an answer to a test question says; nothing where any answer is right, or none."""
    chance = gold.chance(scale)
    return Evidence("gold", gold.accepts(label), chance) if 0 < chance < 1 else None


def peer_evidence(
    label: str, others: Sequence[str], scale: Sequence[str], rule: SequentialRule
) -> Evidence | None:
    """What an answer says beside those of others; None where they are few or divided.

    On a scale of numbers an answer passes that is within `rule.near` of the others' median.
    """
    if len(others) < rule.least_peers:
        return None
    numbers = [as_number(other) for other in others]
    points = [as_number(point) for point in scale]
    if len(scale) > 2 and None not in numbers and None not in points:
        middle = median(number for number in numbers if number is not None)
        near = [point is not None and abs(point - middle) <= rule.near for point in points]
        chance = sum(near) / len(near)
        own = as_number(label)
        passed = own is not None and abs(own - middle) <= rule.near
        return Evidence("peers", passed, chance) if 0 < chance < 1 else None
    (consensus, votes), *_ = Counter(others).most_common(1)
    if votes < rule.clear_majority * len(others):
        return None
    return Evidence("peers", label == consensus, 1 / len(scale))


def weigh(
    evidence: Sequence[Evidence | None], rule: SequentialRule | None = None
) -> ConductVerdict:
    """The verdict on one annotator, from the evidence of all answers in their order.

    Nobody is dismissed before `after_gold` test questions; someone who passes them, but not the
    peers, is for the owner to review (test questions may have become known).
    """
    rule = rule or SequentialRule()
    gold = _steps(evidence, "gold", rule.honest_gold)
    peers = _steps(evidence, "peers", rule.honest_peers)
    seen = np.cumsum([one is not None and one.source == "gold" for one in evidence])
    if not len(evidence) or seen[-1] < rule.after_gold:
        return ConductVerdict("")
    ready = seen >= rule.after_gold
    level = _mixed(gold, peers, rule)
    beyond = np.flatnonzero(ready & (level >= -math.log(rule.alpha)))
    if len(beyond):
        at = int(beyond[0])
        right = sum(1 for one in evidence[: at + 1] if one and one.source == "gold" and one.passed)
        reason = f"evidence against honest work: {right} of {int(seen[at])} test questions right"
        return ConductVerdict("dismiss", reason, at + 1)
    suspicious = np.flatnonzero(ready & (np.cumsum(peers) >= -math.log(rule.review_alpha)))
    if len(suspicious):
        reason = "passes test questions but disagrees with peers: the test questions may be known"
        return ConductVerdict("review", reason, int(suspicious[0]) + 1)
    return ConductVerdict("")


def _steps(evidence: Sequence[Evidence | None], source: str, honest: float) -> Floats:
    """The logarithm of the ratio that each answer adds; 0 where a guess does no worse."""
    steps = np.zeros(len(evidence))
    for at, one in enumerate(evidence):
        if one is not None and one.source == source and one.chance < honest:
            above, below = (one.chance, honest) if one.passed else (1 - one.chance, 1 - honest)
            steps[at] = math.log(above / below)
    return steps


def _mixed(gold: Floats, peers: Floats, rule: SequentialRule) -> Floats:
    """The logarithm of the weighted sum of the ratios since the beginning and since each page."""
    length = len(gold)
    starts = list(range(0, length, rule.page))
    rows = np.full((len(starts), length), -np.inf)
    for row, start in enumerate(starts):
        prior = math.log(0.5) if not row else math.log(0.5 / (row * (row + 1)))
        against = np.minimum(np.cumsum(peers[start:]), rule.peer_cap)
        rows[row, start:] = prior + np.cumsum(gold[start:]) + against
    top = rows.max(axis=0)
    mixed: Floats = top + np.log(np.exp(rows - top).sum(axis=0))
    return mixed
