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

from trope.annotate.exchange.records import (
    RECORD_LIMIT,
    ItemRecord,
    JudgmentRecord,
    Losses,
    ToolRecord,
    as_json,
    as_time,
)
from trope.annotate.plan import Plan
from trope.annotate.questions import Question
from trope.core.errors import BadRecord, MissingData
from trope.corpora.records import TextRecord
from trope.corpora.tables import named_texts

_TEXT = "text"
_NUMBERS = ("number", "rating")


def task_lines(
    plan: Plan, tasks: Iterable[tuple[ItemRecord, Sequence[JudgmentRecord]]], losses: Losses
) -> Iterator[str]:
    """The lines of a file: one list, one task per line."""
    before = "[\n"
    for number, (item, rows) in enumerate(tasks, start=1):
        yield before + as_json(_task(number, item, rows, plan, losses))
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _task(
    number: int, item: ItemRecord, rows: Sequence[JudgmentRecord], plan: Plan, losses: Losses
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


def _fits(row: JudgmentRecord, losses: Losses) -> bool:
    if row.state == "discarded":
        losses["judgments of people who were dismissed are left out"] += 1
    elif row.state == "surplus":
        losses["surplus judgments are written as any other"] += 1
    return row.state != "discarded"


def _annotation(
    row: JudgmentRecord, item: ItemRecord, plan: Plan, losses: Losses
) -> dict[str, Any]:
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


def _ground_truth(item: ItemRecord, plan: Plan, losses: Losses) -> dict[str, Any]:
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


def read_label_studio(path: Path, plan: Plan, losses: Losses) -> Iterator[ToolRecord]:
    """The annotations of an export; a task without one adds only its item.

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
                yield _tool_record(record, annotation, plan, losses)
            if not given:
                yield ToolRecord(record)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, BadRecord):
                raise
            raise BadRecord(path, number, f"is not a valid task ({error})") from None


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


def _tool_record(
    record: TextRecord, annotation: Mapping[str, Any], plan: Plan, losses: Losses
) -> ToolRecord:
    skipped = bool(annotation.get("was_cancelled"))
    at = annotation.get("created_at")
    return ToolRecord(
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


_PIECE = 64 * 1024
_SPACE = " \t\r\n"


def read_array(path: Path, *, limit: int = RECORD_LIMIT) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a list, counted from 1.

    Raises:
        BadRecord: with the number of the element, for one that is not an object, is longer
            than `limit`, or is not valid.
    """
    if not path.is_file():
        raise MissingData(path, "check the file name")
    try:
        yield from _objects(path, limit)
    except UnicodeDecodeError:
        raise BadRecord(path, None, "is not UTF-8; convert it") from None


def _objects(path: Path, limit: int) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8-sig") as file:
        held = file.read(_PIECE).lstrip(_SPACE)
        if not held.startswith("["):
            raise BadRecord(path, 1, "is not a JSON list of tasks; export it as JSON")
        held, number, decoder = held[1:], 0, json.JSONDecoder()
        while True:
            held = held.lstrip(_SPACE + ",")
            if held.startswith("]"):
                return
            found, end = _decoded(decoder, held)
            if end == 0:
                piece = file.read(max(_PIECE, len(held)))  # doubling: each element is read once
                if not piece or len(held) + len(piece) > 2 * limit + _PIECE:
                    cause = "is cut off" if not piece else f"is over {limit // 1024**2} MB"
                    raise BadRecord(path, number + 1, f"{cause}, or is not JSON; export it again")
                held += piece
                continue
            number += 1
            if not isinstance(found, dict):
                raise BadRecord(path, number, "is not a task; a task is a JSON object")
            yield number, found
            held = held[end:]


def _decoded(decoder: json.JSONDecoder, text: str) -> tuple[Any, int]:
    """The first element and where it ends; 0 if more has to be read."""
    try:
        found, end = decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return None, 0
    # a number at the end of what was read may go on
    return (found, end) if end < len(text) else (None, 0)


def to_utf16(text: str, offset: int) -> int:
    """The offset in UTF-16 units."""
    return offset + sum(char > "\uffff" for char in text[:offset])


def from_utf16(text: str, offset: int) -> int:
    """The offset in code points.

    Raises:
        ValueError: for one outside the text, or within a character.
    """
    if offset < 0:
        raise ValueError(f"{offset} is before the text")
    units = 0
    for place, char in enumerate(text):
        if units == offset:
            return place
        if units > offset:
            break
        units += 2 if char > "\uffff" else 1
    if units == offset:
        return len(text)
    where = "within a character" if units > offset else "beyond the text"
    raise ValueError(f"{offset} is {where}")
