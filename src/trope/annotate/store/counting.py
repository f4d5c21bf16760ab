"""Counters of people, made anew from their judgments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Q, Sum

from trope.annotate.store.models import Judgment, Person


def recount() -> None:
    """Bring everyone's counters in line with their judgments."""
    first = Q(replaces=None)
    judged = first & ~Q(state="skipped")
    rows = Judgment.objects.values("person").annotate(
        judged=Count("pk", filter=judged),
        skipped=Count("pk", filter=Q(state="skipped")),
        gold_seen=Count("pk", filter=first & Q(gold_right__isnull=False)),
        gold_right=Count("pk", filter=first & Q(gold_right=True)),
        seconds=Sum("seconds", filter=first, default=0.0),
        last_at=Max("at", filter=first),
        last_judged=Max("at", filter=judged),
    )
    for row in rows.order_by("person"):
        number, last = row.pop("person"), row.pop("last_judged")
        if last is not None:
            row |= _tally(number, last.astimezone(UTC), judged)
        Person.objects.filter(pk=number).update(**row)


def _tally(person: int, last: datetime, judged: Q) -> dict[str, Any]:
    midnight = last.replace(hour=0, minute=0, second=0, microsecond=0)
    monday = midnight - timedelta(days=midnight.weekday())
    mine = Judgment.objects.filter(judged, person_id=person)
    return {
        "tally_on": midnight.date(),
        "judged_day": mine.filter(at__gte=midnight).count(),
        "judged_week": mine.filter(at__gte=monday).count(),
    }
