"""Judgments into the store, from an export of ours or a file of another tool: all or nothing.

All of a file is one transaction, so that people who work meanwhile wait for its end.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.color import no_style
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, F, Max, Q, Sum

from trope.annotate.exchange.records import Brought, Judged, Losses
from trope.annotate.items import NewItem, checked_item
from trope.annotate.project import ROLES, Project
from trope.annotate.questions import is_right, read_answers
from trope.annotate.store.exporting import judgment_fields, person_fields
from trope.annotate.store.importing import alone, item_row, parts, remove_unpublished, state_row
from trope.annotate.store.models import Event, Item, Judgment, Person, State
from trope.annotate.store.people import announce
from trope.annotate.store.people import hashed
from trope.annotate.store.writing import writing
from trope.core.errors import BadInput, BadRecord

Reader = Callable[[Losses], Iterator[Brought]]


def import_people(
    project: Project, path: Path, rows: Iterable[tuple[int, dict[str, Any]]], *, now: datetime
) -> int:
    """Add people from a file of ours; gives their number. They have no link until they get one.

    Raises:
        BadRecord: for the first line at fault, or a name that there is already.
    """
    fields = {field.name: field for field in person_fields()}
    number = 0
    with alone(project), writing():
        for number, (line, row) in enumerate(rows, start=1):  # noqa: B007 - the last is the count
            try:
                if unknown := row.keys() - fields.keys():
                    raise ValueError(f"has {sorted(unknown)[0]!r}, which no person has")
                if row.get("role", "annotator") not in ROLES:
                    raise ValueError(f"has the role {row['role']!r}; known: {', '.join(ROLES)}")
                values = {name: fields[name].to_python(value) for name, value in row.items()}
                person = _person(str(row.get("name", "")), now, **values)
                with transaction.atomic():
                    person.save(force_insert=True)
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

    People whom the project does not know are added, as dismissed if a judgment of theirs is
    discarded. The project must have the items, and no judgments yet.

    Raises:
        BadRecord: for the first line at fault; nothing is added then.
    """
    with alone(project), writing():
        if Judgment.objects.exists():
            raise BadInput(f"{path}: the project has judgments already; import into a fresh one")
        people = dict(Person.objects.values_list("name", "pk"))
        number = 0
        for part in parts(iter(rows())):
            _add_people(path, part, people, now)
            _insert(path, _judgment_rows(path, part, people))
            number += len(part)
        _fill_slots(project, path)
        recount()
        _set_sequence(Judgment)
        detail = {"file": path.name, "judgments": number}
        Event.objects.create(at=now, who="", what="import", detail=detail)
    return number


@dataclass(frozen=True, slots=True)
class Added:
    """What a file of another tool brought."""

    items: int
    people: int
    judgments: int


def import_brought(
    project: Project, path: Path, read: Callable[[], Iterable[Brought]], *, now: datetime
) -> Added:
    """Add items, people and judgments of another tool's file.

    An item that the project has already keeps its place; a judgment beyond those that are wanted
    is kept as surplus.

    Raises:
        BadRecord: for the first line at fault; nothing is added then.
    """
    with alone(project):
        remove_unpublished()
        with writing():
            items = _add_items(project, path, read())
            people, judgments = 0, 0
            known = dict(Person.objects.values_list("name", "pk"))
            for part in parts(iter(read())):
                before = len(known)
                given = [brought for brought in part if brought.annotator]
                _add_people(path, [(b.record.line, b) for b in given], known, now)
                people += len(known) - before
                rows = list(_brought_rows(project, path, given, known, now))
                _insert(path, rows)
                judgments += len(rows)
            recount()
            detail = {"file": path.name, "items": items, "judgments": judgments}
            Event.objects.create(at=now, who="", what="import", detail=detail)
    return Added(items, people, judgments)


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


def _person(name: str, now: datetime, **values: Any) -> Person:
    if not name or len(name) > 100 or not name.isprintable():
        raise ValueError(f"a name must have 1 to 100 printable characters, got {name[:20]!r}")
    nobody = hashed(secrets.token_urlsafe(32))  # the link of nobody, until the owner makes one
    return Person(**{"joined": now, "tally_on": now.date(), "name": name, **values}, token_hash=nobody)


