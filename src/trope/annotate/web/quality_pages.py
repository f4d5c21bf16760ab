"""Pages on quality: people and actions about them, agreement, labels, tables, disputed items."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.plan import Plan
from trope.annotate.questions import Question, read_answers
from trope.annotate.rules.aggregation import METHODS
from trope.annotate.rules.agreement import DisputedItem
from trope.annotate.store import adjudication, overview, people, reports
from trope.annotate.store import discipline as discipline_services
from trope.annotate.store.adjudication import PER_PAGE, Dispute, count_decided, count_disputes
from trope.annotate.store.discipline import apply_findings
from trope.annotate.store.labels import BY_ITEM, project_labels
from trope.annotate.store.reports import (
    REVIEWED,
    by_day,
    find_in_project,
    measure_project,
    project_tables,
    report_on,
)
from trope.annotate.store.rows import MOST_DOWNLOADED, draw_sample
from trope.annotate.store.slots import items_by_name
from trope.annotate.web import content
from trope.annotate.web.charts import bar_chart, heat_map, progress_chart
from trope.annotate.web.content import OUTCOMES, answers_in_words
from trope.annotate.web.context import in_html, now, only, plan
from trope.annotate.web.downloads import TIES, aggregation_options
from trope.core.errors import BadInput
from trope.metrics.aggregation.results import ItemResult

if TYPE_CHECKING:
    from trope.annotate.store.models import Person

_LISTED = 50


@require_GET
@only("owner")
def person(request: HttpRequest, number: int) -> HttpResponse:
    """One person's work, with the notices, appeals and events about it."""
    return _person_page(request, number)


@require_POST
@only("owner")
def discipline(request: HttpRequest, number: int) -> HttpResponse:
    """Warn, hold, dismiss or reinstate someone; a reason is required."""
    _annotator(number)
    reason, action = request.POST.get("reason", "").strip(), request.POST.get("action", "")
    if not reason:
        return _person_page(request, number, problem="give a reason", status=422)
    by = request.person.name
    if action == "hold":
        discipline_services.hold(number, "", reason, now=now(), by=by)
    elif action == "dismiss":
        discipline_services.dismiss(number, reason, now=now(), by=by)
    elif action == "reinstate":
        discipline_services.reinstate(number, now=now(), by=by, reason=reason)
    elif action == "warn":
        discipline_services.warn(number, "", reason, now=now(), by=by)
    return redirect("person", number)


@require_POST
@only("owner")
def appeal(request: HttpRequest, number: int) -> HttpResponse:
    """The answer to an appeal."""
    found = discipline_services.find_appeal(number)
    if found is None:
        raise Http404
    try:
        discipline_services.answer_appeal(
            number,
            request.POST.get("answer", ""),
            reinstate_them=request.POST.get("action") == "reinstate",
            now=now(),
            by=request.person.name,
        )
    except BadInput as error:
        return _person_page(request, found.notice.person_id, problem=str(error), status=422)
    return redirect("person", found.notice.person_id)


@require_http_methods(["GET", "POST"])
@only("owner")
def review(request: HttpRequest) -> HttpResponse:
    """What the rules find in the answers; POST applies the outcomes."""
    findings = find_in_project(plan(), last=REVIEWED)
    if request.method == "POST":
        apply_findings(findings, now=now(), by=request.person.name)
        return redirect("review")
    known = people.person_states()
    context = {
        "rows": [(one, OUTCOMES[one.outcome], *known[one.annotator]) for one in findings],
        "applies": any(one.outcome != "list" for one in findings),
        "appeals": discipline_services.open_appeals(),
        "most": f"{REVIEWED:,}",
    }
    return render(request, "review.html", context)


@require_GET
@only("owner")
def agreement(request: HttpRequest) -> HttpResponse:
    """Agreement by question, disputed items, distribution of labels, progress."""
    sample = draw_sample()
    measured = measure_project(plan(), sample=sample)
    progress, days = reports.progress(plan()), by_day()
    shown = sum(count for _, count in days)
    questions = [
        {
            "measured": one,
            "disputed": _with_texts(one.id, one.agreement.disputed) if one.agreement else (),
            "heat": heat_map(one.id, one.agreement.pairs) if one.agreement else None,
            "bars": bar_chart(one.id, plan(), _in_option_order(one.id, one.agreement.labels))
            if one.agreement and len(one.agreement.labels) <= 15
            else None,
        }
        for one in measured
    ]
    context = {
        "questions": questions,
        "note": sample.note,
        "progress": progress,
        "course": progress_chart(days, progress.wanted, progress.judgments - shown),
        "left": count_disputes(plan()),
    }
    return render(request, "quality.html", context)


