"""Pages of annotators: judging, earlier judgments, their own work, appeals, withdrawal.

A view reads the request, calls one service, and shows the result.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.questions import read_answers
from trope.annotate.store import discipline, judgments, membership, people, queue
from trope.annotate.store.discipline import unread_warnings
from trope.annotate.store.reports import earned, report_on
from trope.annotate.web import content
from trope.annotate.web.charts import bar_chart
from trope.annotate.web.context import item_context, now, only, pause_page, plan, unless_paused
from trope.core.errors import BadInput

if TYPE_CHECKING:
    from trope.annotate.store.models import Item, Lease, Person

_RNG = SystemRandom()

ENDINGS = {
    "finished": "There are no items left for you to judge. Thank you!",
    "day": "You have reached the limit for today. Please come back tomorrow, and read the "
    "guidelines again before you continue.",
    "week": "You have reached the limit for this week. Please come back next week, and read the "
    "guidelines again before you continue.",
    "total": "You have judged as many items as one person may. Thank you!",
    "dismissed": "Your work on this project has ended.",
    "withdrawn": "You have withdrawn from this project.",
    "held": "Your work is on hold until the project's owner has reviewed it.",
}


class InvalidAnswers(Exception):
    """Answers that are missing or wrong, by question."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__(faults)
        self.faults = faults


@require_GET
@only("annotator", "adjudicator", "owner")
def guidelines(request: HttpRequest) -> HttpResponse:
    """The guidelines with their examples."""
    context: dict[str, Any] = {
        "blocks": content.blocks(plan().guidelines),
        "examples": content.examples(plan()),
    }
    if request.person.role == "annotator" and request.person.is_active:
        stage = membership.stage_of(request.person, plan(), now=now())
        context["stage"] = stage
        if stage in ("reading", "rereading"):
            context["opened"] = reading_receipt(request.person.pk, now())
    return render(request, "guidelines.html", context)


def reading_receipt(person_id: int, opened: datetime) -> str:
    """A signed note of who opened the guidelines, and when."""
    return signing.dumps({"person": person_id, "opened": opened.isoformat()}, salt="guidelines")


@require_http_methods(["GET", "POST"])
@only("annotator")
def work(request: HttpRequest) -> HttpResponse:
    """The item to judge now; a submitted form is stored, and the response is the next item."""
    if request.paused:
        if request.method == "POST":
            judgments.save_draft(
                request.person.pk, request.POST.get("token", ""), _answers_in(request)
            )
        return pause_page(request)
    if _not_at_work_stage(request):
        return redirect("current_stage")
    page = None
    if request.method == "POST":
        try:
            page = _store(request)
        except InvalidAnswers as error:
            return _form_again(request, error.faults)
        if request.headers.get("X-Trope") != "next":
            return redirect("work")
    page = page or queue.next_page(request.person.pk, plan(), now=now(), rng=_RNG)
    if not page.leases:
        return _end(request, page.reason)
    return _item_page(request, page.leases[0], left=len(page.leases))


def _not_at_work_stage(request: HttpRequest) -> bool:
    """Whether another stage comes before the next item; a submitted form is kept as a draft."""
    person = request.person
    if not person.is_active or membership.stage_of(person, plan(), now=now()) == "work":
        return False
    if request.method == "POST":
        judgments.save_draft(person.pk, request.POST.get("token", ""), _answers_in(request))
    return True


def _end(request: HttpRequest, reason: str) -> HttpResponse:
    """The page of someone without an item; at the very end, with a completion code."""
    context = {
        "ending": ENDINGS[reason],
        "notices": unread_warnings(request.person),
        "earned": earned(request.person, plan()),
    }
    if reason in ("finished", "total") and membership.standing_of(request.person).outside:
        code = people.complete_work(request.person.pk, plan(), now=now())
        context |= {"code": code, "return_url": content.return_url(plan(), code)}
    return render(request, "done.html", context)


def _store(request: HttpRequest) -> queue.Page | None:
    """Store the submitted form; returns the next page if it is known."""
    person, token = request.person, request.POST.get("token", "")
    if request.POST.get("action") == "skip":
        _update_person(request, judgments.skip(person.pk, token, plan(), now=now()).person)
        return None
    values = dict(request.POST.lists())

    def read(item: Item) -> dict[str, Any]:
        answers, faults = read_answers(
            plan().questions, values, text=item.text, payload=item.payload
        )
        if faults:
            raise InvalidAnswers(faults)
        return answers

    stored = judgments.submit_and_continue(person.pk, token, read, plan(), now=now(), rng=_RNG)
    _update_person(request, stored.judgment.person)
    return stored.page


def _form_again(request: HttpRequest, faults: dict[str, str]) -> HttpResponse:
    """The form as submitted, with its errors."""
    token, left = request.POST.get("token", ""), len(queue.leases_of(request.person.pk))
    lease = queue.lease_of(request.person.pk, token)
    if lease is None:  # it ended in the meantime
        return redirect("work")
    values = dict(request.POST.lists())
    return _item_page(request, lease, left=left, values=values, faults=faults, status=422)


