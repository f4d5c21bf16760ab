"""Judgments: given, skipped, changed, taken back (writes; one short transaction each)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.conf import settings
from django.db import IntegrityError
from django.db.models import F, Min, Q, QuerySet

from trope.annotate.plan import Plan
from trope.annotate.questions import is_right
from trope.annotate.rules.assignment import judgment_state, may_skip, seconds_spent
from trope.annotate.store.database import remember_number, retried, write_transaction
from trope.annotate.store.discipline import check_at_page_end, conduct_after
from trope.annotate.store.models import Item, JudgmentState, Lease, Person, StoredJudgment
from trope.annotate.store.people import ActionRefused, active_person
from trope.annotate.store.queue import (
    Page,
    any_lease_expired,
    has_room_for_late,
    new_page,
    tally_of,
)
from trope.annotate.store.slots import list_returned, return_slots

AnswerReader = Callable[[Item], Mapping[str, Any]]
"""Reads the answers of a form, once its item is known."""

TOO_LATE = (
    "This item was returned because it took too long, and you have reached your limit meanwhile, "
    "so the answer was not stored."
)


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """A judgment, and the page that follows it; None if it must be requested."""

    judgment: StoredJudgment
    page: Page | None = None


@retried
def save_draft(person_id: int, token: str, draft: Mapping[str, Any]) -> bool:
    """Save an unfinished form; False if the person no longer has the item."""
    with write_transaction():
        held = Lease.objects.filter(person_id=person_id, token=token)
        return bool(held.update(draft=dict(draft)))


def latest_judgments(person_id: int, most: int = 50) -> list[StoredJudgment]:
    """The judgments that the person gave last, with their items."""
    given = StoredJudgment.objects.filter(person_id=person_id, current=True).order_by("-pk")
    return list(given.select_related("item")[:most])


def changeable_judgment(person_id: int, judgment_id: int) -> StoredJudgment | None:
    """The person's judgment with that id, if it can be changed."""
    return _changeable(person_id, judgment_id).first()


def _changeable(person_id: int, judgment_id: int) -> QuerySet[StoredJudgment]:
    mine = StoredJudgment.objects.filter(person_id=person_id, current=True, pk=judgment_id)
    fixed = (JudgmentState.SKIPPED, JudgmentState.DISCARDED)
    return mine.exclude(state__in=fixed).select_related("item")


def submit(
    person_id: int, token: str, answers: Mapping[str, Any], plan: Plan, *, now: datetime
) -> StoredJudgment:
    """Store the judgment; the same token again returns the same judgment and stores nothing.

    Its `person` has the updated counters.
    """
    return _remembered(_submit(person_id, token, lambda _: answers, plan, now)).judgment


def submit_and_continue(
    person_id: int, token: str, read: AnswerReader, plan: Plan, *, now: datetime, rng: Random
) -> SubmitResult:
    """Store the judgment and get the next page, in one transaction.

    If `read` raises, nothing changes.
    """
    return _remembered(_submit(person_id, token, read, plan, now, rng=rng))


def skip(person_id: int, token: str, plan: Plan, *, now: datetime) -> StoredJudgment:
    """Skip the item; it goes to someone else and does not come back to this person."""
    if not plan.skip.allowed:
        raise ActionRefused("no_skipping", "This project does not allow skipping.")
    return _remembered(_submit(person_id, token, lambda _: {}, plan, now, skipping=True)).judgment


def _remembered(done: SubmitResult) -> SubmitResult:
    """The result, with its number noted outside the database."""
    remember_number(settings.TROPE_PROJECT, done.judgment.pk)
    return done


@retried
def change(
    person_id: int,
    judgment_id: int,
    token: str,
    answers: Mapping[str, Any],
    plan: Plan,
    *,
    now: datetime,
) -> StoredJudgment:
    """Replace an earlier judgment, which is kept as history."""
    with write_transaction():
        person = active_person(person_id)
        if done := StoredJudgment.objects.filter(token=token, person=person).first():
            return done
        old = _changeable(person.pk, judgment_id).select_for_update(of=("self",)).first()
        if old is None:
            raise ActionRefused("not_yours", "This judgment can no longer be changed.")
        StoredJudgment.objects.filter(pk=old.pk).update(current=False)
        if old.state == JudgmentState.COUNTED and ask_for_more(old.item_id, answers, plan):
            list_returned([old.item_id])
        # the first answer to a control item counts: what was seen since must not improve it
        return StoredJudgment.objects.create(
            item=old.item,
            person=person,
            token=token,
            answers=dict(answers),
            seconds=old.seconds,
            at=now,
            state=old.state,
            gold_right=old.gold_right,
            suggestion=old.suggestion,
            replaces=old,
        )


