"""What people answered in the annotation service, in the place of a simulated crowd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from trope.annotate.exchange.records import JudgmentRecord
from trope.annotate.plan import Plan
from trope.core.judgments import Judgment
from trope.recipes.recipe import Label

ADJUDICATOR = "adjudicator"
EXCLUDED = "excluded by an adjudicator"
TOO_FEW = "too few judgments"


@dataclass(frozen=True, slots=True)
class Decided:
    """What an adjudicator settled; an item that was excluded has no answers."""

    answers: Mapping[str, Any]
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Tried:
    """What someone answered to an item of the demo task."""

    item: str
    annotator: str
    answers: Mapping[str, Any]
    skipped: bool
    seconds: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Answers:
    """All that people said about the items of a run, checked, in the order in which they said it.

    `counted` are the judgments that count, `control` those of test questions that are items of the
    run, `left_out` the number of others by what became of them.
    """

    path: Path
    plan: Plan
    counted: tuple[JudgmentRecord, ...]
    control: tuple[JudgmentRecord, ...] = ()
    demo: tuple[Tried, ...] = ()
    decisions: Mapping[str, Decided] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)

    def complete(self, least: Mapping[str, int]) -> Complete:
        """The judgments of items that have as many as they need, or a decision."""
        number = Counter(row.item for row in self.counted)
        lacking = {
            item: Label(item, None, votes=number[item], reason=_too_few(number[item], needed))
            for item, needed in least.items()
            if number[item] < needed and item not in self.decisions
        }
        rows = [row for row in self.counted if row.item in least and row.item not in lacking]
        return Complete(tuple(rows), self.decisions, lacking)


def _too_few(number: int, needed: int) -> str:
    return f"{TOO_FEW}: {number} of {needed}"


@dataclass(frozen=True, slots=True)
class Complete:
    """The judgments of items that enough people judged; `lacking` are the labels of the others."""

    rows: tuple[JudgmentRecord, ...]
    decisions: Mapping[str, Decided]
    lacking: Mapping[str, Label]

    def judgments(self, questions: Sequence[str]) -> list[Judgment]:
        """What people said to these questions, one row an answer."""
        return as_rows(self.rows, questions)

    def votes(self, questions: Sequence[str]) -> list[Judgment]:
        """The same, but for the items on which an adjudicator decided: there, the decision."""
        open_ones = [row for row in self.rows if row.item not in self.decisions]
        decided = [
            Judgment(item, ADJUDICATOR, as_label(decision.answers[question]), question)
            for item, decision in self.decisions.items()
            for question in questions
            if question in decision.answers
        ]
        return [*as_rows(open_ones, questions), *decided]

    def settle(self, labels: Iterable[Label]) -> tuple[Label, ...]:
        """The labels, with a reason where judgments lack, and those of decisions told apart."""
        number = Counter(row.item for row in self.rows)
        return tuple(self._settled(label, number[label.item]) for label in labels)

    def _settled(self, label: Label, votes: int) -> Label:
        if label.item in self.lacking:
            return self.lacking[label.item]
        if label.item not in self.decisions:
            return label
        if self.decisions[label.item].excluded:
            return Label(label.item, None, votes=votes, reason=EXCLUDED)
        return replace(label, votes=votes, share=None, score=None)


def as_rows(forms: Iterable[JudgmentRecord | Tried], questions: Sequence[str]) -> list[Judgment]:
    """Forms as one row an answer, in the order of the questions."""
    return [
        Judgment(
            form.item,
            form.annotator,
            as_label(form.answers[question]),
            question,
            weight=form.weight if isinstance(form, JudgmentRecord) else 1.0,
            seconds=round(form.seconds, 3),
        )
        for form in forms
        for question in questions
        if question in form.answers
    ]


def as_label(answer: Any) -> str:
    """An answer as a label; of several that were chosen `|` stands between."""
    return "|".join(map(str, answer)) if isinstance(answer, list) else str(answer)
