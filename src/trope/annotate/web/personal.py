"""A person's own page: how the work goes, warnings, appeal."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from trope.annotate.store import discipline
from trope.annotate.store.models import Notice
from trope.annotate.store.quality import report_on
from trope.annotate.web.pictures import label_bars
from trope.annotate.web.views import now, only, plan
from trope.core.errors import BadInput

_LEAST_PAIRS = 20


@require_GET
@only("annotator")
def me(request: HttpRequest) -> HttpResponse:
    """How the person's work goes, and what was said about it."""
    return _page(request)


@require_POST
@only("annotator")
def put_away(request: HttpRequest) -> HttpResponse:
    """The warnings have been read."""
    discipline.put_away(request.person.pk)
    return redirect("work")


@require_POST
@only("annotator")
def appeal(request: HttpRequest) -> HttpResponse:
    """An answer to a hold or a dismissal."""
    text = request.POST.get("text", "")
    try:
        discipline.appeal(request.person.pk, text, now=now())
    except BadInput as error:
        return _page(request, problem=str(error), text=text, status=422)
    return redirect("me")


def _page(
    request: HttpRequest, *, problem: str = "", text: str = "", status: int = 200
) -> HttpResponse:
    report = report_on(request.person, plan(), for_owner=False)
    questions = {question.id: question.text for question in plan().questions}
    context = {
        "report": report,
        "bars": [label_bars(q, plan(), found) for q, found in report.labels.items()],
        "agreement": [
            (questions[name], round(100 * same / pairs))
            for name, (same, pairs) in report.agreement.items()
            if pairs >= _LEAST_PAIRS
        ],
        "told": Notice.objects.filter(person=request.person).order_by("-pk")[:20],
        "ended": discipline.open_notice(request.person.pk)
        if request.person.state in ("held", "dismissed")
        else None,
        "problem": problem,
        "text": text,
    }
    return render(request, "me.html", context, status=status)