def _add_people(
    path: Path, part: Iterable[tuple[int, Any]], people: dict[str, int], now: datetime
) -> None:
    """Add those of the part whom the project does not know."""
    for line, row in part:
        dismissed = row.state == "discarded"
        if row.annotator in people:
            continue
        try:
            person = _person(row.annotator, now)
        except ValueError as error:
            raise BadRecord(path, line, str(error)) from None
        if dismissed:
            person.state, person.reason = "dismissed", "so it was where they worked before"
        person.save(force_insert=True)
        people[row.annotator] = person.pk


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


def _insert(path: Path, rows: Iterable[tuple[int, Judgment]]) -> None:
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
                problem = "is the second of its number, or of its person for its item"
                raise BadRecord(path, line, problem) from None
        raise


def _fill_slots(project: Project, path: Path) -> None:
    """Set what every item still needs from what it has."""
    wanted = project.plan.judgments_an_item
    counted = Judgment.objects.filter(current=True, state="counted").values("item")
    full = counted.annotate(n=Count("pk")).order_by()
    if over := full.filter(n__gt=wanted).values_list("item__external_id", "n").first():
        raise BadInput(
            f"{path}: {over[1]} judgments of item {over[0]!r} count, and judgments_an_item is "
            f"{wanted}; set it as it was where they were given"
        )
    for number in full.values_list("n", flat=True).distinct():
        of_them = full.filter(n=number).values("item")
        Item.objects.filter(pk__in=of_them, is_gold=False).update(open_slots=wanted - number)


def _add_items(project: Project, path: Path, rows: Iterable[Brought]) -> int:
    """Add the items that the project lacks, and publish them; gives their number."""
    state, added = state_row(), 0
    for part in parts(iter(rows)):
        fresh: dict[str, NewItem] = {}
        ids = {brought.record.id for brought in part}
        known = dict(
            Item.objects.filter(external_id__in=ids).values_list("external_id", "text")
        )
        for brought in part:
            item = checked_item(brought.record, project.plan, path)
            text = known.setdefault(item.id, item.text)
            if text != item.text:
                problem = f"item {item.id!r} has another text elsewhere; give it another id"
                raise BadRecord(path, brought.record.line, problem)
            fresh.setdefault(item.id, item)
        there = set(Item.objects.filter(external_id__in=ids).values_list("external_id", flat=True))
        new = [item for name, item in fresh.items() if name not in there]
        first = state.published + added + 1
        Item.objects.bulk_create(
            item_row(item, place, project.plan.judgments_an_item)
            for place, item in enumerate(new, start=first)
        )
        added += len(new)
    imports = state.imports + (added > 0)
    State.objects.update(published=state.published + added, imports=imports)
    return added


def _brought_rows(
    project: Project, path: Path, part: list[Brought], people: dict[str, int], now: datetime
) -> Iterator[tuple[int, Judgment]]:
    items = Item.objects.filter(external_id__in={brought.record.id for brought in part})
    known = {item.external_id: item for item in items.select_for_update()}
    taken: Counter[int] = Counter()
    for brought in part:
        item = known[brought.record.id]
        answers: dict[str, Any] = {}
        if brought.state != "skipped":
            answers = _answers(project, path, brought, item)
        state = _state(brought, item, taken)
        yield (
            brought.record.line,
            Judgment(
                item=item,
                person_id=people[brought.annotator],
                token=secrets.token_hex(16),
                answers=answers,
                seconds=brought.seconds,
                at=brought.at or now,
                state=state,
                gold_right=is_right(item.gold or {}, answers) if state == "gold" else None,
            ),
        )
    for number, slots in sorted(taken.items()):
        Item.objects.filter(pk=number).update(open_slots=F("open_slots") - slots)


def _state(brought: Brought, item: Item, taken: Counter[int]) -> str:
    if brought.state != "counted":
        return brought.state
    if item.is_gold:
        return "gold"
    if taken[item.pk] >= item.open_slots:
        return "surplus"
    taken[item.pk] += 1
    return "counted"


def _answers(project: Project, path: Path, brought: Brought, item: Item) -> dict[str, Any]:
    answers, faults = read_answers(
        project.plan.questions, brought.given, text=item.text, payload=item.payload
    )
    for name, fault in faults.items():
        raise BadRecord(path, brought.record.line, f"the answer to {name!r} {fault}")
    return answers


def _set_sequence(model: Any) -> None:
    """Let new rows be numbered after those that came with their numbers (PostgreSQL)."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)


def _validation_error() -> type[Exception]:
    from django.core.exceptions import ValidationError

    return ValidationError