@retried
def _submit(
    person_id: int,
    token: str,
    read: AnswerReader,
    plan: Plan,
    now: datetime,
    *,
    skipping: bool = False,
    rng: Random | None = None,
) -> SubmitResult:
    try:
        with write_transaction():
            person = active_person(person_id)
            in_hand = _in_hand(person, token)
            lease = next((lease for lease in in_hand if lease.token == token), None)
            if lease is None:  # its token belongs to a judgment now, or never existed
                if done := StoredJudgment.objects.filter(token=token, person=person).first():
                    _check_same(done, read, skipping)
                    done.person = person
                    return SubmitResult(done)
                raise ActionRefused("unknown", "This form is no longer valid. Reload the page.")
            if skipping and not may_skip(person.judged, person.skipped, plan.skip.limit):
                raise ActionRefused("skip_limit", "You have reached the limit of skipped items.")
            if lease.released and not skipping and not has_room_for_late(person, plan, now=now):
                raise ActionRefused("limit", TOO_LATE)
            judgment, reopened = _store(person, lease, dict(read(lease.item)), plan, now, skipping)
            in_hand.remove(lease)
            lease.delete()
            page = None
            if check_at_page_end(person, plan, now):
                person.refresh_from_db()
            else:
                page = _next_page(person, in_hand, plan, now, rng)
            list_returned(reopened)
            return SubmitResult(judgment, page)
    except IntegrityError:
        # the same form was submitted twice at once, and the other one was first
        if done := StoredJudgment.objects.filter(token=token, person_id=person_id).first():
            return SubmitResult(done)
        if not _give_back_judged(person_id, token):
            raise
        raise ActionRefused("judged", "You have already judged this item. Go on.") from None


def _check_same(done: StoredJudgment, read: AnswerReader, skipping: bool) -> None:
    """Refuse a form that was submitted before with another answer; the first one is stored."""
    same = skipping == (done.state == JudgmentState.SKIPPED)
    # only what is in the database counts: lists for tuples, and so on
    if not same or (not skipping and json.loads(json.dumps(read(done.item))) != done.answers):
        raise ActionRefused(
            "submitted",
            "You have already submitted this form with another answer, which is stored. To change "
            "it, go to your earlier judgments.",
        )


@retried
def _give_back_judged(person_id: int, token: str) -> bool:
    """Give back an item that someone holds who has already judged it; whether there was one."""
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        lease = next((one for one in _in_hand(person, token) if one.token == token), None)
        judged = StoredJudgment.objects.filter(person=person, current=True)
        if lease is None or not judged.filter(item=lease.item_id).exists():
            return False
        if not lease.item.is_gold and not lease.released:
            return_slots([lease.item_id])
        lease.delete()
        return True


def _in_hand(person: Person, token: str) -> list[Lease]:
    """The person's open leases, and the lease with the token even if it was released."""
    held = Lease.objects.filter(Q(released=False) | Q(token=token), person=person)
    locking = held.select_for_update(of=("self",)).select_related("item")
    return list(locking.order_by("position"))


def _next_page(
    person: Person, in_hand: list[Lease], plan: Plan, now: datetime, rng: Random | None
) -> Page | None:
    """The rest of the page or a new one in the same transaction; None if leases must be renewed."""
    if in_hand:
        return Page(in_hand) if all(lease.expires >= now for lease in in_hand) else None
    if rng is None or any_lease_expired(plan, now=now):
        return None
    page = new_page(person, plan, now=now, rng=rng)
    return None if page.reason == "finished" else page  # others may be taking what is left


def _store(
    person: Person, lease: Lease, answers: dict[str, Any], plan: Plan, now: datetime, skipping: bool
) -> tuple[StoredJudgment, list[int]]:
    """The judgment, and the item if a slot of it is open again: the caller lists it at the end."""
    item = lease.item
    state, reopened = _take_state(lease, skipping)
    spent = seconds_spent(lease.since, person.last_at, now, plan.lease_minutes)
    right, counts = _gold_right(lease, answers, skipping)
    judgment = StoredJudgment.objects.create(
        item=item,
        person=person,
        token=lease.token,
        answers=answers,
        seconds=spent,
        at=now,
        state=state,
        gold_right=right,
        suggestion=lease.suggestion,
        replaces=lease.undoes,
    )
    if not skipping and _is_news(lease):
        person.conduct = conduct_after(person, item, answers, right, plan).stored()
    if judgment.state == JudgmentState.COUNTED:
        reopened = ask_for_more(item.pk, answers, plan)
    _count(person, spent, right if counts else None, now, skipping)
    return judgment, [item.pk] if reopened else []


def _is_news(lease: Lease) -> bool:
    """Whether this is the person's first answer to the item; the first one counts for the rules,
    even if it was taken back."""
    return lease.undoes is None or lease.undoes.state == JudgmentState.SKIPPED


def ask_for_more(item_id: int, answers: Mapping[str, Any], plan: Plan) -> bool:
    """Open more slots of an item that someone is unsure about, once; whether it did."""
    doubt = plan.doubt
    if not doubt.more or str(answers.get(doubt.question)) not in doubt.values:
        return False
    first = Item.objects.filter(pk=item_id, extra=0)
    return bool(first.update(extra=doubt.more, open_slots=F("open_slots") + doubt.more))


