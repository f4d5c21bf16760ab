"""Pages of the owner about models that annotate: their runs, how good they are, a new run.

A page only orders a run. `trope annotate model` does the work, in a process of its own, so that no
request waits for it and it goes on while the service restarts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from subprocess import PIPE
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from trope.annotate.project import Project, usual_heads
from trope.annotate.prompts import BEGUN, default_prompt, prompt_path, write_prompt
from trope.annotate.questions import Question
from trope.annotate.store import model_answers
from trope.annotate.store.model_answers import ModelRun, ModelRunState
from trope.annotate.store.model_measures import project_quality, project_rates
from trope.annotate.store.rows import draw_sample, item_fields
from trope.annotate.web.context import now, only, plan
from trope.core.errors import BadInput, TropeError

SYSTEMS = "systems"
"""The folder of a project with the systems that its owners may run."""

_BINARY = {
    "text": "whether the text is metaphorical",
    "word": "whether the highlighted words are metaphors",
    "any": "whether any word is a metaphor",
}
_HEADS = {
    "choice": _BINARY
    | {
        "class": "what the highlighted name names",
        "reading": "the reading of the highlighted name",
        "pattern": "the pattern of that reading",
    },
    "scale": {"sentiment": "the sentiment of the text"},
    "spans": {"words": "which words are metaphors"},
}
"""What heads can be asked by questions of each kind, in words."""

_STARTING = timedelta(minutes=1)
_PROMPT_LIMIT = 200_000
_WAIT_S = 15.0
"""Seconds that a page waits until a run has begun, or says why not; most take one or two."""


@dataclass(frozen=True, slots=True)
class ModelOrder:
    """A run as an owner orders it; `system` is empty for trope's own heads."""

    name: str
    chat: bool = False
    system: str = ""
    heads: tuple[str, ...] = ()
    temperature: float = 0.0
    seed: int | None = None
    max_tokens: int = 1_000
    answers_as: str = ""
    parameters: Mapping[str, Any] | None = None
    price_in: float = 0.0
    price_out: float = 0.0
    budget: float | None = None
    most: int = 0

    def command(self, project: Project, by: str) -> list[str]:
        """The command that does the work, which someone ordered."""
        base = [sys.executable, "-m", "trope", "annotate", "model", str(project.folder), self.name]
        base += [f"--by={by}", "--json"] + (["--items", str(self.most)] if self.most else [])
        if not self.chat:
            own = [part for head in self.heads for part in ("--head", head)]
            return base + own + (["--system", self.system] if self.system else [])
        given = {
            "temperature": self.temperature,
            "seed": self.seed,
            "max-tokens": self.max_tokens,
            "answers-as": self.answers_as or None,
            "price-in": self.price_in,
            "price-out": self.price_out,
            "budget": self.budget,
        }
        named = [f"--{name}={value}" for name, value in given.items() if value is not None]
        more = (self.parameters or {}).items()
        return [*base, "--chat", *named, *(f"--parameter={k}={json.dumps(v)}" for k, v in more)]


@dataclass(frozen=True, slots=True)
class HeadMenu:
    """A question with the heads that may answer it, and what is chosen."""

    question: Question
    heads: Mapping[str, str]
    head: str = ""
    yes: str = ""
    no: str = ""


@require_http_methods(["GET", "POST"])
@only("owner")
def models(request: HttpRequest) -> HttpResponse:
    """The models that annotate beside the people: progress, cost, errors, how good they are.

    POST begins a run.
    """
    if request.method == "GET":
        only_runs = request.headers.get("X-Trope") == "runs"
        return render(request, "runs.html", _runs()) if only_runs else _page(request)
    try:
        order = _read_order(request.POST)
        model_answers.check_run_name(order.name)
        if model_answers.find_run(order.name) is not None:
            raise BadInput(f"there is a run {order.name!r}; let it go on, or choose another name")
        if order.chat:
            _keep_prompt(order.name, request.POST.get("prompt", ""))
        _start(order, request.person.name)
    except TropeError as error:
        return _page(request, problem=str(error), form=request.POST.dict(), status=422)
    return redirect("models")


