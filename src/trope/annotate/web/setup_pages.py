"""Pages of the owner that set a project up: a new one, questions, settings, the whole file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from trope.annotate.plan import parse_plan
from trope.annotate.project import (
    BLANK,
    CONFIG,
    DEMO,
    SAMPLE,
    TEMPLATES,
    VARIANTS,
    Project,
    copy_samples,
    edited_text,
    settings_text,
    template_text,
)
from trope.annotate.store import imports, setup
from trope.annotate.store.practice import import_demo
from trope.annotate.store.setup import PlanConflict
from trope.annotate.web import content
from trope.annotate.web.context import (
    SentFile,
    in_html,
    now,
    only,
    renew_plan,
    takes_files,
)
from trope.annotate.web.item_pages import receive_file
from trope.annotate.web.plan_forms import (
    change_settings,
    change_training,
    named_faults,
    question_row,
    read_questions,
    setting_rows,
    training_rows,
)
from trope.core.errors import BadConfig, BadInput, TropeError

_FILE_LIMIT = 500_000
"""Bytes of a project.toml."""

_FIRST = 50
"""Items whose columns the form suggests."""

KINDS = {
    "choice": "one answer",
    "multi": "several answers",
    "scale": "a number on a scale",
    "spans": "words of the text",
    "text": "free text",
}


def _project() -> Project:
    project: Project = settings.TROPE_PROJECT
    return project


@takes_files
@require_http_methods(["GET", "POST"])
@only("owner")
def new(request: HttpRequest) -> HttpResponse:
    """What a new project asks, from a template or a file, and its first items."""
    if not setup.is_new(_project()):
        return redirect("project")
    if request.method == "GET":
        return _new_page(request)
    upload = None
    try:
        if isinstance(request.FILES.get("items"), SentFile):
            upload = receive_file(request)
        _begin(request)
    except TropeError as error:
        if upload is not None:
            imports.drop_upload(_project(), upload)
        return _new_page(request, problem=str(error), status=422)
    if upload is not None:
        return redirect("mapping", upload.token)
    if request.POST.get("action") == "samples":
        _add_samples(request.person.name)
        return redirect("project")
    return redirect("items")


def _new_page(request: HttpRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    titles = {name: tomllib.loads(template_text(name))["title"] for name in _templates()}
    context = {
        "templates": [(name, titles[name]) for name in _templates()],
        "chosen": request.POST.get("template", BLANK),
        "title": request.POST.get("title", ""),
        "limit": settings.TROPE_UPLOAD_LIMIT // 1_000_000,
        "problem": problem,
    }
    return render(request, "new.html", context, status=status)


def _templates() -> tuple[str, ...]:
    return (BLANK, *TEMPLATES, *VARIANTS)


def _begin(request: HttpRequest) -> None:
    """Save what the new project asks, from the template or the file of the form."""
    template, title = request.POST.get("template", BLANK), request.POST.get("title", "").strip()
    if template not in _templates():
        raise BadInput("choose one of the templates")
    text, own = template_text(template), request.FILES.get("plan")
    if own:
        if own.size > _FILE_LIMIT:
            raise BadInput("the file is too long for a project.toml; choose another one")
        text, template = own.read().decode("utf-8", "replace"), BLANK
    if title:
        line = settings_text({"title": title}).strip()
        text = re.sub(r"(?m)^title = .*$", lambda _: line, text, count=1)
    _save(request, text, setup.plan_mark(_project()))
    copy_samples(_project().folder, template)


def _add_samples(by: str) -> None:
    """Add the sample items of the template, and those of its demo task."""
    project = _project()
    imports.import_items(project, project.folder / SAMPLE, now=now(), by=by)
    if (project.folder / DEMO).exists():
        import_demo(project, project.folder / DEMO, now=now(), by=by)


def _save(request: HttpRequest, text: str, seen: str) -> None:
    number = setup.save_plan(_project(), text, seen=seen, now=now(), by=request.person.name)
    renew_plan(number)


@require_http_methods(["GET", "POST"])
@only("owner")
def questions(request: HttpRequest) -> HttpResponse:
    """Title, guidelines and questions in a form, with a preview of an item's page."""

    def change(data: dict[str, Any], form: QueryDict) -> None:
        for name in ("title", "text_label", "guidelines", "consent"):
            if name in form and (form[name] or data.get(name)):
                data[name] = form[name].replace("\r\n", "\n")
        data["questions"] = read_questions(form, data.get("questions", []))
        if form.get("shown", "").strip() or data.get("shown"):
            data["shown"] = _shown_columns(form.get("shown", ""), data.get("shown", ()))

    return _edit(request, "questions.html", change)


