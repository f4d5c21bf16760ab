"""Rows for files, rules and labels: judgments, answers, items, people, a few at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby, islice
from random import Random
from typing import Any, TypeVar

from django.db.models import Field

from trope.annotate.exchange.records import ItemRecord, JudgmentRecord, text_digest
from trope.annotate.plan import Plan
from trope.annotate.questions import gold_text, label_of, measured_questions
from trope.annotate.store.models import (
    Decision,
    Item,
    JudgmentState,
    Lease,
    Person,
    Standing,
    StoredJudgment,
)
from trope.annotate.store.slots import published_place
from trope.core.judgments import Judgment

_CHUNK = 2_000


# not exported of a person: secrets, positions in the queue, and counts of judgments
_NOT_OF_A_PERSON = frozenset(
    {
        "id", "token_hash", "cursor", "returned_cursor", "gold_cursor", "last_at", "judged",
        "skipped", "gold_seen", "gold_right", "seconds", "tally_on", "judged_day", "judged_week",
        "unread", "sessions_ended",
    }
)  # fmt: skip


# not exported of a standing: what depends on the project's secret, and open forms
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


def judgment_records(*, history: bool = False) -> Iterator[JudgmentRecord]:
    """Every judgment in the order in which it was given; with `history`, changed ones too."""
    more = judgment_fields()
    rows = StoredJudgment.objects.all() if history else StoredJudgment.objects.filter(current=True)
    columns = (*_COLUMNS, *more, "item__text")
    for *row, text in rows.order_by("pk").values_list(*columns).iterator(chunk_size=_CHUNK):
        found = _judgment_record(tuple(row), more, history=history)
        yield replace(found, digest=text_digest(text))


def judgments_with_items(
    ids: Sequence[int] | None = None,
) -> Iterator[tuple[JudgmentRecord, ItemRecord]]:
    """Every current judgment with its item, in the order of items; only of the items with these
    ids, if some are given."""
    shown = ("item__text", "item__payload", "item__gold")
    rows = StoredJudgment.objects.filter(current=True).order_by("item_id", "pk")
    rows = rows if ids is None else rows.filter(item_id__in=ids)
    for row in rows.values_list(*_COLUMNS, *shown).iterator(chunk_size=_CHUNK):
        judged = _judgment_record(row[: len(_COLUMNS)], (), history=False)
        yield judged, ItemRecord(judged.item, *row[len(_COLUMNS) :])


def items_with_judgments(
    ids: Sequence[int] | None = None,
) -> Iterator[tuple[ItemRecord, list[JudgmentRecord]]]:
    """Every item in order, or those with these ids, with its current judgments."""
    judged = groupby(judgments_with_items(ids), key=lambda pair: pair[1].id)
    group = next(judged, None)
    for item in item_records(ids):
        rows: list[JudgmentRecord] = []
        if group is not None and group[0] == item.id:
            rows = [row for row, _ in group[1]]
            group = next(judged, None)
        yield item, rows


def item_records(ids: Sequence[int] | None = None) -> Iterator[ItemRecord]:
    """Every item, or those with these ids, in the order in which they were added."""
    rows = Item.objects.filter(place__lte=published_place()).order_by("pk")
    rows = rows if ids is None else rows.filter(pk__in=ids)
    columns = ("external_id", "text", "payload", "gold")
    for row in rows.values_list(*columns).iterator(chunk_size=_CHUNK):
        yield ItemRecord(*row)


def item_objects() -> Iterator[dict[str, Any]]:
    """Every item as `trope annotate import` reads it."""
    for item in item_records():
        gold = {"gold": item.gold} if item.gold else {}
        yield {"id": item.id, "text": item.text, **sort_keys(item.payload), **sort_keys(gold)}


def item_fields() -> list[str]:
    """The names of all fields that items have, in alphabetical order."""
    names: set[str] = set()
    for payload in Item.objects.values_list("payload", flat=True).iterator(chunk_size=_CHUNK):
        names.update(payload)
    return sorted(names)


def person_rows() -> Iterator[dict[str, Any]]:
    """Everyone, in the order in which they were invited; without links, which are secret."""
    own, stand = _field_names(person_fields()), _field_names(standing_fields())
    columns = [*own, *(f"standing__{name}" for name in stand)]
    beginning = {name: getattr(Standing(), name) for name in stand}
    for row in Person.objects.order_by("pk").values_list("standing", *columns):
        known = dict(zip([*own, *stand], row[1:], strict=True))
        known |= beginning if row[0] is None else {}
        yield {name: sort_keys(as_plain(value)) for name, value in known.items()}


DECISION_TYPES = {
    "item": "string",
    "adjudicator": "string",
    "answers": "string",
    "excluded": "bool",
    "note": "string",
    "at": "string",
    "current": "bool",
}


def decision_rows(*, history: bool = False) -> Iterator[dict[str, Any]]:
    """The decisions of adjudicators, in the order of time; with `history`, replaced ones too."""
    rows = Decision.objects.all() if history else Decision.objects.filter(current=True)
    columns = ("item__external_id", "person__name", "answers", "excluded", "note", "at", "current")
    for row in rows.order_by("pk").values_list(*columns).iterator(chunk_size=_CHUNK):
        named = zip(DECISION_TYPES, row, strict=True)
        yield {name: sort_keys(as_plain(value)) for name, value in named}


def draft_rows() -> Iterator[dict[str, Any]]:
    """Unfinished forms, by person and item."""
    rows = Lease.objects.exclude(draft={}).order_by("person__name", "position", "pk")
    columns = ("item__external_id", "person__name", "draft", "since", "released")
    for item, person, draft, since, released in rows.values_list(*columns).iterator(
        chunk_size=_CHUNK
    ):
        yield {
            "item": item,
            "annotator": person,
            "form": sort_keys({name: given for name, given in draft.items() if name != "seen"}),
            "since": since.isoformat(),
            "in_hand": not released,
        }


def gold_accuracy() -> dict[str, float]:
    """For everyone who saw control items, the share of right answers."""
    seen = Person.objects.filter(gold_seen__gt=0)
    rows = seen.values_list("name", "gold_right", "gold_seen")
    return {name: right / number for name, right, number in rows}


def person_fields() -> list[Field[Any, Any]]:
    """The columns of a file of people: plain fields, none of them secret or counted."""
    return [f for f in _plain_fields(Person) if f.name not in _NOT_OF_A_PERSON]


def standing_fields() -> list[Field[Any, Any]]:
    """The columns of a file of people about their standing."""
    return [f for f in _plain_fields(Standing) if f.name not in _NOT_OF_A_STANDING]


def person_columns() -> list[str]:
    """The columns of a file of people."""
    return _field_names([*person_fields(), *standing_fields()])


def judgment_fields() -> tuple[str, ...]:
    """Plain fields of a judgment beyond those that every file has."""
    return tuple(f.name for f in _plain_fields(StoredJudgment) if f.name not in _OF_A_JUDGMENT)


def as_plain(value: Any) -> Any:
    """The value as JSON can hold it."""
    return value.isoformat() if isinstance(value, date | datetime) else value


def sort_keys(value: Any) -> Any:
    """The value with sorted object keys: databases return them in different orders."""
    if isinstance(value, dict):
        return {name: sort_keys(value[name]) for name in sorted(value)}
    return value


def _field_names(fields: Iterable[Field[Any, Any]]) -> list[str]:
    return [field.name for field in fields]


def _plain_fields(model: Any) -> list[Field[Any, Any]]:
    return [field for field in model._meta.concrete_fields if not field.is_relation]


def _judgment_record(
    row: tuple[Any, ...], more: tuple[str, ...], *, history: bool
) -> JudgmentRecord:
    known, rest = row[: len(_COLUMNS)], row[len(_COLUMNS) :]
    number, item, person, answers, state, seconds, at, current, replaces, right, weight = known
    extra = {
        name: sort_keys(as_plain(value))
        for name, value in zip(more, rest, strict=True)
        if value not in (None, "", {}, [])
    }
    earlier, answers = replaces if history else None, sort_keys(answers)
    weight = 1.0 if weight is None else weight
    return JudgmentRecord(
        number, item, person, answers, state, seconds, at, current, earlier, right, weight, extra
    )


MOST_ITEMS = 2_000
"""Items that a page looks at; of a larger project it draws a sample of this size."""

MOST_DOWNLOADED = 20_000
"""Items up to which a page offers labels; beyond, the command does."""

_CHUNK = 2_000
_STEP = 500

_FIELDS = (
    "item__external_id", "person__name", "answers", "seconds", "item__gold",
    "person__standing__weight",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ItemSample:
    """The items that a page looks at: all (`ids` None), or a sample of `total`."""

    total: int
    ids: tuple[int, ...] | None = None

    @property
    def note(self) -> str:
        """A note about what was not looked at, if anything."""
        if self.ids is None:
            return ""
        return f"A random {len(self.ids):,} of {self.total:,} items; commands use all of them."


def draw_sample(*, most: int = MOST_ITEMS, seed: int = 0) -> ItemSample:
    """All items except control items, or a random sample of them, the same each time."""
    work = Item.objects.filter(is_gold=False, place__lte=published_place())
    total = work.count()
    if total <= most:
        return ItemSample(total)
    ids = list(work.order_by("pk").values_list("pk", flat=True))
    return ItemSample(total, tuple(sorted(Random(seed).sample(ids, most))))


def answer_rows(
    plan: Plan, *, sample: ItemSample | None = None, gold: bool = False, last: int = 0
) -> Iterator[Judgment]:
    """Every answer that counts to every question that can be measured.

    Args:
        sample: the items to look at, by default all.
        gold: also answers to control items, with the known answers.
        last: only that many of the latest judgments; 0 means all.
    """
    questions = measured_questions(plan.questions)
    for item, person, answers, seconds, known, weight in _stored(sample, gold, last):
        for question in questions:
            label = label_of(question.answer_in(answers))
            if label:
                wanted = (known or {}).get(question.id)
                yield Judgment(
                    item=item,
                    annotator=person,
                    label=label,
                    question=question.id,
                    weight=1.0 if weight is None else weight,
                    seconds=round(seconds, 3),
                    gold="" if wanted is None else gold_text(wanted),
                )


def _stored(sample: ItemSample | None, gold: bool, last: int) -> Iterator[tuple[Any, ...]]:
    states = (JudgmentState.COUNTED, JudgmentState.GOLD) if gold else (JudgmentState.COUNTED,)
    rows = StoredJudgment.objects.filter(current=True, state__in=states)
    if last:
        ids = rows.order_by("-pk").values_list("pk", flat=True)[last - 1 : last]
        rows = rows.filter(pk__gte=ids[0]) if ids else rows
    if sample is None or sample.ids is None:
        found = rows.order_by("pk").values_list(*_FIELDS)
        yield from found.iterator(chunk_size=_CHUNK)
        return
    parts = [sample.ids[at : at + _STEP] for at in range(0, len(sample.ids), _STEP)]
    drawn = [
        row for part in parts for row in rows.filter(item_id__in=part).values_list("pk", *_FIELDS)
    ]
    for row in sorted(drawn, key=lambda row: int(row[0])):
        yield row[1:]


def verbs_of_items(plan: Plan, sample: ItemSample | None = None) -> dict[str, str]:
    """The verb of each item: its field, else the first highlighted word; empty if the plan has no
    tables."""
    if not plan.tables.question:
        return {}
    return {external: verb_of(plan, text, payload) for external, text, payload in item_rows(sample)}


def item_rows(sample: ItemSample | None = None) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Id, text and fields of every item except control items."""
    items = Item.objects.filter(is_gold=False, place__lte=published_place()).order_by("pk")
    fields = ("external_id", "text", "payload")
    if sample is None or sample.ids is None:
        yield from items.values_list(*fields).iterator(chunk_size=_CHUNK)
        return
    for at in range(0, len(sample.ids), _STEP):
        yield from items.filter(pk__in=sample.ids[at : at + _STEP]).values_list(*fields)


