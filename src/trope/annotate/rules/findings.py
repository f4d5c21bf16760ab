"""Everything that the rows say about the people behind them; costs more than a look at counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trope.annotate.rules.behaviour import copiers, straight_lines, too_fast
from trope.annotate.rules.crowd import (
    CrowdRules,
    OutlierRule,
    constant_annotators,
    dismissed_by_gold,
    dismissed_by_outliers,
)
from trope.annotate.rules.gold import Gold
from trope.annotate.rules.review import evidence_by_annotator
from trope.annotate.rules.sequential import SequentialRule, weigh
from trope.annotate.rules.watching import RULES, Finding, Quality
from trope.core.judgments import Judgment, as_number

_HARDEST = ("dismiss", "hold", "warn", "list")


def find(
    judgments: Sequence[Judgment],
    gold: Mapping[str, Gold],
    scale: Sequence[str],
    quality: Quality,
    *,
    pass_mark: float,
    at_least: int,
) -> list[Finding]:
    """What every rule that is not off finds, the hardest outcomes first.

    Rows are of one question, in the order in which answers were given. Outliers need a scale of
    numbers, and are passed over elsewhere.
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
    gold: Mapping[str, Gold],
    scale: Sequence[str],
    quality: Quality,
    at_least: int,
) -> dict[str, dict[str, str]]:
    """Whom control items and peers together speak against, and whom peers alone."""
    rule = SequentialRule(honest_gold=quality.honest_gold, alpha=quality.alpha, after_gold=at_least)
    reasons: dict[str, dict[str, str]] = {"gold": {}, "peers": {}}
    for name, evidence in evidence_by_annotator(judgments, gold, scale, rule).items():
        verdict = weigh(evidence, rule)
        if verdict.action:
            reasons["gold" if verdict.action == "dismiss" else "peers"][name] = verdict.reason
    return reasons


def _findings(reasons: Mapping[str, Mapping[str, str]], quality: Quality) -> Iterator[Finding]:
    for rule in RULES:
        outcome = quality.outcome(rule)
        if outcome != "off":
            for name, reason in reasons.get(rule, {}).items():
                yield Finding(name, rule, outcome, reason)
