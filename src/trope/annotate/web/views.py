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
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.project import Plan
from trope.annotate.questions import read_answers
from trope.annotate.store import admitting, judging, outside, people, queue, undoing
from trope.annotate.store.discipline import unread
from trope.annotate.store.models import Item, Judgment, Lease, Person
from trope.annotate.store.selectors import earned
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
    "withdrawn": "You have withdrawn from this project.",
    "held": "Your work is on hold until the owner of the project has had a look.",
}


HOMES = {"owner": "project", "adjudicator": "disputes", "annotator": "work"}


class Unusable(Exception):
    """Answers that are missing or wrong, by question."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__(faults)
        self.faults = faults


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
    return redirect(HOMES[request.person.role])


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
        if person.role == "annotator" and person.state == "active":
            admitting.consent(person.pk, plan(), now=now())
            person.refresh_from_db()
        sign_in(request, person)
        return redirect(_after_joining(person))
    context = {"invited": person, "consent": pages.consent_blocks(plan())}
    return render(request, "join.html", context)


def _after_joining(person: Person) -> str:
    if person.role != "annotator":
        return HOMES[person.role]
    if person.state != "active":
        return "work"  # which says why there is none
    return "way" if admitting.stage_of(person, plan(), now=now()) != "work" else "guidelines"


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
    context: dict[str, Any] = {
        "blocks": pages.blocks(plan().guidelines),
        "examples": pages.examples(plan()),
    }
    if request.person.role == "annotator" and request.person.state == "active":
        stage = admitting.stage_of(request.person, plan(), now=now())
        context["stage"] = stage
        if stage in ("reading", "rereading"):
            context["opened"] = reading_receipt(request.person.pk, now())
    return render(request, "guidelines.html", context)


def reading_receipt(person_id: int, opened: datetime) -> str:
    """What the page of guidelines holds to show later who opened it, and when."""
    return signing.dumps({"person": person_id, "opened": opened.isoformat()}, salt="guidelines")


@require_http_methods(["GET", "POST"])
@only("annotator")
def work(request: HttpRequest) -> HttpResponse:
    """The item to judge now; a filled form is stored, and answered with the next one."""
    if _still_on_the_way(request):
        return redirect("way")
    page = None
    if request.method == "POST":
        try:
            page = _store(request)
        except Unusable as error:
            return _form_again(request, error.faults)
        if request.headers.get("X-Trope") != "next":
            return redirect("work")
    page = page or queue.next_page(request.person.pk, plan(), now=now(), rng=_RNG)
    if not page.leases:
        return _end(request, page.reason)
    return _item_page(request, page.leases[0], left=len(page.leases))


def _still_on_the_way(request: HttpRequest) -> bool:
    """Whether something comes before the next item; a form that was sent is kept as a draft."""
    person = request.person
    if person.state != "active" or admitting.stage_of(person, plan(), now=now()) == "work":
        return False
    if request.method == "POST":
        judging.save_draft(person.pk, request.POST.get("token", ""), _answers_in(request))
    return True


def _end(request: HttpRequest, reason: str) -> HttpResponse:
    """The page of someone who has nothing to do now; at the very end, with a completion code."""
    context = {
        "ending": ENDINGS[reason],
        "notices": unread(request.person),
        "earned": earned(request.person, plan()),
    }
    if reason in ("finished", "total") and admitting.standing_of(request.person).outside:
        code = outside.complete(request.person.pk, plan(), now=now())
        context |= {"code": code, "return_url": pages.return_url(plan(), code)}
    return render(request, "done.html", context)


def _store(request: HttpRequest) -> queue.Page | None:
    """Store what was sent; gives the page that follows where it is known."""
    person, token = request.person, request.POST.get("token", "")
    if request.POST.get("action") == "skip":
        _now_is(request, judging.skip(person.pk, token, plan(), now=now()).person)
        return None
    values = dict(request.POST.lists())

    def read(item: Item) -> dict[str, Any]:
        answers, faults = read_answers(
            plan().questions, values, text=item.text, payload=item.payload
        )
        if faults:
            raise Unusable(faults)
        return answers

    stored = judging.submit_and_go_on(person.pk, token, read, plan(), now=now(), rng=_RNG)
    _now_is(request, stored.judgment.person)
    return stored.page


def _form_again(request: HttpRequest, faults: dict[str, str]) -> HttpResponse:
    """The form as it was sent, with what is wrong."""
    token, left = request.POST.get("token", ""), len(queue.leases_of(request.person.pk))
    mine = Lease.objects.filter(person=request.person, token=token)
    lease = mine.select_related("item").first()
    if lease is None:  # gone since it was looked at
        return redirect("work")
    values = dict(request.POST.lists())
    return _item_page(request, lease, left=left, values=values, faults=faults, status=422)


def _now_is(request: HttpRequest, person: Person) -> None:
    """Let the page show the person's counters as they are now; the way in has not changed."""
    person.standing = admitting.standing_of(request.person)
    request.person = person


@require_POST
@only("annotator")
def draft(request: HttpRequest) -> HttpResponse:
    """Keep a form that is not finished."""
    token = request.POST.get("token", "")
    kept = judging.save_draft(request.person.pk, token, _answers_in(request))
    return HttpResponse(status=204 if kept else 409)


def _answers_in(request: HttpRequest) -> dict[str, list[str]]:
    """What stands in the form, as it was sent."""
    known = {question.id for question in plan().questions} | {pages.SEEN}
    return {name: given for name, given in request.POST.lists() if name in known}


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
            judging.change(request.person.pk, number, token, answers, plan(), now=now())
            return redirect("earlier")
    context = item_context(item, token, values, faults) | {"changing": True}
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
    context = item_context(lease.item, lease.token, values or lease.draft or None, faults or {})
    context |= {
        "left": left,
        "earned": earned(request.person, plan()),
        "may_skip": plan().skip.allowed,
        "notices": unread(request.person),
    }
    return render(request, "item.html", context, status=status)


def item_context(item: Any, token: str, values: Any, faults: dict[str, str]) -> dict[str, Any]:
    """What the page of an item shows, whatever kind of item it is."""
    return {
        "token": token,
        "pieces": pages.marked_pieces(item.text, item.payload.get("highlight", ())),
        "shown": [(s.label or s.field, item.payload.get(s.field, "")) for s in plan().shown],
        "fields": pages.fields(plan(), item.text, item.payload, values, faults),
        "faults": faults,
        "guidelines": in_html(plan().guidelines),
    }


@lru_cache(maxsize=8)
def in_html(guidelines: str) -> str:
    """Guidelines as they stand on every item's page: rendered once, not with every item."""
    return render_to_string("blocks.html", {"blocks": pages.blocks(guidelines)})


def _message(request: HttpRequest, heading: str, message: str, status: int) -> HttpResponse:
    context = {"heading": heading, "message": message}
    return render(request, "message.html", context, status=status)
