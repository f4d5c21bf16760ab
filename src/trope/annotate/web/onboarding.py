"""Pages to join: sign-in, links, consent, profile, training, demo task."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.questions import read_answers
from trope.annotate.store import membership, people, practice
from trope.annotate.store.people import ActionRefused
from trope.annotate.store.reports import earned
from trope.annotate.store.setup import is_new
from trope.annotate.web import content
from trope.annotate.web.context import (
    HOMES,
    item_context,
    message_page,
    now,
    only,
    plan,
    unless_paused,
)
from trope.annotate.web.middleware import (
    ARRIVALS,
    must_sign_on,
    seconds_to_wait,
    sign_in,
    wait_page,
)
from trope.core.errors import BadInput

if TYPE_CHECKING:
    from trope.annotate.store.models import Person


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Redirect to the start page of the person's role."""
    if request.person is None:
        return message_page(
            request, plan().title, "To take part, open the link that you received.", 200
        )
    return redirect(_home_of(request.person))


@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The invitation, and consent to take part."""
    person = people.person_by_token(token)
    if person is None:
        return message_page(
            request,
            "This link is not valid",
            "It was mistyped, or replaced by a newer one. Ask the person who sent it.",
            404,
        )
    if must_sign_on(person):
        return message_page(
            request,
            "Please sign on",
            "Owners of this project sign on; links do not work for them.",
            403,
        )
    if request.method == "POST":
        if person.role == "annotator" and person.is_active:
            membership.consent(person.pk, plan(), now=now())
            person.refresh_from_db()
        sign_in(request, person)
        return redirect(after_joining(person))
    context = {"invited": person, "consent": content.consent_blocks(plan())}
    return render(request, "join.html", context)


def _home_of(person: Person) -> str:
    """The start page of a person's role; of an owner whose project is not set up, that."""
    begins = person.role == "owner" and is_new(settings.TROPE_PROJECT)
    return "new" if begins else HOMES[person.role]


def after_joining(person: Person) -> str:
    """The name of the page that follows sign-in."""
    if person.role != "annotator":
        return _home_of(person)
    if not person.is_active:
        return "work"  # which says why there is none
    return (
        "current_stage"
        if membership.stage_of(person, plan(), now=now()) != "work"
        else "guidelines"
    )


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session, and all others of the person."""
    if request.person is not None:
        people.end_sessions(request.person.pk)
    request.session.flush()
    return redirect("home")


PAGES = {
    "consent": "agree",
    "profile": "profile",
    "reading": "guidelines",
    "rereading": "guidelines",
    "training": "training",
    "demo": "demo",
    "waiting": "waiting",
    "declined": "waiting",
    "work": "work",
}

PROBLEMS = {
    "invalid": "It was mistyped or changed. Open it exactly as you received it.",
    "expired": "It has expired. Ask for a new one.",
    "other_study": "It belongs to another study. Open the link of your study.",
    "no_id": "It does not say who you are. Open it from the site that sent you.",
    "unsigned": "It was not signed by the site that sent you. Open it from there.",
    "used": "It was opened before. Open it again from the site that sent you.",
    "taken": "This id is already in use. Open the page in the browser where you started.",
    "full": "All places are taken. Thank you for your interest.",
    "gone": "You have withdrawn from this project.",
    "closed": "The owner has closed it. Thank you for your interest.",
}

DECLINED = {
    membership.NOT_ELIGIBLE: "This project needs people with a different background.",
    membership.NOT_TRAINED: "Too many of the training answers differed from the known ones.",
}


@require_GET
@only("annotator")
def current_stage(request: HttpRequest) -> HttpResponse:
    """Redirect to the page of the person's current stage."""
    return redirect(PAGES[_stage(request)])


@require_http_methods(["GET", "POST"])
@only("annotator")
def agree(request: HttpRequest) -> HttpResponse:
    """The consent form; shown again if its text has changed."""
    if request.method == "POST":
        membership.consent(request.person.pk, plan(), now=now())
        return redirect("current_stage")
    context = {
        "consent": content.consent_blocks(plan()),
        "again": request.person.consented,
        "action": request.path,
    }
    return render(request, "agree.html", context)


