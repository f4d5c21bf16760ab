"""The queue: who works on what (writes; one short transaction each).

Transactions lock in one order: a person, their leases, items by id, and last the list of returned
items. Whoever holds an item takes further ones only if nobody else is taking them.

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

from django.db.models import F, Q

from trope.annotate.plan import Plan
from trope.annotate.rules.assignment import Tally, gold_in_page, room, shuffled_in
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.discipline import check_at_page_end
from trope.annotate.store.model_answers import ModelAnswer, showing_run, suggestions_for
from trope.annotate.store.models import Item, Lease, Person, PersonState, Returned, StoredJudgment
from trope.annotate.store.slots import list_returned, open_next_batch_if_used_up, opened_place

_STEP = 50


@dataclass(frozen=True, slots=True)
class Page:
    """The leases of a page in order; if there are none, the reason.

    `reason` is the person's state ("held", "dismissed"), "finished" (nothing left for this
    person) or the limit that was reached: "day", "week", "total".
    """

    leases: Sequence[Lease]
    reason: str = ""


def next_page(person_id: int, plan: Plan, *, now: datetime, rng: Random) -> Page:
    """The person's current page, or a new one."""
    in_hand = leases_of(person_id)  # dismissal deletes leases, so having some is enough
    if in_hand and all(lease.expires >= now for lease in in_hand):
        return Page(in_hand)  # the usual case: nothing is locked
    if any_lease_expired(plan, now=now):
        shorten_leases(plan, now=now)
        release_expired(now=now, limit=_STEP)
    opened = opened_place()
    page = _current_or_new(person_id, plan, now, rng)
    if page.reason != "finished" or plan.batches.open != "automatic":
        return page
    # in a transaction of its own, so that nobody who holds items waits for the project
    if open_next_batch_if_used_up(now=now) or opened_place() > opened:
        page = _current_or_new(person_id, plan, now, rng)
    return page


@retried
def _current_or_new(person_id: int, plan: Plan, now: datetime, rng: Random) -> Page:
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        if person.state != PersonState.ACTIVE:
            return Page((), person.state)
        if in_hand := leases_of(person.pk):
            return Page(_renewed(in_hand, plan, now))
        if check_at_page_end(person, plan, now):  # of a page that expired
            state = Person.objects.values_list("state", flat=True).get(pk=person_id)
            if state != PersonState.ACTIVE:
                return Page((), state)
        return new_page(person, plan, now=now, rng=rng, wait=True)


def new_page(person: Person, plan: Plan, *, now: datetime, rng: Random, wait: bool = False) -> Page:
    """A page for someone without leases; within a transaction that has locked the person.

    With `wait`, someone who finds nothing but items that others are taking waits for them; only a
    transaction that holds no item may.
    """
    size, limit = room(tally_of(person, now), plan.caps, plan.items_per_page)
    if not size:
        return Page((), limit)
    wanted_gold = gold_in_page(size, plan.gold.share, rng)
    gold = _walk_gold(person, wanted_gold)
    work = _take_work(person, size - len(gold), wait=wait)
    _save_walk(person, keep_gold=bool(work))
    if not work:
        return Page((), "finished")
    items = shuffled_in(work, gold, rng)
    return Page(_lease_all(person, items, plan, now))


def leases_of(person_id: int) -> list[Lease]:
    """A person's open leases, in the order of the page."""
    held = Lease.objects.filter(person_id=person_id, released=False)
    return list(held.select_related("item").defer("item__gold").order_by("position"))


def lease_of(person_id: int, token: str) -> Lease | None:
    """The person's lease with that token, if there is one."""
    mine = Lease.objects.filter(person_id=person_id, token=token)
    return mine.select_related("item").first()


def tally_of(person: Person, now: datetime) -> Tally:
    """What the person has judged today, this week, in total."""
    tally = Tally(person.tally_on, person.judged_day, person.judged_week, person.judged)
    return tally.at(now.date())


def has_room_for_late(person: Person, plan: Plan, *, now: datetime) -> bool:
    """Whether the person's limits allow a form whose item went back to the queue.

    What they hold comes first, since it was given out within the limits.
    """
    held = Lease.objects.filter(person=person, released=False).count()
    tally = tally_of(person, now)
    with_held = Tally(tally.on, tally.day + held, tally.week + held, tally.total + held)
    return room(with_held, plan.caps, 1)[0] > 0


