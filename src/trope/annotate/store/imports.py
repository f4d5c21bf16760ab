"""Imports of items, demo items and people: all of a file or none of it, while people work.

Items are written in small transactions beyond the last published place, where nobody's walk goes;
the last transaction moves that place. What a stopped import left behind is removed by the next.
"""

from __future__ import annotations

import logging
import secrets
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction

from trope.annotate.exchange.files import sent_kind
from trope.annotate.exchange.items import (
    ColumnMapping,
    NewItem,
    batch_of,
    doubt_of,
    read_items,
)
from trope.annotate.project import ROLES, UPLOADS, Project
from trope.annotate.rules.assignment import giving_order, group_by_batch
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.models import (
    Event,
    Item,
    Lease,
    Person,
    Standing,
    State,
    Upload,
    UploadState,
)
from trope.annotate.store.people import hash_token
from trope.annotate.store.rows import chunks, person_fields, standing_fields
from trope.annotate.store.slots import add_batches, check_new_batches, has_batches, state_row
from trope.core.errors import BadInput, BadRecord, TropeError
from trope.core.run_folder import lock_file
from trope.corpora.files import FileOptions

IMPORT_LOCK = "import.lock"
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
    columns: ColumnMapping | None = None,
    name: str = "",
    tell: Callable[[int], None] = lambda added: None,
) -> int:
    """Add the items of a file; returns their number.

    `name` is what the file is called in the audit trail, if not by its own name; `tell` is told
    how many items were written. For `safe_cells`, `options` and `columns` see `read_items`.

    Raises:
        BadRecord: for the first invalid line; nothing is added then.
        BadInput: for ids that the project already has.
    """
    with import_lock(project):
        remove_unpublished()
        tell(0)
        read = partial(
            read_items,
            *(path, project.plan),
            safe_cells=safe_cells,
            options=options,
            columns=columns,
        )
        number = _count_checked(path, read)
        state = state_row()
        places, sizes = _places(project, read, number, state)
        check_new_batches(sizes)
        items = zip(read(), places, strict=True)
        slots, written = project.plan.judgments_per_item, 0
        for part in _with_pauses(chunks(items)):
            rows = [item_row(item, place, slots) for item, place in part]
            written += len(rows)
            with write_transaction():
                Item.objects.bulk_create(rows)
                tell(written)
        with write_transaction():
            end = state.published + number
            State.objects.update(published=end, opened=end, imports=state.imports + 1)
            if project.plan.batches.field or has_batches():
                add_batches(sizes, state.published + 1, now=now)
            detail = {"file": name or path.name, "items": number}
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
        lock = lock_file(project.folder / IMPORT_LOCK)
    except BlockingIOError:
        raise BadInput("another import is running; wait until it has ended") from None
    try:
        yield
    finally:
        lock.release()


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


# Files that owners send: kept in the project's folder under names of our own, until imported.
_KEPT, _STARTING = timedelta(days=7), timedelta(minutes=1)
_log = logging.getLogger("trope.annotate")


def upload_file(project: Project, upload: Upload) -> Path:
    """Where a file that was sent lies."""
    return project.folder / UPLOADS / f"{upload.token}.{upload.kind}"


def add_upload(project: Project, sent: Path, name: str, *, now: datetime, by: str) -> Upload:
    """Keep a file that was sent under that name; it is moved. Old ones that nobody used go.

    Raises:
        BadInput: for a file of another format.
    """
    name = "".join(c for c in Path(name).name if c.isprintable())[-200:]
    kind, size = sent_kind(name), sent.stat().st_size
    with write_transaction():
        for old in Upload.objects.filter(at__lt=now - _KEPT).exclude(state=UploadState.RUNNING):
            upload_file(project, old).unlink(missing_ok=True)
            Upload.objects.filter(pk=old.pk, state=UploadState.WAITING).delete()
        upload = Upload(
            token=secrets.token_hex(16), name=name, kind=kind, size=size, at=now, who=by
        )
        upload.save(force_insert=True)
        detail = {"file": name, "bytes": size}
        Event.objects.create(at=now, who=by, what="upload", detail=detail)
        sent.replace(upload_file(project, upload))
    return upload


def find_upload(token: str) -> Upload | None:
    """The file that was sent, if there is one."""
    return Upload.objects.filter(token=token).first()


def drop_upload(project: Project, upload: Upload) -> None:
    """Remove a file that is not wanted any more."""
    with write_transaction():
        Upload.objects.filter(pk=upload.pk).exclude(state=UploadState.RUNNING).delete()
    upload_file(project, upload).unlink(missing_ok=True)


def latest_uploads(project: Project, *, now: datetime, most: int = 10) -> list[Upload]:
    """The files that were sent last; an import whose process has ended is marked as failed."""
    found = list(Upload.objects.order_by("-pk")[:most])
    for upload in found:
        begun = upload.state == UploadState.RUNNING and upload.at < now - _STARTING
        if begun and not _import_runs(project):
            _note(upload, state=UploadState.FAILED, message="was interrupted; start it again")
            upload.refresh_from_db()
    return found


def _import_runs(project: Project) -> bool:
    try:
        with import_lock(project):
            return False
    except BadInput:
        return True


def begin_import(
    project: Project,
    upload: Upload,
    columns: ColumnMapping,
    *,
    now: datetime,
    by: str,
    do: Callable[..., int] = import_items,
    done: str = "added",
    sheet: str = "",
) -> Thread | None:
    """Import a file that was sent, in a thread of its own, which has begun; None: it had before.

    The row of the upload says how far it is, and what was wrong. `do` takes what `import_items`
    takes, `done` says what it did; `sheet` is that of a workbook.
    """
    with write_transaction():
        idle = Upload.objects.filter(pk=upload.pk, state__in=("waiting", "failed"))
        if not idle.update(state=UploadState.RUNNING, at=now, added=0, message=""):
            return None
    options = FileOptions(format=sent_kind(upload_file(project, upload).name), sheet=sheet)
    how = (project, upload, columns, options, now, by, do, done)
    work = Thread(target=_import_upload, args=how, daemon=True)
    work.start()
    return work


def _import_upload(
    project: Project,
    upload: Upload,
    columns: ColumnMapping,
    options: FileOptions,
    now: datetime,
    by: str,
    do: Callable[..., int],
    done: str,
) -> None:
    path, wrong = upload_file(project, upload), ""
    try:
        number = do(
            *(project, path),
            now=now,
            by=by,
            options=options,
            columns=columns,
            name=upload.name,
            tell=lambda added: _note(upload, state=UploadState.RUNNING, added=added),
        )
        _note(upload, state=UploadState.DONE, added=number, message=done)
        path.unlink(missing_ok=True)
    except TropeError as error:
        wrong = str(error).replace(str(path), upload.name)
    except Exception:  # noqa: BLE001 - no request waits that could report it
        _log.exception("the import of an upload has failed")
        wrong = "could not be imported; the log of the service says why"
    finally:
        if wrong:
            _note(upload, state=UploadState.FAILED, message=wrong)
        connection.close()


def _note(upload: Upload, **values: Any) -> None:
    with write_transaction():
        Upload.objects.filter(pk=upload.pk).update(**values)


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
            except (ValueError, TypeError, ValidationError) as error:
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
