"""Imports of judgments, of our own exports and of other tools' files: all or nothing.

Each file is one transaction, so people who work meanwhile wait for its end.
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
from django.db.models import Count, Exists, F, Max, OuterRef, Q, Sum, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from trope.annotate.exchange.items import NewItem, checked_item
from trope.annotate.exchange.records import JudgmentRecord, ToolRecord, text_fault
from trope.annotate.plan import Plan
from trope.annotate.project import Project
from trope.annotate.questions import is_right, read_answers
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.imports import import_lock, item_row, new_person, remove_unpublished
from trope.annotate.store.models import (
    Event,
    Item,
    JudgmentState,
    Lease,
    Person,
    PersonState,
    Standing,
    State,
    StoredJudgment,
)
from trope.annotate.store.rows import chunks, judgment_fields
from trope.annotate.store.slots import add_batches, has_batches, state_row
from trope.core.errors import BadInput, BadRecord


def import_judgments(
    project: Project,
    path: Path,
    rows: Callable[[], Iterable[tuple[int, JudgmentRecord]]],
    *,
    now: datetime,
) -> int:
    """Import the judgments of an export, with their numbers, history and states.

    Unknown people are added with their weight, as dismissed if one of their judgments is discarded,
    as withdrawn if one is erased. The project must have the items, and no judgments yet.

    Raises:
        BadRecord: for the first invalid line; nothing is added then.
    """
    with import_lock(project):
        remove_unpublished()
        with write_transaction():
            _check_fresh(path)
            return _restore_judgments(project, path, rows(), now)


def _check_fresh(path: Path) -> None:
    if StoredJudgment.objects.exists():
        raise BadInput(f"{path}: the project already has judgments; import into a new one")
    if Lease.objects.exists():  # a late form must not meet an imported judgment
        raise BadInput(f"{path}: people have already started to work; import into a new project")


def _restore_judgments(
    project: Project, path: Path, rows: Iterable[tuple[int, JudgmentRecord]], now: datetime
) -> int:
    people = dict(Person.objects.values_list("name", "pk"))
    before = set(people.values())
    number = 0
    for part in chunks(iter(rows)):
        _add_people(path, part, people, now)
        _insert_judgments(path, _judgment_rows(project.plan, path, part, people))
        number += len(part)
    _mark_ended_people(set(people.values()) - before)
    _check_history(path)
    _fill_slots(project, path)
    _recount_people()
    _set_sequence(StoredJudgment)
    detail = {"file": path.name, "judgments": number}
    Event.objects.create(at=now, who="", what="import", detail=detail)
    return number


def _add_people(
    path: Path, part: Iterable[tuple[int, Any]], people: dict[str, int], now: datetime
) -> None:
    """Add the unknown people of a chunk."""
    for line, row in part:
        if row.annotator in people:
            continue
        try:
            person = new_person(row.annotator, now)
        except ValueError as error:
            raise BadRecord(path, line, str(error)) from None
        person.save(force_insert=True)
        # people who judged in another project start work at once here
        Standing.objects.create(person=person, trusted=True, weight=getattr(row, "weight", 1.0))
        people[row.annotator] = person.pk


def _mark_ended_people(new: set[int]) -> None:
    """Mark added people as dismissed if they have discarded judgments, withdrawn if erased."""
    mine = StoredJudgment.objects.filter(person_id__in=new)
    Person.objects.filter(
        pk__in=mine.filter(state=JudgmentState.DISCARDED).values("person")
    ).update(state=PersonState.DISMISSED, reason="dismissed in an earlier project")
    erased = mine.filter(state=JudgmentState.ERASED).values("person")
    Person.objects.filter(pk__in=erased).update(state=PersonState.WITHDRAWN, reason="")


def _judgment_rows(
    plan: Plan, path: Path, part: list[tuple[int, JudgmentRecord]], people: dict[str, int]
) -> Iterator[tuple[int, StoredJudgment]]:
    known = Item.objects.filter(external_id__in={row.item for _, row in part})
    items = {name: (pk, text) for name, pk, text in known.values_list("external_id", "pk", "text")}
    more = set(judgment_fields())
    for line, row in part:
        if row.item not in items:
            raise BadRecord(path, line, f"there is no item {row.item!r}; import the items first")
        if fault := text_fault(row, plan.questions, items[row.item][1]):
            raise BadRecord(path, line, fault)
        if unknown := row.more.keys() - more:
            raise BadRecord(path, line, f"has the unknown field {sorted(unknown)[0]!r}")
        yield (
            line,
            StoredJudgment(
                id=row.judgment,
                item_id=items[row.item][0],
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


def _insert_judgments(path: Path, rows: Iterable[tuple[int, StoredJudgment]]) -> None:
    """Add the judgments; an error names the line."""
    rows = list(rows)
    try:
        with transaction.atomic():
            StoredJudgment.objects.bulk_create([row for _, row in rows])
    except IntegrityError:
        for line, row in rows:  # again, one by one, to name the line
            try:
                with transaction.atomic():
                    row.save(force_insert=True)
            except IntegrityError:
                problem = "has a duplicate number, or its person has another judgment of its item"
                raise BadRecord(path, line, problem) from None
        raise


def _check_history(path: Path) -> None:
    """Refuse a judgment that replaces a missing one, or one of another item or person."""
    replaced = StoredJudgment.objects.filter(
        pk=OuterRef("replaces_id"),
        item=OuterRef("item"),
        person=OuterRef("person"),
        current=False,
        pk__lt=OuterRef("pk"),
    )
    astray = StoredJudgment.objects.filter(replaces__isnull=False).exclude(Exists(replaced))
    if (number := astray.values_list("pk", flat=True).first()) is not None:
        raise BadInput(
            f"{path}: judgment {number} replaces one that is not in the file; "
            "export again with --history"
        )


def _fill_slots(project: Project, path: Path) -> None:
    """Set the open slots of every item from its judgments."""
    wanted = project.plan.judgments_per_item
    _ask_again_for_more(project.plan)
    counted = StoredJudgment.objects.filter(current=True, state=JudgmentState.COUNTED)
    full = counted.values("item", "item__extra").annotate(n=Count("pk")).order_by("item")
    beyond = full.filter(n__gt=wanted + F("item__extra"))
    if over := beyond.values_list("item__external_id", "n").first():
        raise BadInput(
            f"{path}: {over[1]} judgments of item {over[0]!r} count, and judgments_per_item is "
            f"{wanted}; set it as in the project where they were given"
        )
    full = full.order_by()
    Item.objects.filter(extra__gt=0).update(open_slots=wanted + F("extra"))
    for number in set(full.values_list("n", flat=True)):
        of_them = Item.objects.filter(pk__in=full.filter(n=number).values("item"), is_gold=False)
        of_them.update(open_slots=wanted + F("extra") - number)


def _ask_again_for_more(plan: Plan) -> None:
    """Give doubtful items their further judgments."""
    doubt = plan.doubt
    if not doubt.more:
        return
    answer = Cast(KeyTextTransform(doubt.question, "answers"), TextField())
    given = StoredJudgment.objects.filter(
        state__in=(JudgmentState.COUNTED, JudgmentState.DISCARDED)
    ).annotate(answer=answer)
    doubtful = given.filter(answer__in=doubt.values).values("item")
    Item.objects.filter(pk__in=doubtful, is_gold=False).update(extra=doubt.more)


def _set_sequence(model: Any) -> None:
    """Let new rows be numbered after the imported ones (PostgreSQL)."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What was added from a file of another tool."""

    items: int
    people: int
    judgments: int