def any_lease_expired(plan: Plan, *, now: datetime) -> bool:
    """Whether leases have expired, or end later than any given out now would."""
    expired, beyond = Q(expires__lt=now), Q(expires__gt=_latest_end(plan, now))
    return Lease.objects.filter(expired | beyond, released=False).exists()


def _latest_end(plan: Plan, now: datetime) -> datetime:
    """The latest end of a lease given out now, with a margin for requests at the same time."""
    return now + timedelta(minutes=plan.lease_minutes + 1)


@retried
def shorten_leases(plan: Plan, *, now: datetime) -> int:
    """Shorten leases that end later than any given out now would; returns their number.

    If the clock was set back, they would otherwise last that much longer.
    """
    beyond = Lease.objects.filter(released=False, expires__gt=_latest_end(plan, now))
    if not beyond.exists():
        return 0
    with write_transaction():
        free = beyond.select_for_update(skip_locked=True).values("pk")
        end = now + timedelta(minutes=plan.lease_minutes)
        number: int = Lease.objects.filter(pk__in=free).update(expires=end)
        return number


@retried
def release_expired(*, now: datetime, limit: int | None = None) -> int:
    """Return expired items to the queue; returns their number.

    Leases that are being submitted at this moment are left alone.
    """
    expired = Lease.objects.filter(released=False, expires__lt=now).order_by("expires")
    if not expired.exists():
        return 0
    with write_transaction():
        free = expired.select_for_update(of=("self",), skip_locked=True)
        leases = list(free.select_related("item")[:limit])
        Lease.objects.filter(pk__in=[lease.pk for lease in leases]).update(released=True)
        slots = Counter(lease.item_id for lease in leases if not lease.item.is_gold)
        for item_id in sorted(slots):
            Item.objects.filter(pk=item_id).update(open_slots=F("open_slots") + slots[item_id])
        list_returned(sorted(slots))
        return len(leases)


def _renewed(leases: list[Lease], plan: Plan, now: datetime) -> list[Lease]:
    """The same leases; expired ones that nobody took are extended."""
    if any(lease.expires < now for lease in leases):
        expires = now + timedelta(minutes=plan.lease_minutes)
        Lease.objects.filter(pk__in=[lease.pk for lease in leases]).update(expires=expires)
    return leases


def _take_work(person: Person, number: int, *, wait: bool) -> list[Item]:
    """Up to `number` items with one slot taken of each; returned ones first."""
    taken: list[Item] = []
    while (missing := number - len(taken)) > 0:
        # an item may be among the returned and among the next ones: take it only once
        mine = {item.pk for item in taken}
        items = _walk_returned(person, missing, mine) or _walk(person, missing, mine)
        if not items and not taken and wait:  # only someone who holds nothing may wait for others
            items = _walk_returned(person, 1, mine, wait=True) or _walk(person, 1, mine, wait=True)
        if not items:
            break
        taken += _take_slots(items)
    return taken


def _walk_returned(
    person: Person, number: int, mine: set[int], *, wait: bool = False
) -> list[Item]:
    """Returned items that nobody else is taking, locked; the cursor stays before the others."""
    after, behind = person.returned_cursor, False
    while True:
        ahead = Returned.objects.filter(pk__gt=after).order_by("pk")
        rows = list(ahead.values_list("pk", "item_id")[:_STEP])
        if not rows:
            return []
        after = rows[-1][0]
        had = mine | _had(person, [item_id for _, item_id in rows])
        fresh = Item.objects.filter(pk__in={i for _, i in rows} - had, open_slots__gt=0)
        free = set(fresh.values_list("pk", flat=True))
        chosen = list(dict.fromkeys(item_id for _, item_id in rows if item_id in free))[:number]
        locking = fresh.filter(pk__in=chosen).order_by("pk")
        locking = locking.select_for_update(skip_locked=not wait, no_key=True)
        items = {item.pk: item for item in locking.defer("gold")}
        for row, item_id in rows:
            behind = behind or (item_id in free and item_id not in items)
            if not behind:
                person.returned_cursor = row
        if items:
            return [items[pk] for pk in chosen if pk in items]


