"""Membership: sign-on, open links, consent, profile, reading, stage, withdrawal.

Warnings, holds and dismissals are in `discipline`; they stop someone at any stage, and whoever is
reinstated continues at that stage.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.crypto import salted_hmac

from trope.annotate.plan import Plan
from trope.annotate.rules.assignment import Tally
from trope.annotate.rules.selection import CompletedStages, Stage, must_read_again, stage
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.discipline import close_appeals
from trope.annotate.store.models import (
    Appeal,
    ApplicationVerdict,
    ConsentText,
    Event,
    JudgmentState,
    Lease,
    Person,
    PersonState,
    Standing,
    StoredJudgment,
    Trial,
)
from trope.annotate.store.people import (
    ActionRefused,
    Arrival,
    active_person,
    hash_token,
    invite,
    keyed,
    person_by_token,
)
from trope.annotate.store.slots import lock_leases, lock_places, return_slots
from trope.core.errors import BadInput

NOT_ELIGIBLE = "profile"
NOT_TRAINED = "training"
_FRESH = timedelta(hours=2)
"""How long after opening the guidelines can be confirmed."""


def standing_of(person: Person) -> Standing:
    """The person's standing; a new one for someone who has none yet."""
    try:
        return person.standing
    except Standing.DoesNotExist:
        return Standing(person=person)


def locked_standing(person_id: int) -> Standing:
    """The standing, for a change of it; the person is active."""
    person = active_person(person_id)
    standing, _ = Standing.objects.get_or_create(person=person)
    return standing


def stage_of(person: Person, plan: Plan, *, now: datetime) -> Stage:
    """The person's current stage."""
    standing = standing_of(person)
    found = stage(plan.stages, _completed(person, standing, plan))
    if found != "work":
        return found
    tally = Tally(person.tally_on, person.judged_day, person.judged_week, person.judged)
    again = must_read_again(
        plan.reading, plan.caps, tally, worked=person.last_at, read=standing.read, now=now
    )
    return "rereading" if again else "work"


def _completed(person: Person, standing: Standing, plan: Plan) -> CompletedStages:
    agreed = standing.consent_version in ("", plan.consent_version)
    return CompletedStages(
        consented=person.consented is not None and agreed,
        trusted=standing.trusted,
        verdict=standing.verdict,
        profiled=standing.profile is not None,
        read=standing.read is not None,
        trained=standing.trained,
        demonstrated=standing.demo_finished is not None,
    )


@retried
def sign_on_account(email: str, subject: str, role: str, *, now: datetime) -> Person:
    """The account of someone who has signed on; made the first time.

    It is found by `subject`, which the provider gives to nobody else, and of which a keyed hash is
    stored. Someone who was invited under their address keeps that account. The role is the one that
    the plan gives them now.

    Raises:
        ActionRefused: the address belongs to another account, or the person has withdrawn.
    """
    visit = keyed(subject)
    with write_transaction():
        lock_places()  # two windows may come back at once
        own = Person.objects.filter(standing__outside__isnull=True)
        person = own.filter(standing__visit=visit).first()
        if person is None:
            person = Person.objects.filter(name__iexact=email).first()
            if person is None:
                token = hash_token(secrets.token_urlsafe(32))  # a link that nobody has
                person = Person.objects.create(
                    name=email, role=role, token_hash=token, joined=now, tally_on=now.date()
                )
                Event.objects.create(at=now, who=email, what="sign on", detail={"role": role})
            standing, _ = Standing.objects.get_or_create(person=person)
            if standing.outside or standing.visit:
                raise ActionRefused(
                    "taken",
                    "Your e-mail address is already in use here by another account. Ask the owner "
                    "of the project.",
                )
            Standing.objects.filter(pk=person.pk).update(visit=visit)
        if person.state == PersonState.WITHDRAWN:
            raise ActionRefused("gone", "You have withdrawn from this project.")
        if person.role != role:
            detail = {"name": person.name, "role": role}
            Event.objects.create(at=now, who="sign-on", what="role", detail=detail)
            Person.objects.filter(pk=person.pk).update(role=role)
        return Person.objects.get(pk=person.pk)


MOST_PLACES = 10_000
"""Most people that one open link brings."""


@dataclass(frozen=True, slots=True)
class OpenLink:
    """A link by which anyone may join, until its places are taken; `number` names its event."""

    number: int
    key: str
    places: int
    until: datetime
    taken: int = 0
    closed: bool = False

    def problem(self, now: datetime) -> str:
        """Why the link brings nobody else; "" if it does."""
        if self.closed:
            return "closed"
        if now > self.until:
            return "expired"
        return "full" if self.taken >= self.places else ""