@require_http_methods(["GET", "POST"])
@only("annotator")
def profile(request: HttpRequest) -> HttpResponse:
    """Questions about the person; the answers are given once."""
    if _stage(request) != "profile":
        return redirect("current_stage")
    questions = plan().profile.questions
    values: dict[str, list[str]] | None = None
    faults: dict[str, str] = {}
    if request.method == "POST":
        values = dict(request.POST.lists())
        answers, faults = read_answers(questions, values, text="", payload={})
        if not faults:
            membership.save_profile(request.person.pk, answers, plan(), now=now())
            return redirect("current_stage")
    fields = content.fields(replace(plan(), questions=questions), "", {}, values, faults)
    context = {"fields": fields, "faults": faults}
    return render(request, "profile.html", context, status=422 if faults else 200)


@require_POST
@only("annotator")
def confirm_reading(request: HttpRequest) -> HttpResponse:
    """Confirm the guidelines; the form says who opened them, and when."""
    try:
        receipt = signing.loads(request.POST.get("opened", ""), salt="guidelines")
    except signing.BadSignature:
        receipt = {}
    if receipt.get("person") != request.person.pk:
        raise ActionRefused(
            "open_first", "Please open the guidelines first, then confirm that you read them."
        )
    opened = datetime.fromisoformat(receipt["opened"])
    membership.confirm_reading(request.person.pk, opened, plan(), now=now())
    return redirect("current_stage")


@require_http_methods(["GET", "POST"])
@only("annotator")
@unless_paused
def training(request: HttpRequest) -> HttpResponse:
    """The next training item; an answer is locked, and its message follows."""
    number = request.POST.get("token", "").removeprefix("training-")
    if request.method == "POST" and practice.training_answer(request.person.pk, number):
        return redirect("worked", int(number))
    task = practice.next_training(membership.standing_of(request.person), plan())
    if _stage(request) != "training" or task is None:
        return redirect("current_stage")
    if request.method == "GET":
        return _task_page(request, task)
    if number != task.key:
        raise ActionRefused("unknown", "This form is no longer valid. Reload the page.")
    return _answered(request, task) or redirect("worked", task.number)


@require_GET
@only("annotator")
def worked(request: HttpRequest, number: int) -> HttpResponse:
    """A training item with the known answers and its message, once the answer is locked."""
    mine = practice.training_answer(request.person.pk, str(number))
    if mine is None or number > len(plan().training.items):
        raise Http404
    item, task = plan().training.items[number - 1], practice.training_task(number, plan())
    questions = plan().questions
    context = {
        "task": task,
        "pieces": content.marked_segments(task.text, task.payload.get("highlight", ())),
        "right": mine.right,
        "yours": content.answers_in_words(questions, mine.answers, task.text),
        "known": content.answers_in_words(questions, item.answers, task.text),
        "text": item.message,
        "last": number == task.of,
    }
    return render(request, "worked.html", context)


@require_http_methods(["GET", "POST"])
@only("annotator")
@unless_paused
def demo(request: HttpRequest) -> HttpResponse:
    """The next item of the demo task."""
    if _stage(request) != "demo":
        return redirect("current_stage")
    task = practice.next_demo(request.person.pk, plan())
    if task is None and practice.finish_demo(request.person.pk, plan(), now=now()):
        return redirect("current_stage")
    if task is None:
        text = "The demo task is not ready yet. Please come back later."
        return render(request, "message.html", {"heading": "Not yet", "message": text})
    if request.method == "GET":
        return _task_page(request, task)
    key = request.POST.get("token", "").removeprefix("demo-")
    if key != task.key:  # submitted before: the first answer counts
        return redirect("demo")
    return _answered(request, task) or redirect("current_stage")


@require_POST
@only("annotator")
def practice_draft(request: HttpRequest) -> HttpResponse:
    """Save an unfinished training or demo form."""
    known = {question.id for question in plan().questions} | {content.SEEN}
    values = {name: given for name, given in request.POST.lists() if name in known}
    practice.save_practice_draft(request.person.pk, request.POST.get("token", "")[:220], values)
    return HttpResponse(status=204)


@require_GET
@only("annotator")
def waiting(request: HttpRequest) -> HttpResponse:
    """For applicants who wait for the selection, and those who were declined."""
    stage = _stage(request)
    if stage not in ("waiting", "declined"):
        return redirect("current_stage")
    mine = membership.standing_of(request.person)
    code = plan().outside.declined_code if mine.outside and stage == "declined" else ""
    context = {
        "declined": stage == "declined",
        "why": DECLINED.get(mine.why, "Other applicants were selected this time."),
        "earned": earned(request.person, plan()) if plan().demo.paid else None,
        "code": code,
        "return_url": content.return_url(plan(), code),
    }
    return render(request, "waiting.html", context)


