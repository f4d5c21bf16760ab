"""One label per item and question from the judgments that count; decisions win over them.

A choice and a point of a scale are voted on. Of several choices each option is voted on by itself
(`QUESTION=OPTION`: yes or no), of spans each character, by majority whatever the method. Free text
has no label. A vote counts with its annotator's weight. What an adjudicator decided wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from trope.annotate.exchange.records import ItemRecord, JudgmentRecord, Losses
from trope.annotate.plan import Plan
from trope.annotate.questions import Question, measured_questions
from trope.annotate.rules.aggregation import AggregationOptions, aggregate_question, agreed_spans
from trope.annotate.store.adjudication import DecidedLabels, decided_labels
from trope.annotate.store.models import Item, JudgmentState
from trope.annotate.store.rows import ItemSample, answer_rows, chunks, items_with_judgments
from trope.core.errors import BadInput
from trope.core.judgments import Judgment as Vote
from trope.core.judgments import by_question
from trope.metrics.aggregation.results import Aggregate, ItemResult

BY_ITEM = ("majority", "mean")
"""Methods that look at each item by itself, so items can be processed in chunks."""

NUMERIC = ("mean", "weighted-mean")
"""Methods for scales; other questions are then decided by majority."""

NO_RELIABILITY = "nobody has answered control items, so there are no reliabilities"
NOBODY_YET = "Nobody has answered this yet."

LABEL_TYPES = {
    "item": "string",
    "question": "string",
    "label": "string",
    "score": "float64",
    "confidence": "float64",
    "answers": "int64",
    "deviation": "float64",
    "complete": "bool",
    "note": "string",
}

Work = Sequence[tuple[ItemRecord, list[JudgmentRecord]]]


@dataclass(frozen=True, slots=True)
class LabelUnit:
    """What is voted on: an item, or one option of it."""

    item: ItemRecord
    rows: list[JudgmentRecord]
    option: str | None = None

    def column(self, question: Question) -> str:
        """The name of its label in files."""
        return question.id if self.option is None else f"{question.id}={self.option}"

    @property
    def shown(self) -> str:
        """What a page calls it."""
        return self.item.id if self.option is None else f"{self.item.id}: {self.option}"


@dataclass(frozen=True, slots=True)
class QuestionLabels:
    """The labels of one question; `problem` says why there are none."""

    question: str
    text: str
    result: Aggregate | None
    problem: str = ""

    @property
    def without(self) -> int:
        """How many items have no label."""
        return sum(item.label is None for item in self.result.items) if self.result else 0


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """An item with its labels by question; `complete` if it has all its judgments."""

    item: ItemRecord
    labels: dict[str, ItemResult]
    judgments: int
    complete: bool
    last: datetime | None


def labelled_items(
    plan: Plan, losses: Losses, *, options: AggregationOptions | None = None, drafts: bool = False
) -> Iterator[LabelledItem]:
    """Items with their labels, in order; with `drafts`, also items that lack judgments.

    Control items have known answers and get no label. Methods that weight annotators over all items
    hold all votes in memory, others a chunk of items at a time.

    Raises:
        BadInput: for a method that does not apply, such as a weighted mean if nobody has answered
            control items.
    """
    options = options or AggregationOptions()
    if names := ", ".join(question.id for question in plan.questions if question.kind == "text"):
        losses[f"free text has no label ({names})"] += 1
    settled, extra = decided_labels(plan), _extra()
    wanted = plan.judgments_per_item
    work = (
        (item, rows)
        for item, rows in _counted(items_with_judgments())
        if len(rows) >= wanted + extra.get(item.id, 0)
        or item.id in settled.decided
        or (drafts and rows)
    )
    by_item = options.method in BY_ITEM and options.ties != "random"
    for part in chunks(work) if by_item else [list(work)]:
        found = _by_item(plan, part, options, settled)
        for item, rows in part:
            complete = len(rows) >= wanted + extra.get(item.id, 0)
            last = max((row.at for row in rows), default=None)
            yield LabelledItem(item, found.get(item.id, {}), len(rows), complete, last)


def project_labels(
    plan: Plan, options: AggregationOptions, *, sample: ItemSample | None = None
) -> list[QuestionLabels]:
    """The labels of every item that has an answer, question by question, for a page."""
    ids = sample.ids if sample else None
    settled = decided_labels(plan)
    part = [
        (item, rows)
        for item, rows in _counted(items_with_judgments(ids))
        if rows or item.id in settled.decided
    ]
    found = []
    for question, units, result in _label_all(plan, part, options, settled):
        if isinstance(result, str):
            found.append(QuestionLabels(question.id, question.text, None, result))
            continue
        items = tuple(replace(one, item=units[one.item].shown) for one in result.items)
        result = replace(result, items=items)
        problem = "" if items else NOBODY_YET
        found.append(QuestionLabels(question.id, question.text, result, problem))
    return found


def label_rows(labelled: Iterable[LabelledItem]) -> Iterator[dict[str, Any]]:
    """One row per label."""
    for one in labelled:
        for question, result in one.labels.items():
            yield {
                "item": one.item.id,
                "question": question,
                "label": result.label,
                "score": result.score,
                "confidence": result.confidence,
                "answers": result.answers,
                "deviation": result.deviation,
                "complete": one.complete,
                "note": result.note,
            }


_ABOUT_ITEM = {"judgments": "int64", "complete": "bool", "note": "string"}


def labelled_types(labelled: Iterable[LabelledItem]) -> dict[str, str]:
    """The columns of items with their labels: text, fields, and for each question its label and
    the share of votes behind it; a field that is called like one of them begins with `field_`."""
    fields: set[str] = set()
    asked: dict[str, None] = {}
    for one in labelled:
        fields.update(one.item.payload)
        asked.update(dict.fromkeys(one.labels))
    shares = {f"{name}_share": "float64" for name in asked}
    own = {"id": "string", "text": "string"} | dict.fromkeys(asked, "string")
    own |= shares | _ABOUT_ITEM
    named = {f"field_{name}" if name in own else name: "string" for name in sorted(fields)}
    return {"id": "string", "text": "string"} | named | own


def labelled_rows(
    labelled: Iterable[LabelledItem], types: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """One row per item with its text, fields and labels."""
    for one in labelled:
        notes = dict.fromkeys(result.note for result in one.labels.values() if result.note)
        row: dict[str, Any] = {"id": one.item.id, "text": one.item.text}
        for name, value in one.item.payload.items():
            row[f"field_{name}" if f"field_{name}" in types else name] = value
        for name, result in one.labels.items():
            row |= {name: _shown_label(result), f"{name}_share": result.confidence}
        yield row | {
            "judgments": one.judgments,
            "complete": one.complete,
            "note": "; ".join(notes),
        }


def _shown_label(result: ItemResult) -> str | None:
    return result.label if result.score is None else f"{result.score:g}"


def _extra() -> dict[str, int]:
    """How many judgments items need beyond the usual number."""
    return dict(Item.objects.filter(extra__gt=0).values_list("external_id", "extra"))


def _counted(
    items: Iterable[tuple[ItemRecord, list[JudgmentRecord]]],
) -> Iterator[tuple[ItemRecord, list[JudgmentRecord]]]:
    for item, rows in items:
        if not item.gold:
            yield item, [row for row in rows if row.state == JudgmentState.COUNTED]


def _by_item(
    plan: Plan, part: Work, options: AggregationOptions, settled: DecidedLabels
) -> dict[str, dict[str, ItemResult]]:
    found: dict[str, dict[str, ItemResult]] = {}
    for question, units, result in _label_all(plan, part, options, settled):
        if isinstance(result, str):
            raise BadInput(f"{question.id}: {result}")
        for one in result.items:
            unit = units[one.item]
            found.setdefault(unit.item.id, {})[unit.column(question)] = one
    return found


def _label_all(
    plan: Plan, part: Work, options: AggregationOptions, settled: DecidedLabels
) -> Iterator[tuple[Question, dict[str, LabelUnit], Aggregate | str]]:
    """Each question with its units and their labels, or the reason why it has none."""
    control = _control_votes(plan) if options.method == "weighted-mean" else {}
    for question in measured_questions(plan.questions):
        if question.id == plan.doubt.question:
            continue
        units = dict(_units(question, part))
        try:
            result = _aggregated(question, units, control.get(question.id, []), options)
        except BadInput as error:
            yield question, units, str(error)
            continue
        labels = {one.item: one for one in result.items}
        items = (
            settled.over(question, unit.option, unit.item, unit.rows, key, labels.get(key))
            for key, unit in units.items()
        )
        yield question, units, replace(result, items=tuple(filter(None, items)))


def _units(question: Question, part: Work) -> Iterator[tuple[str, LabelUnit]]:
    for item, rows in part:
        if question.kind != "multi":
            yield item.id, LabelUnit(item, rows)
            continue
        for option in question.candidates(item.payload):
            yield f"{item.id}\x1f{option.value}", LabelUnit(item, rows, option.value)


def _aggregated(
    question: Question,
    units: Mapping[str, LabelUnit],
    control: list[Vote],
    options: AggregationOptions,
) -> Aggregate:
    """The labels that the method gives.

    Raises:
        BadInput: where it does not apply.
    """
    if question.kind == "spans":
        marked = ((key, _spans(question, unit.rows)) for key, unit in units.items())
        items = tuple(agreed_spans(key, spans) for key, spans in marked if spans)
        return Aggregate("majority", "no quality is computed for spans", items, ())
    given = [vote for key, unit in units.items() for vote in _votes(question, key, unit)]
    # in the order in which they were given, as `trope aggregate` reads them: iterative methods
    # give the same numbers only from the same start
    votes = [vote for _, vote in sorted(given, key=lambda pair: pair[0])]
    if not votes:
        return Aggregate(options.method, "", (), ())
    if options.method not in NUMERIC:
        return aggregate_question(votes, options)
    if question.kind != "scale":
        return aggregate_question(votes, AggregationOptions(ties=options.ties, seed=options.seed))
    if options.method == "weighted-mean" and not control:
        raise BadInput(NO_RELIABILITY)
    return aggregate_question([*votes, *control], options)


def _votes(question: Question, key: str, unit: LabelUnit) -> Iterator[tuple[int, Vote]]:
    """The votes on a unit, with the numbers of the judgments."""
    for row in unit.rows:
        if question.id not in row.answers:
            continue
        answer = row.answers[question.id]
        if unit.option is None:
            vote = Vote(key, row.annotator, str(answer), question.id, row.weight)
            yield row.judgment, vote
        elif unit.option in {one.value for one in question.offered(unit.item.payload, row.answers)}:
            label = "yes" if unit.option in answer else "no"
            yield row.judgment, Vote(key, row.annotator, label, question.id, row.weight)


def _control_votes(plan: Plan) -> Mapping[str, list[Vote]]:
    """Answers to control items with the known answers, for the reliabilities."""
    return by_question(row for row in answer_rows(plan, gold=True) if row.gold)


def _spans(
    question: Question, rows: Sequence[JudgmentRecord]
) -> list[tuple[list[list[int]], float]]:
    given = ((question.answer_in(row.answers), row.weight) for row in rows)
    return [(spans, weight) for spans, weight in given if spans is not None]
