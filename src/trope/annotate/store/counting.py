"""Counters of people, made anew from their judgments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, F, Max, Q, Sum

from trope.annotate.store.models import Judgment, Person


def recount() -> None:
    """Bring everyone's counters in line with their judgments."""
    # a change keeps the time of the first answer; what was taken back and given anew has its own
    own_time = Q(replaces=None) | ~Q(seconds=F("replaces__seconds"))
    # one of each chain: not a change, not what was taken back and is still in hand
    first = Q(replaces=None) | Q(replaces__state="skipped")
    in_hand = Q(current=False, replaced_by=None) & ~Q(state="erased")
    judged = first & ~Q(state="skipped") & ~in_hand
    news = Q(gold_right__isnull=False) & Q(replaces__gold_right=None)
    # sums that are named like a field hide it from what follows them, so they come last
    rows = Judgment.objects.values("person").annotate(
        last_at=Max("at", filter=own_time),
        last_judged=Max("at", filter=judged),
        judged=Count("pk", filter=judged),
        skipped=Count("pk", filter=Q(state="skipped", current=True)),
        gold_seen=Count("pk", filter=news),
        gold_right=Count("pk", filter=news & Q(gold_right=True)),
        seconds=Sum("seconds", filter=own_time, default=0.0),
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
