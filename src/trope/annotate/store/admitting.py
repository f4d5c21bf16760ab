"""The way in: consent, profile, reading, and where someone stands (one short transaction each).

Warnings, holds and dismissals are in `discipline`; they stop someone at whatever stage, and who is
reinstated goes on at that stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from trope.annotate.project import Plan
from trope.annotate.rules.caps import Tally
from trope.annotate.rules.stages import Passed, Stage, must_read_again, stage
from trope.annotate.store.judging import Refused, active_person
from trope.annotate.store.models import ConsentText, Event, Person, Standing
from trope.annotate.store.writing import writing

NOT_ELIGIBLE = "profile"
NOT_TRAINED = "training"

_FRESH = timedelta(hours=2)
"""So long after it was opened the page of guidelines can be confirmed."""


def standing_of(person: Person) -> Standing:
    """The person's standing; someone who has none yet stands at the beginning."""
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
    """Where the person is now."""
    standing = standing_of(person)
    found = stage(plan.way, _passed(person, standing, plan))
    if found != "work":
        return found
    tally = Tally(person.tally_on, person.judged_day, person.judged_week, person.judged)
    again = must_read_again(
        plan.reading, plan.caps, tally, worked=person.last_at, read=standing.read, now=now
    )
    return "rereading" if again else "work"


def _passed(person: Person, standing: Standing, plan: Plan) -> Passed:
    agreed = standing.consent_version in ("", plan.consent_version)
    return Passed(
        consented=person.consented is not None and agreed,
        trusted=standing.trusted,
        verdict=standing.verdict,
        profiled=standing.profile is not None,
        read=standing.read is not None,
        trained=standing.trained,
        demonstrated=standing.demo_finished is not None,
    )


def consent(person_id: int, plan: Plan, *, now: datetime) -> None:
    """Note that the person agreed, when, and to which words; the words are kept too."""
    version = plan.consent_version
    with writing():
        standing = locked_standing(person_id)
        if standing.person.consented is not None and standing.consent_version == version:
            return
        text = f"{plan.consent.strip()}\n\n{plan.withdrawal.sentence}".strip()
        ConsentText.objects.get_or_create(version=version, defaults={"text": text, "since": now})
        Person.objects.filter(pk=person_id).update(consented=now)
        Standing.objects.filter(pk=person_id).update(consent_version=version)
        detail = {"version": version}
        Event.objects.create(at=now, who=standing.person.name, what="consent", detail=detail)


def save_profile(person_id: int, answers: Mapping[str, Any], plan: Plan, *, now: datetime) -> bool:
    """Whether the person may take part. The first profile stands, so that nobody tries out what
    lets them in; only the owner can let someone in afterwards."""
    with writing():
        standing = locked_standing(person_id)
        if standing.profile is None:
            standing.profile = dict(answers)
            standing.weight = plan.profile.weight(answers)
            if not plan.profile.admits(answers) and not standing.verdict:
                standing.verdict, standing.why = "declined", NOT_ELIGIBLE
            standing.save(update_fields=["profile", "weight", "verdict", "why"])
            Event.objects.create(at=now, who=standing.person.name, what="profile")
        return bool(standing.verdict != "declined")


def confirm_reading(person_id: int, opened: datetime, plan: Plan, *, now: datetime) -> None:
    """Note that the guidelines were read.

    Raises:
        Refused: where the page was opened before the last judgment, long ago, or only just now.
    """
    with writing():
        standing = locked_standing(person_id)
        worked = standing.person.last_at
        if not now - _FRESH <= opened <= now or (worked is not None and opened <= worked):
            raise Refused("open_first", "Please open the guidelines again, then confirm.")
        if now - opened < timedelta(seconds=plan.reading.least_seconds):
            raise Refused("too_soon", "Please take the time to read the guidelines.")
        Standing.objects.filter(pk=person_id).update(read=now)
        Event.objects.create(at=now, who=standing.person.name, what="read guidelines")
