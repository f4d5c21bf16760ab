"""Items into the store: all of a file or none of it, while people work.

Items are written in small transactions beyond the last published place, where nobody's walk goes;
the last transaction moves that place. What a stopped import left behind is removed by the next.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator, Sequence
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
from trope.core.locks import lock_file

_STEP = 200

T = TypeVar("T")


def import_items(
    project: Project, path: Path, *, now: datetime, by: str = "", safe_cells: bool = False
) -> int:
    """The number of items that the file added; for `safe_cells` see `read_items`.

    Raises:
        BadRecord: for the first line at fault; nothing is added then.
        BadInput: for ids that the project has already.
    """
    with alone(project):
        remove_unpublished()
        number = _checked(project, path, safe_cells)
        state = state_row()
        places, sizes = _places(project, path, number, state, safe_cells)
        batches.check_new(sizes)
        items = zip(read_items(path, project.plan, safe_cells=safe_cells), places, strict=True)
        slots = project.plan.judgments_an_item
        for part in _unhurried(parts(items)):
            rows = [item_row(item, place, slots) for item, place in part]
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


def _unhurried(work: Iterator[T]) -> Iterator[T]:
    """The parts; while people work, with a pause after each that is as long as its work was."""
    began = time.monotonic()
    for part in work:
        yield part
        if Lease.objects.filter(released=False).exists():
            time.sleep(min(time.monotonic() - began, 0.2))
        began = time.monotonic()


def _places(
    project: Project, path: Path, number: int, state: State, safe_cells: bool
) -> tuple[Sequence[int], list[tuple[str, int]]]:
    """The place of each item of the file, and the batches with their sizes, in their order."""
    plan = project.plan
    rng = Random(plan.seed * 1_000_003 + state.imports)
    if plan.order != "uncertainty" and not plan.batches.field:
        places = array("q", range(state.published + 1, state.published + number + 1))
        if plan.order == "random":
            rng.shuffle(places)
        return places, [("", number)] if number else []
    doubts, names = [0.0] * number, [""] * number
    for n, item in enumerate(read_items(path, plan, safe_cells=safe_cells)):
        doubts[n] = doubt_of(item, plan) if plan.order == "uncertainty" else 0.0
        names[n] = batch_of(item, plan)
    gathered = by_batch(in_order(number, plan.order, rng, doubts), names)
    places = array("q", [0] * number)
    for step, n in enumerate(n for _, members in gathered for n in members):
        places[n] = state.published + 1 + step
    return places, [(name, len(members)) for name, members in gathered]


@contextmanager
def alone(project: Project) -> Iterator[None]:
    """One import at a time; the lock ends with the process, however that ends."""
    try:
        lock = lock_file(project.folder / "import.lock")
    except BlockingIOError:
        raise BadInput("another import is under way; wait until it has ended") from None
    try:
        yield
    finally:
        lock.release()


def state_row() -> State:
    """The one row that says how far items are published."""
    with writing():
        state, _ = State.objects.get_or_create(pk=1)
        return state


def remove_unpublished() -> None:
    """Remove what an import that was stopped left behind."""
    beyond = Item.objects.filter(place__gt=state_row().published)
    while ids := list(beyond.values_list("pk", flat=True)[:_STEP]):
        with writing():
            Item.objects.filter(pk__in=ids).delete()


def _checked(project: Project, path: Path, safe_cells: bool) -> int:
    """The number of items, all of them in order."""
    number = 0
    for part in _unhurried(parts(read_items(path, project.plan, safe_cells=safe_cells))):
        number += len(part)
        there = Item.objects.filter(external_id__in=[item.id for item in part])
        if known := there.values_list("external_id", flat=True).first():
            raise BadInput(
                f"{path}: the project has an item {known!r} already; "
                "take out what was imported before"
            )
    return number


def parts(items: Iterator[T]) -> Iterator[list[T]]:
    """Some at a time."""
    while part := list(islice(items, _STEP)):
        yield part


def item_row(item: NewItem, place: int, slots: int) -> Item:
    """The item as a row of its table."""
    return Item(
        external_id=item.id,
        text=item.text,
        payload=item.payload,
        gold=item.gold or None,
        is_gold=bool(item.gold),
        place=place,
        open_slots=0 if item.gold else slots,
    )