def _update_person(request: HttpRequest, person: Person) -> None:
    """Let the page show the person's current counters; the standing has not changed."""
    person.standing = membership.standing_of(request.person)
    request.person = person


@require_POST
@only("annotator")
def draft(request: HttpRequest) -> HttpResponse:
    """Save an unfinished form."""
    token = request.POST.get("token", "")
    kept = judgments.save_draft(request.person.pk, token, _answers_in(request))
    return HttpResponse(status=204 if kept else 409)


def _answers_in(request: HttpRequest) -> dict[str, list[str]]:
    """The answers in the form, as submitted."""
    known = {question.id for question in plan().questions} | {content.SEEN}
    return {name: given for name, given in request.POST.lists() if name in known}


@require_POST
@only("annotator")
@unless_paused
def undo(request: HttpRequest) -> HttpResponse:
    """Take back the last submission; its form opens again."""
    judgments.undo(request.person.pk, plan(), content.form_values, now=now())
    return redirect("work")


@require_GET
@only("annotator")
def earlier(request: HttpRequest) -> HttpResponse:
    """The judgments that the person gave last, to look at and to change."""
    return render(
        request, "earlier.html", {"judgments": judgments.latest_judgments(request.person.pk)}
    )


@require_http_methods(["GET", "POST"])
@only("annotator")
@unless_paused
def change(request: HttpRequest, number: int) -> HttpResponse:
    """An earlier judgment in its form."""
    judgment = judgments.changeable_judgment(request.person.pk, number)
    if judgment is None:
        raise Http404
    item, token = judgment.item, secrets.token_hex(16)
    faults: dict[str, str] = {}
    values = content.form_values(judgment.answers, item.text)
    if request.method == "POST":
        values = dict(request.POST.lists())
        answers, faults = read_answers(
            plan().questions, values, text=item.text, payload=item.payload
        )
        if not faults:
            token = request.POST.get("token", "")[:32]
            judgments.change(request.person.pk, number, token, answers, plan(), now=now())
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
    suggested = lease.suggestion.get("answers", {})
    filled = content.form_values(suggested, lease.item.text) if suggested else None
    context = item_context(lease.item, lease.token, values or lease.draft or filled, faults or {})
    context |= {
        "suggested": suggested,
        "left": left,
        "earned": earned(request.person, plan()),
        "may_skip": plan().skip.allowed,
        "notices": unread_warnings(request.person),
    }
    return render(request, "item.html", context, status=status)


_LEAST_PAIRS = 20


@require_GET
@only("annotator")
def me(request: HttpRequest) -> HttpResponse:
    """The person's work and the notices about it."""
    return _my_work_page(request)


@require_POST
@only("annotator")
def mark_warnings_read(request: HttpRequest) -> HttpResponse:
    """Mark the warnings as read."""
    discipline.mark_warnings_read(request.person.pk)
    return redirect("work")


@require_POST
@only("annotator")
def appeal(request: HttpRequest) -> HttpResponse:
    """An answer to a hold or a dismissal."""
    text = request.POST.get("text", "")
    try:
        discipline.appeal(request.person.pk, text, now=now())
    except BadInput as error:
        return _my_work_page(request, problem=str(error), text=text, status=422)
    return redirect("me")


def _my_work_page(
    request: HttpRequest, *, problem: str = "", text: str = "", status: int = 200
) -> HttpResponse:
    report = report_on(request.person, plan(), for_owner=False)
    questions = {question.id: question.text for question in plan().questions}
    context = {
        "report": report,
        "bars": [bar_chart(q, plan(), found) for q, found in report.labels.items()],
        "agreement": [
            (questions[name], round(100 * same / pairs))
            for name, (same, pairs) in report.agreement.items()
            if pairs >= _LEAST_PAIRS
        ],
        "notices_received": discipline.latest_notices(request.person.pk),
        "ended": discipline.open_notice(request.person.pk) if request.person.is_stopped else None,
        "problem": problem,
        "text": text,
    }
    return render(request, "me.html", context, status=status)


@require_GET
@only("annotator")
def welcome(request: HttpRequest) -> HttpResponse:
    """The own link of someone who has joined by an open one: their way back in."""
    own = request.session.get("own_link")
    if not own:
        return redirect("current_stage")
    link = request.build_absolute_uri(reverse("join", args=[own]))
    return render(request, "welcome.html", {"link": link})


@require_http_methods(["GET", "POST"])
@only("annotator")
def withdraw(request: HttpRequest) -> HttpResponse:
    """Withdraw from the project; the page first says what happens to the answers."""
    context: dict[str, Any] = {"sentence": plan().withdrawal.sentence}
    if request.method == "POST" and request.POST.get("sure") == "yes":
        context["earned"] = earned(request.person, plan())
        context["from_outside"] = membership.standing_of(request.person).outside
        context["name"] = membership.withdraw(request.person.pk, plan(), now=now())
        request.session.flush()
        request.person = None
        return render(request, "withdrawn.html", context)
    return render(request, "withdraw.html", context)
