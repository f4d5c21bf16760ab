"""Reads: how far the work is, what is owed, what was answered."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q

from trope.annotate.project import Plan
from trope.annotate.store.models import Item, Judgment, Lease, Person
from trope.annotate.store.outside import code_of
from trope.annotate.store.queue import published_place
from trope.annotate.store.standing import stage_of, standing_of

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
    stage: str = ""
    weight: float = 1.0
    code: str = ""


def progress(plan: Plan) -> Progress:
    """How many items have all their judgments, and how many judgments there are."""
    items = Item.objects.filter(place__lte=published_place()).aggregate(
        work=Count("pk", filter=Q(is_gold=False)), gold=Count("pk", filter=Q(is_gold=True))
    )
    counted = Judgment.objects.filter(current=True, state="counted")
    full = counted.values("item").annotate(n=Count("pk")).filter(n__gte=plan.judgments_an_item)
    return Progress(
        items=items["work"],
        complete=full.count(),
        judgments=counted.count(),
        wanted=items["work"] * plan.judgments_an_item,
        in_hand=Lease.objects.filter(released=False, item__is_gold=False).count(),
        gold_items=items["gold"],
    )


def pay_sheet(plan: Plan, *, now: datetime) -> list[PayRow]:
    """A row a person, by name. Work of the dismissed is listed too: who is paid is the owner's
    decision."""
    people = Person.objects.filter(role="annotator").select_related("standing").order_by("name")
    return [_pay_row(person, plan, now) for person in people]


def team() -> list[tuple[str, str]]:
    """Name and role of those who do not judge."""
    people = Person.objects.exclude(role="annotator").order_by("role", "name")
    return list(people.values_list("name", "role"))


def earned(person: Person, plan: Plan) -> Decimal:
    """What someone has earned, the demo task included where it is paid."""
    demo = standing_of(person).demo_done if plan.demo.paid else 0
    return plan.earned(person.judged + demo)


def _pay_row(person: Person, plan: Plan, now: datetime) -> PayRow:
    standing, due = standing_of(person), earned(person, plan)
    hours = (person.seconds + (standing.demo_seconds if plan.demo.paid else 0)) / 3600
    hourly = (due / Decimal(hours)).quantize(Decimal("0.01")) if hours > 0 else None
    return PayRow(
        id=person.pk,
        name=person.name,
        state=person.state,
        judged=person.judged,
        skipped=person.skipped,
        gold_seen=person.gold_seen,
        gold_right=person.gold_right,
        hours=hours,
        earned=due,
        hourly=hourly,
        stage=stage_of(person, plan, now=now) if person.state == "active" else person.state,
        weight=standing.weight,
        code=code_of(standing, plan) if standing.completed else "",
    )


def export_rows(*, history: bool = False) -> Iterator[dict[str, Any]]:
    """Every judgment in the order in which it was given, a few at a time from the database.

    `state` is counted, surplus (given too late, one too many), skipped, gold or discarded (of
    someone who was dismissed). With `history`, also those that were changed later, and the empty
    rows of those who withdrew (erased). `weight` is that of the person's profile, else 1.
    """
    rows = Judgment.objects.order_by("pk") if history else Judgment.objects.filter(current=True)
    fields = ("item__external_id", "person__name", "answers", "state", "seconds", "at", "current")
    columns = rows.order_by("pk").values_list("pk", *fields, "person__standing__weight")
    for row in columns.iterator(chunk_size=_CHUNK):
        number, item, person, answers, state, seconds, at, current, weight = row
        yield {
            "judgment": number,
            "item": item,
            "annotator": person,
            "answers": answers,
            "state": state,
            "seconds": round(seconds, 3),
            "at": at.isoformat(),
            "current": current,
            "weight": 1.0 if weight is None else weight,
        }


def jsonl_lines(*, history: bool = False) -> Iterator[str]:
    """The export as JSON lines."""
    for row in export_rows(history=history):
        yield json.dumps(row, ensure_ascii=False) + "\n"


def csv_lines(plan: Plan, *, history: bool = False) -> Iterator[str]:
    """The export as CSV, a column a question; lists are written as JSON."""
    questions = [question.id for question in plan.questions]
    kept: list[str] = []
    writer = csv.writer(_Into(kept), lineterminator="\n")
    head = ("judgment", "item", "annotator", "state", "seconds", "at", "current", "weight")
    writer.writerow([*head, *questions])
    for row in export_rows(history=history):
        answers = [_cell(row["answers"].get(name)) for name in questions]
        writer.writerow([*(row[name] for name in head), *answers])
        yield from kept
        kept.clear()
    yield from kept


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


class _Into:
    """A file for the csv module that puts its lines into a list."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, line: str) -> int:
        self._lines.append(line)
        return len(line)
