"""Reads: how far the work is, and what is owed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, F, Q, Sum

from trope.annotate.project import Plan
from trope.annotate.store.admitting import stage_of, standing_of
from trope.annotate.store.models import Item, Judgment, Lease, Person
from trope.annotate.store.outside import code_of
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
    stage: str = ""
    weight: float = 1.0
    code: str = ""


def progress(plan: Plan) -> Progress:
    """How many items have all their judgments, and how many judgments there are."""
    items = Item.objects.filter(place__lte=published_place()).aggregate(
        work=Count("pk", filter=Q(is_gold=False)),
        gold=Count("pk", filter=Q(is_gold=True)),
        extra=Sum("extra"),
    )
    counted = Judgment.objects.filter(current=True, state="counted")
    full = (
        counted.values("item", "item__extra")
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


def hours_paid(person: Person, plan: Plan) -> float:
    """The hours behind what someone has earned."""
    demo = standing_of(person).demo_seconds if plan.demo.paid else 0
    return (person.seconds + demo) / 3600


def hourly(person: Person, plan: Plan) -> Decimal | None:
    """What an hour of someone's work has brought; None before there was any."""
    hours = hours_paid(person, plan)
    return (earned(person, plan) / Decimal(hours)).quantize(Decimal("0.01")) if hours > 0 else None


def _pay_row(person: Person, plan: Plan, now: datetime) -> PayRow:
    standing = standing_of(person)
    return PayRow(
        id=person.pk,
        name=person.name,
        state=person.state,
        judged=person.judged,
        skipped=person.skipped,
        gold_seen=person.gold_seen,
        gold_right=person.gold_right,
        hours=hours_paid(person, plan),
        earned=earned(person, plan),
        hourly=hourly(person, plan),
        stage=stage_of(person, plan, now=now) if person.state == "active" else person.state,
        weight=standing.weight,
        code=code_of(standing, plan) if standing.completed else "",
    )
