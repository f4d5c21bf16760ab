"""All checks at once: one verdict for every annotator of a group of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trope.annotate.rules.behaviour import copiers, straight_lines, too_fast
from trope.annotate.rules.crowd import constant_annotators
from trope.annotate.rules.gold import Gold
from trope.annotate.rules.sequential import (
    Evidence,
    SequentialRule,
    Verdict,
    gold_evidence,
    peer_evidence,
    weigh,
)
from trope.core.judgments import Judgment

AFTER_CONSTANT = 12
"""Equal answers, and no other, that make a constant annotator."""


def review(
    judgments: Sequence[Judgment],
    gold: Mapping[str, Gold],
    scale: Sequence[str],
    rule: SequentialRule | None = None,
) -> dict[str, Verdict]:
    """The verdict on every annotator; rows stand in the order in which answers were given.

    Constant answers and evidence against honest work dismiss; speed, straight lines and copies
    are for a person to review.
    """
    verdicts = {
        name: weigh(evidence, rule)
        for name, evidence in evidence_by_annotator(judgments, gold, scale, rule).items()
    }
    for name, reason in constant_annotators(judgments, after=AFTER_CONSTANT).items():
        verdicts[name] = Verdict("dismiss", reason, AFTER_CONSTANT)
    for check in (too_fast, straight_lines, copiers):
        for name, reason in check(judgments).items():
            if not verdicts[name].action:
                verdicts[name] = Verdict("review", reason)
    return verdicts


def evidence_by_annotator(
    judgments: Sequence[Judgment],
    gold: Mapping[str, Gold],
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