def _walk(person: Person, number: int, mine: set[int], *, wait: bool = False) -> list[Item]:
    """The next items that nobody else is taking at this moment, locked; with `wait`, also those.

    At the front of the queue all ask for the same items: if each waited for the one before, a page
    would take as long as all of theirs together. The cursor stays before skipped items, which are
    checked again with the next page.
    """
    opened, place, behind = opened_place(), person.cursor, False
    while True:
        ahead = Item.objects.filter(open_slots__gt=0, place__gt=place, place__lte=opened)
        seen = list(ahead.order_by("place").values_list("pk", "place")[:_STEP])
        if not seen:
            return []
        place = seen[-1][1]
        had = mine | _had(person, [pk for pk, _ in seen])
        # these items only: one that opens meanwhile was not among those looked up in `had`
        fresh = ahead.filter(pk__in={pk for pk, _ in seen} - had).order_by("place")
        locking = fresh.select_for_update(skip_locked=not wait, no_key=True)
        items = list(locking.defer("gold")[:number])
        passed = had | {item.pk for item in items}
        for pk, at in seen:
            behind = behind or pk not in passed
            if not behind:
                person.cursor = at
        if items:
            return items


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
    """Which of the items the person has judged or skipped."""
    judged = StoredJudgment.objects.filter(person=person, current=True, item_id__in=item_ids)
    return set(judged.values_list("item_id", flat=True))


def _take_slots(items: list[Item]) -> list[Item]:
    """The items, which are locked, with one slot taken of each."""
    Item.objects.filter(pk__in=[item.pk for item in items]).update(open_slots=F("open_slots") - 1)
    full = [item.pk for item in items if item.open_slots == 1]
    Returned.objects.filter(item_id__in=full).delete()
    return items


def _lease_all(person: Person, items: list[Item], plan: Plan, now: datetime) -> list[Lease]:
    """Leases on the items, in their order; an expired one is renewed with its draft.

    Slots are locked until the transaction ends, so it must not take one statement per item.
    """
    held = Lease.objects.filter(person=person, item__in=items)
    known = {lease.item_id: lease for lease in held}
    filled = suggestions_for([item for item in items if item.pk not in known], plan)
    leases = []
    for position, item in enumerate(items):
        lease = known.get(item.pk) or Lease(
            person=person, token=secrets.token_hex(16), suggestion=filled.get(item.pk, {})
        )
        lease.item, lease.position, lease.since, lease.released = item, position, now, False
        lease.expires = now + timedelta(minutes=plan.lease_minutes)
        leases.append(lease)
    Lease.objects.bulk_create([lease for lease in leases if lease.pk is None])
    if known:
        fields = ["position", "since", "released", "expires"]
        Lease.objects.bulk_update([lease for lease in leases if lease.item_id in known], fields)
    return leases


@retried
def draw_audit(plan: Plan) -> int:
    """Let people judge a random sample of what the model answered; returns the sample's size.

    Slots of all other items are closed, except those that someone has. A larger `models.sample`
    adds to the sample; a project that no longer audits gets its slots back.
    """
    run = showing_run(plan) if plan.models.show == "audit" else None
    with write_transaction():
        if run is None:
            end_audit()
            return 0
        answered = ModelAnswer.objects.filter(run=run, error="", item__is_gold=False)
        drawn = answered.filter(sampled=True).count()
        rest = list(answered.filter(sampled=False).order_by("pk").values_list("pk", flat=True))
        more = min(max(plan.models.sample - drawn, 0), len(rest))
        chosen = Random(f"{plan.seed} {run.name} {drawn}").sample(rest, more)
        ModelAnswer.objects.filter(pk__in=chosen).update(sampled=True)
        sample = answered.filter(sampled=True).values("item_id")
        end_audit(Q(pk__in=sample))
        outside = Item.objects.filter(is_gold=False, open_slots__gt=0).exclude(pk__in=sample)
        outside.update(extra=F("extra") - F("open_slots"), open_slots=0)
        return drawn + more


def end_audit(which: Q | None = None) -> None:
    """Open the slots that an audit had closed, of all items or of these."""
    closed = Item.objects.filter(which or Q(), extra__lt=0).order_by("pk")
    ids = list(closed.values_list("pk", flat=True))
    Item.objects.filter(pk__in=ids).update(open_slots=F("open_slots") - F("extra"), extra=0)
    list_returned(ids)
