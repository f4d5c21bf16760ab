"""Reads for pages and commands: progress, pay, agreement, findings, one person's work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum, TextField
from django.db.models.functions import Cast, Substr

from trope.annotate.exchange.platforms import WorkerRecord
from trope.annotate.plan import Plan
from trope.annotate.questions import (
    known_answer,
    label_of,
    measured_questions,
    scale_of,
    watched_question,
)
from trope.annotate.rules.agreement import QuestionAgreement, measure_question, verb_classes
from trope.annotate.rules.conduct import ConductFinding, read_conduct
from trope.annotate.rules.paper_tables import PartTables, TweetExpression, paper_tables
from trope.annotate.rules.review import find_conduct
from trope.annotate.rules.span_agreement import measure_spans
from trope.annotate.store.membership import stage_of, standing_of
from trope.annotate.store.models import (
    Event,
    Item,
    JudgmentState,
    Lease,
    Person,
    PersonState,
    Standing,
    StoredJudgment,
)
from trope.annotate.store.people import completion_code, keyed
from trope.annotate.store.rows import (
    ItemSample,
    answer_rows,
    item_rows,
    marked_words,
    noun_of,
    verb_of,
    verbs_of_items,
)
from trope.annotate.store.slots import published_place
from trope.core.errors import BadInput
from trope.core.judgments import by_question


@dataclass(frozen=True, slots=True)
class ProjectProgress:
    """The progress of a project."""

    items: int
    complete: int
    judgments: int
    wanted: int
    in_hand: int
    gold_items: int


@dataclass(frozen=True, slots=True)
class PayRow:
    """One person's work and pay."""

    id: int
    name: str
    state: str
    judged: int
    skipped: int
    gold_seen: int
    gold_right: int
    hours: float
    earned: Decimal
    hourly: Decimal | None
    stage: str = ""
    weight: float = 1.0
    code: str = ""
    seconds_each: float | None = None


def progress(plan: Plan) -> ProjectProgress:
    """How many items are complete, and how many judgments there are."""
    items = Item.objects.filter(place__lte=published_place()).aggregate(
        work=Count("pk", filter=Q(is_gold=False)),
        gold=Count("pk", filter=Q(is_gold=True)),
        extra=Sum("extra"),
    )
    counted = StoredJudgment.objects.filter(current=True, state=JudgmentState.COUNTED)
    full = (
        counted.values("item", "item__extra")
        .annotate(n=Count("pk"))
        .filter(n__gte=plan.judgments_per_item + F("item__extra"))
    )
    return ProjectProgress(
        items=items["work"],
        complete=full.count(),
        judgments=counted.count(),
        wanted=items["work"] * plan.judgments_per_item + (items["extra"] or 0),
        in_hand=Lease.objects.filter(released=False, item__is_gold=False).count(),
        gold_items=items["gold"],
    )


def pay_sheet(plan: Plan, *, now: datetime) -> list[PayRow]:
    """One row per person, by name. Dismissed people are listed too: whom to pay is the owner's
    decision."""
    people = Person.objects.filter(role="annotator").select_related("standing").order_by("name")
    return [_pay_row(person, plan, now) for person in people]


def external_workers(ids: Iterable[str], plan: Plan) -> dict[str, WorkerRecord]:
    """What is known about those workers, by the ids that their platform gives them; also about
    those who have withdrawn, whose ids are kept as keyed hashes only."""
    hashed = {keyed(worker): worker for worker in ids}
    standings = Standing.objects.filter(outside__in=list(hashed)).select_related("person")
    return {
        hashed[one.outside]: WorkerRecord(
            state=one.person.state,
            code=completion_code(one, plan) if one.completed else "",
            reason=one.person.reason,
            earned=earned(one.person, plan),
        )
        for one in standings
    }


def team() -> list[tuple[str, str]]:
    """Name and role of everyone who does not judge."""
    people = Person.objects.exclude(role="annotator").order_by("role", "name")
    return list(people.values_list("name", "role"))


def last_judgment() -> int:
    """The number of the last judgment; 0 if there is none."""
    return StoredJudgment.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def earned(person: Person, plan: Plan) -> Decimal:
    """What someone has earned, including the demo task if it is paid."""
    demo = standing_of(person).demo_done if plan.demo.paid else 0
    return plan.earned(person.judged + demo)


