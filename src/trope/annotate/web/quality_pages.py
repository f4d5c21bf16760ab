"""Pages of the owner on quality: people and actions about them, agreement, labels, tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.rules.aggregation import METHODS
from trope.annotate.rules.agreement import DisputedItem
from trope.annotate.store import discipline as discipline_services
from trope.annotate.store import people, reports
from trope.annotate.store.adjudication import count_decided, count_disputes
from trope.annotate.store.discipline import apply_findings
from trope.annotate.store.labels import BY_ITEM, project_labels
from trope.annotate.store.model_answers import all_runs
from trope.annotate.store.model_measures import project_quality
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
from trope.annotate.web.charts import bar_chart, heat_map, progress_chart
from trope.annotate.web.context import now, only, plan
from trope.annotate.web.downloads import TIES, aggregation_options
from trope.core.errors import BadInput
from trope.metrics.aggregation.results import ItemResult

if TYPE_CHECKING:
    from trope.annotate.store.models import Person

_LISTED = 50


@require_GET
@only("owner")
def pay(request: HttpRequest) -> HttpResponse:
    """Work done and pay owed, with the hourly rate."""
    return render(request, "pay.html", {"rows": reports.pay_sheet(plan(), now=now())})


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
        "rows": [(one, *known[one.annotator]) for one in findings],
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
            "disputed": _with_texts(one.agreement.disputed) if one.agreement else (),
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
                "items": sorted(one.result.items, key=_certainty)[:_LISTED],
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
def models(request: HttpRequest) -> HttpResponse:
    """The models that annotate beside the people: progress, cost, errors, and how good they are."""
    runs, sample = all_runs(), draw_sample()
    small = sample.ids is None  # all answers of all models are read
    measured = project_quality(plan()) if runs and small else {}
    questions = [
        {"text": one.text, "models": measured[one.id]}
        for one in plan().questions
        if measured.get(one.id)
    ]
    return render(request, "models.html", {"runs": runs, "questions": questions, "small": small})


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
        "events": people.events_about(found.name, _LISTED),
        "problem": problem,
    }
    return render(request, "person.html", context, status=status)


def _with_texts(disputed: Sequence[DisputedItem]) -> list[tuple[DisputedItem, int, str]]:
    """The items with their numbers and texts."""
    found = items_by_name([item.item for item in disputed])
    return [(item, *found[item.item]) for item in disputed]


def _in_option_order(question: str, counts: dict[str, int]) -> dict[str, int]:
    """The labels in the order of the options, those that nobody gave too."""
    asked = next(one for one in plan().questions if one.id == question)
    order = [option.value for option in asked.offered({}, {})]
    return {label: counts.get(label, 0) for label in dict.fromkeys([*order, *counts])}


def _certainty(item: ItemResult) -> tuple[bool, float]:
    """Items without a label come first, then those with the least certain one."""
    return item.label is not None, item.confidence or 0.0
