"""Pages of the owner that set a project up: a new one, questions, settings, the whole file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
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
from trope.annotate.web.content import as_number, change_settings, named_faults, setting_rows
from trope.annotate.web.context import (
    SentFile,
    in_html,
    now,
    only,
    renew_plan,
    takes_files,
)
from trope.annotate.web.item_pages import receive_file
from trope.core.errors import BadConfig, BadInput, TropeError

_FILE_LIMIT = 500_000
"""Bytes of a project.toml."""

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
        data["questions"] = _read_questions(form, data.get("questions", []))

    return _edit(request, "questions.html", change)


@require_http_methods(["GET", "POST"])
@only("owner")
def settings_page(request: HttpRequest) -> HttpResponse:
    """Numbers, limits, pay and control items in a form."""
    return _edit(request, "settings.html", change_settings)


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
    text, action = edited_text(text, data), request.POST.get("action", "save")
    if action == "save":
        return _try_to_save(request, template, text)
    if action == "preview" and request.headers.get("X-Trope") == "preview":
        return render(request, "preview.html", _preview(text))
    return _edit_page(request, template, text)


def _try_to_save(request: HttpRequest, template: str, text: str) -> HttpResponse:
    text = text.replace("\r\n", "\n")
    try:
        if request.POST.get("action") == "preview":
            parse_plan(text, _project().folder / CONFIG)
            return _edit_page(request, template, text)
        _save(request, text, request.POST.get("seen", ""))
    except PlanConflict as conflict:
        return _edit_page(request, "plan_file.html", text, theirs=conflict.theirs, status=409)
    except BadConfig as error:
        return _edit_page(request, template, text, problems=error.faults, status=422)
    except BadInput as error:
        return _edit_page(request, template, text, problems=[str(error)], status=422)
    return redirect(f"{request.path}?saved=1")


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
        "saved": request.GET.get("saved") and not problems and request.method == "GET",
    }
    if template != "plan_file.html":
        data = tomllib.loads(text)
        context |= {
            "data": data,
            "rows": [_question_row(n, one) for n, one in enumerate(data.get("questions", ()))],
            "kinds": KINDS,
        }
    if template == "settings.html":
        context |= {"groups": setting_rows(data, problems), "problems": named_faults(problems)}
    if template == "questions.html":
        context |= _preview(text)
        context["problems"] = _by_number(problems, data)
    return render(request, template, context, status=status)


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
    own, payload = (item.text, item.payload) if item else ("This is where the text stands.", {})
    return {
        "preview": True,
        "previewed": shown,
        "pieces": list(content.marked_segments(own, payload.get("highlight") or ())),
        "shown": [(s.label or s.field, payload.get(s.field, "")) for s in shown.shown],
        "fields": list(content.fields(shown, own, payload, None, {})),
        "guidelines": in_html(shown.guidelines),
    }


def _question_row(number: int, raw: Mapping[str, Any]) -> dict[str, Any]:
    """A question as the form shows it."""
    when = raw.get("when", ())
    return {
        "number": number,
        "raw": raw,
        "required": raw.get("required", True),
        "options": "\n".join(_option_line(option) for option in raw.get("options", ())),
        "when": when[0] if len(when) == 1 else None,
        "when_values": ", ".join(when[0]["values"]) if len(when) == 1 else "",
    }


def _option_line(option: Mapping[str, str]) -> str:
    cells = [option.get(name, "") for name in ("value", "label", "key", "help")]
    return " | ".join(cells).rstrip(" |")


def _read_questions(form: QueryDict, old: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The questions of the form; what it does not show comes from the question of the same id."""
    known = {one.get("id", ""): one for one in old}
    found: list[dict[str, Any]] = []
    for number in form.getlist("q"):
        raw = dict(known.get(form.get(f"q{number}.was", ""), {}))
        raw |= _read_question(form, f"q{number}.", raw)
        if raw["kind"] not in ("choice", "multi"):
            raw.pop("options", None)  # left over from another kind
        raw["id"] = raw["id"] or _new_id(raw["text"], [one["id"] for one in found])
        found.append(raw)
    return _rearranged(found, form.get("action", ""))


def _read_question(form: QueryDict, name: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: form.get(name + key, "").strip() for key in ("id", "kind", "text", "help")}
    read: dict[str, Any] = {**given, "required": bool(form.get(f"{name}required"))}
    if not given["help"] and "help" not in raw:
        del read["help"]
    if "required" not in raw and read["required"]:
        del read["required"]
    if form.get(f"{name}options") or raw.get("options"):
        lines = form.get(f"{name}options", "").splitlines()
        read["options"] = [_read_option(line) for line in lines if line.strip()]
    if given["kind"] == "scale":
        read |= {k: as_number(form.get(name + k, "").strip() or "0", int) for k in ("low", "high")}
    asked, values = form.get(f"{name}when", ""), form.get(f"{name}when_values", "")
    if len(raw.get("when", ())) <= 1 and (asked or raw.get("when")):
        listed = [value.strip() for value in values.split(",") if value.strip()]
        read["when"] = [{"question": asked, "values": listed}] if asked else []
    return read


def _read_option(line: str) -> dict[str, str]:
    cells = [cell.strip() for cell in line.split("|")]
    pairs = zip(("value", "label", "key", "help"), cells, strict=False)
    return {name: cell for name, cell in pairs if cell or name == "value"}


def _new_id(text: str, taken: Sequence[str]) -> str:
    """An id for a new question, from its first words."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:4]
    name = "_".join(words)[:30] or "question"
    name = name if name[0].isalpha() else f"q_{name}"
    return next(n for n in chain([name], (f"{name}_{k}" for k in range(2, 99))) if n not in taken)


def _rearranged(found: list[dict[str, Any]], action: str) -> list[dict[str, Any]]:
    """The questions after the press of a button that adds, moves or removes one."""
    what, _, given = action.partition("-")
    place = int(given) if given.isdecimal() and int(given) < len(found) else -1
    if what == "add":
        new = {"id": _new_id("", [one["id"] for one in found]), "kind": "choice", "text": ""}
        found.append(new | {"options": [{"value": "yes"}, {"value": "no"}]})
    elif place >= 0 and what == "remove":
        del found[place]
    elif place > 0 and what == "up":
        found.insert(place - 1, found.pop(place))
    elif 0 <= place < len(found) - 1 and what == "down":
        found.insert(place + 1, found.pop(place))
    return found