def _gold_right(lease: Lease, answers: dict[str, Any], skipping: bool) -> tuple[bool | None, bool]:
    """Whether a control item was answered right, and whether it is the first answer.

    The first answer counts, even if it was taken back: what was seen since must not improve it.
    """
    if lease.undoes is not None and lease.undoes.gold_right is not None:
        return lease.undoes.gold_right, False
    if skipping or not lease.item.is_gold:
        return None, False
    return is_right(lease.item.gold or {}, answers), True


def _take_state(lease: Lease, skipping: bool) -> tuple[str, bool]:
    """The state of the judgment, and whether it reopened a slot; the item's slots are updated."""
    item = lease.item
    if skipping:
        reopened = not item.is_gold and not lease.released
        if reopened:
            Item.objects.filter(pk=item.pk).update(open_slots=F("open_slots") + 1)
        return JudgmentState.SKIPPED, reopened
    if item.is_gold:
        return JudgmentState.GOLD, False
    if not lease.released:
        return judgment_state(holds_slot=True, open_slots=0), False
    # too late: the slot returned to the queue. One statement, so that nobody can interfere
    free = Item.objects.filter(pk=item.pk, open_slots__gt=0)
    taken = free.update(open_slots=F("open_slots") - 1)
    return judgment_state(holds_slot=False, open_slots=taken), False


def _count(person: Person, spent: float, right: bool | None, now: datetime, skipping: bool) -> None:
    """Update the person's counters, here and in the database."""
    changes: dict[str, Any] = {
        "last_at": now,
        "seconds": person.seconds + spent,
        "conduct": person.conduct,
    }
    if skipping:
        changes["skipped"] = person.skipped + 1
    else:
        tally = tally_of(person, now).plus_one()
        changes |= {
            "judged": tally.total,
            "judged_day": tally.day,
            "judged_week": tally.week,
            "tally_on": tally.on,
        }
    if right is not None:
        changes["gold_seen"] = person.gold_seen + 1
        changes["gold_right"] = person.gold_right + right
    Person.objects.filter(pk=person.pk).update(**changes)
    for name, value in changes.items():
        setattr(person, name, value)


FormFiller = Callable[[Mapping[str, Any], str], Mapping[str, Any]]
"""Answers and the item's text → the values of the form."""


@retried
def undo(person_id: int, plan: Plan, in_form: FormFiller, *, now: datetime) -> None:
    """Give the item judged or skipped last back to the person, with its answers.

    The judgment stays as history. It can be taken back within the time of a lease; so can that of a
    control item, though its first answer counts: otherwise control items could be recognised.

    Raises:
        ActionRefused: if there is nothing to take back, or if someone else got the slot meanwhile.
    """
    with write_transaction():
        person = active_person(person_id)
        given = StoredJudgment.objects.filter(person=person, current=True).order_by("-pk")
        last = given.select_related("item").first()
        if last is None or last.at < now - timedelta(minutes=plan.lease_minutes):
            raise ActionRefused("nothing_to_undo", "There is nothing to take back.")
        if last.state not in (JudgmentState.COUNTED, JudgmentState.GOLD, JudgmentState.SKIPPED):
            raise ActionRefused("too_late", "This judgment can no longer be taken back.")
        if last.state == JudgmentState.SKIPPED:
            _take_slot(last.item)
        StoredJudgment.objects.filter(pk=last.pk).update(current=False)
        _lease_again(person, last, in_form, plan, now)
        _uncount(person, last, now)


def _take_slot(item: Item) -> None:
    """A skipped item has returned its slot: take one, if there is one."""
    free = Item.objects.filter(pk=item.pk, open_slots__gt=0)
    if not item.is_gold and not free.update(open_slots=F("open_slots") - 1):
        raise ActionRefused("too_late", "Someone else has the item now.")


def _lease_again(
    person: Person, last: StoredJudgment, in_form: FormFiller, plan: Plan, now: datetime
) -> None:
    held = Lease.objects.filter(person=person, released=False).aggregate(first=Min("position"))
    Lease.objects.filter(person=person, item=last.item).delete()
    Lease.objects.create(
        item=last.item,
        person=person,
        token=secrets.token_hex(16),
        position=(held["first"] or 0) - 1,
        since=now,
        expires=now + timedelta(minutes=plan.lease_minutes),
        draft=dict(in_form(last.answers, last.item.text)) if last.answers else {},
        suggestion=last.suggestion,
        undoes=last,
    )


def _uncount(person: Person, last: StoredJudgment, now: datetime) -> None:
    """Remove the judgment from the person's counters; its time stays."""
    if last.state == JudgmentState.SKIPPED:
        Person.objects.filter(pk=person.pk).update(skipped=F("skipped") - 1)
        return
    tally = tally_of(person, now)
    Person.objects.filter(pk=person.pk).update(
        judged=tally.total - 1,
        judged_day=max(tally.day - 1, 0),
        judged_week=max(tally.week - 1, 0),
        tally_on=tally.on,
    )