@retried
def make_open_link(*, places: int, days: int, now: datetime, by: str) -> str:
    """The token of a new open link. It is shown once; only its hash is stored, in the audit trail.

    Raises:
        BadInput: for an invalid number of places or days.
    """
    if not 1 <= places <= MOST_PLACES:
        raise BadInput(f"a link must be for 1 to {MOST_PLACES:,} people, got {places}")
    if not 1 <= days <= 366:
        raise BadInput(f"a link must be valid for 1 to 366 days, got {days}")
    token = secrets.token_urlsafe(32)
    until = (now + timedelta(days=days)).isoformat()
    detail = {"link": hash_token(token), "places": places, "until": until}
    with write_transaction():
        Event.objects.create(at=now, who=by, what=_OPEN, detail=detail)
    return token


_OPEN, _CLOSE, _ARRIVE = "open link", "close link", "join by link"


def open_links() -> list[OpenLink]:
    """All open links, the latest first."""
    return [_open_link(made) for made in Event.objects.filter(what=_OPEN).order_by("-pk")]


def find_open_link(token: str) -> OpenLink | None:
    """The open link with that token, if there is one."""
    made = Event.objects.filter(what=_OPEN, detail__link=hash_token(token)).first()
    return _open_link(made) if made else None


def _open_link(made: Event) -> OpenLink:
    # a place that was taken stays taken, even if the person withdraws: events are never deleted
    key = made.detail["link"]
    about = Event.objects.filter(detail__link=key)
    return OpenLink(
        made.pk,
        key,
        made.detail["places"],
        datetime.fromisoformat(made.detail["until"]),
        taken=about.filter(what=_ARRIVE).count(),
        closed=about.filter(what=_CLOSE).exists(),
    )


@retried
def close_link(number: int, *, now: datetime, by: str) -> bool:
    """Let an open link bring nobody else; who came by it stays. False: there is no such link."""
    with write_transaction():
        lock_places()
        made = Event.objects.filter(what=_OPEN, pk=number).first()
        if made is None:
            return False
        if not _open_link(made).closed:
            detail = {"link": made.detail["link"]}
            Event.objects.create(at=now, who=by, what=_CLOSE, detail=detail)
        return True


def way_back(token: str, visit: str) -> str:
    """The token of the own link of someone who joins by an open one.

    It follows from their form, so that a form that is sent twice makes one account.
    """
    made = salted_hmac("trope.annotate.open", f"{token} {visit}", algorithm="sha256")
    return base64.urlsafe_b64encode(made.digest()).decode().rstrip("=")


@retried
def join_by_link(token: str, visit: str, name: str, *, now: datetime) -> Arrival:
    """The account of someone who joins by an open link, under this name or one that is made up.

    Raises:
        BadInput: for a name that is taken or cannot be used.
    """
    own = way_back(token, visit)
    with write_transaction():
        lock_places()  # two people may want the last place
        link = find_open_link(token)
        if link is None:
            return Arrival(None, "invalid")
        if person := person_by_token(own):
            return Arrival(person)
        if problem := link.problem(now):
            return Arrival(None, problem)
        name = name.strip() or _guest_name()
        invite(name, now=now, by=name)
        Person.objects.filter(name=name).update(token_hash=hash_token(own))
        Event.objects.create(at=now, who=name, what=_ARRIVE, detail={"link": link.key})
        return Arrival(person_by_token(own))


def _guest_name() -> str:
    """A name that says nothing about the person, and that nobody has."""
    while Person.objects.filter(name=(name := f"guest-{secrets.token_hex(3)}")).exists():
        pass
    return name


@retried
def consent(person_id: int, plan: Plan, *, now: datetime) -> None:
    """Record that the person agreed, when, and to which text; the text is kept too."""
    version = plan.consent_version
    with write_transaction():
        standing = locked_standing(person_id)
        if standing.person.consented is not None and standing.consent_version == version:
            return
        text = f"{plan.consent.strip()}\n\n{plan.withdrawal.sentence}".strip()
        ConsentText.objects.get_or_create(version=version, defaults={"text": text, "since": now})
        Person.objects.filter(pk=person_id).update(consented=now)
        Standing.objects.filter(pk=person_id).update(consent_version=version)
        detail = {"version": version}
        Event.objects.create(at=now, who=standing.person.name, what="consent", detail=detail)


