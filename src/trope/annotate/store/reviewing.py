"""Doing what follows from findings (writes)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trope.annotate.rules.watching import ACTING, Finding
from trope.annotate.store.discipline import act
from trope.annotate.store.models import Event, Person
from trope.annotate.store.writing import writing


def apply_findings(findings: Sequence[Finding], *, now: datetime, by: str) -> list[Finding]:
    """What was done: the findings that the plan acts on, of people who are at work.

    Nobody is warned twice for the same, and who was pardoned is judged by the counters that began
    anew with that, not by old rows.
    """
    numbers = dict(Person.objects.filter(state="active").values_list("name", "pk"))
    pardoned = set(Event.objects.filter(what="reinstate").values_list("detail__name", flat=True))
    done = [
        finding
        for finding in findings
        if finding.outcome in ACTING
        and finding.annotator in numbers
        and finding.annotator not in pardoned
        and act(numbers[finding.annotator], finding, now=now, by=by)
    ]
    with writing():
        detail = {"findings": len(findings), "done": len(done)}
        Event.objects.create(at=now, who=by, what="review", detail=detail)
    return done
