"""An annotation project as a finished run: what a release of it is made of.

One question gives the label of an item; the labels of the others are columns beside it. Control
items and items that lack judgments are left out, and so is what people wrote freely.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trope import __version__
from trope.annotate.exchange.records import ItemRecord, Losses
from trope.annotate.plan import Plan
from trope.annotate.project import Project
from trope.annotate.questions import Question, measured_questions, watched_question
from trope.annotate.rules.agreement import headline
from trope.annotate.store.labels import LabelledItem, labelled_items
from trope.annotate.store.reports import MeasuredQuestion, measure_project
from trope.annotate.store.rows import answer_rows, item_records
from trope.core.errors import BadInput, UnknownName
from trope.metrics.aggregation.results import ItemResult
from trope.release.finished_run import (
    MANIFEST,
    SEVERAL,
    AskedQuestion,
    FinishedRun,
    Input,
    Label,
    Manifest,
    ProjectChoices,
    ProjectNotes,
    RunItem,
    RunJudgment,
    Value,
)

CONTROL_ITEM = "a control item"


@dataclass(frozen=True, slots=True)
class JudgedProject:
    """The run that a project amounts to, and further columns by item."""

    run: FinishedRun
    columns: dict[str, dict[str, Value]]


def read_project(project: Project, licence: str, choices: ProjectChoices) -> JudgedProject:
    """All that can be released of a project, whose database is connected.

    Raises:
        BadInput: without a licence or items, for the project of a recipe, for a method that does
            not apply.
        UnknownName: for a question that the project does not ask.
    """
    _check(project, licence)
    plan = project.plan
    asked = _asked(plan, choices.question)
    found = {
        one.item.id: one
        for one in labelled_items(
            plan, Losses(), options=choices.aggregation, drafts=choices.drafts
        )
    }
    items, labels, columns = [], {}, {}
    others = [question for question in _labelled_questions(plan) if question != asked]
    for item in item_records():
        items.append(RunItem(item.id, item.text, _fields(item)))
        labels[item.id] = _label(item, found.get(item.id), asked, plan)
        if one := found.get(item.id):
            columns[item.id] = {f"label_{q.id}": _value(one, q) for q in others}
    if not items:
        raise BadInput(f"{project.folder}: has no items; add some and let people judge them")
    judgments = tuple(
        RunJudgment(row.item, row.annotator, row.label, row.question, row.weight, row.seconds)
        for row in answer_rows(plan)
    )
    manifest = _manifest(project, licence, choices, asked)
    agreement = _agreement(plan, measure_project(plan, top=0, most_paired=0))
    return JudgedProject(FinishedRun(manifest, tuple(items), labels, judgments, agreement), columns)


def _check(project: Project, licence: str) -> None:
    folder = project.folder.resolve()
    if (folder.parent / MANIFEST).is_file():
        run = project.folder / ".."
        remedy = f"run the recipe with the exported answers (--answers) and release {run}"
        raise BadInput(f"{project.folder}: belongs to the run of a recipe; {remedy}")
    if not licence.strip():
        problem = "say under which licence texts and labels may be used"
        raise BadInput(f"{project.folder}: {problem}, such as --licence CC-BY-4.0")


def _labelled_questions(plan: Plan) -> list[Question]:
    """The questions that have labels: no free text, no doubt."""
    return [one for one in measured_questions(plan.questions) if one.id != plan.doubt.question]


def _asked(plan: Plan, name: str) -> Question:
    """The question that gives the label."""
    known = {question.id: question for question in _labelled_questions(plan)}
    if name and name not in known:
        raise UnknownName("question with labels", name, tuple(known))
    if not known:
        raise BadInput("the project asks for free text only, which has no label to release")
    usual = watched_question(list(known.values()), plan.quality.question)
    return known[name] if name else usual or next(iter(known.values()))


def _label(item: ItemRecord, one: LabelledItem | None, asked: Question, plan: Plan) -> Label:
    if item.gold:
        return Label(item.id, None, reason=CONTROL_ITEM)
    if one is None:
        return Label(item.id, None, reason=f"has fewer than {plan.judgments_per_item} judgments")
    result = one.labels.get(asked.id)
    if result is None:  # several choices, or nobody was asked
        value = _value(one, asked)
        label = None if value is None else str(value)
        return Label(item.id, label, votes=one.judgments, reason=_reason(one, label))
    share = result.confidence
    return Label(item.id, result.label, result.score, result.answers, share, result.note)


def _reason(one: LabelledItem, label: str | None) -> str:
    notes = dict.fromkeys(result.note for result in one.labels.values() if result.note)
    return "; ".join(notes) or ("" if label is not None else "nobody was asked")


def _value(one: LabelledItem, question: Question) -> Value:
    """The label of a question; of several choices those that were chosen, as one cell."""
    if question.kind != "multi":
        return _plain(one.labels.get(question.id))
    start = f"{question.id}="
    options = {name: result for name, result in one.labels.items() if name.startswith(start)}
    if not any(result.label for result in options.values()):
        return None
    chosen = (name.removeprefix(start) for name, own in options.items() if own.label == "yes")
    return SEVERAL.join(chosen)


def _plain(result: ItemResult | None) -> Value:
    if result is None:
        return None
    return result.label if result.score is None else result.score


def _fields(item: ItemRecord) -> dict[str, Value]:
    return {name: _cell(value) for name, value in item.payload.items()}


def _cell(value: Any) -> Value:
    """One value per field, as tables have it: lists of texts with `|`, all else as JSON."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return SEVERAL.join(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _manifest(
    project: Project,
    licence: str,
    choices: ProjectChoices,
    asked: Question,
) -> Manifest:
    plan, name = project.plan, project.folder.resolve().name
    return Manifest(
        recipe=name,
        seed=plan.seed,
        text_is="own",
        title=plan.title,
        trope=__version__,
        licence=licence.strip(),
        finished=True,
        labels=tuple(option.value for option in asked.offered({}, {}))
        if asked.kind == "choice"
        else (),
        group_by=choices.group_by,
        own_texts=True,
        inputs=(Input(name, name, licence.strip(), texts=True),),
        project=ProjectNotes(
            asked.id,
            choices.aggregation.method,
            plan.judgments_per_item,
            tuple(map(_asked_question, plan.questions)),
            plan.guidelines.strip(),
            (plan.models.run or "model") if plan.models.show == "suggest" else "",
        ),
    )


def _asked_question(question: Question) -> AskedQuestion:
    options = tuple(option.value for option in question.offered({}, {}))
    return AskedQuestion(question.id, question.kind, question.text, options)


def _agreement(plan: Plan, measured: Sequence[MeasuredQuestion]) -> dict[str, Any]:
    """For each question the statistic that a card quotes first, with its interval."""
    kinds = {question.id: question.kind for question in plan.questions}
    overall = {}
    for one in measured:
        first = headline(one.agreement, kinds[one.id]) if one.agreement else None
        if first is not None:
            figure = {"value": first.value, "low": first.low, "high": first.high, "n": first.n}
            overall[f"{one.id} ({first.title})"] = figure
    return {"overall": overall}
