"""Adjudication: items on which people disagree or are unsure, and what was decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError
from django.db.models import Count, F, IntegerField, Max, Min, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from trope.annotate.exchange.records import ItemRecord, JudgmentRecord
from trope.annotate.plan import Plan
from trope.annotate.questions import Question, label_of
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.models import Decision, Event, Item, JudgmentState, Person, StoredJudgment
from trope.annotate.store.people import able_annotators
from trope.core.errors import BadInput
from trope.metrics.aggregation.results import ItemResult

NOTE_LIMIT = 5_000
PER_PAGE = 25
MOST_COUNTED = 50
"""People up to whom it is counted whether all of them have had an item; more never have."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item with how often each answer was given to each question, without names."""

    item: Item
    answers: dict[str, dict[str, int]]
    texts: dict[str, tuple[str, ...]]
    doubtful: bool
    judgments: int


def next_disputes(plan: Plan, *, after: int = 0, most: int = PER_PAGE) -> list[Dispute]:
    """Items after the id `after` that are disputed or doubtful and not decided, by id: complete
    ones, and those with two judgments or more that all who could still judge have had."""
    items = Item.objects.in_bulk(list(_disputed(plan, after)[:most]))
    return [_dispute(item, plan) for _, item in sorted(items.items())]


def dispute_of(item_id: int, plan: Plan) -> Dispute | None:
    """The answers to one item, disputed or not; None for control items and unjudged items."""
    item = Item.objects.filter(pk=item_id, is_gold=False).first()
    found = _dispute(item, plan) if item else None
    return found if found and found.judgments else None


def count_disputes(plan: Plan, *, most: int = 1_000) -> int:
    """How many items wait for a decision, counted up to `most`."""
    return len(_disputed(plan, 0)[:most])


@retried
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
    """Store a decision; an earlier one is kept as history, and the same form is stored once.

    Raises:
        BadInput: for a note that is too long.
    """
    note = note.strip()
    if len(note) > NOTE_LIMIT or "\0" in note:
        raise BadInput(f"a note has at most {NOTE_LIMIT:,} characters")
    try:
        with write_transaction():
            return _store_decision(item_id, person_id, token, dict(answers), note, excluded, now)
    except IntegrityError:  # the same form was submitted twice at once
        if done := Decision.objects.filter(token=token, person_id=person_id).first():
            return done
        raise


def latest_decisions(most: int = 100) -> list[Decision]:
    """The latest decisions that hold, with their items and adjudicators."""
    latest = Decision.objects.filter(current=True).select_related("item", "person")
    return list(latest.order_by("-pk")[:most])


def decision_on(item_id: int) -> Decision | None:
    """The decision that holds for an item, if there is one."""
    found = Decision.objects.filter(item_id=item_id, current=True).select_related("person")
    return found.first()


def count_decided() -> int:
    """How many items have a decision."""
    return Decision.objects.filter(current=True).count()


