"""Imports of items, demo items and people: all of a file or none of it, while people work.

Items are written in small transactions beyond the last published place, where nobody's walk goes;
the last transaction moves that place. What a stopped import left behind is removed by the next.
"""

from __future__ import annotations

import secrets
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Max

from trope.annotate.exchange.items import NewItem, batch_of, doubt_of, read_items
from trope.annotate.project import ROLES, Project
from trope.annotate.rules.assignment import giving_order, group_by_batch
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.models import DemoItem, Event, Item, Lease, Person, Standing, State
from trope.annotate.store.people import hash_token
from trope.annotate.store.rows import chunks, person_fields, standing_fields
from trope.annotate.store.slots import add_batches, check_new_batches, state_row
from trope.core.errors import BadInput, BadRecord
from trope.core.run_folder import lock_file
from trope.corpora.files import FileOptions

_STEP = 200
T = TypeVar("T")
_Read = Callable[[], Iterator[NewItem]]


@retried
def import_items(
    project: Project,
    path: Path,
    *,
    now: datetime,
    by: str = "",
    safe_cells: bool = False,
    options: FileOptions | None = None,
) -> int:
    """Add the items of a file; returns their number. For the last two see `read_items`.

    Raises:
        BadRecord: for the first invalid line; nothing is added then.
        BadInput: for ids that the project already has.
    """
    with import_lock(project):
        remove_unpublished()
        read = partial(read_items, path, project.plan, safe_cells=safe_cells, options=options)
        number = _count_checked(path, read)
        state = state_row()
        places, sizes = _places(project, read, number, state)
        check_new_batches(sizes)
        items = zip(read(), places, strict=True)
        slots = project.plan.judgments_per_item
        for part in _with_pauses(chunks(items)):
            rows = [item_row(item, place, slots) for item, place in part]
            with write_transaction():
                Item.objects.bulk_create(rows)
        with write_transaction():
            end = state.published + number
            State.objects.update(published=end, opened=end, imports=state.imports + 1)
            if project.plan.batches.field:
                add_batches(sizes, state.published + 1, now=now)
            detail = {"file": path.name, "items": number}
            Event.objects.create(at=now, who=by, what="import", detail=detail)
        return number


def _with_pauses(work: Iterator[T]) -> Iterator[T]:
    """The parts; while people work, with a pause after each that is as long as its work."""
    began = time.monotonic()
    for part in work:
        yield part
        if Lease.objects.filter(released=False).exists():
            time.sleep(min(time.monotonic() - began, 0.2))
        began = time.monotonic()


