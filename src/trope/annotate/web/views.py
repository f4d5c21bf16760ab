"""Pages of those who judge. A view reads the request, calls one service, and shows the result."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache, wraps
from random import SystemRandom
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.project import Plan
from trope.annotate.questions import read_answers
from trope.annotate.store import judging, people, queue, undoing
from trope.annotate.store.models import Judgment, Lease
from trope.annotate.web import pages
from trope.annotate.web.middleware import sign_in

View = Callable[..., HttpResponse]
_RNG = SystemRandom()
_log = logging.getLogger("trope.annotate.security")

ENDINGS = {
    "finished": "There is nothing left for you to judge. Thank you!",
    "day": "You have done all that may be done in a day. Come back tomorrow, please, and read the "
    "guidelines again before you go on.",
    "week": "You have done all that may be done in a week. Come back next week, please, and read "
    "the guidelines again before you go on.",
    "total": "You have done all that one person may do. Thank you!",
    "dismissed": "Your work on this project has ended.",
}


def only(*roles: str) -> Callable[[View], View]:
    """The view for people of these roles; for others a page that says no."""

    def wrap(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.person is None:
                return _message(
                    request,
                    "Please use your link",
                    "This page is for those who were invited. Open the link that you were sent.",
                    401,
                )
            if request.person.role not in roles:
                _log.warning(
                    "person %d asked for %r without its role", request.person.pk, request.path
                )
                return _message(
                    request, "Not for you", "Your role does not include this page.", 403
                )
            return view(request, *args, **kwargs)

        return checked

    return wrap


def now() -> datetime:
    """The time; tests set it."""
    return datetime.now(UTC)


def plan() -> Plan:
    """The plan of the project that is served."""
    return settings.TROPE_PROJECT.plan


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Where the person belongs."""
    if request.person is None:
        return _message(
            request, plan().title, "Open the link that you were sent to take part.", 200
        )
    return redirect("project" if request.person.role == "owner" else "work")


