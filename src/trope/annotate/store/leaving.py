"""Withdrawal: someone ends their part themselves (one short transaction)."""

from __future__ import annotations

import secrets
from datetime import datetime

from trope.annotate.project import Plan
from trope.annotate.store.discipline import close_appeals
from trope.annotate.store.models import Appeal, Event, Judgment, Lease, Person, Standing, Trial
from trope.annotate.store.people import give_back, hashed
from trope.annotate.store.writing import writing

WITHDREW = "withdrew before there was an answer"


def withdraw(person_id: int, plan: Plan, *, now: datetime) -> str:
    """The name under which the person is kept from now on; it says nothing of who they were.

    The profile and the words of appeals are erased, the link ends, work in hand returns to the
    queue. This is open to those on hold or dismissed, too, and ends what they appealed. Answers are
    kept or erased as the consent says; erased ones return their slots, and only the fact that there
    was an answer is left. What was earned stays on the pay sheet under the new name.
    """
    with writing():
        person = Person.objects.select_for_update().get(pk=person_id)
        if person.state == "withdrawn":
            return str(person.name)
        held = Lease.objects.filter(person=person, released=False, item__is_gold=False)
        freed = set(held.values_list("item_id", flat=True))
        if plan.withdrawal.answers == "erase":
            freed |= _erase_answers(person)
        give_back(sorted(freed))
        Lease.objects.filter(person=person).delete()
        _end_appeals(person, now)
        name = _rename(person)
        Standing.objects.filter(person=person).update(profile=None, draft={}, study="", visit="")
        fields = {"state": "withdrawn", "reason": "", "name": name, "conduct": {}, "unread": 0}
        token = hashed(secrets.token_urlsafe(32))
        Person.objects.filter(pk=person_id).update(token_hash=token, **fields)
        detail = {"name": name, "answers": plan.withdrawal.answers}
        Event.objects.create(at=now, who=name, what="withdraw", detail=detail)
        return name


def _erase_answers(person: Person) -> set[int]:
    """Empty every answer; gives the items of which a slot is free again."""
    mine = Judgment.objects.filter(person=person)
    counted = mine.filter(current=True, state="counted")
    freed = set(counted.values_list("item_id", flat=True))
    answered = mine.exclude(state="skipped")  # a skip has no answer, and stays what it is
    answered.update(answers={}, gold_right=None, state="erased", current=False)
    mine.update(seconds=0)
    Trial.objects.filter(person=person).delete()
    return freed


def _end_appeals(person: Person, now: datetime) -> None:
    """Close what nobody has answered, and erase the person's own words: a withdrawal is final."""
    close_appeals(person.pk, WITHDREW, reinstated=False, now=now, by="")
    Appeal.objects.filter(notice__person=person).update(text="")
    for event in Event.objects.filter(who=person.name, what="appeal"):
        Event.objects.filter(pk=event.pk).update(detail=event.detail | {"reason": ""})


def _rename(person: Person) -> str:
    """A name that says nothing, put in place of the old one wherever it is noted."""
    name = f"withdrawn-{person.pk}"
    while Person.objects.filter(name=name).exclude(pk=person.pk).exists():
        name += "x"
    Event.objects.filter(who=person.name).update(who=name)
    for event in Event.objects.filter(detail__name=person.name):
        Event.objects.filter(pk=event.pk).update(detail=event.detail | {"name": name})
    return name
