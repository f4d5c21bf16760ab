"""Workers from elsewhere: signed links, one account a worker, a code at the end.

A link is signed with the project's secret. It holds the study and its last day, and either a
worker's id (a link for one) or none: then the id comes with the parameters that Prolific adds, and
whoever comes back must bring the session of their first visit, so that nobody enters in the name
of someone else whose id they know.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac

from trope.annotate.project import Plan
from trope.annotate.store.models import Event, Person, Standing
from trope.annotate.store.people import hashed, one_at_a_time
from trope.annotate.store.writing import writing
from trope.core.errors import BadInput

_SALT = "trope.annotate.outside"
_ID = re.compile(r"[A-Za-z0-9@._-]{1,64}")
PROLIFIC = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


@dataclass(frozen=True, slots=True)
class Arrival:
    """Who has come in, or why nobody has: "taken", "full", "gone"."""

    person: Person | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who a link says has come; `visit` is empty for a link that was signed for one worker."""

    worker: str
    visit: str
    study: str


def make_link_token(*, now: datetime, days: int, study: str = "", worker: str = "") -> str:
    """The signed part of a link for workers from elsewhere.

    Raises:
        BadInput: for a number of days or an id that cannot be.
    """
    if not 1 <= days <= 366:
        raise BadInput(f"a link must last 1 to 366 days, got {days}")
    for name, given in (("worker", worker), ("study", study)):
        if given and not _ID.fullmatch(given):
            raise BadInput(f"a {name} id has 1 to 64 letters, digits, @ . _ or -, got {given!r}")
    until = (now + timedelta(days=days)).isoformat()
    return signing.dumps({"until": until, "study": study, "worker": worker}, salt=_SALT)


def link_path(token: str, *, worker: str = "") -> str:
    """The address behind the host; without a worker, with the parameters that Prolific fills in."""
    return f"/outside/{token}" + ("" if worker else f"?{PROLIFIC}")


def look(token: str, given: Mapping[str, str], *, now: datetime) -> Visitor | str:
    """Who comes with a link and its parameters, or what is wrong with them; nothing is stored."""
    try:
        link = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return "invalid"
    if now > datetime.fromisoformat(link["until"]):
        return "expired"
    study = given.get("STUDY_ID", "") or link["study"]
    if link["study"] and study != link["study"]:
        return "other_study"
    worker = link["worker"] or given.get("PROLIFIC_PID", "")
    visit = "" if link["worker"] else given.get("SESSION_ID", "")
    if not _ID.fullmatch(worker) or (not link["worker"] and not _ID.fullmatch(visit)):
        return "no_id"
    return Visitor(worker, visit, study[:100])


def arrive(visitor: Visitor, plan: Plan, *, now: datetime) -> Arrival:
    """The account of the worker behind a link; made on the first visit."""
    if found := _again(visitor):
        return found
    with writing():
        one_at_a_time()  # two windows may have come at once, or two workers for the last place
        return _again(visitor) or _account(visitor, plan, now)


def code_of(standing: Standing, plan: Plan) -> str:
    """The worker's completion code: the configured one, else one that only the secret gives."""
    if plan.outside.completion_code:
        return plan.outside.completion_code
    digest = salted_hmac("trope.annotate.completion", str(standing.outside), algorithm="sha256")
    return base64.b32encode(digest.digest())[:10].decode()


def complete(person_id: int, plan: Plan, *, now: datetime) -> str:
    """The completion code of someone who has come to the end; "" for who is not from elsewhere or
    has judged nothing."""
    with writing():
        person = Person.objects.select_for_update().get(pk=person_id)
        standing = Standing.objects.filter(person=person, outside__isnull=False).first()
        if standing is None or person.state != "active" or not person.judged:
            return ""
        if standing.completed is None:
            Standing.objects.filter(pk=person_id).update(completed=now)
            Event.objects.create(at=now, who=person.name, what="complete")
        return code_of(standing, plan)


def _account(visitor: Visitor, plan: Plan, now: datetime) -> Arrival:
    worker, visit = visitor.worker, visitor.visit
    if Person.objects.filter(name=worker).exists():
        return Arrival(None, "taken")
    places = plan.outside.places
    if places and Standing.objects.filter(outside__isnull=False).count() >= places:
        return Arrival(None, "full")
    person = Person.objects.create(
        name=worker, token_hash=hashed(secrets.token_urlsafe(32)), joined=now, tally_on=now.date()
    )
    Standing.objects.create(
        person=person,
        outside=_keyed(worker),
        visit=_keyed(visit) if visit else "",
        study=visitor.study,
    )
    Event.objects.create(at=now, who=worker, what="arrive", detail={"study": visitor.study})
    return Arrival(person)


def _again(visitor: Visitor) -> Arrival | None:
    """The account of a worker who has been here before, if they can show that it is theirs."""
    mine = Standing.objects.filter(outside=_keyed(visitor.worker))
    standing = mine.select_related("person").first()
    if standing is None:
        return None
    if standing.person.state == "withdrawn":
        return Arrival(None, "gone")
    if visitor.visit and not constant_time_compare(standing.visit, _keyed(visitor.visit)):
        return Arrival(None, "taken")
    return Arrival(standing.person)


def _keyed(value: str) -> str:
    """A hash that only the project's secret gives: the id of someone who has withdrawn is not kept,
    and yet they are not let in as someone new."""
    return salted_hmac("trope.annotate.worker", value, algorithm="sha256").hexdigest()