def hours_paid(person: Person, plan: Plan) -> float:
    """The hours behind what someone has earned."""
    demo = standing_of(person).demo_seconds if plan.demo.paid else 0
    return (person.seconds + demo) / 3600


def hourly(person: Person, plan: Plan) -> Decimal | None:
    """What someone has earned per hour; None before there was any work."""
    hours = hours_paid(person, plan)
    return (earned(person, plan) / Decimal(hours)).quantize(Decimal("0.01")) if hours > 0 else None


def _pay_row(person: Person, plan: Plan, now: datetime) -> PayRow:
    standing = standing_of(person)
    return PayRow(
        id=person.pk,
        name=person.name,
        state=person.state,
        judged=person.judged,
        skipped=person.skipped,
        gold_seen=person.gold_seen,
        gold_right=person.gold_right,
        hours=hours_paid(person, plan),
        earned=earned(person, plan),
        hourly=hourly(person, plan),
        stage=stage_of(person, plan, now=now)
        if person.state == PersonState.ACTIVE
        else person.state,
        weight=standing.weight,
        code=completion_code(standing, plan) if standing.completed else "",
        seconds_each=seconds_each(person),
    )


def seconds_each(person: Person) -> float | None:
    """The seconds that someone takes for an item; None before there was any work."""
    done = person.judged + person.skipped
    return person.seconds / done if done else None


REVIEWED = 100_000
"""The latest judgments that the owner's page checks; the command checks all."""

MOST_PAIRED = 60
"""The largest number of people for which a page measures every pair."""

LATEST = 200
"""The latest judgments that a person's page looks at, so that its cost is bounded."""


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """The agreement on a question; `problem` says why there is none."""

    id: str
    text: str
    agreement: QuestionAgreement | None
    problem: str = ""


def measure_project(
    plan: Plan, *, sample: ItemSample | None = None, top: int = 10, most_paired: int = MOST_PAIRED
) -> list[MeasuredQuestion]:
    """The agreement on every question that can be measured, over answers that count; pairs are
    measured only for up to `most_paired` people."""
    rows = by_question(answer_rows(plan, sample=sample))
    verbs = verbs_of_items(plan, sample)
    classes = verb_classes(verbs) if verbs else None
    texts: dict[str, str] = {}
    measured = []
    for question in measured_questions(plan.questions):
        given = rows.get(question.id)
        if not given:
            problem = "Nobody has answered this yet."
            measured.append(MeasuredQuestion(question.id, question.text, None, problem))
            continue
        exclude = classes if question.id == plan.tables.question else None
        try:
            paired = len({row.annotator for row in given}) <= most_paired
            if question.kind == "spans":
                texts = texts or {item: text for item, text, _ in item_rows(sample)}
                found = measure_spans(given, texts, top=top, paired=paired)
            else:
                found = measure_question(given, verb_classes=exclude, top=top, paired=paired)
        except BadInput as error:
            measured.append(MeasuredQuestion(question.id, question.text, None, str(error)))
            continue
        measured.append(MeasuredQuestion(question.id, question.text, found))
    return measured


def project_tables(plan: Plan, *, sample: ItemSample | None = None) -> list[PartTables]:
    """Tables 3 to 6 of the tweet study over the project.

    Raises:
        BadInput: for a project whose plan names no question for them.
    """
    tables = plan.tables
    if not tables.question:
        raise BadInput("the plan has no [tables]; name the question for them")
    items = [
        TweetExpression(
            id=external,
            text=text,
            marked=" ".join(marked_words(text, payload)),
            verb=verb_of(plan, text, payload),
            noun=noun_of(plan, text, payload),
            part=str(payload.get(tables.part) or ""),
        )
        for external, text, payload in item_rows(sample)
    ]
    rows = by_question(answer_rows(plan, sample=sample))
    return paper_tables(
        items,
        rows.get(tables.question, []),
        rows.get(tables.understood, []),
        verb_classes({item.id: item.verb for item in items}),
        positive=tables.positive,
        usual=plan.judgments_per_item,
    )


