"""Rules that look at a person after every answer, from a handful of counters alone.

The counters are updated with each answer in constant time. The sequential rule's ratio is a sum
over the pages at which it was restarted; as every term is multiplied by the same factor, only the
sum is kept: level ← (level + weight of a new start) · factor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from trope.annotate.rules.crowd import Variant

RuleOutcome = Literal["off", "list", "warn", "hold", "dismiss"]
"""What a rule does: nothing, list the person for the owner, warn them, put them on hold until the
owner has reviewed them, or dismiss them."""

RULES = ("gold", "constant", "outliers", "peers", "speed", "straight_line", "copying")
"""Every rule; the outcome of each is `on_RULE` in the plan."""

ACTING: tuple[RuleOutcome, ...] = ("warn", "hold", "dismiss")
"""Outcomes with a consequence for the person."""

PAGE = 10
"""Answers after which the sequential rule restarts."""

TOLD_EVERY = 5
"""Control answers between two updates of what a person is shown about them, so that nobody learns
from the number which item was one."""


@dataclass(frozen=True, slots=True)
class QualityRules:
    """Which rules check the work, and their outcomes. The share of control answers that must be
    right, and the number after which it is checked, are settings of `gold`."""

    question: str = ""
    gold_rule: Literal["sequential", "plain"] = "sequential"
    warn_after: int = 3
    honest_gold: float = 0.8
    alpha: float = 0.01
    constant_after: int = 12
    outliers: Variant = "loo"
    most_outliers: float = 0.6
    on_gold: RuleOutcome = "dismiss"
    on_constant: RuleOutcome = "list"
    on_outliers: RuleOutcome = "off"
    on_peers: RuleOutcome = "list"
    on_speed: RuleOutcome = "list"
    on_straight_line: RuleOutcome = "list"
    on_copying: RuleOutcome = "list"

    def outcome(self, rule: str) -> RuleOutcome:
        """The outcome of a rule."""
        found: RuleOutcome = getattr(self, f"on_{rule}")
        return found


@dataclass(frozen=True, slots=True)
class ConductFinding:
    """What a rule found about someone, and the outcome."""

    annotator: str
    rule: str
    outcome: RuleOutcome
    reason: str


@dataclass(frozen=True, slots=True)
class Conduct:
    """Counters of a person's work, kept without reading their answers again.

    `level` is the logarithm of the sequential rule's ratio, None before the first answer; `run` is
    the number of equal answers in a row, `labelled` that of all; `told` is what the person may
    know of `seen` and `right`.
    """

    answers: int = 0
    seen: int = 0
    right: int = 0
    level: float | None = None
    last: str = ""
    run: int = 0
    labelled: int = 0
    told_seen: int = 0
    told_right: int = 0

    def after(
        self, label: str | None, right: bool | None, chance: float, quality: QualityRules
    ) -> Conduct:
        """The conduct after one more answer.

        Args:
            label: the answer to the question that is watched, if it was asked.
            right: for a control item, whether the answer was right.
            chance: how often a blind guess is right there.
        """
        level = _with_start(self.level, self.answers)
        if right is not None:
            level += log_factor(right, chance, quality.honest_gold)
        same = label is not None and label == self.last
        conduct = replace(
            self,
            answers=self.answers + 1,
            seen=self.seen + (right is not None),
            right=self.right + bool(right),
            level=level,
            last=self.last if label is None else label,
            run=self.run if label is None else self.run + 1 if same else 1,
            labelled=self.labelled + (label is not None),
        )
        if right is not None and conduct.seen % TOLD_EVERY == 0:
            conduct = replace(conduct, told_seen=conduct.seen, told_right=conduct.right)
        return conduct

    def stored(self) -> dict[str, Any]:
        """The conduct as JSON."""
        return asdict(self)


def read_conduct(stored: Mapping[str, Any]) -> Conduct:
    """The conduct that was stored; a new one if there is none."""
    return Conduct(**stored)


def log_factor(right: bool, chance: float, honest: float) -> float:
    """The logarithm of how much likelier the answer is for a guess than for honest work; 0 where
    a guess does no worse."""
    if not 0 < chance < honest:
        return 0.0
    return math.log(chance / honest if right else (1 - chance) / (1 - honest))


def check_conduct(
    name: str, conduct: Conduct, quality: QualityRules, *, pass_mark: float, at_least: int
) -> ConductFinding | None:
    """The most severe finding in a person's counters that has a consequence, if any."""
    found = _findings_of(name, conduct, quality, pass_mark, at_least)
    return next((one for one in found if one.outcome in ACTING), None)


def _findings_of(
    name: str, conduct: Conduct, quality: QualityRules, pass_mark: float, at_least: int
) -> Iterator[ConductFinding]:
    under = bool(conduct.seen) and conduct.right / conduct.seen < pass_mark - 1e-12
    counts = f"{conduct.right} of {conduct.seen} control items right"
    if conduct.seen >= max(at_least, 1):
        if quality.gold_rule == "plain" and under:
            yield ConductFinding(name, "gold", quality.on_gold, f"{counts}, under {pass_mark:.0%}")
        elif quality.gold_rule == "sequential" and _beyond(conduct, quality):
            reason = f"{counts}: evidence against honest work"
            yield ConductFinding(name, "gold", quality.on_gold, reason)
    if conduct.run == conduct.labelled >= max(quality.constant_after, 2):
        reason = f"all {conduct.run} answers are {conduct.last!r}"
        yield ConductFinding(name, "constant", quality.on_constant, reason)
    if under and 0 < quality.warn_after <= conduct.seen and quality.on_gold in ACTING:
        yield ConductFinding(name, "gold", "warn", f"{counts}, under {pass_mark:.0%}")


def _beyond(conduct: Conduct, quality: QualityRules) -> bool:
    return conduct.level is not None and conduct.level >= -math.log(quality.alpha)


def _with_start(level: float | None, answers: int) -> float:
    """The level with a new start added where a page begins."""
    if answers % PAGE:
        return -math.inf if level is None else level
    row = answers // PAGE
    weight = math.log(0.5) if not row else math.log(0.5 / (row * (row + 1)))
    if level is None:
        return weight
    top = max(level, weight)
    return top + math.log(math.exp(level - top) + math.exp(weight - top))
