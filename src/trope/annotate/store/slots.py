"""Open slots of items: how far items are published and opened, batches, and slots that return.

A batch is a range of places. Everything up to `State.opened` is given out; opening a batch moves
it. A round chooses items of the next batch that waits, and opens them as a batch of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from django.db.models import Count, F, Max, Q

from trope.annotate.store.database import lock_name, retried, write_transaction
from trope.annotate.store.models import (
    Batch,
    Event,
    Item,
    Lease,
    Person,
    Returned,
    State,
    StoredJudgment,
)
from trope.core.errors import BadInput


def return_slots(item_ids: list[int], step: int = 500) -> None:
    """Reopen one slot of each item, given by ascending id, and list them where all find them."""
    for start in range(0, len(item_ids), step):
        part = item_ids[start : start + step]
        locking = Item.objects.filter(pk__in=part).order_by("pk").select_for_update(no_key=True)
        list(locking.values("pk"))
        Item.objects.filter(pk__in=part).update(open_slots=F("open_slots") + 1)
    list_returned(item_ids)


def list_returned(item_ids: list[int]) -> None:
    """Add the items to the returned ones, in the order in which transactions end.

    On PostgreSQL ids are drawn before a commit; without the lock someone's walk could pass an id
    that appears later. It is the last lock of a transaction.
    """
    if item_ids:
        lock_name("returned")
        Returned.objects.bulk_create([Returned(item_id=item_id) for item_id in item_ids])


def lock_places() -> None:
    """Wait until nobody else counts or accepts people; the first lock of a transaction."""
    lock_name("places")


def lock_leases(person: Person) -> None:
    """Lock the leases of a person who is locked, before any of their items."""
    mine = Lease.objects.filter(person=person).order_by("pk")
    list(mine.select_for_update().values("pk"))


def items_by_name(names: Sequence[str]) -> dict[str, tuple[int, str]]:
    """The id and the text of items, by the names that files give them."""
    found = Item.objects.filter(external_id__in=list(names))
    return {name: (pk, text) for name, pk, text in found.values_list("external_id", "pk", "text")}


def published_place() -> int:
    """The place up to which items have been imported."""
    return State.objects.values_list("published", flat=True).first() or 0


def opened_place() -> int:
    """The place up to which items can be given out."""
    return State.objects.values_list("opened", flat=True).first() or 0


def plan_version() -> int:
    """The version of the plan that was saved last; 0 if the service has saved none."""
    return State.objects.values_list("plan", flat=True).first() or 0


@retried
def state_row() -> State:
    """The row that says how far items are published."""
    with write_transaction():
        state, _ = State.objects.get_or_create(pk=1)
        return state


UNNAMED = "items without a batch"


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """The progress of a batch."""

    name: str
    opened: datetime | None
    items: int
    full: int


def add_batches(sizes: Sequence[tuple[str, int]], first: int, *, now: datetime) -> None:
    """Note the batches of an import, whose items begin at place `first`; part of its transaction.

    What has no batch, and the first batch, are open at once unless an earlier batch waits.
    """
    waiting = Batch.objects.filter(opened=None).exists()
    rows, place, fresh = [], first, True
    for name, size in sizes:
        opened = now if not waiting and (fresh or not name) else None
        shown = name or f"{UNNAMED} ({first})"
        rows.append(Batch(name=shown, first=place, last=place + size - 1, opened=opened))
        fresh = fresh and not name
        place += size
    Batch.objects.bulk_create(rows)
    _update_opened()


def has_batches() -> bool:
    """Whether items are opened in batches or rounds."""
    return Batch.objects.exists()


def check_new_batches(sizes: Sequence[tuple[str, int]]) -> None:
    """Refuse batches that already exist.

    Raises:
        BadInput: for the first of them.
    """
    names = [name for name, _ in sizes if name]
    if known := Batch.objects.filter(name__in=names).values_list("name", flat=True).first():
        raise BadInput(f"there already is a batch {known!r}; give the new items another batch name")


@retried
def open_next_batch(*, now: datetime, by: str = "", used_up: bool = False) -> str:
    """Open the next batch; returns its name, empty if all are open.

    With `used_up`, only if no item of the open ones has an open slot.
    """
    with write_transaction():
        list(State.objects.select_for_update().values("pk"))
        left = Item.objects.filter(open_slots__gt=0, place__lte=opened_place())
        if used_up and left.exists():
            return ""
        batch = Batch.objects.filter(opened=None).order_by("first").first()
        if batch is None:
            return ""
        Batch.objects.filter(pk=batch.pk).update(opened=now)
        _update_opened()
        Event.objects.create(at=now, who=by, what="open", detail={"batch": batch.name})
        return str(batch.name)


def open_next_batch_if_used_up(*, now: datetime) -> bool:
    """Open the next batch if no item of the earlier ones has an open slot."""
    state = State.objects.first()
    if state is None or state.opened >= state.published:
        return False
    return bool(open_next_batch(now=now, used_up=True))


LATER = "items of later rounds"
_NONE_LEFT = "no items are left that nobody has had; add items for another round"


@dataclass(frozen=True, slots=True)
class OpenedRound:
    """A round that was opened: its name, its number of items, and how many are left for others."""

    name: str
    items: int
    left: int


@retried
def hold_back(*, now: datetime) -> None:
    """Let items that nobody has reached wait for a round, unless a batch waits already.

    A transaction of its own: whoever begins to walk after it stays in front of these items, and
    the next transaction waits for everyone who had begun before.

    Raises:
        BadInput: if there are none.
    """
    with write_transaction():
        list(State.objects.select_for_update().values("pk"))
        if Batch.objects.filter(opened=None).exists():
            return
        reached, last = _reached(), Batch.objects.order_by("-last").first()
        end = published_place()
        if not _untouched(reached + 1, end):
            raise BadInput(_NONE_LEFT)
        if last is not None and reached < last.first:
            Batch.objects.filter(pk=last.pk).update(opened=None)
        else:
            if last is not None:
                Batch.objects.filter(pk=last.pk).update(last=reached)
            elif reached:
                Batch.objects.create(name="items before rounds", first=1, last=reached, opened=now)
            name = f"{LATER} ({reached + 1})"
            Batch.objects.create(name=name, first=reached + 1, last=end, opened=None)
        _update_opened()


def round_items() -> list[int]:
    """The ids of the items that the next round may choose from, in their order.

    Raises:
        BadInput: if there are none.
    """
    waiting = Batch.objects.filter(opened=None).order_by("first").first()
    first, last = (waiting.first, waiting.last) if waiting else (1, published_place())
    if ids := [pk for pk, _ in _untouched(first, last)]:
        return ids
    raise BadInput(_NONE_LEFT)


@retried
def open_round(order: Sequence[int], size: int, *, by: str, now: datetime, who: str) -> OpenedRound:
    """Open the first `size` of the items of `order` (ids) that still wait, in this order.

    They change places with waiting items in front of them. Only items that were given to nobody
    move, and only behind everyone's walk: so nobody passes an item, and nobody meets it twice.

    Raises:
        BadInput: if none of them waits.
    """
    with write_transaction():
        # whoever walks holds their own row, so no walk is under way while places change
        list(Person.objects.order_by("pk").select_for_update().values("pk"))
        list(State.objects.select_for_update().values("pk"))
        waiting = Batch.objects.filter(opened=None).order_by("first").first()
        places = dict(_untouched(waiting.first, waiting.last)) if waiting else {}
        chosen = [pk for pk in dict.fromkeys(order) if pk in places][:size]
        if waiting is None or not chosen:
            raise BadInput(_NONE_LEFT)
        _change_places(chosen, places)
        left = len(places) - len(chosen)
        end = sorted(places.values())[len(chosen) - 1] if left else waiting.last
        name = _open_part(waiting, end, by, now)
        detail = {"round": name, "by": by, "items": len(chosen)}
        Event.objects.create(at=now, who=who, what="round", detail=detail)
        return OpenedRound(name, len(chosen), left)


def _reached() -> int:
    """The last place that anyone's walk has come to."""
    return Person.objects.aggregate(last=Max("cursor"))["last"] or 0


