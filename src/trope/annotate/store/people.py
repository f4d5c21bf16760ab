"""Accounts: invitations, sessions, and signed links for external workers.

A link for external workers is signed with the project's secret. It holds the study and its last
day, and either a worker's id (a link for one person) or none: then the id comes with the parameters
that Prolific adds, and whoever comes back must bring the session of their first visit, so that
nobody signs in as someone else whose id they know. A panel that shares a key with the project can
sign the parameters instead; such an address works once.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.db import IntegrityError
from django.db.models import F, Subquery
from django.utils.crypto import constant_time_compare, salted_hmac

from trope.annotate.plan import Plan
from trope.annotate.project import ROLES
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.models import (
    ApplicationVerdict,
    Event,
    Person,
    PersonState,
    Standing,
    State,
)
from trope.annotate.store.slots import lock_places
from trope.core.errors import BadInput, TropeError, UnknownName


class ActionRefused(TropeError):
    """An action that is not allowed; `code` is for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message

    def __str__(self) -> str:
        return self.message


def active_person(person_id: int) -> Person:
    """The person, locked, for a change of their work.

    Raises:
        ActionRefused: for someone who is on hold, dismissed or withdrawn.
    """
    person = Person.objects.select_for_update().get(pk=person_id)
    if person.state != PersonState.ACTIVE:
        raise ActionRefused(person.state, "Your work on this project has ended or is on hold.")
    return person


def hash_token(token: str) -> str:
    """The stored form of an invitation's token."""
    return hashlib.sha256(token.encode()).hexdigest()