@require_GET
@only("owner")
def labels(request: HttpRequest) -> HttpResponse:
    """One label for each item, by the method that is chosen."""
    chosen, sample = aggregation_options(request), draw_sample()
    found = project_labels(plan(), chosen, sample=sample)
    context = {
        "chosen": chosen,
        "methods": METHODS,
        "ties": TIES,
        "labels": [
            {
                "one": one,
                "items": _labelled(
                    one.question, sorted(one.result.items, key=_certainty)[:_LISTED]
                ),
                "noted": any(item.note for item in one.result.items),
                "more": max(len(one.result.items) - _LISTED, 0),
                "annotators": sorted(
                    one.result.annotators, key=lambda a: (a.quality is None, -(a.quality or 0))
                ),
            }
            if one.result
            else {"one": one}
            for one in found
        ],
        "note": sample.note,
        "whole": chosen.method in BY_ITEM or sample.total <= MOST_DOWNLOADED,
        "decided": count_decided(),
    }
    return render(request, "labels.html", context)


@require_GET
@only("owner")
def tables(request: HttpRequest) -> HttpResponse:
    """Tables 3 to 6 of the tweet study over this project."""
    sample = draw_sample()
    try:
        parts = project_tables(plan(), sample=sample)
    except BadInput as error:
        context = {"heading": "No tables", "message": str(error)}
        return render(request, "message.html", context, status=404)
    return render(request, "tables.html", {"parts": parts, "note": sample.note})


def _annotator(number: int) -> Person:
    found = people.find_annotator(number)
    if found is None:
        raise Http404
    return found


def _person_page(
    request: HttpRequest, number: int, *, problem: str = "", status: int = 200
) -> HttpResponse:
    found = _annotator(number)
    report = report_on(found, plan(), for_owner=True)
    questions = {question.id: question.text for question in plan().questions}
    context = {
        "report": report,
        "shown": found,
        "bars": [bar_chart(q, plan(), counts) for q, counts in report.labels.items()],
        "agreement": [
            (questions[name], same, pairs, 100 * same / pairs)
            for name, (same, pairs) in report.agreement.items()
            if pairs
        ],
        "notices": discipline_services.notices_with_appeals(number),
        "events": [
            (e, overview.in_words(e.what)) for e in people.events_about(found.name, _LISTED)
        ],
        "problem": problem,
    }
    return render(request, "person.html", context, status=status)


def _with_texts(
    question: str, disputed: Sequence[DisputedItem]
) -> list[tuple[list[tuple[str, int]], int, str]]:
    """The answers to the items in words, with how often they were given; numbers and texts."""
    found, asked = items_by_name([item.item for item in disputed]), _question(question)
    rows = []
    for item in disputed:
        number, text = found[item.item]
        # the answers to a question about words are in words already
        answers = [
            (one if asked.kind == "spans" else _label_in_words(asked, one, text), times)
            for one, times in item.answers.items()
        ]
        rows.append((answers, number, text))
    return rows


def _labelled(question: str, items: Sequence[ItemResult]) -> list[tuple[ItemResult, str, str]]:
    """The items with their labels in words and their texts."""
    asked = _question(question)
    names = [item.item for item in items]
    if asked.kind == "multi":  # a label for each option, named after the item
        names = [name.rpartition(": ")[0] for name in names]
    found = items_by_name(names)
    rows = []
    for name, item in zip(names, items, strict=True):
        text, label = found.get(name, (0, ""))[1], item.label or ""
        if label and asked.kind != "multi":
            label = _label_in_words(asked, label, text)
        rows.append((item, label, text))
    return rows


def _question(name: str) -> Question:
    return next(one for one in plan().questions if one.id == name)


