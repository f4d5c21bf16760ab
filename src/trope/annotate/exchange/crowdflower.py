"""Reports of CrowdFlower (Figure Eight, Appen): `_unit_id`, `_golden`, `_trust` and so on.

The full report has one row per judgment; the aggregated report has one row per item with `FIELD`
and `FIELD:confidence`. Several values in a cell are on separate lines. Known answers are in
`FIELD_gold`; those of a range are listed one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
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
from trope.corpora.tables import named_texts, read_rows

_HEAD = (
    "_unit_id", "_created_at", "_golden", "_id", "_missed", "_started_at", "_tainted", "_channel",
    "_trust", "_worker_id", "_country", "_region", "_city", "_ip",
)  # fmt: skip

_AGGREGATED = ("_unit_id", "_golden", "_unit_state", "_trusted_judgments", "_last_judgment_at")
_TIME = "%m/%d/%Y %H:%M:%S"


def full_report(
    plan: Plan,
    rows: Iterable[tuple[JudgmentRecord, ItemRecord]],
    fields: Sequence[str],
    trust: Mapping[str, float],
    losses: Losses,
) -> Iterator[str]:
    """The lines of a full report; `trust` is each person's share of right control items."""
    questions = [question.id for question in plan.questions]
    inputs = ["orig__golden", "id", "text", *fields]
    head = [*_HEAD, *questions, *inputs, *(f"{name}_gold" for name in questions)]
    return csv_lines(head, _full_rows(plan, rows, trust, losses), safe=False)


def _full_rows(
    plan: Plan,
    rows: Iterable[tuple[JudgmentRecord, ItemRecord]],
    trust: Mapping[str, float],
    losses: Losses,
) -> Iterator[dict[str, Any]]:
    known = {question.id for question in plan.questions}
    for row, item in rows:
        if row.state == "skipped":
            losses["skipped items, which CrowdFlower has no row for, are left out"] += 1
            continue
        if row.state == "surplus":
            losses["surplus judgments are written as any other"] += 1
        for name in row.answers.keys() - known:
            losses[f"answers to {name!r}, which the plan does not ask, are left out"] += 1
        answers = {name: "\n".join(given) for name, given in form_values(row.answers).items()}
        yield answers | _unit(item) | _judgment(row, item, trust.get(row.annotator))


def _judgment(row: JudgmentRecord, item: ItemRecord, trust: float | None) -> dict[str, Any]:
    began = row.at - timedelta(seconds=row.seconds)
    return {
        "_unit_id": item.id,
        "_created_at": row.at.astimezone(UTC).strftime(_TIME),
        "_golden": _truth(bool(item.gold)),
        "_id": row.judgment,
        "_missed": "" if row.gold_right is None else _truth(not row.gold_right),
        "_started_at": began.astimezone(UTC).strftime(_TIME),
        "_tainted": _truth(row.state == "discarded"),
        "_channel": "trope",
        "_trust": "" if trust is None else round(trust, 4),
        "_worker_id": row.annotator,
    }


def _unit(item: ItemRecord) -> dict[str, Any]:
    gold = {f"{name}_gold": _gold_text(wanted) for name, wanted in (item.gold or {}).items()}
    orig = {"orig__golden": "true" if item.gold else "", "id": item.id, "text": item.text}
    return item.payload | orig | gold


def _gold_text(wanted: Any) -> str:
    if isinstance(wanted, dict):
        wanted = list(range(int(wanted["from"]), int(wanted["to"]) + 1))
    return "\n".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)


def aggregated_report(
    questions: Sequence[str],
    rows: Iterable[tuple[ItemRecord, Mapping[str, tuple[Any, Any]], int, datetime | None]],
    fields: Sequence[str],
) -> Iterator[str]:
    """The lines of an aggregated report: of each item label and confidence by question, the number
    of its judgments and the time of the last."""
    columns = [column for name in questions for column in (name, f"{name}:confidence")]
    head = [*_AGGREGATED, *columns, "orig__golden", "id", "text", *fields]
    return csv_lines(head, _aggregated_rows(rows), safe=False)


def _aggregated_rows(
    rows: Iterable[tuple[ItemRecord, Mapping[str, tuple[Any, Any]], int, datetime | None]],
) -> Iterator[dict[str, Any]]:
    for item, labels, judgments, last in rows:
        cells = {name: label for name, (label, _) in labels.items()}
        cells |= {f"{name}:confidence": share for name, (_, share) in labels.items()}
        yield (
            cells
            | _unit(item)
            | {
                "_unit_id": item.id,
                "_golden": _truth(bool(item.gold)),
                "_unit_state": "golden" if item.gold else "finalized",
                "_trusted_judgments": judgments,
                "_last_judgment_at": last.astimezone(UTC).strftime(_TIME) if last else "",
            }
        )


def read_crowdflower(path: Path, plan: Plan, losses: Losses) -> Iterator[ToolRecord]:
    """The judgments of a full report; of an aggregated one, the items alone."""
    questions = {question.id for question in plan.questions}
    for line, row in read_rows(path, format="csv", limit=RECORD_LIMIT):
        if not row.get("_unit_id"):
            raise BadRecord(path, line, "has no _unit_id; give a report of CrowdFlower")
        record = _record(path, line, row, questions, losses)
        if row.get("_worker_id"):
            yield _tool_record(path, row, record, plan)
        else:
            losses["aggregated rows add their items, and no judgments"] += 1
            yield ToolRecord(record)


def _record(
    path: Path, line: int, row: Mapping[str, str], questions: set[str], losses: Losses
) -> TextRecord:
    fields: dict[str, str] = {}
    gold: dict[str, Any] = {}
    for name, value in row.items():
        question = name.removesuffix("_gold")
        if name.endswith("_gold") and question in questions:
            if value:
                gold[question] = value.split("\n") if "\n" in value else value
        elif name.endswith("_gold_reason"):
            losses["reasons for known answers are left out"] += bool(value)
        elif not name.startswith("_") and ":" not in name and name not in questions:
            fields[name] = value
    fields.pop("orig__golden", None)
    fields.setdefault("id", row["_unit_id"])
    if row.get("_golden", "").lower() == "true":
        if not gold:
            raise BadRecord(path, line, "is golden, but has no FIELD_gold with the known answer")
        fields["gold"] = as_json(gold)
    (record,) = named_texts([(line, fields)], str(path))
    return record


def _tool_record(path: Path, row: Mapping[str, str], record: TextRecord, plan: Plan) -> ToolRecord:
    given = {
        question.id: row[question.id].split("\n")
        if question.kind in ("multi", "spans")
        else [row[question.id]]
        for question in plan.questions
        if row.get(question.id)
    }
    try:
        at = _moment(row["_created_at"]) if row.get("_created_at") else None
        began = _moment(row["_started_at"]) if row.get("_started_at") else at
    except ValueError as error:
        raise BadRecord(path, record.line, f"has an invalid time ({error})") from None
    seconds = max((at - began).total_seconds(), 0.0) if at and began else 0.0
    tainted = row.get("_tainted", "").lower() == "true"
    state: Literal["discarded", "counted"] = "discarded" if tainted else "counted"
    return ToolRecord(record, row["_worker_id"], given, state, seconds, at)


def _moment(text: str) -> datetime:
    try:
        return datetime.strptime(text, _TIME).replace(tzinfo=UTC)
    except ValueError:
        return as_time(text)


def _truth(value: bool) -> str:
    return "true" if value else "false"
