"""Items, people and judgments of another tool's file into the store: all or nothing.

All of a file is one transaction, so that people who work meanwhile wait for its end.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import F

from trope.annotate.exchange.records import Brought
from trope.annotate.items import NewItem, checked_item
from trope.annotate.project import Project
from trope.annotate.questions import is_right, read_answers
from trope.annotate.store import batches
from trope.annotate.store.bringing import add_people, end_as_elsewhere, insert
from trope.annotate.store.counting import recount
from trope.annotate.store.importing import alone, item_row, parts, remove_unpublished, state_row
from trope.annotate.store.models import Event, Item, Judgment, Lease, Person, State
from trope.annotate.store.writing import writing
from trope.core.errors import BadRecord


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
            items = _add_items(project, path, read(), now)
            people, judgments = 0, 0
            known = dict(Person.objects.values_list("name", "pk"))
            old = set(known.values())
            for part in parts(iter(read())):
                before = len(known)
                given = [brought for brought in part if brought.annotator]
                add_people(path, [(b.record.line, b) for b in given], known, now)
                people += len(known) - before
                rows = list(_brought_rows(project, path, given, known, now))
                insert(path, rows)
                judgments += len(rows)
            end_as_elsewhere(set(known.values()) - old)
            recount()
            detail = {"file": path.name, "items": items, "judgments": judgments}
            Event.objects.create(at=now, who="", what="import", detail=detail)
    return Added(items, people, judgments)


def _add_items(project: Project, path: Path, rows: Iterable[Brought], now: datetime) -> int:
    """Add the items that the project lacks, and publish them; gives their number."""
    state, added = state_row(), 0
    for part in parts(iter(rows)):
        fresh: dict[str, NewItem] = {}
        ids = {brought.record.id for brought in part}
        known = dict(Item.objects.filter(external_id__in=ids).values_list("external_id", "text"))
        there = set(known)
        for brought in part:
            item = checked_item(brought.record, project.plan, path)
            text = known.setdefault(item.id, item.text)
            if text != item.text:
                problem = f"item {item.id!r} has another text elsewhere; give it another id"
                raise BadRecord(path, brought.record.line, problem)
            fresh.setdefault(item.id, item)
        new = [item for name, item in fresh.items() if name not in there]
        first = state.published + added + 1
        Item.objects.bulk_create(
            item_row(item, place, project.plan.judgments_an_item)
            for place, item in enumerate(new, start=first)
        )
        added += len(new)
    imports = state.imports + (added > 0)
    end = state.published + added
    State.objects.update(published=end, opened=end, imports=imports)
    if project.plan.batches.field and added:
        batches.add([("", added)], state.published + 1, now=now)
    return added


def _brought_rows(
    project: Project, path: Path, part: list[Brought], people: dict[str, int], now: datetime
) -> Iterator[tuple[int, Judgment]]:
    items = Item.objects.filter(external_id__in={brought.record.id for brought in part})
    known = {item.external_id: item for item in items.select_for_update()}
    in_hand = Lease.objects.filter(item__in=known.values())
    held = set(in_hand.values_list("item_id", "person_id"))
    taken: Counter[int] = Counter()
    for brought in part:
        item = known[brought.record.id]
        if (item.pk, people[brought.annotator]) in held:
            problem = f"{brought.annotator!r} was given item {item.external_id!r} here too"
            raise BadRecord(path, brought.record.line, problem)
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