@require_POST
@only("owner")
def run(request: HttpRequest, name: str) -> HttpResponse:
    """A run that is stopped, or goes on with the items that have no answer."""
    found = model_answers.find_run(name)
    if found is None:
        raise Http404
    if request.POST.get("action") == "stop":
        model_answers.stop_run(name, now=now(), by=request.person.name)
        return redirect("models")
    try:
        budget = _number(request.POST, "budget", float, None)
        _start(_order_again(found, budget), request.person.name)
    except TropeError as error:
        return _page(request, problem=str(error), status=422)
    return redirect("models")


def _project() -> Project:
    project: Project = settings.TROPE_PROJECT
    return project


def _page(
    request: HttpRequest,
    *,
    problem: str = "",
    form: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    sample = draw_sample()
    small = sample.ids is None  # all answers of all models are read
    context = _runs()
    measured = project_quality(plan()) if context["runs"] and small else {}
    questions = [
        {"text": one.text, "models": measured[one.id]}
        for one in plan().questions
        if measured.get(one.id)
    ]
    context |= {"questions": questions, "small": small, "problem": problem}
    if context["runs"] and small:
        context |= _rates(request)
    context |= _choices(form or {})
    return render(request, "models.html", context, status=status)


def _rates(request: HttpRequest) -> dict[str, Any]:
    """The rates by each model, corrected by what people judged, of all items or by a field."""
    fields = [name for name in item_fields() if name != "highlight"]
    group = request.GET.get("by", "")
    group, width = group if group in fields else "", _width(request.GET.get("width", ""))
    runs = [one.run.name for one in model_answers.all_runs()]
    found, problems = [], []
    for question in plan().questions:
        for name in runs if question.kind in ("choice", "scale") else ():
            try:
                rates = project_rates(plan(), question, model=name, group=group)
            except BadInput as error:
                problems.append(f"{question.text} {str(error).partition(';')[0]}.")
                continue
            needed = [
                one.rate.judgments_for(width) if width else one.rate.judgments_for_half
                for one in rates.rates
            ]
            notes = dict.fromkeys(chain(rates.notes, *(one.rate.notes for one in rates.rates)))
            rows = list(zip(rates.rates, needed, strict=True))
            found.append((question, rates, rows, list(notes)))
    shown = {"rates": found, "no_rates": problems}
    return shown | {"fields": fields, "group": group, "width": width}


def _width(given: str) -> float | None:
    """The width of an interval of a rate; None for anything else."""
    try:
        width = float(given.replace(",", "."))
    except ValueError:
        return None
    return width if 0 < width < 1 else None


def _runs() -> dict[str, Any]:
    """The runs; one whose process has ended without a word is marked as stopped."""
    found = model_answers.all_runs()
    for one in found:
        begun = one.run.last_at or one.run.started
        silent = one.run.state == ModelRunState.RUNNING and begun < now() - _STARTING
        if silent and not model_answers.is_under_way(_project(), one.run):
            model_answers.end_run(one.run, ModelRunState.STOPPED, "was interrupted; let it go on")
    return {"runs": found, "running": any(one.run.state == "running" for one in found)}


def _choices(form: Mapping[str, str]) -> dict[str, Any]:
    """What the form for a new run offers, filled in with what was sent."""
    usual = {
        "name": f"model-{len(model_answers.all_runs()) + 1}",
        "prompt": default_prompt(plan()),
        "temperature": "0",
        "max_tokens": "1000",
    }
    folder = _project().folder / SYSTEMS
    systems = sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []
    return {
        "form": usual | dict(form),
        "endpoint": os.environ.get("TROPE_CHAT_MODEL", ""),
        "host": urlsplit(os.environ.get("TROPE_CHAT_URL", "")).hostname,
        "systems": systems,
        "menus": _head_menus(form),
    }


def _head_menus(form: Mapping[str, str]) -> list[HeadMenu]:
    """The questions that heads may answer, with what was sent, or else what the template says."""
    return [
        _head_menu(question, heads, form)
        for question in plan().questions
        if (heads := _HEADS.get(question.kind))
    ]


def _head_menu(question: Question, heads: Mapping[str, str], form: Mapping[str, str]) -> HeadMenu:
    usual = dict(named.split("=", 1) for named in usual_heads(plan()))
    head, _, values = usual.get(question.id, "").partition(":")
    first, second = (*(option.value for option in question.options), "", "")[:2]
    yes, no = values.split("/") if values else (first, second)
    chosen = {"head": head, "yes": yes, "no": no}
    sent = {key: form.get(f"{key}-{question.id}", value) for key, value in chosen.items()}
    return HeadMenu(question, heads, **sent)


def _read_order(form: Mapping[str, str]) -> ModelOrder:
    """The order of a form.

    Raises:
        BadInput: for a number that is none, or a system that the project does not have.
    """
    kind = form.get("kind", "")
    system = kind.removeprefix("system:") if kind.startswith("system:") else ""
    if system and system not in _choices({})["systems"]:
        raise BadInput(f"there is no system {system!r} in the folder {SYSTEMS} of the project")
    heads = tuple(_named(menu) for menu in _head_menus(form) if menu.head)
    if kind != "chat" and not heads:
        raise BadInput("choose which questions the model answers")
    return ModelOrder(
        form.get("name", "").strip(),
        chat=kind == "chat",
        system=str(_project().folder / SYSTEMS / system) if system else "",
        heads=() if list(heads) == usual_heads(plan()) else heads,
        temperature=_number(form, "temperature", float, 0.0),
        seed=_number(form, "seed", int, None),
        max_tokens=_number(form, "max_tokens", int, 1_000),
        price_in=_number(form, "price_in", float, 0.0),
        price_out=_number(form, "price_out", float, 0.0),
        budget=_number(form, "budget", float, None),
        most=_number(form, "most", int, 0),
    )


def _named(menu: HeadMenu) -> str:
    """The head as the command names it."""
    values = f":{menu.yes}/{menu.no}" if menu.head in _BINARY else ""
    return f"{menu.question.id}={menu.head}{values}"


def _number(form: Mapping[str, str], name: str, kind: type, usual: Any) -> Any:
    given = form.get(name, "").strip()
    try:
        value = kind(given) if given else usual
    except ValueError:
        value = -1
    if value is not None and not 0 <= value < 10**9:
        raise BadInput(f"{name.replace('_', ' ')}: write a number of 0 or more, not {given[:20]!r}")
    return value


def _order_again(found: ModelRun, budget: float | None) -> ModelOrder:
    """The order that continues a run, with its own settings."""
    kept, name = found.settings, found.name
    if found.kind != "chat":
        values = kept.get("values", {})
        heads = [
            f"{q}={h}:{values[q]}" if q in values else f"{q}={h}" for q, h in kept["heads"].items()
        ]
        usual = heads == usual_heads(plan())
        system = kept["model"] if found.kind == "system" else ""
        return ModelOrder(name, system=system, heads=() if usual else tuple(heads))
    return ModelOrder(
        name,
        chat=True,
        **{
            key: kept[key]
            for key in ("temperature", "seed", "max_tokens", "answers_as", "parameters")
        },
        price_in=found.price_in,
        price_out=found.price_out,
        budget=found.budget if budget is None else budget,
    )


def _keep_prompt(name: str, prompt: str) -> None:
    """Write the prompt of a new run to its file."""
    prompt = prompt.replace("\r\n", "\n").strip() or default_prompt(plan())
    if len(prompt) > _PROMPT_LIMIT:
        raise BadInput("the prompt is too long; shorten it")
    write_prompt(prompt_path(_project().folder, name), prompt.strip() + "\n")


def _start(order: ModelOrder, by: str) -> None:
    """Let another process do the work, and wait until it has begun.

    Raises:
        BadInput: why it could not begin.
    """
    begun: Future[str] = Future()
    command = order.command(_project(), by)
    work = Thread(
        target=_work, args=(command, order.name, begun), daemon=True, name=f"model {order.name}"
    )
    work.start()
    try:
        if why := begun.result(_WAIT_S):
            raise BadInput(why)
    except TimeoutError:
        pass  # it takes long to begin; the page shows it when it has


def _work(command: list[str], name: str, begun: Future[str]) -> None:
    """Wait for the process; what it could not note with the run itself is noted here."""
    try:
        with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True) as process:
            assert process.stdout is not None
            is_begun = process.stdout.readline().strip() == BEGUN
            if is_begun:
                begun.set_result("")
            _, said = process.communicate()
        why = said.strip().splitlines()[-1].removeprefix("trope: ") if said.strip() else ""
        if not is_begun:
            begun.set_result(why or "the model could not be started")
        run = model_answers.find_run(name)
        if process.returncode and run and not model_answers.is_under_way(_project(), run):
            model_answers.end_run(run, ModelRunState.STOPPED, (why or "its process ended")[:500])
    except OSError as error:
        begun.set_result(f"the model could not be started ({error.strerror})")
    finally:
        connection.close()
