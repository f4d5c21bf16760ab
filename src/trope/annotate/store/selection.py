"""Selection of applicants after the demo task (reads and writes)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from trope.annotate.plan import Plan
from trope.annotate.rules import selection
from trope.annotate.rules.selection import Applicant, RankedApplicant
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.models import ApplicationVerdict, Event, Person, PersonState, Standing
from trope.annotate.store.slots import lock_places

BELOW_MARK = "demo task"
PLACES_TAKEN = "places taken"


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A row of the owner's ranking; `profile` has the person's profile answers."""

    id: int
    verdict: str
    profile: dict[str, Any]
    ranked: RankedApplicant


def ranking(plan: Plan) -> list[RankedRow]:
    """Everyone who has finished the demo task and is still active, from best to last."""
    standings = {standing.person.name: standing for standing in _finished()}
    rows = []
    for one in _ranked(standings.values(), plan):
        standing = standings[one.applicant.name]
        rows.append(RankedRow(standing.pk, standing.verdict, standing.profile or {}, one))
    return rows


def places_left(plan: Plan) -> int:
    """The number of free places; someone who was dismissed or withdrew frees one."""
    here = Standing.objects.filter(
        demo_finished__isnull=False,
        verdict=ApplicationVerdict.ACCEPTED,
        person__state__in=(
            PersonState.ACTIVE,
            PersonState.HELD,
        ),  # someone on hold may come back
        person__role="annotator",
    )
    return max(plan.selection.best - here.count(), 0)


def decide(standing: Standing, plan: Plan, *, now: datetime) -> None:
    """The automatic selection when someone has finished.

    Within a transaction that called `lock_places` before it locked the person.
    """
    by = plan.selection.by
    if not by:
        _set_verdict([standing.pk], "accepted", "", now, "rule")
    elif by == "pass":
        passes = selection.passes(_applicant(standing), plan.selection.pass_mark)
        verdict = "accepted" if passes else "declined"
        _set_verdict([standing.pk], verdict, "" if passes else BELOW_MARK, now, "rule")
    elif by == "best" and _finished().count() >= plan.selection.after:
        _take_best(plan, now, "rule", decline=True)


@retried
def accept_best(plan: Plan, *, now: datetime, by: str) -> int:
    """Accept the best waiting applicants, as many as there are places; returns their number."""
    with write_transaction():
        lock_places()
        return _take_best(plan, now, by, decline=False)


@retried
def accept(person_id: int, *, now: datetime, by: str) -> bool:
    """Let someone go on to work, whatever their stage; False for someone on hold, dismissed or
    withdrawn: reinstate them first."""
    with write_transaction():
        return bool(_set_verdict([person_id], "accepted", "", now, by))


@retried
def decline(person_id: int, *, now: datetime, by: str) -> bool:
    """Decline someone's application, if they have no verdict yet."""
    with write_transaction():
        return bool(_set_verdict([person_id], "declined", "owner", now, by, waiting=True))


def _take_best(plan: Plan, now: datetime, by: str, *, decline: bool) -> int:
    """Accept the best waiting applicants; with `decline`, decline the others."""
    waiting = {s.person.name: s for s in _finished().filter(verdict="")}
    ranked = _ranked(waiting.values(), plan)
    taken = [waiting[one.name].pk for one in selection.best(ranked, places_left(plan))]
    number = _set_verdict(taken, "accepted", "", now, by)
    if decline:
        for one in ranked:
            left = waiting[one.applicant.name].pk
            if left not in taken:
                _set_verdict(
                    [left], "declined", PLACES_TAKEN if one.passes else BELOW_MARK, now, by
                )
    return number


def _set_verdict(
    ids: list[int], verdict: str, why: str, now: datetime, by: str, *, waiting: bool = False
) -> int:
    people = Person.objects.filter(pk__in=ids, role="annotator", state=PersonState.ACTIVE)
    settled = 0
    for person in people.order_by("pk").select_for_update():
        standing, _ = Standing.objects.get_or_create(person=person)
        if standing.verdict == verdict or (waiting and standing.verdict):
            continue
        Standing.objects.filter(pk=person.pk).update(verdict=verdict, why=why)
        detail = {"name": person.name, "why": why}
        Event.objects.create(at=now, who=by, what=verdict, detail=detail)
        settled += 1
    return settled


def _finished() -> QuerySet[Standing]:
    return Standing.objects.filter(
        demo_finished__isnull=False, person__state=PersonState.ACTIVE, person__role="annotator"
    ).select_related("person")


def _ranked(standings: Iterable[Standing], plan: Plan) -> list[RankedApplicant]:
    rules = plan.selection
    return selection.ranked(
        (_applicant(standing) for standing in standings),
        pass_mark=rules.pass_mark,
        weights=rules.weights,
        pace=rules.pace,
    )


def _applicant(standing: Standing) -> Applicant:
    result: dict[str, Any] = standing.demo_result
    return Applicant(standing.person.name, finished=standing.demo_finished, **result)
