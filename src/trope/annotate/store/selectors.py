"""Reads: how far the work is, and what is owed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, F, Q, Sum

from trope.annotate.project import Plan
from trope.annotate.store.models import Item, Judgment, Lease, Person
from trope.annotate.store.queue import published_place


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