def _in_option_order(question: str, counts: dict[str, int]) -> dict[str, int]:
    """The labels in the order of the options, those that nobody gave too."""
    asked = _question(question)
    order = [option.value for option in asked.offered({}, {})]
    return {label: counts.get(label, 0) for label in dict.fromkeys([*order, *counts])}


def _certainty(item: ItemResult) -> tuple[bool, float]:
    """Items without a label come first, then those with the least certain one."""
    return item.label is not None, item.confidence or 0.0


# Adjudication: disputed and doubtful items, and decisions.
@require_GET
@only("adjudicator", "owner")
def disputes(request: HttpRequest) -> HttpResponse:
    """Items that wait for a decision, page by page."""
    given = request.GET.get("after", "0")
    after = int(given) if given.isascii() and given.isdigit() and len(given) < 18 else 0
    found = adjudication.next_disputes(plan(), after=after)
    following = found[-1].item.pk if len(found) == PER_PAGE else None
    rows = [(one, _in_words(one)) for one in found]
    return render(request, "disputes.html", {"rows": rows, "following": following})


@require_GET
@only("adjudicator", "owner")
def decided(request: HttpRequest) -> HttpResponse:
    """The latest decisions, to review and change."""
    decisions = [
        (
            one,
            [words for _, words in answers_in_words(plan().questions, one.answers, one.item.text)],
        )
        for one in adjudication.latest_decisions()
    ]
    return render(request, "decided.html", {"decisions": decisions})


@require_http_methods(["GET", "POST"])
@only("adjudicator", "owner")
def dispute(request: HttpRequest, number: int) -> HttpResponse:
    """One item with all its answers, without names, and the form for a decision."""
    found = adjudication.dispute_of(number, plan())
    if found is None:
        raise Http404
    item, asked = found.item, _to_decide()
    before = adjudication.decision_on(item.pk)
    token, note, problem = secrets.token_hex(16), before.note if before else "", ""
    values = content.form_values(before.answers, item.text) if before else None
    faults: dict[str, str] = {}
    if request.method == "POST":
        values, note = dict(request.POST.lists()), request.POST.get("note", "")
        excluded = request.POST.get("action") == "exclude"
        answers, faults = read_answers(
            asked.questions, values, text=item.text, payload=item.payload
        )
        if excluded or not faults:
            token = request.POST.get("token", "")[:32] or token
            try:
                adjudication.decide(
                    item.pk,
                    request.person.pk,
                    token,
                    answers,
                    note=note,
                    excluded=excluded,
                    now=now(),
                )
                return redirect("disputes")
            except BadInput as error:
                problem = str(error)
    context = {
        "changing": True,
        "deciding": found,
        "given": _in_words(found),
        "before": before,
        "note": note,
        "problem": problem,
        "token": token,
        "pieces": content.marked_segments(item.text, item.payload.get("highlight", ())),
        "shown": content.shown_fields(plan(), item.payload),
        "fields": content.fields(asked, item.text, item.payload, values, faults),
        "faults": faults,
        "guidelines": in_html(plan().guidelines),
    }
    return render(request, "item.html", context, status=422 if faults or problem else 200)


def _to_decide() -> Plan:
    """The plan with the questions that can be decided: no free text, no doubt."""
    settled = [
        question
        for question in plan().questions
        if question.kind != "text" and question.id != plan().doubt.question
    ]
    return replace(plan(), questions=tuple(settled))


def _in_words(found: Dispute) -> list[tuple[str, list[tuple[str, int]], tuple[str, ...]]]:
    """For each question that was answered its answers with their numbers, or its free texts."""
    rows = []
    for question in plan().questions:
        counts = found.answers.get(question.id, {})
        answers = [
            (_label_in_words(question, label, found.item.text), number)
            for label, number in counts.items()
        ]
        texts = found.texts.get(question.id, ())
        if answers or texts:
            rows.append((question.text, answers, texts))
    return rows


def _label_in_words(question: Question, label: str, text: str) -> str:
    """An answer in words: spans as their text, several choices separated by commas."""
    shown = {option.value: option.shown for option in question.offered({}, {})}
    if question.kind not in ("spans", "multi"):
        return shown.get(label, label)
    parts = json.loads(label)
    if question.kind == "spans":
        return ", ".join(f"“{text[start:end]}”" for start, end in parts) or "nothing"
    return ", ".join(shown.get(part, part) for part in parts) or "none"