def _store_decision(
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
    item = Item.objects.select_for_update(no_key=True).get(pk=item_id)
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
    """Ids of items, grouped in the order of the index, so that the first few are fast."""
    # skipped items have no answers; they only say who has had the item
    counted = StoredJudgment.objects.filter(
        current=True, state__in=(JudgmentState.COUNTED, JudgmentState.SKIPPED), item_id__gt=after
    )
    undecided = ~Q(item__decision__current=True)
    unsettled = Q()
    measures: dict[str, Any] = {"given": Count("pk", filter=Q(state=JudgmentState.COUNTED))}
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
        answer = Cast(KeyTextTransform(plan.doubt.question, "answers"), TextField())
        counted = counted.alias(doubt=answer)
        measures["doubts"] = Count("pk", filter=Q(doubt__in=plan.doubt.values))
        unsettled |= Q(doubts__gt=0)
    if not unsettled:
        return StoredJudgment.objects.none()
    found = counted.filter(undecided).values("item_id", "item__extra").annotate(**measures)
    final = Q(given__gte=plan.judgments_per_item + F("item__extra"))
    able = able_annotators(plan)
    if not able:
        final |= Q(given__gt=1)
    elif len(able) <= MOST_COUNTED:
        found = found.annotate(had=Count("pk", filter=Q(person_id__in=able)))
        final |= Q(given__gt=1, had__gte=len(able))
    disputed = found.filter(unsettled & final).order_by("item_id")
    return disputed.values_list("item_id", flat=True)


def _dispute(item: Item, plan: Plan) -> Dispute:
    rows = StoredJudgment.objects.filter(item=item, current=True, state=JudgmentState.COUNTED)
    given = list(rows.order_by("pk").values_list("answers", flat=True))
    answers: dict[str, dict[str, int]] = {}
    texts: dict[str, tuple[str, ...]] = {}
    for question in plan.questions:
        found = [answer[question.id] for answer in given if question.id in answer]
        if question.kind == "text":
            texts[question.id] = tuple(
                sorted(map(str, found))
            )  # their order would reveal whose they are
        else:
            labels = Counter(label_of(answer) or "" for answer in found)
            answers[question.id] = dict(labels.most_common())
    doubt = plan.doubt
    doubtful = any(str(answer.get(doubt.question)) in doubt.values for answer in given)
    return Dispute(item, answers, texts, doubtful, len(given))


DECIDED = "decided by an adjudicator"
EXCLUDED = "excluded by an adjudicator"
NOT_RECONCILED = "excluded: answers differ and nobody has decided"
NOT_LOOKED_AT = "excluded: someone was unsure, and further judgments are missing"
NOT_ASKED = "not asked after the adjudicator's decision"


@dataclass(frozen=True, slots=True)
class DecidedLabels:
    """Decisions by item (answers, None for an excluded item), and items that wait.

    With `strict`, an item whose answers differ has no label until someone has decided.
    """

    decided: Mapping[str, Mapping[str, Any] | None]
    waiting: frozenset[str]
    strict: bool

    def over(
        self,
        question: Question,
        option: str | None,
        item: ItemRecord,
        rows: Sequence[JudgmentRecord],
        key: str,
        found: ItemResult | None,
    ) -> ItemResult | None:
        """The label under `key` after the decisions; None if there is none."""
        if item.id in self.decided:
            answers = self.decided[item.id]
            label = None if answers is None else _decided_label(question, option, item, answers)
            if label is None and found is None:
                return None
            note = EXCLUDED if answers is None else DECIDED if label is not None else NOT_ASKED
            certain = None if label is None else 1.0
            return ItemResult(key, label, certain, found.answers if found else 0, note)
        if found is None or not self.strict:
            return found
        given = {label_of(row.answers[question.id]) for row in rows if question.id in row.answers}
        why = NOT_LOOKED_AT if item.id in self.waiting else NOT_RECONCILED if len(given) > 1 else ""
        return replace(found, label=None, confidence=None, score=None, note=why) if why else found


def decided_labels(plan: Plan) -> DecidedLabels:
    """The current decisions."""
    rows = Decision.objects.filter(current=True).order_by("pk")
    found = rows.values_list("item__external_id", "answers", "excluded")
    decided = {item: None if excluded else answers for item, answers, excluded in found}
    strict = plan.adjudication.unresolved == "exclude"
    return DecidedLabels(
        decided, frozenset(_items_short_of_judgments(plan)) if strict else frozenset(), strict
    )


def _decided_label(
    question: Question, option: str | None, item: ItemRecord, answers: Mapping[str, Any]
) -> str | None:
    """The label that a decision gives to a question, or to one of its options."""
    answer = answers.get(question.id)
    if option is None or answer is None:
        return label_of(answer)
    if option not in {one.value for one in question.offered(item.payload, answers)}:
        return None
    return "yes" if option in answer else "no"


def _items_short_of_judgments(plan: Plan) -> list[str]:
    """Items that someone is unsure about and that lack their further judgments."""
    counted = Count(
        "storedjudgment",
        filter=Q(storedjudgment__current=True, storedjudgment__state=JudgmentState.COUNTED),
    )
    doubted = Item.objects.filter(extra__gt=0).annotate(given=counted)
    short = doubted.filter(given__lt=plan.judgments_per_item + F("extra"))
    return list(short.values_list("external_id", flat=True))
