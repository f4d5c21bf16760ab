"""Pages of the adjudicator: disputed and doubtful items, and decisions."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from trope.annotate.plan import Plan
from trope.annotate.questions import Question, read_answers
from trope.annotate.store import adjudication
from trope.annotate.store.adjudication import PER_PAGE, Dispute
from trope.annotate.web import content
from trope.annotate.web.context import in_html, now, only, plan
from trope.core.errors import BadInput


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
    return render(request, "decided.html", {"decisions": adjudication.latest_decisions()})


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
        "shown": [(s.label or s.field, item.payload.get(s.field, "")) for s in plan().shown],
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
        shown = {option.value: option.shown for option in question.offered({}, {})}
        counts = found.answers.get(question.id, {})
        answers = [
            (_label_in_words(question, label, found.item.text, shown), number)
            for label, number in counts.items()
        ]
        texts = found.texts.get(question.id, ())
        if answers or texts:
            rows.append((question.text, answers, texts))
    return rows


def _label_in_words(question: Question, label: str, text: str, shown: Mapping[str, str]) -> str:
    """An answer in words: spans as their text, several choices separated by commas."""
    if question.kind not in ("spans", "multi"):
        return shown.get(label, label)
    parts = json.loads(label)
    if question.kind == "spans":
        return ", ".join(f"“{text[start:end]}”" for start, end in parts) or "nothing"
    return ", ".join(shown.get(part, part) for part in parts) or "none"
