"""People and judgments of an export into the store: all or nothing.

All of a file is one transaction, so that people who work meanwhile wait for its end.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.color import no_style
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, F, OuterRef, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from trope.annotate.exchange.records import Judged
from trope.annotate.project import ROLES, Plan, Project
from trope.annotate.store.counting import recount
from trope.annotate.store.exporting import judgment_fields, person_fields, standing_fields
from trope.annotate.store.importing import alone, parts, remove_unpublished
from trope.annotate.store.models import Event, Item, Judgment, Lease, Person, Standing
from trope.annotate.store.people import hashed
from trope.annotate.store.writing import writing
from trope.core.errors import BadInput, BadRecord


def import_people(
    project: Project, path: Path, rows: Iterable[tuple[int, dict[str, Any]]], *, now: datetime
) -> int:
    """Add people from a file of ours; gives their number. They have no link until they get one.

    Raises:
        BadRecord: for the first line at fault, or a name that there is already.
    """
    own = {field.name: field for field in person_fields()}
    way = {field.name: field for field in standing_fields()}
    fields, number = own | way, 0
    with alone(project), writing():
        for number, (line, row) in enumerate(rows, start=1):  # noqa: B007 - the last is the count
            try:
                if unknown := row.keys() - fields.keys():
                    raise ValueError(f"has {sorted(unknown)[0]!r}, which no person has")
                if row.get("role", "annotator") not in ROLES:
                    raise ValueError(f"has the role {row['role']!r}; known: {', '.join(ROLES)}")
                values = {name: fields[name].to_python(value) for name, value in row.items()}
                stands = {name: values.pop(name) for name in way.keys() & values.keys()}
                person = _person(str(values.pop("name", "")), now, **values)
                with transaction.atomic():
                    person.save(force_insert=True)
                    Standing.objects.create(person=person, **stands)
            except IntegrityError:
                raise BadRecord(path, line, f"{row.get('name')!r} is in the project") from None
            except (ValueError, TypeError, _validation_error()) as error:
                raise BadRecord(path, line, str(error)) from None
        Event.objects.create(at=now, who="", what="import", detail={"people": number})
    return number


def import_judgments(
    project: Project,
    path: Path,
    rows: Callable[[], Iterable[tuple[int, Judged]]],
    *,
    now: datetime,
) -> int:
    """Put back the judgments of an export, with their numbers, history and states.

    People whom the project does not know are added with their weight, as dismissed if a judgment of
    theirs is discarded, as withdrawn if one is erased. The project must have the items, and no
    judgments yet.

    Raises:
        BadRecord: for the first line at fault; nothing is added then.
    """
    with alone(project):
        remove_unpublished()
        with writing():
            _check_fresh(path)
            return _put_back(project, path, rows(), now)


def _check_fresh(path: Path) -> None:
    if Judgment.objects.exists():
        raise BadInput(f"{path}: the project has judgments already; import into a fresh one")
    if Lease.objects.exists():  # a form that comes late must not meet a judgment that was imported
        raise BadInput(f"{path}: people have begun to work; import into a fresh project")


def _put_back(
    project: Project, path: Path, rows: Iterable[tuple[int, Judged]], now: datetime
) -> int:
    people = dict(Person.objects.values_list("name", "pk"))
    before = set(people.values())
    number = 0
    for part in parts(iter(rows)):
        add_people(path, part, people, now)
        insert(path, _judgment_rows(path, part, people))
        number += len(part)
    end_as_elsewhere(set(people.values()) - before)
    _check_history(path)
    _fill_slots(project, path)
    recount()
    _set_sequence(Judgment)
    detail = {"file": path.name, "judgments": number}
    Event.objects.create(at=now, who="", what="import", detail=detail)
    return number


def _person(name: str, now: datetime, **values: Any) -> Person:
    if not name or len(name) > 100 or not name.isprintable():
        raise ValueError(f"a name must have 1 to 100 printable characters, got {name[:20]!r}")
    nobody = hashed(secrets.token_urlsafe(32))  # the link of nobody, until the owner makes one
    return Person(
        **{"joined": now, "tally_on": now.date(), "name": name, **values}, token_hash=nobody
    )


def add_people(
    path: Path, part: Iterable[tuple[int, Any]], people: dict[str, int], now: datetime
) -> None:
    """Add those of the part whom the project does not know."""
    for line, row in part:
        if row.annotator in people:
            continue
        try:
            person = _person(row.annotator, now)
        except ValueError as error:
            raise BadRecord(path, line, str(error)) from None
        person.save(force_insert=True)
        # who has judged elsewhere goes straight on with it here
        Standing.objects.create(person=person, trusted=True, weight=getattr(row, "weight", 1.0))
        people[row.annotator] = person.pk


def end_as_elsewhere(new: set[int]) -> None:
    """Of people who were added, those with discarded judgments were dismissed elsewhere, and those
    with erased ones withdrew."""
    mine = Judgment.objects.filter(person_id__in=new)
    Person.objects.filter(pk__in=mine.filter(state="discarded").values("person")).update(
        state="dismissed", reason="dismissed where they worked before"
    )
    erased = mine.filter(state="erased").values("person")
    Person.objects.filter(pk__in=erased).update(state="withdrawn", reason="")


def _judgment_rows(
    path: Path, part: list[tuple[int, Judged]], people: dict[str, int]
) -> Iterator[tuple[int, Judgment]]:
    known = Item.objects.filter(external_id__in={row.item for _, row in part})
    items = dict(known.values_list("external_id", "pk"))
    more = set(judgment_fields())
    for line, row in part:
        if row.item not in items:
            raise BadRecord(path, line, f"no item is called {row.item!r}; import the items first")
        if unknown := row.more.keys() - more:
            raise BadRecord(path, line, f"has {sorted(unknown)[0]!r}, which no judgment has")
        yield (
            line,
            Judgment(
                id=row.judgment,
                item_id=items[row.item],
                person_id=people[row.annotator],
                token=secrets.token_hex(16),
                answers=row.answers,
                seconds=row.seconds,
                at=row.at,
                state=row.state,
                gold_right=row.gold_right,
                current=row.current,
                replaces_id=row.replaces,
                **row.more,
            ),
        )


def insert(path: Path, rows: Iterable[tuple[int, Judgment]]) -> None:
    """Add the judgments; one that cannot be is named by its line."""
    rows = list(rows)
    try:
        with transaction.atomic():
            Judgment.objects.bulk_create([row for _, row in rows])
    except IntegrityError:
        for line, row in rows:  # once more, one by one, to name the line
            try:
                with transaction.atomic():
                    row.save(force_insert=True)
            except IntegrityError:
                problem = "is not the only one of its number, or of its person for its item"
                raise BadRecord(path, line, problem) from None
        raise


def _check_history(path: Path) -> None:
    """Refuse a judgment that replaces one that is not there, or of something else."""
    replaced = Judgment.objects.filter(
        pk=OuterRef("replaces_id"),
        item=OuterRef("item"),
        person=OuterRef("person"),
        current=False,
        pk__lt=OuterRef("pk"),
    )
    astray = Judgment.objects.filter(replaces__isnull=False).exclude(Exists(replaced))
    if (number := astray.values_list("pk", flat=True).first()) is not None:
        raise BadInput(
            f"{path}: judgment {number} replaces one that is not in the file as its earlier "
            "answer; export again with --history"
        )


def _fill_slots(project: Project, path: Path) -> None:
    """Set what every item still needs from what it has."""
    wanted = project.plan.judgments_an_item
    _ask_again_for_more(project.plan)
    counted = Judgment.objects.filter(current=True, state="counted")
    full = counted.values("item", "item__extra").annotate(n=Count("pk")).order_by("item")
    beyond = full.filter(n__gt=wanted + F("item__extra"))
    if over := beyond.values_list("item__external_id", "n").first():
        raise BadInput(
            f"{path}: {over[1]} judgments of item {over[0]!r} count, and judgments_an_item is "
            f"{wanted}; set it as it was where they were given"
        )
    full = full.order_by()
    Item.objects.filter(extra__gt=0).update(open_slots=wanted + F("extra"))
    for number in set(full.values_list("n", flat=True)):
        of_them = Item.objects.filter(pk__in=full.filter(n=number).values("item"), is_gold=False)
        of_them.update(open_slots=wanted + F("extra") - number)


def _ask_again_for_more(plan: Plan) -> None:
    """Give items in doubt their further judgments, as when the doubt was told."""
    doubt = plan.doubt
    if not doubt.more:
        return
    said = Cast(KeyTextTransform(doubt.question, "answers"), TextField())
    told = Judgment.objects.filter(state__in=("counted", "discarded")).annotate(said=said)
    doubtful = told.filter(said__in=doubt.values).values("item")
    Item.objects.filter(pk__in=doubtful, is_gold=False).update(extra=doubt.more)


def _set_sequence(model: Any) -> None:
    """Let new rows be numbered after those that came with their numbers (PostgreSQL)."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)


def _validation_error() -> type[Exception]:
    from django.core.exceptions import ValidationError

    return ValidationError