@retried
def invite(
    name: str, *, now: datetime, role: str = "annotator", by: str = "", trusted: bool = False
) -> str:
    """The token of a new person's link. It is shown once; only its hash is stored.

    A trusted person starts work at once: no profile, training, demo task or selection.

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
        with write_transaction():
            person = Person.objects.create(
                name=name, role=role, token_hash=hash_token(token), joined=now, tally_on=now.date()
            )
            Standing.objects.create(person=person, trusted=trusted)
            Event.objects.create(at=now, who=by, what="invite", detail={"name": name, "role": role})
    except IntegrityError:
        raise BadInput(f"the name {name!r} is already taken; choose another one") from None
    return token


MOST_INVITED = 500
"""People that are invited at once."""


@retried
def invite_all(
    names: Sequence[str], *, now: datetime, role: str, by: str, trusted: bool
) -> dict[str, str]:
    """The tokens of new people by name; all of them are invited, or none.

    Raises:
        BadInput: for no name, too many, and any that cannot be invited.
    """
    if not 1 <= len(names) <= MOST_INVITED:
        raise BadInput(f"give 1 to {MOST_INVITED} names, one per line, got {len(names)}")
    with write_transaction():
        return {n: invite(n, now=now, role=role, by=by, trusted=trusted) for n in names}


@retried
def renew_invitation(name: str, *, now: datetime, by: str = "") -> str:
    """A new token for an existing person; the old link and sessions end."""
    token = secrets.token_urlsafe(32)
    with write_transaction():
        if not Person.objects.filter(name=name).update(token_hash=hash_token(token)):
            raise BadInput(f"nobody has the name {name!r}; invite them first")
        Event.objects.create(at=now, who=by, what="renew", detail={"name": name})
    return token


def person_by_token(token: str) -> Person | None:
    """The person whose link has that token, if there is one."""
    return Person.objects.filter(token_hash=hash_token(token)).first()


def find_person(person_id: int) -> Person | None:
    """The person with that id and their standing, if there is one.

    What every request needs comes along: `plan_version` and `paused` of the project.
    """
    state = State.objects.filter(pk=1)
    people = Person.objects.select_related("standing").annotate(
        plan_version=Subquery(state.values("plan")), paused=Subquery(state.values("paused"))
    )
    return people.filter(pk=person_id).first()


def find_annotator(person_id: int) -> Person | None:
    """The annotator with that id, if there is one."""
    return Person.objects.filter(pk=person_id, role="annotator").first()


def able_annotators(plan: Plan) -> list[int]:
    """Ids of annotators who may still judge: active, not declined, not at the limit in all."""
    able = Person.objects.filter(role="annotator", state=PersonState.ACTIVE).exclude(
        standing__verdict=ApplicationVerdict.DECLINED
    )
    if plan.caps.total:
        able = able.filter(judged__lt=plan.caps.total)
    return list(able.filter(standing__completed=None).values_list("pk", flat=True))


def any_annotator() -> bool:
    """Whether anyone is there to judge."""
    return bool(Person.objects.filter(role="annotator").exists())


def is_known(name: str) -> bool:
    """Whether someone has that name."""
    return bool(Person.objects.filter(name=name).exists())


def person_states() -> dict[str, tuple[int, str]]:
    """The id and the state of everyone, by name."""
    rows = Person.objects.values_list("name", "pk", "state")
    return {name: (number, state) for name, number, state in rows}


def events_about(name: str, most: int = 50) -> list[Event]:
    """What was done about a person, the latest first."""
    return list(Event.objects.filter(detail__name=name).order_by("-pk")[:most])


@retried
def end_sessions(person_id: int) -> None:
    """End all sessions of the person, including copied ones."""
    with write_transaction():
        Person.objects.filter(pk=person_id).update(sessions_ended=F("sessions_ended") + 1)


_log = logging.getLogger("trope.annotate")
_LINK_SALT = "trope.annotate.outside"
_WORKER_ID = re.compile(r"[A-Za-z0-9@._-]{1,64}")
PROLIFIC = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
# what Mechanical Turk calls the same
_MTURK = {"workerId": "PROLIFIC_PID", "assignmentId": "SESSION_ID", "hitId": "STUDY_ID"}


@dataclass(frozen=True, slots=True)
class Arrival:
    """The account of a visitor, or why there is none: "taken", "full", "gone"."""

    person: Person | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Visitor:
    """The worker named by a link; `visit` is empty for a link signed for one worker.

    `places` is how many workers there may be when someone comes by the link (0: no limit). `once`
    is the panel's signature, empty where it signs nothing.
    """

    worker: str
    visit: str
    study: str
    places: int = 0
    once: str = ""


OPEN_PLACES = 200
"""How many workers a link brings that names none, unless the owner says otherwise."""


def make_link_token(
    *,
    now: datetime,
    days: int,
    study: str = "",
    worker: str = "",
    places: int = OPEN_PLACES,
    signed: bool = False,
) -> str:
    """The signed part of a link for external workers.

    Whoever knows a link that names no worker can make up ids, so that its `places` end; unless it
    is `signed`: then the panel must sign the id.

    Raises:
        BadInput: for an invalid number of days or places, or an invalid id.
    """
    if not 1 <= places <= 1_000_000:
        raise BadInput(f"a link must be for 1 to 1,000,000 workers, got {places}")
    if not 1 <= days <= 366:
        raise BadInput(f"a link must be valid for 1 to 366 days, got {days}")
    for name, given in (("worker", worker), ("study", study)):
        if given and not _WORKER_ID.fullmatch(given):
            raise BadInput(f"a {name} id has 1 to 64 letters, digits, @ . _ or -, got {given!r}")
    if signed and worker:
        raise BadInput("a link for one worker needs no signature of a panel; leave --signed out")
    until = (now + timedelta(days=days)).isoformat()
    link = {"until": until, "study": study, "worker": worker, "places": 0 if worker else places}
    return signing.dumps(link | ({"signed": True} if signed else {}), salt=_LINK_SALT)


def link_path(token: str, *, worker: str = "", signed: bool = False) -> str:
    """The address behind the host; without a worker, with the parameters that a panel fills in."""
    ending = "PROLIFIC_PID=ID&expires=SECONDS&signature=HMAC" if signed else PROLIFIC
    return f"/outside/{token}" + ("" if worker else f"?{ending}")


def sign_address(key: str, address: str) -> str:
    """The signature of a panel: HMAC-SHA256 of an address from its path on, in hexadecimal."""
    return hmac.new(key.encode(), address.encode(), hashlib.sha256).hexdigest()


def read_link(
    token: str, given: Mapping[str, str], *, now: datetime, query: str = ""
) -> Visitor | str:
    """The visitor behind a link and its parameters, or what is wrong with them; stores nothing.

    `query` holds the parameters as they came, which a panel may have signed.
    """
    try:
        link = signing.loads(token, salt=_LINK_SALT)
    except signing.BadSignature:
        return "invalid"
    if now > datetime.fromisoformat(link["until"]):
        return "expired"
    given = {_MTURK.get(name, name): value for name, value in given.items()}
    study = given.get("STUDY_ID", "") or link["study"]
    if link["study"] and study != link["study"]:
        return "other_study"
    worker = link["worker"] or given.get("PROLIFIC_PID", "")
    if link.get("signed"):
        return _unsigned(token, query, given, now) or Visitor(
            worker, "", study[:100], link["places"], once=keyed(query)
        )
    visit = "" if link["worker"] else given.get("SESSION_ID", "")
    if not _WORKER_ID.fullmatch(worker) or (not link["worker"] and not _WORKER_ID.fullmatch(visit)):
        return "no_id"
    return Visitor(worker, visit, study[:100], link.get("places", 0))


def _unsigned(token: str, query: str, given: Mapping[str, str], now: datetime) -> str:
    """What is wrong with the parameters that a panel has to sign, "" if nothing.

    The signature comes last, and everything before it is signed, so that nothing can be added.
    """
    try:
        key = settings.TROPE_PROJECT.panel_key
    except TropeError as error:
        _log.error("%s", error)
        return "unsigned"
    signed, _, signature = query.rpartition("&signature=")
    right = sign_address(key, f"/outside/{token}?{signed}")
    if not constant_time_compare(right, signature):
        return "unsigned"
    expires = given.get("expires", "")
    if not re.fullmatch(r"[0-9]{1,12}", expires) or now.timestamp() > int(expires):
        return "expired"
    return "" if _WORKER_ID.fullmatch(given.get("PROLIFIC_PID", "")) else "no_id"


@retried
def admit_worker(visitor: Visitor, plan: Plan, *, now: datetime) -> Arrival:
    """The account of the worker behind a link; made on the first visit."""
    if not visitor.once and (found := _known_account(visitor)):
        return found
    with write_transaction():
        lock_places()  # two windows may open at once, or two workers may want the last place
        entries = Event.objects.filter(what="enter", who=visitor.worker)
        if visitor.once and entries.filter(detail__once=visitor.once).exists():
            return Arrival(None, "used")
        arrival = _known_account(visitor) or _new_account(visitor, plan, now)
        if visitor.once and arrival.person:
            detail = {"once": visitor.once}
            Event.objects.create(at=now, who=visitor.worker, what="enter", detail=detail)
        return arrival


def is_known_worker(visitor: Visitor) -> bool:
    """Whether the worker has an account."""
    return _known_account(visitor) is not None


def completion_code(standing: Standing, plan: Plan) -> str:
    """The worker's completion code: the configured one, else one derived from the secret."""
    if plan.outside.completion_code:
        return plan.outside.completion_code
    digest = salted_hmac("trope.annotate.completion", str(standing.outside), algorithm="sha256")
    return base64.b32encode(digest.digest())[:10].decode()