@retried
def save_profile(person_id: int, answers: Mapping[str, Any], plan: Plan, *, now: datetime) -> bool:
    """Whether the person may take part. The first profile counts, so that nobody can try out what
    is accepted; only the owner can accept someone afterwards."""
    with write_transaction():
        standing = locked_standing(person_id)
        if standing.profile is None:
            standing.profile = dict(answers)
            standing.weight = plan.profile.weight(answers)
            if not plan.profile.admits(answers) and not standing.verdict:
                standing.verdict, standing.why = "declined", NOT_ELIGIBLE
            standing.save(update_fields=["profile", "weight", "verdict", "why"])
            Event.objects.create(at=now, who=standing.person.name, what="profile")
        return bool(standing.verdict != ApplicationVerdict.DECLINED)


@retried
def confirm_reading(person_id: int, opened: datetime, plan: Plan, *, now: datetime) -> None:
    """Record that the guidelines were read.

    Raises:
        ActionRefused: if the page was opened before the last judgment, long ago, or just now.
    """
    with write_transaction():
        standing = locked_standing(person_id)
        worked = standing.person.last_at
        if not now - _FRESH <= opened <= now or (worked is not None and opened <= worked):
            raise ActionRefused(
                "open_first", "Please open the guidelines again, then confirm that you read them."
            )
        if now - opened < timedelta(seconds=plan.reading.least_seconds):
            raise ActionRefused("too_soon", "Please take the time to read the guidelines.")
        Standing.objects.filter(pk=person_id).update(read=now)
        Event.objects.create(at=now, who=standing.person.name, what="read guidelines")


WITHDREW = "withdrew before there was an answer"


@retried
def withdraw(person_id: int, plan: Plan, *, now: datetime) -> str:
    """Withdraw the person; returns their new name, which does not identify them.

    The profile and the text of appeals are erased, the link ends, open items return to the queue.
    People on hold or dismissed can withdraw too, which closes their appeals. Answers are kept or
    erased as the consent says; erased ones return their slots, and only the fact that there was an
    answer is left. The pay stays on the pay sheet under the new name.
    """
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        if person.state == PersonState.WITHDRAWN:
            return str(person.name)
        lock_leases(person)
        held = Lease.objects.filter(person=person, released=False, item__is_gold=False)
        freed = set(held.values_list("item_id", flat=True))
        if plan.withdrawal.answers == "erase":
            freed |= _erase_answers(person)
        return_slots(sorted(freed))
        Lease.objects.filter(person=person).delete()
        _end_appeals(person, now)
        name = _rename(person)
        mine = Standing.objects.filter(person=person)
        mine.update(profile=None, draft={}, study="")
        # of someone who signs on, a keyed hash remains, as it does of a worker: nobody comes back
        mine.filter(outside__isnull=False).update(visit="")
        fields = {
            "state": PersonState.WITHDRAWN,
            "reason": "",
            "name": name,
            "conduct": {},
            "unread": 0,
        }
        token = hash_token(secrets.token_urlsafe(32))
        Person.objects.filter(pk=person_id).update(token_hash=token, **fields)
        detail = {"name": name, "answers": plan.withdrawal.answers}
        Event.objects.create(at=now, who=name, what="withdraw", detail=detail)
        return name


def _erase_answers(person: Person) -> set[int]:
    """Erase every answer; returns the items with a slot that is open again."""
    mine = StoredJudgment.objects.filter(person=person)
    counted = mine.filter(current=True, state=JudgmentState.COUNTED)
    freed = set(counted.values_list("item_id", flat=True))
    answered = mine.exclude(state=JudgmentState.SKIPPED)  # a skip has no answer, and stays as it is
    answered.update(answers={}, gold_right=None, state=JudgmentState.ERASED, current=False)
    mine.update(seconds=0)
    Trial.objects.filter(person=person).delete()
    return freed


def _end_appeals(person: Person, now: datetime) -> None:
    """Close open appeals, and erase the person's own words: a withdrawal is final."""
    close_appeals(person.pk, WITHDREW, reinstated=False, now=now, by="")
    Appeal.objects.filter(notice__person=person).update(text="")
    for event in Event.objects.filter(who=person.name, what="appeal"):
        Event.objects.filter(pk=event.pk).update(detail=event.detail | {"reason": ""})


def _rename(person: Person) -> str:
    """A neutral name, put in place of the old one wherever it is stored."""
    name = f"withdrawn-{person.pk}"
    while Person.objects.filter(name=name).exclude(pk=person.pk).exists():
        name += "x"
    Event.objects.filter(who=person.name).update(who=name)
    for event in Event.objects.filter(detail__name=person.name):
        Event.objects.filter(pk=event.pk).update(detail=event.detail | {"name": name})
    return name