def marked_words(text: str, payload: Mapping[str, Any]) -> list[str]:
    """The highlighted words of a text."""
    spans: Sequence[Sequence[int]] = payload.get("highlight") or ()
    return " ".join(text[start:end] for start, end in spans).split()


def verb_of(plan: Plan, text: str, payload: Mapping[str, Any]) -> str:
    """The verb of an item."""
    return str(payload.get(plan.tables.verb) or next(iter(marked_words(text, payload)), ""))


def noun_of(plan: Plan, text: str, payload: Mapping[str, Any]) -> str:
    """The object of an item's verb: its field, else the last highlighted word."""
    return str(payload.get(plan.tables.noun) or next(reversed(marked_words(text, payload)), ""))


def answer_types(plan: Plan, *, gold: bool = False) -> dict[str, str]:
    """The columns of the answers with their types, as `trope agree` and `trope aggregate` read
    them."""
    head = dict.fromkeys(("item", "annotator", "question", "label"), "string")
    head |= {"seconds": "float64"}
    head |= {"gold": "string"} if gold else {}
    head |= {"weight": "float64"} if plan.profile.weights else {}
    head |= {"verb": "string"} if plan.tables.question else {}
    return head | ({"text": "string"} if _marks_words(plan) else {})


def _marks_words(plan: Plan) -> bool:
    return any(question.kind == "spans" for question in plan.questions)


def answer_objects(plan: Plan, *, gold: bool = False) -> Iterator[dict[str, Any]]:
    """Every answer that counts, as a row of a table."""
    more = {
        "verb": verbs_of_items(plan),
        "text": {item.id: item.text for item in item_records()} if _marks_words(plan) else {},
    }
    names = list(answer_types(plan, gold=gold))
    for row in answer_rows(plan, gold=gold):
        yield {
            name: more[name].get(row.item, "") if name in more else getattr(row, name)
            for name in names
        }


T = TypeVar("T")


def chunks(items: Iterator[T], size: int = 200) -> Iterator[list[T]]:
    """Lists of up to `size` of the items."""
    while part := list(islice(items, size)):
        yield part
