"""Reads for files: judgments, decisions, items, people and drafts, a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import Any

from django.db.models import Field

from trope.annotate.exchange.records import Judged, Shown
from trope.annotate.store.models import Decision, Item, Judgment, Lease, Person, Standing
from trope.annotate.store.queue import published_place

_CHUNK = 2_000

# of a person: what is secret, what says where a walk is, and what is counted from judgments
_NOT_OF_A_PERSON = frozenset(
    {
        "id", "token_hash", "cursor", "returned_cursor", "gold_cursor", "last_at", "judged",
        "skipped", "gold_seen", "gold_right", "seconds", "tally_on", "judged_day", "judged_week",
        "unread", "sessions_ended",
    }
)  # fmt: skip
# of a way in: what only the project's secret gives, and a form in hand
_NOT_OF_A_STANDING = frozenset({"outside", "visit", "draft"})
_OF_A_JUDGMENT = frozenset(
    {
        "id", "item", "person", "token", "answers", "seconds", "at", "state", "gold_right",
        "current", "replaces",
    }
)  # fmt: skip
_COLUMNS = (
    "pk", "item__external_id", "person__name", "answers", "state", "seconds", "at", "current",
    "replaces_id", "gold_right", "person__standing__weight",
)  # fmt: skip


def judgments(*, history: bool = False) -> Iterator[Judged]:
    """Every judgment in the order in which it was given; with `history`, changed ones too."""
    more = judgment_fields()
    rows = Judgment.objects.all() if history else Judgment.objects.filter(current=True)
    for row in rows.order_by("pk").values_list(*_COLUMNS, *more).iterator(chunk_size=_CHUNK):
        yield _judged(row, more, history=history)


def judgments_with_items(ids: Sequence[int] | None = None) -> Iterator[tuple[Judged, Shown]]:
    """Every judgment that was not changed later, with its item, in the order of items; of the items
    with these numbers alone, if some are given."""
    shown = ("item__text", "item__payload", "item__gold")
    rows = Judgment.objects.filter(current=True).order_by("item_id", "pk")
    rows = rows if ids is None else rows.filter(item_id__in=ids)
    for row in rows.values_list(*_COLUMNS, *shown).iterator(chunk_size=_CHUNK):
        judged = _judged(row[: len(_COLUMNS)], (), history=False)
        yield judged, Shown(judged.item, *row[len(_COLUMNS) :])


def items_with_judgments(
    ids: Sequence[int] | None = None,
) -> Iterator[tuple[Shown, list[Judged]]]:
    """Every item in order, or those with these numbers, with the judgments that were not changed
    later."""
    judged = groupby(judgments_with_items(ids), key=lambda pair: pair[1].id)
    group = next(judged, None)
    for item in items(ids):
        rows: list[Judged] = []
        if group is not None and group[0] == item.id:
            rows = [row for row, _ in group[1]]
            group = next(judged, None)
        yield item, rows


def items(ids: Sequence[int] | None = None) -> Iterator[Shown]:
    """Every item, or those with these numbers, in the order in which they were added."""
    rows = Item.objects.filter(place__lte=published_place()).order_by("pk")
    rows = rows if ids is None else rows.filter(pk__in=ids)
    columns = ("external_id", "text", "payload", "gold")
    for row in rows.values_list(*columns).iterator(chunk_size=_CHUNK):
        yield Shown(*row)


def item_objects() -> Iterator[dict[str, Any]]:
    """Every item as `trope annotate import` reads it."""
    for item in items():
        gold = {"gold": item.gold} if item.gold else {}
        yield {"id": item.id, "text": item.text, **in_order(item.payload), **in_order(gold)}


def item_fields() -> list[str]:
    """The names of all fields that items have, in alphabetical order."""
    names: set[str] = set()
    for payload in Item.objects.values_list("payload", flat=True).iterator(chunk_size=_CHUNK):
        names.update(payload)
    return sorted(names)


def people() -> Iterator[dict[str, Any]]:
    """Everyone, in the order in which they were invited; without links, which are secret."""
    own, way = _names(person_fields()), _names(standing_fields())
    columns = [*own, *(f"standing__{name}" for name in way)]
    beginning = {name: getattr(Standing(), name) for name in way}
    for row in Person.objects.order_by("pk").values_list("standing", *columns):
        known = dict(zip([*own, *way], row[1:], strict=True))
        known |= beginning if row[0] is None else {}
        yield {name: in_order(as_plain(value)) for name, value in known.items()}


DECISION_TYPES = {
    "item": "string",
    "adjudicator": "string",
    "answers": "string",
    "excluded": "bool",
    "note": "string",
    "at": "string",
    "current": "bool",
}


def decisions(*, history: bool = False) -> Iterator[dict[str, Any]]:
    """What adjudicators settled, in the order of time; with `history`, what no longer holds too."""
    rows = Decision.objects.all() if history else Decision.objects.filter(current=True)
    columns = ("item__external_id", "person__name", "answers", "excluded", "note", "at", "current")
    for row in rows.order_by("pk").values_list(*columns).iterator(chunk_size=_CHUNK):
        named = zip(DECISION_TYPES, row, strict=True)
        yield {name: in_order(as_plain(value)) for name, value in named}


def drafts() -> Iterator[dict[str, Any]]:
    """Forms that were begun and not sent, by person and item."""
    rows = Lease.objects.exclude(draft={}).order_by("person__name", "position", "pk")
    columns = ("item__external_id", "person__name", "draft", "since", "released")
    for item, person, draft, since, released in rows.values_list(*columns).iterator(
        chunk_size=_CHUNK
    ):
        yield {
            "item": item,
            "annotator": person,
            "form": in_order({name: given for name, given in draft.items() if name != "seen"}),
            "since": since.isoformat(),
            "in_hand": not released,
        }


def trust() -> dict[str, float]:
    """Of everyone who saw control items, the share that was right."""
    seen = Person.objects.filter(gold_seen__gt=0)
    rows = seen.values_list("name", "gold_right", "gold_seen")
    return {name: right / number for name, right, number in rows}


def person_fields() -> list[Field[Any, Any]]:
    """What a file of people holds: plain fields, none of them secret or counted."""
    return [f for f in _plain(Person) if f.name not in _NOT_OF_A_PERSON]


def standing_fields() -> list[Field[Any, Any]]:
    """What a file of people holds of their way in."""
    return [f for f in _plain(Standing) if f.name not in _NOT_OF_A_STANDING]


def person_names() -> list[str]:
    """The columns of a file of people."""
    return _names([*person_fields(), *standing_fields()])


def judgment_fields() -> tuple[str, ...]:
    """Plain fields of a judgment beside those that every file has."""
    return tuple(f.name for f in _plain(Judgment) if f.name not in _OF_A_JUDGMENT)


def as_plain(value: Any) -> Any:
    """The value as JSON can hold it."""
    return value.isoformat() if isinstance(value, date | datetime) else value


def in_order(value: Any) -> Any:
    """The value with the keys of objects sorted: databases return them each in its own order."""
    if isinstance(value, dict):
        return {name: in_order(value[name]) for name in sorted(value)}
    return value


def _names(fields: Iterable[Field[Any, Any]]) -> list[str]:
    return [field.name for field in fields]


def _plain(model: Any) -> list[Field[Any, Any]]:
    return [field for field in model._meta.concrete_fields if not field.is_relation]


def _judged(row: tuple[Any, ...], more: tuple[str, ...], *, history: bool) -> Judged:
    known, rest = row[: len(_COLUMNS)], row[len(_COLUMNS) :]
    number, item, person, answers, state, seconds, at, current, replaces, right, weight = known
    extra = {
        name: in_order(as_plain(value))
        for name, value in zip(more, rest, strict=True)
        if value not in (None, "", {}, [])
    }
    earlier, answers = replaces if history else None, in_order(answers)
    weight = 1.0 if weight is None else weight
    return Judged(
        number, item, person, answers, state, seconds, at, current, earlier, right, weight, extra
    )
