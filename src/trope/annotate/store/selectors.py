"""Reads: how far the work is, what is owed, what was answered."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum

from trope.annotate.project import Plan
from trope.annotate.store.models import Item, Judgment, Lease, Person
from trope.annotate.store.queue import published_place

_CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project is."""

    items: int
    complete: int
    judgments: int
    wanted: int
    in_hand: int
    gold_items: int


@dataclass(frozen=True, slots=True)
class PayRow:
    """What one person has done, and is owed."""

    id: int
    name: str
    state: str
    judged: int
    skipped: int
    gold_seen: int
    gold_right: int
    hours: float
    earned: Decimal
    hourly: Decimal | None


def progress(plan: Plan) -> Progress:
    """How many items have all their judgments, and how many judgments there are."""
    items = Item.objects.filter(place__lte=published_place()).aggregate(
        work=Count("pk", filter=Q(is_gold=False)),
        gold=Count("pk", filter=Q(is_gold=True)),
        extra=Sum("extra"),
    )
    counted = Judgment.objects.filter(current=True, state="counted")
    full = (
        counted.values("item")
        .annotate(n=Count("pk"))
        .filter(n__gte=plan.judgments_an_item + F("item__extra"))
    )
    return Progress(
        items=items["work"],
        complete=full.count(),
        judgments=counted.count(),
        wanted=items["work"] * plan.judgments_an_item + (items["extra"] or 0),
        in_hand=Lease.objects.filter(released=False, item__is_gold=False).count(),
        gold_items=items["gold"],
    )


def pay_sheet(plan: Plan) -> list[PayRow]:
    """A row a person, by name. Work of the dismissed is listed too: who is paid is the owner's
    decision."""
    people = Person.objects.filter(role="annotator").order_by("name")
    return [_pay_row(person, plan) for person in people]


def _pay_row(person: Person, plan: Plan) -> PayRow:
    earned = plan.earned(person.judged)
    hours = person.seconds / 3600
    hourly = (earned / Decimal(hours)).quantize(Decimal("0.01")) if hours > 0 else None
    return PayRow(
        id=person.pk,
        name=person.name,
        state=person.state,
        judged=person.judged,
        skipped=person.skipped,
        gold_seen=person.gold_seen,
        gold_right=person.gold_right,
        hours=hours,
        earned=earned,
        hourly=hourly,
    )


def export_rows(*, history: bool = False) -> Iterator[dict[str, Any]]:
    """Every judgment in the order in which it was given, a few at a time from the database.

    `state` is counted, surplus (given too late, one too many), skipped, gold or discarded (of
    someone who was dismissed). With `history`, also those that were changed later.
    """
    rows = Judgment.objects.order_by("pk") if history else Judgment.objects.filter(current=True)
    fields = ("item__external_id", "person__name", "answers", "state", "seconds", "at", "current")
    for row in rows.order_by("pk").values_list("pk", *fields).iterator(chunk_size=_CHUNK):
        number, item, person, answers, state, seconds, at, current = row
        yield {
            "judgment": number,
            "item": item,
            "annotator": person,
            "answers": answers,
            "state": state,
            "seconds": round(seconds, 3),
            "at": at.isoformat(),
            "current": current,
        }


def jsonl_lines(*, history: bool = False) -> Iterator[str]:
    """The export as JSON lines."""
    for row in export_rows(history=history):
        yield json.dumps(row, ensure_ascii=False) + "\n"


def csv_lines(plan: Plan, *, history: bool = False) -> Iterator[str]:
    """The export as CSV, a column a question; lists are written as JSON."""
    questions = [question.id for question in plan.questions]
    lines = Lines()
    writer = csv.writer(lines, lineterminator="\n")
    head = ("judgment", "item", "annotator", "state", "seconds", "at", "current")
    writer.writerow([*head, *questions])
    for row in export_rows(history=history):
        answers = [_cell(row["answers"].get(name)) for name in questions]
        writer.writerow([*(row[name] for name in head), *answers])
        yield from lines.taken()
    yield from lines.taken()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


class Lines:
    """A file for the csv module whose lines can be taken out again."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def write(self, line: str) -> int:
        """Keep a line."""
        self._lines.append(line)
        return len(line)

    def taken(self) -> list[str]:
        """The lines since the last time."""
        lines, self._lines = self._lines, []
        return lines
