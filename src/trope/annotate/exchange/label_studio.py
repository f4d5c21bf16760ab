"""Label Studio's JSON: a list of tasks, each with the annotations that people gave it.

A question is a control of the same name: choices, number, textarea, or labels on the text. Label
Studio counts offsets in UTF-16 units; they are converted exactly. Known answers are an annotation
marked as ground truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trope.annotate.exchange.json_array import read_array
from trope.annotate.exchange.records import Brought, Judged, Losses, Shown, as_json, as_time
from trope.annotate.exchange.utf16 import from_utf16, to_utf16
from trope.annotate.project import Plan
from trope.annotate.questions import Question
from trope.core.errors import BadRecord
from trope.corpora.records import TextRecord
from trope.corpora.tables import named_texts

_TEXT = "text"
_NUMBERS = ("number", "rating")


def task_lines(
    plan: Plan, tasks: Iterable[tuple[Shown, Sequence[Judged]]], losses: Losses
) -> Iterator[str]:
    """The lines of a file: one list, a task a line."""
    before = "[\n"
    for number, (item, rows) in enumerate(tasks, start=1):
        yield before + as_json(_task(number, item, rows, plan, losses))
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _task(
    number: int, item: Shown, rows: Sequence[Judged], plan: Plan, losses: Losses
) -> dict[str, Any]:
    annotations = [_annotation(row, item, plan, losses) for row in rows if _fits(row, losses)]
    if item.gold:
        annotations.append(_ground_truth(item, plan, losses))
    return {
        "id": number,
        "data": {**item.payload, "id": item.id, _TEXT: item.text},
        "annotations": annotations,
        "predictions": [],
    }


def _fits(row: Judged, losses: Losses) -> bool:
    if row.state == "discarded":
        losses["judgments of people who were dismissed are left out"] += 1
    elif row.state == "surplus":
        losses["surplus judgments are written as any other"] += 1
    return row.state != "discarded"


def _annotation(row: Judged, item: Shown, plan: Plan, losses: Losses) -> dict[str, Any]:
    known = {question.id for question in plan.questions}
    for name in row.answers.keys() - known:
        losses[f"answers to {name!r}, which the plan does not ask, are left out"] += 1
    return {
        "id": row.judgment,
        "completed_by": {"first_name": row.annotator, "last_name": "", "email": ""},
        "result": list(_results(row.answers, item.text, plan.questions)),
        "was_cancelled": row.state == "skipped",
        "ground_truth": False,
        "created_at": row.at.isoformat(),
        "updated_at": row.at.isoformat(),
        "lead_time": row.seconds,
    }


def _ground_truth(item: Shown, plan: Plan, losses: Losses) -> dict[str, Any]:
    single = {
        name: wanted
        for name, wanted in (item.gold or {}).items()
        if not isinstance(wanted, list | dict)
    }
    losses["known answers with several right ones are left out"] += len(item.gold or {}) - len(
        single
    )
    results = list(_results(single, item.text, plan.questions))
    return {"result": results, "was_cancelled": False, "ground_truth": True}


def _results(
    answers: Mapping[str, Any], text: str, questions: Sequence[Question]
) -> Iterator[dict[str, Any]]:
    for question in questions:
        if question.id not in answers:
            continue
        for place, (kind, value) in enumerate(_values(question, answers[question.id], text)):
            yield {
                "id": f"{question.id}-{place}",
                "from_name": question.id,
                "to_name": _TEXT,
                "type": kind,
                "value": value,
                "origin": "manual",
            }


def _values(question: Question, answer: Any, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if question.kind == "scale":
        yield "number", {"number": int(answer)}
    elif question.kind == "text":
        yield "textarea", {"text": [str(answer)]}
    elif question.kind == "spans":
        for start, end in answer:
            yield (
                "labels",
                {
                    "start": to_utf16(text, start),
                    "end": to_utf16(text, end),
                    "text": text[start:end],
                    "labels": [question.id],
                },
            )
    else:
        yield "choices", {"choices": [str(v) for v in answer] if _many(answer) else [str(answer)]}


def _many(answer: Any) -> bool:
    return isinstance(answer, list)


def read_label_studio(path: Path, plan: Plan, losses: Losses) -> Iterator[Brought]:
    """The annotations of an export; a task without one brings its item alone.

    The place of an error is the number of the task.
    """
    for number, task in read_array(path):
        try:
            record = _record(number, task, plan, path, losses)
            annotations = _list(task, "annotations") or _list(task, "completions")
            losses["predictions are left out"] += len(_list(task, "predictions"))
            losses["drafts are left out"] += len(_list(task, "drafts"))
            given = [each for each in annotations if not each.get("ground_truth")]
            for annotation in given:
                yield _brought(record, annotation, plan, losses)
            if not given:
                yield Brought(record)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, BadRecord):
                raise
            raise BadRecord(path, number, f"cannot be read as a task ({error})") from None


def _list(task: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = task.get(name) or []
    # a short export has numbers instead of drafts and predictions
    return [each for each in found if isinstance(each, dict)]


def _record(
    number: int, task: Mapping[str, Any], plan: Plan, path: Path, losses: Losses
) -> TextRecord:
    data = task.get("data")
    if not isinstance(data, dict):
        raise ValueError("it has no data")
    fields = {
        name: value if isinstance(value, str) else _json(value) for name, value in data.items()
    }
    fields.setdefault("id", str(task.get("id", number)))
    (record,) = named_texts([(number, fields)], str(path))
    for annotation in _list(task, "annotations"):
        if annotation.get("ground_truth"):
            gold = _given(annotation, record.text, plan, losses)
            known = {name: values[0] for name, values in gold.items() if len(values) == 1}
            if known:
                fields = {**record.fields, "gold": as_json(known)}
                return TextRecord(record.id, record.text, number, fields)
    return record


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _brought(
    record: TextRecord, annotation: Mapping[str, Any], plan: Plan, losses: Losses
) -> Brought:
    skipped = bool(annotation.get("was_cancelled"))
    at = annotation.get("created_at")
    return Brought(
        record,
        _name(annotation.get("completed_by")),
        {} if skipped else _given(annotation, record.text, plan, losses),
        "skipped" if skipped else "counted",
        max(float(annotation.get("lead_time") or 0), 0.0),
        as_time(at) if at else None,
    )


def _name(who: Any) -> str:
    if isinstance(who, dict):
        full = f"{who.get('first_name') or ''} {who.get('last_name') or ''}".strip()
        return full or str(who.get("username") or who.get("email") or who.get("id"))
    return f"user {who}" if who is not None else "unknown"


def _given(
    annotation: Mapping[str, Any], text: str, plan: Plan, losses: Losses
) -> dict[str, list[str]]:
    kinds = {question.id: question.kind for question in plan.questions}
    given: dict[str, list[str]] = {}
    for result in annotation.get("result") or ():
        name, kind, value = result.get("from_name"), result.get("type"), result.get("value", {})
        if name not in kinds:
            losses[f"results of {name!r}, which the plan does not ask, are left out"] += 1
        elif kinds[name] == "spans" and "start" in value:
            start, end = (from_utf16(text, int(value[which])) for which in ("start", "end"))
            given.setdefault(name, []).append(f"{start}-{end}")
        elif kinds[name] == "scale" and kind in _NUMBERS:
            given[name] = [_whole(value[kind])]
        elif kind in ("choices", "textarea"):
            given.setdefault(name, []).extend(map(str, value[_key(kind)]))
        else:
            losses[f"results of the type {kind!r} are left out"] += 1
    return given


def _key(kind: str) -> str:
    return "text" if kind == "textarea" else kind


def _whole(value: Any) -> str:
    number = float(value)
    return str(int(number)) if number.is_integer() else str(value)