def _places(
    project: Project, read: _Read, number: int, state: State
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
    for n, item in enumerate(read()):
        doubts[n] = doubt_of(item, plan) if plan.order == "uncertainty" else 0.0
        names[n] = batch_of(item, plan)
    gathered = group_by_batch(giving_order(number, plan.order, rng, doubts), names)
    places = array("q", [0] * number)
    for step, n in enumerate(n for _, members in gathered for n in members):
        places[n] = state.published + 1 + step
    return places, [(name, len(members)) for name, members in gathered]


@contextmanager
def import_lock(project: Project) -> Iterator[None]:
    """Allow one import at a time; the lock ends with the process."""
    try:
        lock = lock_file(project.folder / "import.lock")
    except BlockingIOError:
        raise BadInput("another import is running; wait until it has ended") from None
    try:
        yield
    finally:
        lock.release()


def is_importing(project: Project) -> bool:
    """Whether an import is running."""
    try:
        lock_file(project.folder / "import.lock").release()
    except BlockingIOError:
        return True
    return False


@retried
def remove_unpublished() -> None:
    """Remove what a stopped import left behind."""
    beyond = Item.objects.filter(place__gt=state_row().published)
    while ids := list(beyond.values_list("pk", flat=True)[:_STEP]):
        with write_transaction():
            Item.objects.filter(pk__in=ids).delete()


def _count_checked(path: Path, read: _Read) -> int:
    """The number of items, all of them checked."""
    number = 0
    for part in _with_pauses(chunks(read())):
        number += len(part)
        there = Item.objects.filter(external_id__in=[item.id for item in part])
        if known := there.values_list("external_id", flat=True).first():
            raise BadInput(
                f"{path}: the project already has an item {known!r}; "
                "remove the items that were imported before"
            )
    return number


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


@retried
def import_demo(
    project: Project,
    path: Path,
    *,
    now: datetime,
    by: str = "",
    safe_cells: bool = False,
    options: FileOptions | None = None,
) -> int:
    """Add the demo items of a file, all or none; returns their number.

    Raises:
        BadRecord: for the first invalid line.
        BadInput: for ids that the demo task already has.
    """
    items = list(read_items(path, project.plan, safe_cells=safe_cells, options=options))
    with write_transaction():
        there = set(DemoItem.objects.values_list("external_id", flat=True))
        if known := next((item.id for item in items if item.id in there), None):
            raise BadInput(
                f"{path}: the demo task already has an item {known!r}; "
                "remove the items that were imported before"
            )
        last = DemoItem.objects.aggregate(last=Max("place"))["last"] or 0
        rows = [
            DemoItem(
                external_id=item.id,
                text=item.text,
                payload=item.payload,
                gold=item.gold or None,
                place=last + number,
            )
            for number, item in enumerate(items, start=1)
        ]
        DemoItem.objects.bulk_create(rows, batch_size=500)
        detail = {"file": path.name, "items": len(rows)}
        Event.objects.create(at=now, who=by, what="import demo", detail=detail)
    return len(rows)


def import_people(
    project: Project, path: Path, rows: Iterable[tuple[int, dict[str, Any]]], *, now: datetime
) -> int:
    """Add people from an export; returns their number. They have no link until the owner makes one.

    Raises:
        BadRecord: for the first invalid line, or a name that is taken.
    """
    own = {field.name: field for field in person_fields()}
    about_standing = {field.name: field for field in standing_fields()}
    fields, number = own | about_standing, 0
    with import_lock(project), write_transaction():
        for number, (line, row) in enumerate(rows, start=1):  # noqa: B007 - the last is the count
            try:
                if unknown := row.keys() - fields.keys():
                    raise ValueError(f"has the unknown field {sorted(unknown)[0]!r}")
                if row.get("role", "annotator") not in ROLES:
                    raise ValueError(f"has the role {row['role']!r}; known: {', '.join(ROLES)}")
                values = {name: fields[name].to_python(value) for name, value in row.items()}
                stands = {name: values.pop(name) for name in about_standing.keys() & values.keys()}
                person = new_person(str(values.pop("name", "")), now, **values)
                with transaction.atomic():
                    person.save(force_insert=True)
                    Standing.objects.create(person=person, **stands)
            except IntegrityError:
                raise BadRecord(
                    path, line, f"{row.get('name')!r} is already in the project"
                ) from None
            except (ValueError, TypeError, _validation_error()) as error:
                raise BadRecord(path, line, str(error)) from None
        Event.objects.create(at=now, who="", what="import", detail={"people": number})
    return number


def new_person(name: str, now: datetime, **values: Any) -> Person:
    """A person who has no link yet.

    Raises:
        ValueError: for a name that is empty, too long or not printable.
    """
    if not name or len(name) > 100 or not name.isprintable():
        raise ValueError(f"a name must have 1 to 100 printable characters, got {name[:20]!r}")
    nobody = hash_token(
        secrets.token_urlsafe(32)
    )  # nobody has this link, until the owner makes one
    return Person(
        **{"joined": now, "tally_on": now.date(), "name": name, **values}, token_hash=nobody
    )


def _validation_error() -> type[Exception]:
    from django.core.exceptions import ValidationError

    return ValidationError