def _untouched(first: int, last: int) -> list[tuple[int, int]]:
    """Id and place of the items there that were given to nobody, behind everyone's walk."""
    first = max(first, _reached() + 1)
    inside = Item.objects.filter(place__gte=first, place__lte=last, open_slots__gt=0)
    for known in (Lease, StoredJudgment, Returned):
        inside = inside.exclude(pk__in=known.objects.values("item_id"))
    return list(inside.order_by("place").values_list("pk", "place"))


def _change_places(chosen: Sequence[int], places: Mapping[int, int]) -> None:
    """Move the chosen items to the front, in their order; those in front take their places."""
    front = sorted(places.values())[: len(chosen)]
    picked = set(chosen)
    displaced = [pk for pk in sorted(places, key=places.__getitem__)[: len(chosen)]
                 if pk not in picked]  # fmt: skip
    vacated = sorted({places[pk] for pk in chosen} - set(front))
    moves = dict(zip(chosen, front, strict=True)) | dict(zip(displaced, vacated, strict=True))
    moves = {pk: place for pk, place in moves.items() if places[pk] != place}
    for part in (list(moves)[at : at + 500] for at in range(0, len(moves), 500)):
        # a place is taken only once, also in between
        Item.objects.filter(pk__in=part).update(place=-F("place"))
    for part in (list(moves)[at : at + 500] for at in range(0, len(moves), 500)):
        Item.objects.bulk_update([Item(pk=pk, place=moves[pk]) for pk in part], ["place"])


def _open_part(waiting: Batch, end: int, by: str, now: datetime) -> str:
    """Open the batch up to a place, as a round; the rest of it waits on."""
    names = set(Batch.objects.values_list("name", flat=True))
    number = next(n for n in count(1) if not any(f"round {n}:" in name for name in names))
    name, first = f"round {number}: {by}", waiting.first
    if end < waiting.last:
        Batch.objects.filter(pk=waiting.pk).update(first=end + 1)
        Batch.objects.create(name=name, first=first, last=end, opened=now)
    else:
        Batch.objects.filter(pk=waiting.pk).update(name=name, opened=now)
    _update_opened()
    return name


def all_batches() -> list[BatchProgress]:
    """Every batch in order, with the number of its complete items."""
    return [_batch_progress(batch) for batch in Batch.objects.order_by("first")]


def _batch_progress(batch: Batch) -> BatchProgress:
    inside = Item.objects.filter(place__gte=batch.first, place__lte=batch.last, is_gold=False)
    counts = inside.aggregate(items=Count("pk"), full=Count("pk", filter=Q(open_slots=0)))
    return BatchProgress(batch.name, batch.opened, counts["items"], counts["full"])


def _update_opened() -> None:
    """Set the last place that is given out: batches open in their order, so there is one."""
    last = Batch.objects.exclude(opened=None).order_by("-last").first()
    State.objects.update(opened=last.last if last else 0)
