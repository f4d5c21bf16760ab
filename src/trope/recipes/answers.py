"""Answers of people in the annotation service, used instead of a simulated crowd's."""

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
from trope.recipes.records import ItemLabel

ADJUDICATOR = "adjudicator"
EXCLUDED = "excluded by an adjudicator"
TOO_FEW = "too few judgments"


@dataclass(frozen=True, slots=True)
class AdjudicatedAnswers:
    """The decision of an adjudicator; an excluded item has no answers."""

    answers: Mapping[str, Any]
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class DemoAnswers:
    """The answers of one annotator to an item of the demo task."""

    item: str
    annotator: str
    answers: Mapping[str, Any]
    skipped: bool
    seconds: float
    at: datetime


@dataclass(frozen=True, slots=True)
class ProjectAnswers:
    """All answers of people about the items of a run, checked, in the order they were given.

    `counted` are the judgments that count, `control` those of control items that are items of the
    run, `left_out` counts the others by their state.
    """

    path: Path
    plan: Plan
    counted: tuple[JudgmentRecord, ...]
    control: tuple[JudgmentRecord, ...] = ()
    demo: tuple[DemoAnswers, ...] = ()
    decisions: Mapping[str, AdjudicatedAnswers] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)

    def complete(self, least: Mapping[str, int]) -> CompleteAnswers:
        """The judgments of items that have enough of them, or a decision."""
        number = Counter(row.item for row in self.counted)
        lacking = {
            item: ItemLabel(item, None, votes=number[item], reason=_too_few(number[item], needed))
            for item, needed in least.items()
            if number[item] < needed and item not in self.decisions
        }
        rows = [row for row in self.counted if row.item in least and row.item not in lacking]
        return CompleteAnswers(tuple(rows), self.decisions, lacking)


def _too_few(number: int, needed: int) -> str:
    return f"{TOO_FEW}: {number} of {needed}"


@dataclass(frozen=True, slots=True)
class CompleteAnswers:
    """Judgments of items that enough people judged; `lacking` has a label for each other item."""

    rows: tuple[JudgmentRecord, ...]
    decisions: Mapping[str, AdjudicatedAnswers]
    lacking: Mapping[str, ItemLabel]

    def judgments(self, questions: Sequence[str]) -> list[Judgment]:
        """The answers to these questions, one row per answer."""
        return as_rows(self.rows, questions)

    def votes(self, questions: Sequence[str]) -> list[Judgment]:
        """The same, except that an adjudicator's decision replaces the answers to its item."""
        open_ones = [row for row in self.rows if row.item not in self.decisions]
        decided = [
            Judgment(item, ADJUDICATOR, as_label(decision.answers[question]), question)
            for item, decision in self.decisions.items()
            for question in questions
            if question in decision.answers
        ]
        return [*as_rows(open_ones, questions), *decided]

    def settle(self, labels: Iterable[ItemLabel]) -> tuple[ItemLabel, ...]:
        """The labels with decisions applied, and a reason where judgments are missing."""
        number = Counter(row.item for row in self.rows)
        return tuple(self._settled(label, number[label.item]) for label in labels)

    def _settled(self, label: ItemLabel, votes: int) -> ItemLabel:
        if label.item in self.lacking:
            return self.lacking[label.item]
        if label.item not in self.decisions:
            return label
        if self.decisions[label.item].excluded:
            return ItemLabel(label.item, None, votes=votes, reason=EXCLUDED)
        return replace(label, votes=votes, share=None, score=None)


def as_rows(
    forms: Iterable[JudgmentRecord | DemoAnswers], questions: Sequence[str]
) -> list[Judgment]:
    """Forms as one row per answer, in the order of the questions."""
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
    """An answer as a label; several chosen options are joined by `|`."""
    return "|".join(map(str, answer)) if isinstance(answer, list) else str(answer)
