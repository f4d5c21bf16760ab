"""Labels of a project: answers aggregated, with what adjudicators settled above them."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, F, Q

from trope.annotate.project import Plan
from trope.annotate.questions import Question
from trope.annotate.rules.aggregating import Way, aggregate_question
from trope.annotate.store.adjudicating import decisions
from trope.annotate.store.answers import Sample, answer_rows
from trope.annotate.store.models import Decision, Item
from trope.annotate.store.selectors import Lines
from trope.annotate.watched import label_of, measured_questions
from trope.core.errors import BadInput
from trope.core.judgments import Judgment, by_question
from trope.metrics.aggregation.results import Aggregate, ItemResult

FIELDS = ("question", "item", "label", "score", "confidence", "answers", "deviation", "note")

DECIDED = "decided by an adjudicator"
EXCLUDED = "left out by an adjudicator"
NOT_RECONCILED = "left out: answers differ and nobody has settled them"
NOT_LOOKED_AT = "left out: in doubt, and nobody has looked again"
NO_RELIABILITY = "nobody has answered control items, so that nobody has a reliability"
NOT_ASKED = "not asked after what an adjudicator decided"


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


def project_labels(plan: Plan, way: Way, *, sample: Sample | None = None) -> list[QuestionLabels]:
    """A label for every item that has an answer, question by question; control items have none.

    The reliabilities of weighted-mean come from control items. What an adjudicator decided wins;
    with `adjudication.unresolved = "exclude"`, what differs and was not decided has no label.
    """
    by_gold = way.method == "weighted-mean"
    rows = list(answer_rows(plan, sample=sample, gold=by_gold))
    if by_gold and sample is not None and sample.ids is not None:
        rows += [row for row in answer_rows(plan, gold=True) if row.gold]
    found = by_question(rows)
    settled = decisions()
    if sample is not None and sample.ids is not None:
        drawn = set(sample.ids)
        settled = {name: one for name, one in settled.items() if one.item_id in drawn}
    waiting = _waiting(plan) if plan.adjudication.unresolved == "exclude" else {}
    return [
        _question_labels(question, found.get(question.id, []), way, plan, settled, waiting)
        for question in measured_questions(plan)
        if question.id != plan.doubt.question
    ]


def _question_labels(
    question: Question,
    given: Sequence[Judgment],
    way: Way,
    plan: Plan,
    settled: Mapping[str, Decision],
    waiting: Mapping[str, str],
) -> QuestionLabels:
    control = {row.item for row in given if row.gold}
    if way.method == "weighted-mean" and not control:
        return QuestionLabels(question.id, question.text, None, NO_RELIABILITY)
    try:
        result = aggregate_question(given, way) if given else Aggregate(way.method, "", (), ())
    except BadInput as error:
        return QuestionLabels(question.id, question.text, None, str(error))
    reasons: dict[str, str] = {}
    if plan.adjudication.unresolved == "exclude":
        reasons = {**_differing(given), **waiting}
    items = [
        _settled(item, question.id, settled.get(item.item), reasons.get(item.item, ""))
        for item in result.items
        if item.item not in control
    ]
    items += _added(question.id, settled, {item.item for item in items})
    if not items:
        return QuestionLabels(question.id, question.text, None, "Nobody has answered this yet.")
    return QuestionLabels(question.id, question.text, replace(result, items=tuple(items)))


def _added(
    question: str, settled: Mapping[str, Decision], known: Collection[str]
) -> list[ItemResult]:
    """What was decided about items to which nobody had been asked the question."""
    labels = {name: label_of(one.answers.get(question)) for name, one in settled.items()}
    return [
        ItemResult(name, label, 1.0, 0, DECIDED)
        for name, label in labels.items()
        if label is not None and name not in known
    ]


def _settled(
    item: ItemResult, question: str, decision: Decision | None, unresolved: str
) -> ItemResult:
    """The item's label after what was decided about it; `unresolved` says why it has none."""
    if decision is not None:
        label = label_of(decision.answers.get(question))
        note = EXCLUDED if decision.excluded else DECIDED if label is not None else NOT_ASKED
        return replace(
            item,
            label=label,
            confidence=None if label is None else 1.0,
            score=None,
            deviation=None,
            note=note,
            shares={},
        )
    if unresolved:
        return replace(item, label=None, confidence=None, score=None, note=unresolved)
    return item


def _differing(judgments: Sequence[Judgment]) -> dict[str, str]:
    """Items whose answers are not all the same."""
    labels: dict[str, set[str]] = {}
    for judgment in judgments:
        labels.setdefault(judgment.item, set()).add(judgment.label)
    return {item: NOT_RECONCILED for item, found in labels.items() if len(found) > 1}


def _waiting(plan: Plan) -> dict[str, str]:
    """Items that someone is in doubt about and that lack their further judgments."""
    counted = Count("judgment", filter=Q(judgment__current=True, judgment__state="counted"))
    doubted = Item.objects.filter(extra__gt=0).annotate(given=counted)
    short = doubted.filter(given__lt=plan.judgments_an_item + F("extra"))
    return dict.fromkeys(short.values_list("external_id", flat=True), NOT_LOOKED_AT)


def label_lines(labels: list[QuestionLabels]) -> Iterator[str]:
    """The labels as CSV, as `trope aggregate --out` writes them."""
    lines = Lines()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(FIELDS)
    for one in labels:
        for item in one.result.items if one.result else ():
            writer.writerow([one.question, *_cells(item)])
        yield from lines.taken()


def _cells(item: ItemResult) -> list[Any]:
    numbers = (item.score, item.confidence, item.deviation)
    score, confidence, deviation = ("" if n is None else f"{n:.6f}" for n in numbers)
    return [item.item, item.label or "", score, confidence, item.answers, deviation, item.note]
