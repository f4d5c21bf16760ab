"""Items into the store: all of a file or none of it, while people work.

Items are written in small transactions beyond the last published place, where nobody's walk goes;
the last transaction moves that place. What a stopped import left behind is removed by the next.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from random import Random
from typing import TypeVar

from trope.annotate.items import NewItem, batch_of, doubt_of, read_items
from trope.annotate.project import Project
from trope.annotate.rules.ordering import by_batch, in_order
from trope.annotate.store import batches
from trope.annotate.store.models import Event, Item, Lease, State
from trope.annotate.store.writing import writing
from trope.core.errors import BadInput

_STEP = 200

T = TypeVar("T")


def import_items(project: Project, path: Path, *, now: datetime, by: str = "") -> int:
    """The number of items that the file added.

    Raises:
        BadRecord: for the first line at fault; nothing is added then.
        BadInput: for ids that the project has already.
    """
    with _alone(project):
        _remove_unpublished()
        number = _checked(project, path)
        state = _state()
        places, sizes = _places(project, path, number, state)
        batches.check_new(sizes)
        items = zip(read_items(path, project.plan), places, strict=True)
        slots = project.plan.judgments_an_item
        for part in _unhurried(_parts(items)):
            rows = [_row(item, place, slots) for item, place in part]
            with writing():
                Item.objects.bulk_create(rows)
        with writing():
            end = state.published + number
            State.objects.update(published=end, opened=end, imports=state.imports + 1)
            if project.plan.batches.field:
                batches.add(sizes, state.published + 1, now=now)
            detail = {"file": path.name, "items": number}
            Event.objects.create(at=now, who=by, what="import", detail=detail)
        return number


def _unhurried(parts: Iterator[T]) -> Iterator[T]:
    """The parts; while people work, with a pause after each that is as long as its work was."""
    began = time.monotonic()
    for part in parts:
        yield part
        if Lease.objects.filter(released=False).exists():
            time.sleep(min(time.monotonic() - began, 0.2))
        began = time.monotonic()


def _places(
    project: Project, path: Path, number: int, state: State
) -> tuple[list[int], list[tuple[str, int]]]:
    """The place of each item of the file, and the batches with their sizes, in their order."""
    plan = project.plan
    doubts, names = [0.0] * number, [""] * number
    if plan.order == "uncertainty" or plan.batches.field:
        for n, item in enumerate(read_items(path, plan)):
            doubts[n] = doubt_of(item, plan) if plan.order == "uncertainty" else 0.0
            names[n] = batch_of(item, plan)
    rng = Random(plan.seed * 1_000_003 + state.imports)
    gathered = by_batch(in_order(number, plan.order, rng, doubts), names)
    places = [0] * number
    for step, n in enumerate(n for _, members in gathered for n in members):
        places[n] = state.published + 1 + step
    return places, [(name, len(members)) for name, members in gathered]


@contextmanager
def _alone(project: Project) -> Iterator[None]:
    """One import at a time; the lock ends with the process, however that ends."""
    with (project.folder / "import.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput("another import is under way; wait until it has ended") from None
        yield


def _state() -> State:
    with writing():
        state, _ = State.objects.get_or_create(pk=1)
        return state


def _remove_unpublished() -> None:
    beyond = Item.objects.filter(place__gt=_state().published)
    while ids := list(beyond.values_list("pk", flat=True)[:_STEP]):
        with writing():
            Item.objects.filter(pk__in=ids).delete()


def _checked(project: Project, path: Path) -> int:
    """The number of items, all of them in order."""
    number = 0
    for part in _unhurried(_parts(read_items(path, project.plan))):
        number += len(part)
        there = Item.objects.filter(external_id__in=[item.id for item in part])
        if known := there.values_list("external_id", flat=True).first():
            raise BadInput(
                f"{path}: the project has an item {known!r} already; "
                "take out what was imported before"
            )
    return number


def _parts(items: Iterator[T]) -> Iterator[list[T]]:
    while part := list(islice(items, _STEP)):
        yield part


def _row(item: NewItem, place: int, slots: int) -> Item:
    return Item(
        external_id=item.id,
        text=item.text,
        payload=item.payload,
        gold=item.gold or None,
        is_gold=bool(item.gold),
        place=place,
        open_slots=0 if item.gold else slots,
    )