@retried
def complete_work(person_id: int, plan: Plan, *, now: datetime) -> str:
    """The completion code of an external worker at the end of their work; "" for anyone else, and
    for those who have judged nothing."""
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        standing = Standing.objects.filter(person=person, outside__isnull=False).first()
        if standing is None or person.state != PersonState.ACTIVE or not person.judged:
            return ""
        if standing.completed is None:
            Standing.objects.filter(pk=person_id).update(completed=now)
            Event.objects.create(at=now, who=person.name, what="complete")
        return completion_code(standing, plan)


def _new_account(visitor: Visitor, plan: Plan, now: datetime) -> Arrival:
    worker, visit = visitor.worker, visitor.visit
    if Person.objects.filter(name=worker).exists():
        return Arrival(None, "taken")
    places = min(filter(None, (plan.outside.places, visitor.places)), default=0)
    if places and Standing.objects.filter(outside__isnull=False).count() >= places:
        return Arrival(None, "full")
    person = Person.objects.create(
        name=worker,
        token_hash=hash_token(secrets.token_urlsafe(32)),
        joined=now,
        tally_on=now.date(),
    )
    Standing.objects.create(
        person=person,
        outside=keyed(worker),
        visit=keyed(visit) if visit else "",
        study=visitor.study,
    )
    Event.objects.create(at=now, who=worker, what="arrive", detail={"study": visitor.study})
    return Arrival(person)


def _known_account(visitor: Visitor) -> Arrival | None:
    """The account of a returning worker, if they can prove that it is theirs."""
    mine = Standing.objects.filter(outside=keyed(visitor.worker))
    standing = mine.select_related("person").first()
    if standing is None:
        return None
    if standing.person.state == PersonState.WITHDRAWN:
        return Arrival(None, "gone")
    if visitor.visit and not constant_time_compare(standing.visit, keyed(visitor.visit)):
        return Arrival(None, "taken")
    return Arrival(standing.person)


def keyed(value: str) -> str:
    """A hash keyed with the project's secret: who withdrew cannot come back as someone new."""
    return salted_hmac("trope.annotate.worker", value, algorithm="sha256").hexdigest()
