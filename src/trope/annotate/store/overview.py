"""What the owner sees first: how far a project is, how people agree, who and what waits; and who
changed what.

In a large project every look would read all judgments, so that each process keeps what it saw for
some seconds; up to `FRESH` judgments every look is a new one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

from django.db.models import Count, Sum

from trope.annotate.plan import Plan
from trope.annotate.project import Project
from trope.annotate.questions import Question, measured_questions, watched_question
from trope.annotate.rules.agreement import QuestionAgreement, headline, measure_question
from trope.annotate.rules.span_agreement import measure_spans
from trope.annotate.store.adjudication import count_disputes
from trope.annotate.store.imports import IMPORT_LOCK
from trope.annotate.store.models import (
    Appeal,
    ApplicationVerdict,
    Batch,
    Event,
    Item,
    ItemVersion,
    JudgmentState,
    Person,
    PersonState,
    StoredJudgment,
)
from trope.annotate.store.people import able_annotators
from trope.annotate.store.reports import ProjectProgress, by_day, last_judgment, progress
from trope.annotate.store.rows import answer_rows
from trope.annotate.store.slots import opened_place, published_place
from trope.core.errors import BadInput
from trope.core.judgments import Judgment
from trope.core.run_folder import lock_file
from trope.metrics.agreement import Agreement
from trope.metrics.intervals import RESAMPLES

FRESH = 10_000
"""Judgments up to which nothing is kept."""

KEPT_S = 15.0
"""Seconds for which a process keeps what it saw of a larger project."""

MEASURED = 6_000
"""The latest judgments that the agreement is measured on."""

_WINDOWS, _LEAST = 8, 12  # points of the trend, and items that each needs
_RESAMPLES = 200  # of a point of the trend; its interval is only drawn
_FEW = 50


@dataclass(frozen=True, slots=True)
class AgreementTrend:
    """The agreement on the question that gives the label, and that of items as they were judged."""

    question: str
    now: Agreement
    points: tuple[Agreement, ...]
    latest: bool


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """What waits for the owner, in numbers."""

    applicants: int
    appeals: int
    held: int
    disputes: int
    batches: int
    stopped_import: bool


@dataclass(frozen=True, slots=True)
class ProjectOverview:
    """A project at a glance.

    `able` is the number of annotators who may still judge, `open_items` of items that want
    judgments; `stuck`: all who may still judge have had all of these.
    """

    progress: ProjectProgress
    days: tuple[tuple[date, int], ...]
    agreement: AgreementTrend | None
    gold_right: int
    gold_seen: int
    able: int
    open_items: int
    stuck: bool
    waiting: WaitingWork

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to judge."""
        return bool(self.progress.items) and not self.open_items and not self.progress.in_hand


def project_overview(project: Project) -> ProjectOverview:
    """The overview; of a large project it may be some seconds old."""
    return _kept.look(project)


