"""Batch files of Amazon Mechanical Turk: one row per assignment, `Input.*` and `Answer.*` columns.

Export: each item is one HIT, its id is `Input.id` (and, shortened, the HITId). Several choices and
several spans have `|` between them, as MTurk writes them; spans are start-end in code points.
Import: also results of crowd-html forms, `Answer.QUESTION.OPTION` = true and `Answer.taskAnswers`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Literal

from trope.annotate.exchange.files import csv_lines
from trope.annotate.exchange.records import (
    RECORD_LIMIT,
    ItemRecord,
    JudgmentRecord,
    Losses,
    ToolRecord,
    as_json,
    as_time,
    form_values,
)
from trope.annotate.plan import Plan
from trope.core.errors import BadRecord
from trope.corpora.records import TextRecord
from trope.corpora.tables import ID_COLUMNS, named_texts, read_rows

_HEAD = (
    "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime",
    "MaxAssignments", "RequesterAnnotation", "AssignmentDurationInSeconds",
    "AutoApprovalDelayInSeconds", "Expiration", "NumberOfSimilarHITs", "LifetimeInSeconds",
    "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime", "AutoApprovalTime",
    "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate",
)  # fmt: skip

_STATUS = {
    "counted": "Approved",
    "surplus": "Approved",
    "gold": "Approved",
    "discarded": "Rejected",
}

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_ZONES = {"UTC": 0, "GMT": 0, "PST": -8, "PDT": -7}


def mturk_lines(
    plan: Plan,
    rows: Iterable[tuple[JudgmentRecord, ItemRecord]],
    fields: Sequence[str],
    losses: Losses,
) -> Iterator[str]:
    """The lines of a batch file; `fields` are those of the items, which become `Input.*`."""
    inputs = [f"Input.{name}" for name in ("id", "text", *fields, "gold")]
    answers = [f"Answer.{question.id}" for question in plan.questions]
    head = [*_HEAD, *inputs, *answers, "Approve", "Reject"]
    return csv_lines(head, _rows(plan, rows, losses), safe=False)


def _rows(
    plan: Plan, rows: Iterable[tuple[JudgmentRecord, ItemRecord]], losses: Losses
) -> Iterator[dict[str, Any]]:
    known = {question.id for question in plan.questions}
    for row, item in rows:
        if row.state == "skipped":
            losses["skipped items, which MTurk has no row for, are left out"] += 1
            continue
        if row.state == "surplus":
            losses["surplus judgments are written as any other"] += 1
        for name in row.answers.keys() - known:
            losses[f"answers to {name!r}, which the plan does not ask, are left out"] += 1
        yield _assignment(plan, row) | _input(item) | _answer(row)


def _assignment(plan: Plan, row: JudgmentRecord) -> dict[str, Any]:
    submitted = _in_words(row.at)
    status = _STATUS[row.state]
    return {
        "HITId": _made_id(f"hit {row.item}"),
        "HITTypeId": _made_id(f"type {plan.title}"),
        "Title": plan.title,
        "Reward": f"${plan.earned(1)}" if plan.pay.currency == "USD" else "",
        "MaxAssignments": plan.judgments_per_item,
        "AssignmentId": _made_id(f"assignment {row.judgment}"),
        "WorkerId": row.annotator,
        "AssignmentStatus": status,
        "AcceptTime": _in_words(row.at - timedelta(seconds=row.seconds)),
        "SubmitTime": submitted,
        "ApprovalTime": submitted if status == "Approved" else None,
        "RejectionTime": submitted if status == "Rejected" else None,
        "WorkTimeInSeconds": round(row.seconds),
    }


def _input(item: ItemRecord) -> dict[str, Any]:
    fields = {f"Input.{name}": value for name, value in item.payload.items()}
    return fields | {"Input.id": item.id, "Input.text": item.text, "Input.gold": item.gold}


def _answer(row: JudgmentRecord) -> dict[str, str]:
    return {f"Answer.{name}": "|".join(given) for name, given in form_values(row.answers).items()}


def read_mturk(path: Path, plan: Plan, losses: Losses) -> Iterator[ToolRecord]:
    """The assignments of a batch file; a file of inputs only adds items."""
    for line, row in read_rows(path, format="csv", limit=RECORD_LIMIT):
        fields = {k.removeprefix("Input."): v for k, v in row.items() if k.startswith("Input.")}
        if not fields:
            raise BadRecord(path, line, "has no Input.* column; give a batch file of MTurk")
        if not any(name.lower() in ID_COLUMNS for name in fields):
            fields["id"] = row.get("HITId") or str(line)
        (record,) = named_texts([(line, fields)], str(path))
        if not row.get("WorkerId"):
            yield ToolRecord(record)
            continue
        yield _tool_record(path, row, record, plan, losses)


def _tool_record(
    path: Path, row: Mapping[str, str], record: TextRecord, plan: Plan, losses: Losses
) -> ToolRecord:
    try:
        seconds = float(row.get("WorkTimeInSeconds") or 0)
        at = read_time(row["SubmitTime"]) if row.get("SubmitTime") else None
        given = _given(row, plan, losses)
    except (ValueError, TypeError) as error:
        raise BadRecord(path, record.line, f"is not valid ({error})") from None
    state: Literal["discarded", "counted"] = (
        "discarded" if row.get("AssignmentStatus") == "Rejected" else "counted"
    )
    return ToolRecord(record, row["WorkerId"], given, state, seconds, at)


def _given(row: Mapping[str, str], plan: Plan, losses: Losses) -> dict[str, list[str]]:
    answers = {k.removeprefix("Answer."): v for k, v in row.items() if k.startswith("Answer.")}
    if task := answers.pop("taskAnswers", ""):
        answers |= _task_answers(task)
    kinds = {question.id: question.kind for question in plan.questions}
    given: dict[str, list[str]] = {}
    for column, value in answers.items():
        name, _, option = column.partition(".")
        if value == "":
            continue
        if name not in kinds:
            losses[f"answers in 'Answer.{column}', which the plan does not ask, are left out"] += 1
        elif option:
            if value.lower() in ("true", "on"):
                given.setdefault(name, []).append(option)
        else:
            several = kinds[name] in ("multi", "spans")
            given[name] = value.split("|") if several else [value]
    return given


def _task_answers(text: str) -> dict[str, str]:
    """What a crowd-html form gave: a list of one object, its values text or options that are on."""
    found: dict[str, str] = {}
    for answers in json.loads(text):
        for name, value in dict(answers).items():
            if isinstance(value, dict):
                found |= {f"{name}.{option}": as_json(on) for option, on in value.items()}
            else:
                found[name] = value if isinstance(value, str) else as_json(value)
    return found


def read_time(text: str) -> datetime:
    """The moment of "Mon Mar 02 09:00:00 PST 2026", or of an ISO time."""
    parts = text.split()
    if len(parts) != 6:
        return as_time(text)
    _, month, day, clock, zone, year = parts
    if month not in _MONTHS or zone not in _ZONES:
        raise ValueError(f"{text!r} is not a time")
    hours, minutes, seconds = map(int, clock.split(":"))
    there = timezone(timedelta(hours=_ZONES[zone]))
    number = _MONTHS.index(month) + 1
    return datetime(int(year), number, int(day), hours, minutes, seconds, tzinfo=there)


def _in_words(moment: datetime) -> str:
    moment = moment.astimezone(UTC)
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day} {month} {moment:%d %H:%M:%S} UTC {moment.year}"


def _made_id(what: str) -> str:
    """An id of the length that MTurk's have, always the same for the same thing."""
    return "3" + hashlib.sha256(what.encode()).hexdigest()[:29].upper()
