"""The queue: who works on what (writes; one short transaction each).

No query here grows with the tables. Everyone walks through the items once, by place, and through
the returned items once, by id. What a walk passes over is taken, judged already, or full, and a
full item that opens again is returned under a new id.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from django.db.models import F

from trope.annotate.project import Plan
from trope.annotate.rules.assignment import gold_in_page, shuffled_in
from trope.annotate.rules.caps import Tally, room
from trope.annotate.store.batches import open_next_if_used_up
from trope.annotate.store.discipline import look_at_page_end
from trope.annotate.store.models import Item, Judgment, Lease, Person, Returned, State
from trope.annotate.store.people import announce
from trope.annotate.store.writing import writing

_STEP = 50


@dataclass(frozen=True, slots=True)
class Page:
    """The leases of a page in their order; if there is none, why.

    `reason` is the person's state ("held", "dismissed"), "finished" (nothing left for this
    person) or the limit that was reached: "day", "week", "total".
    """

    leases: Sequence[Lease]
    reason: str = ""


def next_page(person_id: int, plan: Plan, *, now: datetime, rng: Random) -> Page:
    """The page that the person has in hand, or a new one."""
    in_hand = leases_of(person_id)  # dismissal takes them away, so that holding some is enough
    if in_hand and all(lease.expires >= now for lease in in_hand):
        return Page(in_hand)  # most often so, and then nothing is locked
    pull_in(plan, now=now)
    release_expired(now=now, limit=_STEP)
    with writing():
        person = Person.objects.select_for_update().get(pk=person_id)
        if person.state != "active":
            return Page((), person.state)
        if in_hand := leases_of(person.pk):
            return Page(_renewed(in_hand, plan, now))
        if look_at_page_end(person, plan, now):  # of a page that was left to expire
            state = Person.objects.values_list("state", flat=True).get(pk=person_id)
            if state != "active":
                return Page((), state)
        size, limit = room(tally_of(person, now), plan.caps, plan.items_a_page)
        if not size:
            return Page((), limit)
        wanted_gold = gold_in_page(size, plan.gold.share, rng)
        gold = _walk_gold(person, wanted_gold)
        work = _take_work(person, size - len(gold))
        if not work and plan.batches.open == "automatic" and open_next_if_used_up(now=now):
            work = _take_work(person, size - len(gold))
        _save_walk(person, keep_gold=bool(work))
        if not work:
            return Page((), "finished")
        items = shuffled_in(work, gold, rng)
        return Page(_lease_all(person, items, plan, now))


def leases_of(person_id: int) -> list[Lease]:
    """What a person has in hand, in the order of the page."""
    held = Lease.objects.filter(person_id=person_id, released=False)
    return list(held.select_related("item").defer("item__gold").order_by("position"))


def tally_of(person: Person, now: datetime) -> Tally:
    """What the person has judged today, this week, in all."""
    tally = Tally(person.tally_on, person.judged_day, person.judged_week, person.judged)
    return tally.at(now.date())


def pull_in(plan: Plan, *, now: datetime) -> int:
    """Shorten leases that end later than any given out now would; gives their number.

    After the clock went back, they would otherwise be held for as long as it went.
    """
    end = now + timedelta(minutes=plan.lease_minutes)
    slack = timedelta(minutes=1)  # two who ask at once have not the same now
    beyond = Lease.objects.filter(released=False, expires__gt=end + slack)
    if not beyond.exists():
        return 0
    with writing():
        number: int = beyond.update(expires=end)
        return number


def release_expired(*, now: datetime, limit: int | None = None) -> int:
    """Return what was not finished in time to the queue; gives the number of items."""
    expired = Lease.objects.filter(released=False, expires__lt=now).order_by("expires")
    if not expired.exists():
        return 0
    with writing():
        leases = list(expired.select_related("item").select_for_update(of=("self",))[:limit])
        Lease.objects.filter(pk__in=[lease.pk for lease in leases]).update(released=True)
        slots = Counter(lease.item_id for lease in leases if not lease.item.is_gold)
        for item_id in sorted(slots):
            Item.objects.filter(pk=item_id).update(open_slots=F("open_slots") + slots[item_id])
        announce(sorted(slots))
        return len(leases)


def _renewed(leases: list[Lease], plan: Plan, now: datetime) -> list[Lease]:
    """The same leases; those whose time ran out before anyone noticed get new time."""
    if any(lease.expires < now for lease in leases):
        expires = now + timedelta(minutes=plan.lease_minutes)
        Lease.objects.filter(pk__in=[lease.pk for lease in leases]).update(expires=expires)
    return leases


def _take_work(person: Person, number: int) -> list[Item]:
    """Up to so many items with a slot taken of each; returned ones first."""
    taken: list[Item] = []
    while (missing := number - len(taken)) > 0:
        # an item may be returned and ahead as well: what was just taken must not be taken again
        mine = {item.pk for item in taken}
        items = _walk_returned(person, missing, mine) or _walk(person, missing, mine)
        if not items:
            break
        taken += _take_slots(items)
    return taken


def _walk_returned(person: Person, number: int, mine: set[int]) -> list[Item]:
    while True:
        rows = list(
            Returned.objects.filter(pk__gt=person.returned_cursor)
            .order_by("pk")
            .values_list("pk", "item_id")[:_STEP]
        )
        if not rows:
            return []
        had = mine | _had(person, [item_id for _, item_id in rows])
        items = Item.objects.filter(pk__in={i for _, i in rows} - had, open_slots__gt=0)
        free = {item.pk: item for item in items.defer("gold")}
        found: dict[int, Item] = {}
        for row, item_id in rows:
            if len(found) == number:
                break
            person.returned_cursor = row
            if item_id in free:
                found[item_id] = free[item_id]
        if found:
            return list(found.values())


def _walk(person: Person, number: int, mine: set[int]) -> list[Item]:
    opened = opened_place()
    while True:
        ahead = Item.objects.filter(open_slots__gt=0, place__gt=person.cursor)
        items = list(ahead.filter(place__lte=opened).order_by("place").defer("gold")[:number])
        if not items:
            return []
        person.cursor = items[-1].place
        had = mine | _had(person, [item.pk for item in items])
        if fresh := [item for item in items if item.pk not in had]:
            return fresh


def published_place() -> int:
    """The place up to which items have been imported."""
    return State.objects.values_list("published", flat=True).first() or 0


def opened_place() -> int:
    """The place up to which items can be given out."""
    return State.objects.values_list("opened", flat=True).first() or 0


def _walk_gold(person: Person, number: int) -> list[Item]:
    if not number:
        return []
    opened = opened_place()
    ahead = Item.objects.filter(is_gold=True, place__gt=person.gold_cursor, place__lte=opened)
    items = list(ahead.order_by("place").defer("gold")[:number])
    if items:
        person.gold_cursor = items[-1].place
    return items


def _save_walk(person: Person, *, keep_gold: bool) -> None:
    fields = ["cursor", "returned_cursor", *(["gold_cursor"] if keep_gold else [])]
    person.save(update_fields=fields)


def _had(person: Person, item_ids: list[int]) -> set[int]:
    """Which of the items the person has judged, skipped or holds."""
    judged = Judgment.objects.filter(person=person, current=True, item_id__in=item_ids)
    held = Lease.objects.filter(person=person, released=False, item_id__in=item_ids)
    return {*judged.values_list("item_id", flat=True), *held.values_list("item_id", flat=True)}


def _take_slots(items: list[Item]) -> list[Item]:
    """The items of which a slot could be had. Locked in one order, so that nobody waits in a
    circle."""
    ids = [item.pk for item in items]
    locked = Item.objects.filter(pk__in=ids).order_by("pk").select_for_update()
    slots = dict(locked.values_list("pk", "open_slots"))
    taken = [item for item in items if slots[item.pk] > 0]
    Item.objects.filter(pk__in=[item.pk for item in taken]).update(open_slots=F("open_slots") - 1)
    full = [item.pk for item in taken if slots[item.pk] == 1]
    Returned.objects.filter(item_id__in=full).delete()
    return taken


def _lease_all(person: Person, items: list[Item], plan: Plan, now: datetime) -> list[Lease]:
    """Leases on the items, in their order; one that had expired comes back with its draft.

    Slots are locked until the transaction ends, so that it must not take a statement an item.
    """
    held = Lease.objects.filter(person=person, item__in=items)
    known = {lease.item_id: lease for lease in held}
    leases = []
    for position, item in enumerate(items):
        lease = known.get(item.pk) or Lease(person=person, token=secrets.token_hex(16))
        lease.item, lease.position, lease.since, lease.released = item, position, now, False
        lease.expires = now + timedelta(minutes=plan.lease_minutes)
        leases.append(lease)
    Lease.objects.bulk_create([lease for lease in leases if lease.pk is None])
    if known:
        fields = ["position", "since", "released", "expires"]
        Lease.objects.bulk_update([lease for lease in leases if lease.item_id in known], fields)
    return leases