@retried
def import_tool_file(
    project: Project, path: Path, read: Callable[[], Iterable[ToolRecord]], *, now: datetime
) -> ImportCounts:
    """Add items, people and judgments of another tool's file.

    An item that the project already has keeps its place; a judgment beyond the wanted number is
    kept as surplus.

    Raises:
        BadRecord: for the first invalid line; nothing is added then.
    """
    with import_lock(project):
        remove_unpublished()
        with write_transaction():
            list(Person.objects.order_by("pk").select_for_update().values("pk"))
            items = _add_items(project, path, read(), now)
            people, judgments = 0, 0
            known = dict(Person.objects.values_list("name", "pk"))
            old = set(known.values())
            for part in chunks(iter(read())):
                before = len(known)
                given = [row for row in part if row.annotator]
                _add_people(path, [(b.item.line, b) for b in given], known, now)
                people += len(known) - before
                rows = list(_tool_judgments(project, path, given, known, now))
                _insert_judgments(path, rows)
                judgments += len(rows)
            _mark_ended_people(set(known.values()) - old)
            _recount_people()
            detail = {"file": path.name, "items": items, "judgments": judgments}
            Event.objects.create(at=now, who="", what="import", detail=detail)
    return ImportCounts(items, people, judgments)


def _add_items(project: Project, path: Path, rows: Iterable[ToolRecord], now: datetime) -> int:
    """Add and publish the items that the project lacks; returns their number."""
    state, added = state_row(), 0
    for part in chunks(iter(rows)):
        fresh: dict[str, NewItem] = {}
        ids = {row.item.id for row in part}
        known = dict(Item.objects.filter(external_id__in=ids).values_list("external_id", "text"))
        there = set(known)
        for row in part:
            item = checked_item(row.item, project.plan, path)
            text = known.setdefault(item.id, item.text)
            if text != item.text:
                problem = f"item {item.id!r} has two different texts; give one of them another id"
                raise BadRecord(path, row.item.line, problem)
            fresh.setdefault(item.id, item)
        new = [item for name, item in fresh.items() if name not in there]
        first = state.published + added + 1
        Item.objects.bulk_create(
            item_row(item, place, project.plan.judgments_per_item)
            for place, item in enumerate(new, start=first)
        )
        added += len(new)
    if added:
        end = state.published + added
        State.objects.update(published=end, opened=end, imports=state.imports + 1)
        if project.plan.batches.field or has_batches():
            add_batches([("", added)], state.published + 1, now=now)
    return added


