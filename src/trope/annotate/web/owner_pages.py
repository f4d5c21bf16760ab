"""Pages of the owner: progress, people, applicants, links for external workers, history."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.exchange.files import csv_lines
from trope.annotate.exchange.platforms import hit_question
from trope.annotate.plan import Plan
from trope.annotate.store import (
    discipline,
    membership,
    overview,
    people,
    reports,
    selection,
    setup,
)
from trope.annotate.store.people import OPEN_PLACES, link_path, make_link_token
from trope.annotate.store.practice import demo_shortage
from trope.annotate.web.charts import progress_chart, trend_chart
from trope.annotate.web.context import now, only, plan
from trope.annotate.web.downloads import stream
from trope.core.errors import BadInput, UnknownName
from trope.core.progress import counted


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
    found = overview.project_overview(settings.TROPE_PROJECT)
    people_here = reports.pay_sheet(plan(), now=now())
    shown = sum(count for _, count in found.days)
    progress = found.progress
    context = {
        "overview": found,
        "progress": progress,
        "waiting": found.waiting,
        "next": next_step(found, plan(), paused=request.paused),
        "course": progress_chart(found.days, progress.wanted, progress.judgments - shown),
        "trend": trend_chart(found.agreement.points) if found.agreement else None,
        "agreement_is": found.agreement.now.title if found.agreement else "",
        "lacking": plan().judgments_per_item - found.able,
        "people": people_here,
        "paid": sum(row.earned for row in people_here),
        "team": reports.team(),
        "shortage": demo_shortage(plan()),
        "link": link,
        "invited": invited,
        "problem": problem,
    }
    return render(request, "project.html", context, status=status)


@dataclass(frozen=True, slots=True)
class NextStep:
    """What the owner does best now: a link, and why."""

    label: str
    href: str
    why: str


def next_step(found: overview.ProjectOverview, asked: Plan, *, paused: bool) -> NextStep:
    """The one step that brings the project on: the first of these that applies."""
    waiting = found.waiting
    disputes = counted(waiting.disputes, "dispute")
    finished = found.is_done or found.stuck
    lacks = found.open_items > 0 and found.able < asked.judgments_per_item
    steps = (
        (not found.progress.items, "Add items", "items", "There is nothing to judge yet."),
        (waiting.stopped_import, "Add the items again", "items",
         "An import stopped, and its items are not given out."),
        (paused, "Let people go on", "settings", "The project is paused: nobody can judge."),
        (found.open_items and not found.able, "Invite people", "links",
         "Nobody can judge yet: invite annotators and send them their links."),
        (waiting.appeals, f"Answer {counted(waiting.appeals, 'appeal')}", "review",
         "Someone on hold or dismissed has appealed."),
        (waiting.applicants, "Choose who takes part", "applicants",
         f"{counted(waiting.applicants, 'person', 'people')} finished the demo task and wait."),
        (waiting.disputes and finished, f"Settle {disputes}", "disputes",
         "Everyone who can judge is done, and answers differ."),
        (found.stuck, "Invite another person", "#invite",
         "Everyone who can judge is done, and items lack judgments."),
        (found.is_done and waiting.batches, "Open the next batch", "batches",
         "The open batches are judged."),
        (found.is_done, "Release the data set", "release", "All items are judged and settled."),
        (lacks, "Invite more people", "#invite", "Too few people can judge to complete the items."),
        (waiting.disputes, f"Settle {disputes}", "disputes", "Answers to complete items differ."),
    )  # fmt: skip
    for applies, label, to, why in steps:
        if applies:
            return NextStep(label, to if to.startswith("#") else reverse(to), why)
    if not found.progress.judgments:
        why = "Nobody has judged yet. People begin with the links that you sent them."
        return NextStep("Invite more people", "#invite", why)
    return NextStep("See the answers so far", reverse("quality"), "People are judging.")


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
    is_mturk = request.POST.get("platform") == "mturk"
    try:
        if worker and is_mturk:
            raise BadInput("a HIT is for all workers; leave the worker id out")
        days, places = _number(request, "days", "14"), _number(request, "places", str(OPEN_PLACES))
        token = make_link_token(now=now(), days=days, study=study, worker=worker, places=places)
    except BadInput as error:
        return _applicants_page(request, problem=str(error), status=422)
    address = request.build_absolute_uri("/").rstrip("/") + link_path(token, worker=worker)
    if is_mturk:
        hit = hit_question(plan().title, address.partition("?")[0])
        return _applicants_page(request, hit=hit)
    return _applicants_page(request, link=address)


def _number(request: HttpRequest, name: str, usual: str) -> int:
    given = request.POST.get(name, usual)
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        raise BadInput(f"give the number of {name} of the link")
    return int(given)


def _applicants_page(
    request: HttpRequest, *, link: str = "", hit: str = "", problem: str = "", status: int = 200
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
        "hit": hit,
        "problem": problem,
    }
    return render(request, "applicants.html", context, status=status)


@require_http_methods(["GET", "POST"])
@only("owner")
def links(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Links for many people at once, on a page or as a file; they are shown once."""
    if request.method == "GET":
        begins = not people.any_annotator()
        return _links_page(request, names=_FIRST_NAMES if begins else "", begins=begins)
    names = list(dict.fromkeys(filter(None, map(str.strip, _lines(request, "names")))))
    role, trusted = request.POST.get("role", "annotator"), bool(request.POST.get("trusted"))
    try:
        made = people.invite_all(
            names, now=now(), by=request.person.name, role=role, trusted=trusted
        )
    except (BadInput, UnknownName) as error:
        return _links_page(request, 422, problem=str(error), names="\n".join(names))
    rows = [
        {"name": name, "link": request.build_absolute_uri(reverse("join", args=[token]))}
        for name, token in made.items()
    ]
    if request.POST.get("action") == "csv":
        return stream(csv_lines(["name", "link"], rows), "links", "csv")
    return _links_page(request, made=rows)


