"""Adjudication: items on which people differ or are in doubt, and what was settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError
from django.db.models import Count, F, IntegerField, Max, Min, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from trope.annotate.project import Plan
from trope.annotate.store.models import Decision, Event, Item, Judgment, Person
from trope.annotate.store.writing import writing
from trope.annotate.watched import label_of
from trope.core.errors import BadInput

NOTE_LIMIT = 5_000
A_PAGE = 25


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item with how often each answer was given to each question; nobody is named."""

    item: Item
    answers: dict[str, dict[str, int]]
    texts: dict[str, tuple[str, ...]]
    doubtful: bool
    judgments: int


def next_disputes(plan: Plan, *, after: int = 0, most: int = A_PAGE) -> list[Dispute]:
    """Items beyond `after` that have all their judgments, are disputed or doubtful, and have not
    been decided; by number. Costs what lies between them, not what lies behind."""
    items = Item.objects.in_bulk(list(_disputed(plan, after)[:most]))
    return [_dispute(item, plan) for _, item in sorted(items.items())]


def dispute_of(item_id: int, plan: Plan) -> Dispute | None:
    """The answers to one item, disputed or not; None for one that nobody judged or that is a
    control item."""
    item = Item.objects.filter(pk=item_id, is_gold=False).first()
    found = _dispute(item, plan) if item else None
    return found if found and found.judgments else None


def disputes_left(plan: Plan, *, most: int = 1_000) -> int:
    """How many items wait for a decision, counted up to `most`."""
    return len(_disputed(plan, 0)[:most])


def decide(
    item_id: int,
    person_id: int,
    token: str,
    answers: Mapping[str, Any],
    *,
    note: str,
    excluded: bool,
    now: datetime,
) -> Decision:
    """Store what was settled; an earlier decision is kept as history, the same form stores once.

    Raises:
        BadInput: for a note that is too long.
    """
    note = note.strip()
    if len(note) > NOTE_LIMIT or "\0" in note:
        raise BadInput(f"a note has at most {NOTE_LIMIT:,} characters")
    try:
        with writing():
            return _decided(item_id, person_id, token, dict(answers), note, excluded, now)
    except IntegrityError:  # the same form came twice at once
        if done := Decision.objects.filter(token=token, person_id=person_id).first():
            return done
        raise


def decided_number() -> int:
    """How many items have a decision."""
    return Decision.objects.filter(current=True).count()


def _decided(
    item_id: int,
    person_id: int,
    token: str,
    answers: dict[str, Any],
    note: str,
    excluded: bool,
    now: datetime,
) -> Decision:
    if done := Decision.objects.filter(token=token, person_id=person_id).first():
        return done
    item = Item.objects.select_for_update().get(pk=item_id)
    old = Decision.objects.filter(item=item, current=True).first()
    if old is not None:
        Decision.objects.filter(pk=old.pk).update(current=False)
    made = Decision.objects.create(
        item=item,
        person_id=person_id,
        token=token,
        answers={} if excluded else answers,
        excluded=excluded,
        note=note,
        at=now,
        replaces=old,
    )
    who = Person.objects.values_list("name", flat=True).get(pk=person_id)
    detail = {"item": item.external_id, "excluded": excluded}
    Event.objects.create(at=now, who=who, what="adjudicate", detail=detail)
    return made


def _disputed(plan: Plan, after: int) -> QuerySet[Any]:
    """Numbers of items; grouped in the order of the index, so that the first few come at once."""
    counted = Judgment.objects.filter(current=True, state="counted", item_id__gt=after)
    undecided = ~Q(item__decision__current=True)
    unsettled = Q()
    measures: dict[str, Any] = {"given": Count("pk")}
    kinds = {question.kind for question in plan.questions}
    usual = "choice" if kinds & {"choice", "scale"} else "spans"
    for number, question in enumerate(plan.questions):
        named = plan.adjudication.questions
        if question.id not in named and (named or question.kind != usual):
            continue
        answer = KeyTextTransform(question.id, "answers")
        if question.kind == "scale":
            point = Cast(answer, IntegerField())
            measures[f"spread{number}"] = Max(point) - Min(point)
            unsettled |= Q(**{f"spread{number}__gt": plan.adjudication.spread})
        else:
            measures[f"kinds{number}"] = Count(answer, distinct=True)
            unsettled |= Q(**{f"kinds{number}__gt": 1})
    if plan.doubt.question:
        said = Cast(KeyTextTransform(plan.doubt.question, "answers"), TextField())
        counted = counted.alias(doubt=said)
        measures["doubts"] = Count("pk", filter=Q(doubt__in=plan.doubt.values))
        unsettled |= Q(doubts__gt=0)
    if not unsettled:
        return Judgment.objects.none()
    found = counted.filter(undecided).values("item_id", "item__extra").annotate(**measures)
    complete = Q(given__gte=plan.judgments_an_item + F("item__extra"))
    disputed = found.filter(unsettled & complete).order_by("item_id")
    return disputed.values_list("item_id", flat=True)


def _dispute(item: Item, plan: Plan) -> Dispute:
    rows = Judgment.objects.filter(item=item, current=True, state="counted")
    given = list(rows.order_by("pk").values_list("answers", flat=True))
    answers: dict[str, dict[str, int]] = {}
    texts: dict[str, tuple[str, ...]] = {}
    for question in plan.questions:
        found = [answer[question.id] for answer in given if question.id in answer]
        if question.kind == "text":
            texts[question.id] = tuple(sorted(map(str, found)))  # their order would tell whose
        else:
            labels = Counter(label_of(answer) or "" for answer in found)
            answers[question.id] = dict(labels.most_common())
    doubt = plan.doubt
    doubtful = any(str(answer.get(doubt.question)) in doubt.values for answer in given)
    return Dispute(item, answers, texts, doubtful, len(given))
