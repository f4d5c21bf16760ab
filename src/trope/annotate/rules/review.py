"""All checks of all annotators at once, from the rows of their judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trope.annotate.rules.behaviour import copiers, straight_lines, too_fast
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
