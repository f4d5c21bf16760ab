"""Pages of the owner: progress, people, applicants, links for external workers, batches."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.store import discipline, people, reports, selection, slots
from trope.annotate.store.people import OPEN_PLACES, link_path, make_link_token
from trope.annotate.store.practice import demo_shortage
from trope.annotate.web.context import now, only, plan
from trope.core.errors import BadInput, UnknownName


@require_GET
@only("owner")
def project(request: HttpRequest) -> HttpResponse:
    """Progress and people."""
    return _project_page(request)


@require_POST
@only("owner")
def invite(request: HttpRequest) -> HttpResponse:
    """A new person, or a new link for one; it is shown once."""
    name = request.POST.get("name", "").strip()
    try:
        if request.POST.get("again"):
            token = people.renew_invitation(name, now=now(), by=request.person.name)
        else:
            token = people.invite(
                name,
                now=now(),
                by=request.person.name,
                role=request.POST.get("role", "annotator"),
                trusted=bool(request.POST.get("trusted")),
            )
    except (BadInput, UnknownName) as error:
        return _project_page(request, problem=str(error), status=422)
    link = request.build_absolute_uri(reverse("join", args=[token]))
    return _project_page(request, link=link, invited=name)


@require_POST
@only("owner")
def dismiss(request: HttpRequest, number: int) -> HttpResponse:
    """End someone's work; a reason is needed."""
    if people.find_annotator(number) is None:
        raise Http404
    reason = request.POST.get("reason", "").strip()
    if not reason:
        return _project_page(request, problem="Give a reason for the dismissal.", status=422)
    discipline.dismiss(number, reason, now=now(), by=request.person.name)
    return redirect("project")


def _project_page(
    request: HttpRequest, *, link: str = "", invited: str = "", problem: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "progress": reports.progress(plan()),
        "people": reports.pay_sheet(plan(), now=now()),
        "team": reports.team(),
        "shortage": demo_shortage(plan()),
        "link": link,
        "invited": invited,
        "problem": problem,
    }
    return render(request, "project.html", context, status=status)


@require_GET
@only("owner")
def applicants(request: HttpRequest) -> HttpResponse:
    """Everyone who has finished the demo task, ranked, with the parts of the score."""
    return _applicants_page(request)


@require_POST
@only("owner")
def accept_best(request: HttpRequest) -> HttpResponse:
    """Accept the best waiting applicants, as many as there are places."""
    selection.accept_best(plan(), now=now(), by=request.person.name)
    return redirect("applicants")


@require_POST
@only("owner")
def set_verdict(request: HttpRequest, number: int) -> HttpResponse:
    """Accept or decline one person."""
    service = {"accept": selection.accept, "decline": selection.decline}.get(
        request.POST.get("verdict", "")
    )
    if service is None or not service(number, now=now(), by=request.person.name):
        raise Http404
    return redirect("project" if request.POST.get("to") == "project" else "applicants")


@require_POST
@only("owner")
def make_link(request: HttpRequest) -> HttpResponse:
    """A signed link for external workers."""
    worker, study = (request.POST.get(name, "").strip() for name in ("worker", "study"))
    try:
        days, places = _number(request, "days", "14"), _number(request, "places", str(OPEN_PLACES))
        token = make_link_token(now=now(), days=days, study=study, worker=worker, places=places)
    except BadInput as error:
        return _applicants_page(request, problem=str(error), status=422)
    root = request.build_absolute_uri("/").rstrip("/")
    return _applicants_page(request, link=root + link_path(token, worker=worker))


def _number(request: HttpRequest, name: str, usual: str) -> int:
    given = request.POST.get(name, usual)
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        raise BadInput(f"give the number of {name} of the link")
    return int(given)


def _applicants_page(
    request: HttpRequest, *, link: str = "", problem: str = "", status: int = 200
) -> HttpResponse:
    rows, places = selection.ranking(plan()), selection.places_left(plan())
    waiting = sum(row.ranked.passes and not row.verdict for row in rows)
    context = {
        "rows": rows,
        "places": places,
        "takes": min(places, waiting),
        "open_places": OPEN_PLACES,
        "shortage": demo_shortage(plan()),
        "link": link,
        "problem": problem,
    }
    return render(request, "applicants.html", context, status=status)


@require_http_methods(["GET", "POST"])
@only("owner")
def batches_page(request: HttpRequest) -> HttpResponse:
    """The batches with their progress; POST opens the next one."""
    if request.method == "POST":
        slots.open_next_batch(now=now(), by=request.person.name)
        return redirect("batches")
    return render(request, "batches.html", {"batches": slots.all_batches()})
