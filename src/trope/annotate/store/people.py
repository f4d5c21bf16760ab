"""People: invitations, dismissal (writes; one short transaction each)."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime

from django.db import IntegrityError
from django.db.models import F

from trope.annotate.project import ROLES
from trope.annotate.store.models import (
    Event,
    Item,
    Judgment,
    Lease,
    Notice,
    Person,
    Returned,
    Standing,
    State,
)
from trope.annotate.store.writing import writing
from trope.core.errors import BadInput, UnknownName


def hashed(token: str) -> str:
    """What is stored of an invitation's token."""
    return hashlib.sha256(token.encode()).hexdigest()


def invite(
    name: str, *, now: datetime, role: str = "annotator", by: str = "", trusted: bool = False
) -> str:
    """The token of a new person's link. It is shown once; only its hash is stored.

    Whom the owner trusts goes straight to work: no profile, training, demo task or selection.

    Raises:
        BadInput: for an empty, overlong or taken name.
    """
    name = name.strip()
    if role not in ROLES:
        raise UnknownName("role", role, ROLES)
    if not name or len(name) > 100 or not name.isprintable():
        raise BadInput(f"a name must have 1 to 100 printable characters, got {name[:20]!r}")
    token = secrets.token_urlsafe(32)
    try:
        with writing():
            person = Person.objects.create(
                name=name, role=role, token_hash=hashed(token), joined=now, tally_on=now.date()
            )
            Standing.objects.create(person=person, trusted=trusted)
            Event.objects.create(at=now, who=by, what="invite", detail={"name": name, "role": role})
    except IntegrityError:
        raise BadInput(f"someone is called {name!r} already; choose another name") from None
    return token


def renew_invitation(name: str, *, now: datetime, by: str = "") -> str:
    """A new token for someone who exists; the old link and sessions end."""
    token = secrets.token_urlsafe(32)
    with writing():
        if not Person.objects.filter(name=name).update(token_hash=hashed(token)):
            raise BadInput(f"nobody is called {name!r}; invite them first")
        Event.objects.create(at=now, who=by, what="renew", detail={"name": name})
    return token


def person_of(token: str) -> Person | None:
    """Whose link has that token, if anyone's."""
    return Person.objects.filter(token_hash=hashed(token)).first()


def end_sessions(person_id: int) -> None:
    """End all sessions of the person, also those of which someone has kept a copy."""
    with writing():
        Person.objects.filter(pk=person_id).update(sessions_ended=F("sessions_ended") + 1)


def dismiss(person_id: int, reason: str, *, now: datetime, by: str = "", rule: str = "") -> int:
    """End someone's work. Gives the number of judgments that no longer count.

    Their judgments are kept but marked, their slots and unfinished items return to the queue.
    """
    with writing():
        person = Person.objects.select_for_update().get(pk=person_id)
        if person.state in ("dismissed", "withdrawn"):
            return 0
        counted = Judgment.objects.filter(person=person, current=True, state="counted")
        held = Lease.objects.filter(person=person, released=False, item__is_gold=False)
        # an item is either judged or held by one person, so that each gets one slot back
        freed = sorted(
            {*counted.values_list("item_id", flat=True), *held.values_list("item_id", flat=True)}
        )
        give_back(freed)
        number: int = counted.update(state="discarded")
        Lease.objects.filter(person=person).delete()
        Person.objects.filter(pk=person_id).update(state="dismissed", reason=reason)
        Notice.objects.create(person=person, at=now, kind="dismissal", rule=rule, text=reason)
        Event.objects.create(
            at=now, who=by, what="dismiss", detail={"name": person.name, "reason": reason}
        )
        return number


def give_back(item_ids: list[int], step: int = 500) -> None:
    """Reopen a slot of each item, and put the items where everyone finds them."""
    for start in range(0, len(item_ids), step):
        part = item_ids[start : start + step]
        list(Item.objects.filter(pk__in=part).order_by("pk").select_for_update().values("pk"))
        Item.objects.filter(pk__in=part).update(open_slots=F("open_slots") + 1)
    announce(item_ids)


def announce(item_ids: list[int]) -> None:
    """Add the items to the returned ones, in the order in which transactions end.

    On PostgreSQL ids are drawn before a commit; without the lock someone's walk could pass an id
    that appears later.
    """
    if item_ids:
        list(State.objects.select_for_update().values("pk"))
        Returned.objects.bulk_create([Returned(item_id=item_id) for item_id in item_ids])


def one_at_a_time() -> None:
    """Within a transaction, wait until nobody else counts places or people."""
    State.objects.get_or_create(pk=1)
    list(State.objects.select_for_update().values("pk"))