@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The invitation, and consent to take part."""
    person = people.person_of(token)
    if person is None:
        return _message(
            request,
            "This link is not valid",
            "It was mistyped, or has been replaced by a newer one. Ask who sent it to you.",
            404,
        )
    if request.method == "POST":
        if person.role == "annotator":
            people.consent(person.pk, now=now())
        sign_in(request, person)
        return redirect("project" if person.role == "owner" else "guidelines")
    return render(
        request, "join.html", {"invited": person, "consent": pages.blocks(plan().consent)}
    )


@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    """End the session, and all others of the person."""
    if request.person is not None:
        people.end_sessions(request.person.pk)
    request.session.flush()
    return redirect("home")


@require_GET
@only("annotator", "adjudicator", "owner")
def guidelines(request: HttpRequest) -> HttpResponse:
    """The guidelines with their examples."""
    context = {"blocks": pages.blocks(plan().guidelines), "examples": pages.examples(plan())}
    return render(request, "guidelines.html", context)


@require_http_methods(["GET", "POST"])
@only("annotator")
def work(request: HttpRequest) -> HttpResponse:
    """The item to judge now; a filled form is stored, and answered with the next one."""
    if request.person.consented is None:
        return _message(
            request, "Please use your link", "Open it again to agree to take part.", 403
        )
    if request.method == "POST":
        refused = _store(request)
        if refused is not None:
            return refused
        if request.headers.get("X-Trope") != "next":
            return redirect("work")
    page = queue.next_page(request.person.pk, plan(), now=now(), rng=_RNG)
    if not page.leases:
        context = {"ending": ENDINGS[page.reason], "earned": plan().earned(request.person.judged)}
        return render(request, "done.html", context)
    return _item_page(request, page.leases[0], left=len(page.leases))


def _store(request: HttpRequest) -> HttpResponse | None:
    """Store what was sent; gives a page only if answers are missing."""
    person, token = request.person, request.POST.get("token", "")
    if request.POST.get("action") == "skip":
        request.person = judging.skip(person.pk, token, plan(), now=now()).person
        return None
    lease = Lease.objects.select_related("item").filter(person=person, token=token).first()
    if lease is None:  # sent before, or by mistake: the service knows which
        request.person = judging.submit(person.pk, token, {}, plan(), now=now()).person
        return None
    values = dict(request.POST.lists())
    answers, faults = read_answers(
        plan().questions, values, text=lease.item.text, payload=lease.item.payload
    )
    if faults:
        left = len(queue.leases_of(person.pk))
        return _item_page(request, lease, left=left, values=values, faults=faults, status=422)
    request.person = judging.submit(person.pk, token, answers, plan(), now=now()).person
    return None


@require_POST
@only("annotator")
def draft(request: HttpRequest) -> HttpResponse:
    """Keep a form that is not finished."""
    known = {question.id for question in plan().questions} | {pages.SEEN}
    values = {name: given for name, given in request.POST.lists() if name in known}
    kept = judging.save_draft(request.person.pk, request.POST.get("token", ""), values)
    return HttpResponse(status=204 if kept else 409)


@require_POST
@only("annotator")
def undo(request: HttpRequest) -> HttpResponse:
    """Take the last submission back; its form opens again."""
    undoing.undo(request.person.pk, plan(), pages.form_values, now=now())
    return redirect("work")


@require_GET
@only("annotator")
def earlier(request: HttpRequest) -> HttpResponse:
    """The judgments that the person gave last, to look at and to change."""
    given = Judgment.objects.filter(person=request.person, current=True).order_by("-pk")
    return render(request, "earlier.html", {"judgments": given.select_related("item")[:50]})


@require_http_methods(["GET", "POST"])
@only("annotator")
def change(request: HttpRequest, number: int) -> HttpResponse:
    """An earlier judgment in its form."""
    mine = Judgment.objects.filter(person=request.person, current=True).select_related("item")
    judgment = mine.exclude(state__in=("skipped", "discarded")).filter(pk=number).first()
    if judgment is None:
        raise Http404
    item, token = judgment.item, secrets.token_hex(16)
    faults: dict[str, str] = {}
    values = pages.form_values(judgment.answers, item.text)
    if request.method == "POST":
        values = dict(request.POST.lists())
        answers, faults = read_answers(
            plan().questions, values, text=item.text, payload=item.payload
        )
        if not faults:
            token = request.POST.get("token", "")[:32]
            judging.change(request.person.pk, number, token, answers, now=now())
            return redirect("earlier")
    context = _item_context(item, token, values, faults) | {"changing": True}
    return render(request, "item.html", context, status=422 if faults else 200)


def _item_page(
    request: HttpRequest,
    lease: Lease,
    *,
    left: int,
    values: Any = None,
    faults: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = _item_context(lease.item, lease.token, values or lease.draft or None, faults or {})
    context |= {
        "left": left,
        "earned": plan().earned(request.person.judged),
        "may_skip": plan().skip.allowed,
    }
    return render(request, "item.html", context, status=status)


def _item_context(item: Any, token: str, values: Any, faults: dict[str, str]) -> dict[str, Any]:
    return {
        "token": token,
        "pieces": pages.marked_pieces(item.text, item.payload.get("highlight", ())),
        "shown": [(s.label or s.field, item.payload.get(s.field, "")) for s in plan().shown],
        "fields": pages.fields(plan(), item.text, item.payload, values, faults),
        "faults": faults,
        "guidelines": _in_html(plan().guidelines),
    }


@lru_cache(maxsize=8)
def _in_html(guidelines: str) -> str:
    """Guidelines as they stand on every item's page: rendered once, not with every item."""
    return render_to_string("blocks.html", {"blocks": pages.blocks(guidelines)})


def _message(request: HttpRequest, heading: str, message: str, status: int) -> HttpResponse:
    context = {"heading": heading, "message": message}
    return render(request, "message.html", context, status=status)
