"""All checks of all annotators at once, from the rows of their judgments.

Signs of how people work rather than what they answer (too fast, the same again and again, copied)
are no proof: each gives a reason for the owner to check, with a small known rate of false alarms.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median

from trope.annotate.rules.conduct import RULES, ConductFinding, QualityRules
from trope.annotate.rules.crowd import (
    CrowdRules,
    OutlierRule,
    constant_annotators,
    dismissed_by_gold,
    dismissed_by_outliers,
)
from trope.annotate.rules.gold import KnownAnswer
from trope.annotate.rules.sequential import (
    ConductVerdict,
    Evidence,
    SequentialRule,
    gold_evidence,
    peer_evidence,
    weigh,
)
from trope.core.judgments import Judgment, as_number

AFTER_CONSTANT = 12
"""Equal answers, and no other, that make a constant annotator."""

READING = 0.5
"""Seconds: nobody reads an item and answers it in less."""

CLOSE = 2.0
"""Numbers that are at most this far apart count as agreeing."""


def review(
    judgments: Sequence[Judgment],
    gold: Mapping[str, KnownAnswer],
    scale: Sequence[str],
    rule: SequentialRule | None = None,
) -> dict[str, ConductVerdict]:
    """The verdict on every annotator; rows are in the order in which answers were given.

    Constant answers and evidence against honest work dismiss; speed, straight lines and copies
    are for a person to review.
    """
    verdicts = {
        name: weigh(evidence, rule)
        for name, evidence in evidence_by_annotator(judgments, gold, scale, rule).items()
    }
    for name, reason in constant_annotators(judgments, after=AFTER_CONSTANT).items():
        verdicts[name] = ConductVerdict("dismiss", reason, AFTER_CONSTANT)
    for check in (too_fast, straight_lines, copiers):
        for name, reason in check(judgments).items():
            if not verdicts[name].action:
                verdicts[name] = ConductVerdict("review", reason)
    return verdicts


def evidence_by_annotator(
    judgments: Sequence[Judgment],
    gold: Mapping[str, KnownAnswer],
    scale: Sequence[str],
    rule: SequentialRule | None = None,
) -> dict[str, list[Evidence | None]]:
    """What each answer of each annotator says, in order; None where it says nothing."""
    rule = rule or SequentialRule()
    by_item: dict[str, dict[str, str]] = {}
    for judgment in judgments:
        by_item.setdefault(judgment.item, {})[judgment.annotator] = judgment.label
    found: dict[str, list[Evidence | None]] = {}
    for judgment in judgments:
        if judgment.item in gold:
            evidence = gold_evidence(judgment.label, gold[judgment.item], scale)
        else:
            answers = by_item[judgment.item]
            others = [label for name, label in answers.items() if name != judgment.annotator]
            evidence = peer_evidence(judgment.label, others, scale, rule)
        found.setdefault(judgment.annotator, []).append(evidence)
    return found


_HARDEST = ("dismiss", "hold", "warn", "list")


def find_conduct(
    judgments: Sequence[Judgment],
    gold: Mapping[str, KnownAnswer],
    scale: Sequence[str],
    quality: QualityRules,
    *,
    pass_mark: float,
    at_least: int,
) -> list[ConductFinding]:
    """What every active rule finds, the most severe outcomes first.

    Rows are of one question, in the order in which answers were given. Outliers need a scale of
    numbers, and are skipped otherwise.
    """
    crowd = CrowdRules(
        least_accuracy=pass_mark,
        after_gold=at_least,
        outliers=OutlierRule(quality.outliers),
        most_outliers=quality.most_outliers,
    )
    others = [judgment for judgment in judgments if judgment.item not in gold]
    numbers = all(as_number(judgment.label) is not None for judgment in judgments)
    reasons = {
        "constant": constant_annotators(judgments, after=quality.constant_after),
        "outliers": dismissed_by_outliers(others, crowd) if numbers else {},
        "speed": too_fast(judgments),
        "straight_line": straight_lines(judgments),
        "copying": copiers(others),
    }
    if quality.gold_rule == "plain":
        reasons["gold"] = dismissed_by_gold(judgments, gold, crowd)
    else:
        reasons |= _sequential(judgments, gold, scale, quality, at_least)
    found = list(_findings(reasons, quality))
    return sorted(found, key=lambda f: (_HARDEST.index(f.outcome), f.annotator))


def _sequential(
    judgments: Sequence[Judgment],
    gold: Mapping[str, KnownAnswer],
    scale: Sequence[str],
    quality: QualityRules,
    at_least: int,
) -> dict[str, dict[str, str]]:
    """Annotators flagged by control items and peers together, and those flagged by peers alone."""
    rule = SequentialRule(honest_gold=quality.honest_gold, alpha=quality.alpha, after_gold=at_least)
    reasons: dict[str, dict[str, str]] = {"gold": {}, "peers": {}}
    for name, evidence in evidence_by_annotator(judgments, gold, scale, rule).items():
        verdict = weigh(evidence, rule)
        if verdict.action:
            reasons["gold" if verdict.action == "dismiss" else "peers"][name] = verdict.reason
    return reasons


def _findings(
    reasons: Mapping[str, Mapping[str, str]], quality: QualityRules
) -> Iterator[ConductFinding]:
    for rule in RULES:
        outcome = quality.outcome(rule)
        if outcome != "off":
            for name, reason in reasons.get(rule, {}).items():
                yield ConductFinding(name, rule, outcome, reason)


def too_fast(
    judgments: Iterable[Judgment], *, share: float = 0.25, after: int = 10
) -> dict[str, str]:
    """Annotators whose median time is too short to read, or a small share of the others'.

    Needs `seconds` on `after` judgments of an annotator; the share also needs three of them.
    """
    times: dict[str, list[float]] = {}
    for judgment in judgments:
        if judgment.seconds is not None:
            times.setdefault(judgment.annotator, []).append(judgment.seconds)
    medians = {name: median(own) for name, own in times.items() if len(own) >= after}
    found = {
        name: f"too fast: {seconds:.1f} s per answer, which is no time to read"
        for name, seconds in medians.items()
        if seconds < READING
    }
    if len(medians) < 3:
        return found
    usual = median(medians.values())
    return found | {
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
