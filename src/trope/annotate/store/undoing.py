"""The last submission, taken back (a write; one short transaction)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Min

from trope.annotate.project import Plan
from trope.annotate.store.judging import Refused, active_person
from trope.annotate.store.models import Item, Judgment, Lease, Person
from trope.annotate.store.queue import tally_of
from trope.annotate.store.writing import writing

InForm = Callable[[Mapping[str, Any], str], Mapping[str, Any]]
"""Answers and the item's text → what the form holds that gave them."""


def undo(person_id: int, plan: Plan, in_form: InForm, *, now: datetime) -> None:
    """Put the item judged or skipped last back into the person's hands, with its answers.

    The judgment stays as history. It can be taken back within the time of a lease; a control item
    too, though its first answer stands, for otherwise control items could be told from others.

    Raises:
        Refused: if there is nothing to take back, or if someone else has got the slot meanwhile.
    """
    with writing():
        person = active_person(person_id)
        given = Judgment.objects.filter(person=person, current=True).order_by("-pk")
        last = given.select_related("item").first()
        if last is None or last.at < now - timedelta(minutes=plan.lease_minutes):
            raise Refused("nothing_to_undo", "There is nothing that can be taken back.")
        if last.state not in ("counted", "gold", "skipped"):
            raise Refused("too_late", "This judgment cannot be taken back any more.")
        if last.state == "skipped":
            _take_slot(last.item)
        Judgment.objects.filter(pk=last.pk).update(current=False)
        _lease_again(person, last, in_form, plan, now)
        _uncount(person, last, now)


def _take_slot(item: Item) -> None:
    """A skipped item has given its slot back: take one, if there is one."""
    free = Item.objects.filter(pk=item.pk, open_slots__gt=0)
    if not item.is_gold and not free.update(open_slots=F("open_slots") - 1):
        raise Refused("too_late", "Someone else has got the item meanwhile.")


def _lease_again(
    person: Person, last: Judgment, in_form: InForm, plan: Plan, now: datetime
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
        undoes=last,
    )


def _uncount(person: Person, last: Judgment, now: datetime) -> None:
    """Take the judgment out of the person's counters; the time that it took stays."""
    if last.state == "skipped":
        Person.objects.filter(pk=person.pk).update(skipped=F("skipped") - 1)
        return
    tally = tally_of(person, now)
    Person.objects.filter(pk=person.pk).update(
        judged=tally.total - 1,
        judged_day=max(tally.day - 1, 0),
        judged_week=max(tally.week - 1, 0),
        tally_on=tally.on,
    )