@require_POST
@only("owner")
def open_links(request: HttpRequest) -> HttpResponse:
    """A new link by which anyone may join, shown once; or one is closed."""
    by = request.person.name
    if number := request.POST.get("close", ""):
        known = number.isdecimal() and len(number) < 18
        if not known or not membership.close_link(int(number), now=now(), by=by):
            raise Http404
        return redirect("links")
    try:
        places, days = _number(request, "places", "20"), _number(request, "days", "14")
        token = membership.make_open_link(places=places, days=days, now=now(), by=by)
    except BadInput as error:
        return _links_page(request, 422, open_problem=str(error))
    link = request.build_absolute_uri(reverse("open_link", args=[token]))
    return _links_page(request, open_link=link)


def _links_page(request: HttpRequest, status: int = 200, **more: object) -> HttpResponse:
    found = [(link, link.problem(now())) for link in membership.open_links()]
    return render(request, "links.html", {"open_links": found, **more}, status=status)


_FIRST_NAMES = "Annotator 1\nAnnotator 2\nAnnotator 3"
"""Whom a new project invites, unless the owner knows their names."""


def _lines(request: HttpRequest, name: str) -> list[str]:
    return request.POST.get(name, "").splitlines()


@require_POST
@only("owner")
def pause(request: HttpRequest) -> HttpResponse:
    """Pause the work, or let people go on."""
    setup.set_paused(bool(request.POST.get("pause")), now=now(), by=request.person.name)
    return redirect("project" if request.POST.get("to") == "project" else "settings")


@require_GET
@only("owner")
def history(request: HttpRequest) -> HttpResponse:
    """Who changed what: the audit trail, and all versions of the plan."""
    given = request.GET.get("before", "0")
    before = int(given) if given.isascii() and given.isdigit() and len(given) < 18 else 0
    events = overview.events(before)
    secret = ("once", "link")  # what tells addresses of a panel, or open links, apart
    context = {
        "rows": [
            (
                e,
                overview.in_words(e.what),
                [(k, _shown(v)) for k, v in e.detail.items() if v and k not in secret],
            )
            for e in events
        ],
        "following": events[-1].pk if len(events) == overview.MOST_EVENTS else None,
        "versions": setup.versions(),
        "replaced": overview.replaced_items(),
    }
    return render(request, "history.html", context)


_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+\+00:00")


def _shown(value: object) -> object:
    """A detail of an event as people read it: times without seconds."""
    return _TIME.sub(r"\1 \2", value) if isinstance(value, str) else value


@require_GET
@only("owner")
def history_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The whole audit trail as a file."""
    return stream(
        csv_lines(["at", "who", "what", "detail"], overview.event_rows()), "history", "csv"
    )


@require_GET
@only("owner")
def version(request: HttpRequest, number: int) -> HttpResponse:
    """A version of the plan, and what differs from the one before."""
    text, before = setup.version_text(number), setup.version_text(number - 1) or ""
    if text is None:
        raise Http404
    lines = difflib.unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=2)
    changes = "\n".join(list(lines)[2:])
    context = {"number": number, "text": text, "changes": changes}
    return render(request, "version.html", context)