@require_http_methods(["GET", "POST"])
@only("owner")
def settings_page(request: HttpRequest) -> HttpResponse:
    """Numbers, limits, pay and control items in a form."""
    return _edit(request, "settings.html", change_settings)


def _shown_columns(text: str, old: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What people see beside the text; items may do without columns that the form adds."""
    before, found = {one["field"]: one for one in old}, []
    for line in text.splitlines():
        field, _, label = (cell.strip() for cell in line.partition("|"))
        one = {k: v for k, v in before.get(field, {"required": False}).items() if k != "label"}
        found += [one | {"field": field} | ({"label": label} if label else {})] if field else []
    return found


@require_http_methods(["GET", "POST"])
@only("owner")
def training_form(request: HttpRequest) -> HttpResponse:
    """Examples of the guidelines, training items and the profile in a form."""
    return _edit(request, "training_form.html", change_training)


@require_http_methods(["GET", "POST"])
@only("owner")
def plan_file(request: HttpRequest) -> HttpResponse:
    """The whole project.toml, or an earlier version of it, to look at and change."""
    if request.method == "POST":
        return _try_to_save(request, "plan_file.html", request.POST.get("text", ""))
    given = request.GET.get("version", "")
    text = setup.version_text(int(given)) if given.isdecimal() and len(given) < 9 else None
    return _edit_page(request, "plan_file.html", text or setup.plan_file(_project()))


def _edit(
    request: HttpRequest, template: str, change: Callable[[dict[str, Any], QueryDict], None]
) -> HttpResponse:
    """A form over the settings of project.toml; what it does not show stays as it is."""
    text = setup.plan_file(_project())
    if request.method == "GET":
        return _edit_page(request, template, text)
    data = tomllib.loads(text)
    change(data, request.POST)
    action = request.POST.get("action", "save")
    if action == "save" and (both := _with_theirs(request, change, text)):
        return _try_to_save(request, template, both, seen=setup.plan_mark(_project()))
    text = edited_text(text, data)
    if action == "save":
        return _try_to_save(request, template, text)
    if action == "preview" and request.headers.get("X-Trope") == "preview":
        return render(request, "preview.html", _preview(text))
    return _edit_page(request, template, text)


def _with_theirs(
    request: HttpRequest, change: Callable[[dict[str, Any], QueryDict], None], text: str
) -> str:
    """The text with what the form changed in the one that its sender saw, if someone else has
    changed other settings since; "" if there is nothing to join, or the same setting was changed.
    """
    mark = request.POST.get("seen", "")
    seen = None if mark == setup.plan_mark(_project()) else setup.text_with_mark(mark)
    if seen is None:
        return ""
    mine, theirs = tomllib.loads(seen), tomllib.loads(text)
    change(mine, request.POST)
    was, own, new = map(_by_name, (tomllib.loads(seen), mine, theirs))
    changed = {name for name in was.keys() | own.keys() if was.get(name) != own.get(name)}
    if any(was.get(name) != new.get(name) for name in changed):
        return ""
    for name in changed:
        inner = theirs.setdefault(name[0], {}) if len(name) > 1 else theirs
        inner.pop(name[-1], None)
        inner |= {name[-1]: own[name]} if name in own else {}
    return edited_text(text, theirs)


def _by_name(data: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """The settings by their names, those of a table one by one."""
    found: dict[tuple[str, ...], Any] = {}
    for name, value in data.items():
        inner = value if isinstance(value, dict) else {}
        found |= {(name, key): one for key, one in inner.items()}
        found |= {} if isinstance(value, dict) else {(name,): value}
    return found


def _try_to_save(request: HttpRequest, template: str, text: str, *, seen: str = "") -> HttpResponse:
    text = text.replace("\r\n", "\n")
    try:
        if request.POST.get("action") == "preview":
            parse_plan(text, _project().folder / CONFIG)
            return _edit_page(request, template, text)
        _save(request, text, seen or request.POST.get("seen", ""))
    except PlanConflict as conflict:
        return _edit_page(request, "plan_file.html", text, theirs=conflict.theirs, status=409)
    except BadConfig as error:
        return _edit_page(request, template, text, problems=error.faults, status=422)
    except BadInput as error:
        return _edit_page(request, template, text, problems=[str(error)], status=422)
    return redirect(f"{request.path}?saved={'both' if seen else '1'}")


def _edit_page(
    request: HttpRequest,
    template: str,
    text: str,
    *,
    problems: Sequence[str] = (),
    theirs: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page with a text of project.toml in its form."""
    given = request.POST.get("seen", "")
    current = setup.plan_mark(_project())
    context: dict[str, Any] = {
        "seen": current if theirs or not given else given,
        "text": text,
        "problems": problems,
        "theirs": theirs,
        "saved": request.GET.get("saved", "") if request.method == "GET" else "",
    }
    if template != "plan_file.html":
        data = tomllib.loads(text)
        context |= {
            "data": data,
            "rows": [question_row(n, one) for n, one in enumerate(data.get("questions", ()))],
            "kinds": KINDS,
        }
    if template == "questions.html":
        context |= _columns(data)
    if template == "training_form.html":
        context |= training_rows(data)
    if template == "settings.html":
        context |= {"groups": setting_rows(data, problems), "problems": named_faults(problems)}
    if template == "questions.html":
        context |= _preview(text)
        context["problems"] = _by_number(problems, data)
    return render(request, template, context, status=status)


def _columns(data: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that people see beside the text, and those that the first items have."""
    lines = (
        f"{one['field']} | {one.get('label', '')}".rstrip(" |") for one in data.get("shown", ())
    )
    first = setup.found_items("")[:_FIRST]
    return {
        "shown_columns": "\n".join(lines),
        "columns": sorted({name for item in first for name in item.payload} - {"highlight"}),
    }


def _by_number(faults: Sequence[str], data: Mapping[str, Any]) -> list[str]:
    """Faults that name the questions as the form does."""
    numbers = {one.get("id", ""): n for n, one in enumerate(data.get("questions", ()), start=1)}

    def named(found: re.Match[str]) -> str:
        return f"question {numbers[found[1]]}" if found[1] in numbers else found[0]

    return [re.sub(r"(?:question )?'(\w+)'(?=: | can never | is )", named, one) for one in faults]


def _preview(text: str) -> dict[str, Any]:
    """An item's page by a text of project.toml; why there is none, if it has faults."""
    try:
        shown = parse_plan(text, _project().folder / CONFIG)
    except BadConfig as error:
        return {"faults_of_preview": _by_number(error.faults, tomllib.loads(text))}
    item = setup.found_items("").filter(is_gold=False).first()
    missing = {one.field: "–" for one in shown.shown}
    own, payload = (item.text, item.payload) if item else ("This is where the text stands.", {})
    return {
        "preview": True,
        "previewed": shown,
        "pieces": list(content.marked_segments(own, payload.get("highlight") or ())),
        "shown": content.shown_fields(shown, missing | payload),
        "fields": list(content.fields(shown, own, payload, None, {})),
        "guidelines": in_html(shown.guidelines),
    }