def find_in_project(plan: Plan, *, last: int = 0) -> list[ConductFinding]:
    """What the rules find in the answers to the watched question."""
    question = watched_question(plan.questions, plan.quality.question)
    if question is None:
        return []
    rows = [row for row in answer_rows(plan, gold=True, last=last) if row.question == question.id]
    controls = Item.objects.filter(is_gold=True).values_list("external_id", "gold")
    gold = {
        name: known_answer(known[question.id])
        for name, known in controls
        if question.id in (known or {})
    }
    return find_conduct(
        rows,
        gold,
        scale_of(question),
        plan.quality,
        pass_mark=plan.gold.pass_mark,
        at_least=plan.gold.at_least,
    )


def last_moment() -> datetime | None:
    """The latest time that is stored."""
    last = [
        moment
        for model in (Event, StoredJudgment)
        if (moment := model.objects.order_by("-pk").values_list("at", flat=True).first())
    ]
    return max(last, default=None)


def by_day(*, days: int = 60) -> list[tuple[date, int]]:
    """The judgments that count of each of the latest days that have some."""
    counted = StoredJudgment.objects.filter(current=True, state=JudgmentState.COUNTED)
    # times are stored in UTC, so the first ten characters are the day; cutting them off costs a
    # third of a conversion to dates
    day = Substr(Cast("at", TextField()), 1, 10)
    found = counted.annotate(day=day).values("day").annotate(n=Count("pk"))
    latest = found.order_by("-day").values_list("day", "n")[:days]
    return [(date.fromisoformat(day), number) for day, number in reversed(latest)]


@dataclass(frozen=True, slots=True)
class PersonReport:
    """One person's work. Distributions and agreement are about the latest `looked_at` judgments."""

    person: Person
    earned: Decimal
    hourly: Decimal | None
    seconds_each: float | None
    gold_seen: int
    gold_right: int
    looked_at: int
    labels: dict[str, dict[str, int]]
    agreement: dict[str, tuple[int, int]]


def report_on(person: Person, plan: Plan, *, for_owner: bool) -> PersonReport:
    """What a person's page shows. The person sees control answers in steps of five, since a number
    that changes with each answer would reveal which item was one."""
    rows = StoredJudgment.objects.filter(person=person, current=True).exclude(
        state=JudgmentState.SKIPPED
    )
    fields = ("item_id", "answers", "item__is_gold")
    latest = list(rows.order_by("-pk").values_list(*fields)[:LATEST])
    conduct = read_conduct(person.conduct)
    return PersonReport(
        person=person,
        earned=earned(person, plan),
        hourly=hourly(person, plan),
        seconds_each=seconds_each(person),
        gold_seen=person.gold_seen if for_owner else conduct.told_seen,
        gold_right=person.gold_right if for_owner else conduct.told_right,
        looked_at=len(latest),
        labels=_distributions([answers for _, answers, _ in latest], plan),
        agreement=_with_others(person, {i: a for i, a, control in latest if not control}, plan),
    )


def _distributions(given: list[Mapping[str, Any]], plan: Plan) -> dict[str, dict[str, int]]:
    """How often each label was given to each choice and scale, in the order of the options."""
    found = {}
    for question in plan.questions:
        if question.kind in ("choice", "scale"):
            counts = Counter(label_of(a[question.id]) for a in given if question.id in a)
            found[question.id] = {label: counts[label] for label in scale_of(question)}
    return found


def _with_others(
    person: Person, own: Mapping[int, Mapping[str, Any]], plan: Plan
) -> dict[str, tuple[int, int]]:
    """For each question, how many answers of others to the same items are equal, of how many."""
    others = StoredJudgment.objects.filter(
        Q(current=True, state=JudgmentState.COUNTED, item_id__in=list(own))
    )
    rows = list(others.exclude(person=person).values_list("item_id", "answers"))
    found = {}
    for question in measured_questions(plan.questions):
        pairs = [
            (question.answer_in(own[item]), question.answer_in(answers)) for item, answers in rows
        ]
        both = [(one, other) for one, other in pairs if one is not None and other is not None]
        found[question.id] = (sum(one == other for one, other in both), len(both))
    return found
