"""Pages of the owner for those who come in: ranking of applicants, links for workers."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from trope.annotate.store import choosing
from trope.annotate.store.demo_items import demo_shortage
from trope.annotate.store.outside import link_path, make_link_token
from trope.annotate.web.views import now, only, plan
from trope.core.errors import BadInput


@require_GET
@only("owner")
def applicants(request: HttpRequest) -> HttpResponse:
    """Everyone who has finished the demo task, ranked, with the parts of the score."""
    return _page(request)


@require_POST
@only("owner")
def accept_best(request: HttpRequest) -> HttpResponse:
    """Accept the best who wait, as many as there are places left."""
    choosing.accept_best(plan(), now=now(), by=request.person.name)
    return redirect("applicants")


@require_POST
@only("owner")
def settle(request: HttpRequest, number: int) -> HttpResponse:
    """Accept or decline one person."""
    service = {"accept": choosing.accept, "decline": choosing.decline}.get(
        request.POST.get("verdict", "")
    )
    if service is None or not service(number, now=now(), by=request.person.name):
        raise Http404
    return redirect("project" if request.POST.get("to") == "project" else "applicants")


@require_POST
@only("owner")
def make_link(request: HttpRequest) -> HttpResponse:
    """A signed link for workers from elsewhere."""
    worker, study = (request.POST.get(name, "").strip() for name in ("worker", "study"))
    days = request.POST.get("days", "14")
    try:
        if not days.isascii() or not days.isdecimal():
            raise BadInput("say for how many days the link should last")
        token = make_link_token(now=now(), days=int(days), study=study, worker=worker)
    except BadInput as error:
        return _page(request, problem=str(error), status=422)
    root = request.build_absolute_uri("/").rstrip("/")
    return _page(request, link=root + link_path(token, worker=worker))


def _page(
    request: HttpRequest, *, link: str = "", problem: str = "", status: int = 200
) -> HttpResponse:
    rows, places = choosing.ranking(plan()), choosing.places_left(plan())
    waiting = sum(row.ranked.passes and not row.verdict for row in rows)
    context = {
        "rows": rows,
        "places": places,
        "takes": min(places, waiting),
        "shortage": demo_shortage(plan()),
        "link": link,
        "problem": problem,
    }
    return render(request, "applicants.html", context, status=status)
