"""Batches: named stretches of the items, opened one after another (writes, and their list).

A batch is a stretch of places. All up to `State.opened` is given out; opening a batch moves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from trope.annotate.store.models import Batch, Event, Item, State
from trope.annotate.store.writing import writing
from trope.core.errors import BadInput

UNNAMED = "items without a batch"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is."""

    name: str
    opened: datetime | None
    items: int
    full: int


def add(sizes: Sequence[tuple[str, int]], first: int, *, now: datetime) -> None:
    """Note the batches of an import, whose items begin at place `first`; part of its transaction.

    What has no batch, and the first batch, are open at once unless an earlier batch waits.
    """
    waiting = Batch.objects.filter(opened=None).exists()
    rows, place, fresh = [], first, True
    for name, size in sizes:
        opened = now if not waiting and (fresh or not name) else None
        shown = name or f"{UNNAMED} ({first})"
        rows.append(Batch(name=shown, first=place, last=place + size - 1, opened=opened))
        fresh = fresh and not name
        place += size
    Batch.objects.bulk_create(rows)
    _move()


def check_new(sizes: Sequence[tuple[str, int]]) -> None:
    """Refuse batches that there are already.

    Raises:
        BadInput: for the first of them.
    """
    names = [name for name, _ in sizes if name]
    if known := Batch.objects.filter(name__in=names).values_list("name", flat=True).first():
        raise BadInput(f"there is a batch {known!r} already; give the new items another name")


def open_next(*, now: datetime, by: str = "") -> str:
    """Open the batch that is next; gives its name, empty if all are open."""
    with writing():
        list(State.objects.select_for_update().values("pk"))
        batch = Batch.objects.filter(opened=None).order_by("first").first()
        if batch is None:
            return ""
        Batch.objects.filter(pk=batch.pk).update(opened=now)
        _move()
        Event.objects.create(at=now, who=by, what="open", detail={"batch": batch.name})
        return str(batch.name)


def open_next_if_used_up(*, now: datetime) -> bool:
    """Open the next batch if no item of those before has a slot left to give."""
    state = State.objects.first()
    if state is None or state.opened >= state.published:
        return False
    left = Item.objects.filter(open_slots__gt=0, place__lte=state.opened)
    return not left.exists() and bool(open_next(now=now))


def all_batches() -> list[Progress]:
    """Every batch in its order, with the number of its items that need nobody any more."""
    return [_progress(batch) for batch in Batch.objects.order_by("first")]


def _progress(batch: Batch) -> Progress:
    inside = Item.objects.filter(place__gte=batch.first, place__lte=batch.last, is_gold=False)
    counts = inside.aggregate(items=Count("pk"), full=Count("pk", filter=Q(open_slots=0)))
    return Progress(batch.name, batch.opened, counts["items"], counts["full"])


def _move() -> None:
    """Set the last place that is given out: batches open in their order, so there is one."""
    last = Batch.objects.exclude(opened=None).order_by("-last").first()
    State.objects.update(opened=last.last if last else 0)
