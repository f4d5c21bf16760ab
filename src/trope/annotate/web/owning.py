"""Pages of the owner: people and progress."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from trope.annotate.store import people, selectors
from trope.annotate.store.demo_items import demo_shortage
from trope.annotate.store.models import Person
from trope.annotate.web.views import now, only, plan
from trope.core.errors import BadInput, UnknownName


@require_GET
@only("owner")
def project(request: HttpRequest) -> HttpResponse:
    """How far the work is, and who does it."""
    return _page(request)


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
        return _page(request, problem=str(error), status=422)
    link = request.build_absolute_uri(reverse("join", args=[token]))
    return _page(request, link=link, invited=name)


@require_POST
@only("owner")
def dismiss(request: HttpRequest, number: int) -> HttpResponse:
    """End someone's work; a reason is needed."""
    if not Person.objects.filter(pk=number, role="annotator").exists():
        raise Http404
    reason = request.POST.get("reason", "").strip()
    if not reason:
        return _page(request, problem="say why someone is dismissed", status=422)
    people.dismiss(number, reason, now=now(), by=request.person.name)
    return redirect("project")


def _page(
    request: HttpRequest, *, link: str = "", invited: str = "", problem: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "progress": selectors.progress(plan()),
        "people": selectors.pay_sheet(plan(), now=now()),
        "team": selectors.team(),
        "shortage": demo_shortage(plan()),
        "link": link,
        "invited": invited,
        "problem": problem,
    }
    return render(request, "project.html", context, status=status)