def _tool_judgments(
    project: Project, path: Path, part: list[ToolRecord], people: dict[str, int], now: datetime
) -> Iterator[tuple[int, StoredJudgment]]:
    items = Item.objects.filter(external_id__in={row.item.id for row in part})
    locking = items.order_by("pk").select_for_update(no_key=True)
    known = {item.external_id: item for item in locking}
    in_hand = Lease.objects.filter(item__in=known.values())
    held = set(in_hand.values_list("item_id", "person_id"))
    taken: Counter[int] = Counter()
    for row in part:
        item = known[row.item.id]
        if (item.pk, people[row.annotator]) in held:
            problem = f"{row.annotator!r} also has item {item.external_id!r} in this project"
            raise BadRecord(path, row.item.line, problem)
        answers: dict[str, Any] = {}
        if row.state != JudgmentState.SKIPPED:
            answers = _checked_answers(project, path, row, item)
        state = _imported_state(row, item, taken)
        yield (
            row.item.line,
            StoredJudgment(
                item=item,
                person_id=people[row.annotator],
                token=secrets.token_hex(16),
                answers=answers,
                seconds=row.seconds,
                at=row.at or now,
                state=state,
                gold_right=is_right(item.gold or {}, answers)
                if state == JudgmentState.GOLD
                else None,
            ),
        )
    for number, slots in sorted(taken.items()):
        Item.objects.filter(pk=number).update(open_slots=F("open_slots") - slots)


def _imported_state(row: ToolRecord, item: Item, taken: Counter[int]) -> str:
    if row.state != JudgmentState.COUNTED:
        return row.state
    if item.is_gold:
        return JudgmentState.GOLD
    if taken[item.pk] >= item.open_slots:
        return JudgmentState.SURPLUS
    taken[item.pk] += 1
    return JudgmentState.COUNTED


def _checked_answers(project: Project, path: Path, row: ToolRecord, item: Item) -> dict[str, Any]:
    answers, faults = read_answers(
        project.plan.questions, row.given, text=item.text, payload=item.payload
    )
    for name, fault in faults.items():
        raise BadRecord(path, row.item.line, f"the answer to {name!r} {fault}")
    return answers


def _recount_people() -> None:
    """Recompute everyone's counters from their judgments."""
    # a change keeps the time of the first answer; a judgment taken back and given again has its own
    own_time = Q(replaces=None) | ~Q(seconds=F("replaces__seconds"))
    # one per chain: not a change, not one that was taken back and is still open
    first = Q(replaces=None) | Q(replaces__state=JudgmentState.SKIPPED)
    in_hand = Q(current=False, replaced_by=None) & ~Q(state=JudgmentState.ERASED)
    judged = first & ~Q(state=JudgmentState.SKIPPED) & ~in_hand
    news = Q(gold_right__isnull=False) & Q(replaces__gold_right=None)
    # a sum named like a field hides the field from later ones, so they come last
    rows = StoredJudgment.objects.values("person").annotate(
        last_at=Max("at", filter=own_time),
        last_judged=Max("at", filter=judged),
        judged=Count("pk", filter=judged),
        skipped=Count("pk", filter=Q(state=JudgmentState.SKIPPED, current=True)),
        gold_seen=Count("pk", filter=news),
        gold_right=Count("pk", filter=news & Q(gold_right=True)),
        seconds=Sum("seconds", filter=own_time, default=0.0),
    )
    for row in rows.order_by("person"):
        number, last = row.pop("person"), row.pop("last_judged")
        if last is not None:
            row |= _recounted_tally(number, last.astimezone(UTC), judged)
        Person.objects.filter(pk=number).update(**row)


def _recounted_tally(person: int, last: datetime, judged: Q) -> dict[str, Any]:
    midnight = last.replace(hour=0, minute=0, second=0, microsecond=0)
    monday = midnight - timedelta(days=midnight.weekday())
    mine = StoredJudgment.objects.filter(judged, person_id=person)
    return {
        "tally_on": midnight.date(),
        "judged_day": mine.filter(at__gte=midnight).count(),
        "judged_week": mine.filter(at__gte=monday).count(),
    }