@require_http_methods(["GET", "POST"])
def external_link(request: HttpRequest, token: str) -> HttpResponse:
    """Consent and account of an external worker; later visits use the same account."""
    query = request.META.get("QUERY_STRING", "")
    visitor = people.read_link(token, request.GET.dict(), now=now(), query=query)
    if isinstance(visitor, str):
        return _unusable(request, visitor)
    if request.method == "GET":
        context = {"consent": content.consent_blocks(plan()), "action": request.get_full_path()}
        return render(request, "agree.html", context)
    is_new = visitor.visit and not people.is_known_worker(visitor)
    if is_new and (wait := seconds_to_wait(request, ARRIVALS)):
        return wait_page(request, wait, "Many people have just joined from your network.")
    arrival = people.admit_worker(visitor, plan(), now=now())
    if arrival.person is None:
        return _unusable(request, arrival.problem)
    if arrival.person.is_active:
        membership.consent(arrival.person.pk, plan(), now=now())
    sign_in(request, arrival.person)
    return redirect("current_stage")


@require_http_methods(["GET", "POST"])
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    """Consent and account of anyone, while the link has places; then their own link."""
    found = membership.find_open_link(token)
    if found is None:
        return _unusable(request, "invalid")
    if request.person is not None:
        return render(request, "already.html")
    if request.method == "GET":
        problem = found.problem(now())
        return _unusable(request, problem) if problem else _open_page(request)
    visit, name = request.POST.get("visit", ""), request.POST.get("name", "").strip()
    if not re.fullmatch(r"[0-9a-f]{32}", visit):
        return _open_page(request, name, "Please send the form once more.")
    own = membership.way_back(token, visit)
    if not people.person_by_token(own) and (wait := seconds_to_wait(request, ARRIVALS)):
        return wait_page(request, wait, "Many people have just joined from your network.")
    try:
        arrival = membership.join_by_link(token, visit, name, now=now())
    except BadInput as error:
        return _open_page(request, name, str(error))
    if arrival.person is None:
        return _unusable(request, arrival.problem)
    if arrival.person.is_active:
        membership.consent(arrival.person.pk, plan(), now=now())
    sign_in(request, people.find_person(arrival.person.pk) or arrival.person)
    request.session["own_link"] = own
    return redirect("welcome")


def _open_page(request: HttpRequest, name: str = "", problem: str = "") -> HttpResponse:
    context = {
        "consent": content.consent_blocks(plan()),
        "action": request.path,
        "visit": secrets.token_hex(16),
        "name": name,
        "problem": problem,
    }
    return render(request, "agree.html", context, status=422 if problem else 200)


def _unusable(request: HttpRequest, problem: str) -> HttpResponse:
    context = {"heading": "This link does not work", "message": PROBLEMS[problem]}
    return render(request, "message.html", context, status=404)


def _stage(request: HttpRequest) -> str:
    person = request.person
    return membership.stage_of(person, plan(), now=now()) if person.is_active else "work"


def _answered(request: HttpRequest, task: practice.PracticeItem) -> HttpResponse | None:
    """Store the submitted form; returns a page only if answers are missing."""
    person = request.person.pk
    if task.is_demo and request.POST.get("action") == "skip":
        practice.answer_demo(person, task.key, {}, plan(), now=now(), skipping=True)
        return None
    values = dict(request.POST.lists())
    answers, faults = read_answers(plan().questions, values, text=task.text, payload=task.payload)
    if faults:
        return _task_page(request, task, values=values, faults=faults)
    store = practice.answer_demo if task.is_demo else practice.answer_training
    store(person, task.key, answers, plan(), now=now())
    return None


def _task_page(
    request: HttpRequest,
    task: practice.PracticeItem,
    *,
    values: Any = None,
    faults: dict[str, str] | None = None,
) -> HttpResponse:
    token = f"{task.part}-{task.key}"
    draft = membership.standing_of(request.person).draft
    kept = draft.get("values") if draft.get("key") == token else None
    context = item_context(task, token, values or kept, faults or {})
    context |= {"task": task, "may_skip": task.is_demo and plan().skip.allowed}
    return render(request, "item.html", context, status=422 if faults else 200)