class _KeptOverview:
    """The last overview of this process, and when it was made; one thread makes it at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: tuple[object, ...] = ()
        self._found: ProjectOverview | None = None
        self._until = 0.0

    def look(self, project: Project) -> ProjectOverview:
        if last_judgment() <= FRESH:
            return _look(project)
        key = (project.folder, project.plan)
        with self._lock:
            if self._found is None or self._of != key or time.monotonic() >= self._until:
                self._of, self._found = key, _look(project)
                self._until = time.monotonic() + KEPT_S
            return self._found


_kept = _KeptOverview()


def _look(project: Project) -> ProjectOverview:
    plan = project.plan
    able = able_annotators(plan)
    wanting = Item.objects.filter(open_slots__gt=0, place__lte=opened_place(), is_gold=False)
    open_items = wanting.count()
    control = Person.objects.filter(role="annotator").aggregate(
        right=Sum("gold_right"), seen=Sum("gold_seen")
    )
    return ProjectOverview(
        progress=progress(plan),
        days=tuple(by_day()),
        agreement=_trend(plan),
        gold_right=control["right"] or 0,
        gold_seen=control["seen"] or 0,
        able=len(able),
        open_items=open_items,
        stuck=bool(open_items) and _all_had(able, open_items),
        waiting=_waiting(project),
    )


def _all_had(able: Sequence[int], open_items: int) -> bool:
    """Whether each of these people has judged or skipped every item that wants judgments."""
    if len(able) > _FEW:
        return False
    had = StoredJudgment.objects.filter(
        current=True, person_id__in=able, item__open_slots__gt=0, item__place__lte=opened_place()
    ).exclude(state=JudgmentState.GOLD)
    numbers = dict(had.values_list("person").annotate(n=Count("pk")))
    return all(numbers.get(person, 0) >= open_items for person in able)


def _waiting(project: Project) -> WaitingWork:
    plan, applicants = project.plan, 0
    appeals = Appeal.objects.filter(answered=None)
    if plan.selection.by == "owner":
        applicants = Person.objects.filter(
            state=PersonState.ACTIVE,
            standing__demo_finished__isnull=False,
            standing__verdict=ApplicationVerdict.OPEN,
        ).count()
    held = Person.objects.filter(state=PersonState.HELD)
    beyond = Item.objects.filter(place__gt=published_place())
    return WaitingWork(
        applicants=applicants,
        appeals=appeals.count(),
        held=held.exclude(notice__appeal__in=appeals).count(),
        disputes=count_disputes(plan),
        batches=Batch.objects.filter(opened=None).count(),
        stopped_import=beyond.exists() and not _is_importing(project),
    )


def _is_importing(project: Project) -> bool:
    try:
        lock_file(project.folder / IMPORT_LOCK).release()
    except BlockingIOError:
        return True
    return False


def _trend(plan: Plan) -> AgreementTrend | None:
    """The agreement on the main question, over the latest judgments."""
    asked = watched_question(plan.questions, plan.quality.question)
    asked = asked or next(iter(measured_questions(plan.questions)), None)
    if asked is None:
        return None
    rows = [row for row in answer_rows(plan, last=MEASURED) if row.question == asked.id]
    found = _measured(asked, rows)
    now = headline(found, asked.kind) if found else None
    if now is None:
        return None
    points = [_measured(asked, part, resamples=_RESAMPLES) for part in _windows(rows)]
    drawn = (
        next((one for one in point.agreements if one.name == now.name), None)
        for point in points
        if point is not None
    )
    return AgreementTrend(
        asked.text,
        now,
        tuple(one for one in drawn if one is not None and one.value is not None),
        latest=last_judgment() > MEASURED,
    )


def _windows(rows: Sequence[Judgment]) -> list[list[Judgment]]:
    """The answers to items that have several, in parts by the order in which these were judged;
    none if that makes fewer than two."""
    items: dict[str, list[Judgment]] = {}
    for row in rows:
        items.setdefault(row.item, []).append(row)
        items[row.item] = items.pop(row.item)  # by the latest answer
    several = [given for given in items.values() if len(given) > 1]
    number = min(_WINDOWS, len(several) // _LEAST)
    if number < 2:
        return []
    edges = [round(len(several) * at / number) for at in range(number + 1)]
    parts = (several[low:high] for low, high in pairwise(edges))
    return [[row for given in part for row in given] for part in parts]


def _measured(
    asked: Question, rows: Sequence[Judgment], resamples: int = RESAMPLES
) -> QuestionAgreement | None:
    if not rows:
        return None
    try:
        if asked.kind != "spans":
            return measure_question(rows, top=0, paired=False, resamples=resamples)
        known = Item.objects.filter(external_id__in={row.item for row in rows})
        texts = dict(known.values_list("external_id", "text"))
        return measure_spans(rows, texts, top=0, paired=False, resamples=resamples)
    except BadInput:
        return None


def replaced_items(most: int = 100) -> list[ItemVersion]:
    """The items that were replaced or deleted, as they were; the latest first."""
    return list(ItemVersion.objects.order_by("-pk")[:most])


MOST_EVENTS = 100
"""Events on one page."""


_EVENT_WORDS = {
    "adjudicate": "settled a dispute",
    "appeal": "appealed",
    "arrive": "arrived from a panel",
    "close link": "closed an open link",
    "complete": "came to the end",
    "consent": "agreed to take part",
    "delete items": "deleted items",
    "demo": "finished the demo task",
    "dismiss": "dismissed",
    "enter": "came by a signed address",
    "go on": "let people go on",
    "hold": "put on hold",
    "import": "imported",
    "import demo": "imported into the demo task",
    "invite": "invited",
    "join by link": "joined by an open link",
    "model run": "started a model",
    "model run goes on": "let a model go on",
    "model run stopped": "stopped a model",
    "open": "opened a batch",
    "open link": "made an open link",
    "pause": "paused the project",
    "plan": "changed questions or settings",
    "profile": "filled in the profile",
    "reinstate": "reinstated",
    "release": "made a release",
    "renew": "made a new link",
    "replace item": "replaced an item",
    "replace items": "replaced items",
    "round": "chose a round",
    "training": "finished the training",
    "upload": "sent a file",
    "warn": "warned",
    "withdraw": "withdrew",
}


def in_words(what: str) -> str:
    """What pages say for the kind of an event; files keep the kind itself."""
    return _EVENT_WORDS.get(what, what)


def events(before: int = 0) -> list[Event]:
    """What was done, the latest first; `before`: only what came before the event of that number."""
    found = Event.objects.filter(pk__lt=before) if before else Event.objects.all()
    return list(found.order_by("-pk")[:MOST_EVENTS])


def event_rows() -> Iterator[dict[str, Any]]:
    """The whole audit trail, in its order."""
    for event in Event.objects.order_by("pk").iterator():
        yield {"at": event.at.isoformat(), "who": event.who, "what": event.what} | {
            "detail": event.detail
        }
