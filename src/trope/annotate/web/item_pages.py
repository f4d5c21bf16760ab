"""Pages of the owner about items: files that are sent, what their columns are for, single items,
and which come next: batches and rounds."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from trope.annotate.exchange.files import TableStart, table_start
from trope.annotate.exchange.items import (
    FIELD,
    ColumnMapping,
    guess_uses,
    highlight_cell,
    mapping_faults,
)
from trope.annotate.project import Project
from trope.annotate.rules.rounds import ROUND_ORDERS
from trope.annotate.store import imports, people, setup, slots
from trope.annotate.store.practice import import_demo
from trope.annotate.web.content import marked_segments
from trope.annotate.web.context import SentFile, message_page, now, only, plan, takes_files
from trope.core.errors import BadInput, BadRecord, TropeError
from trope.core.progress import counted

_PER_PAGE = 50
_SHOWN_ROWS = 5
_WAIT_S = 5.0
"""Seconds that a page waits for an import, since most of them take no longer."""


def _project() -> Project:
    project: Project = settings.TROPE_PROJECT
    return project


@takes_files
@require_http_methods(["GET", "POST"])
@only("owner")
def items(request: HttpRequest) -> HttpResponse:
    """The items, and files of items on their way in; POST sends a file, or deletes items."""
    if request.method == "GET":
        return _items_page(request)
    by = request.person.name
    try:
        if request.POST.get("action") == "delete":
            chosen = [int(n) for n in request.POST.getlist("item") if n.isdecimal()]
            number = setup.delete_items(chosen, now=now(), by=by)
            return _items_page(request, said=f"{counted(number, 'item')} deleted.")
        if request.POST.get("action") == "delete-all":
            if not request.POST.get("sure"):
                raise BadInput("check the box if all items that nobody judged are to be deleted")
            number = setup.delete_items(None, now=now(), by=by)
            return _items_page(request, said=f"{counted(number, 'item')} deleted.")
        return redirect("mapping", receive_file(request).token)
    except TropeError as error:
        return _items_page(request, problem=str(error), status=422)


def receive_file(request: HttpRequest) -> Any:
    """Keep the file of items of a form, which can be read.

    Raises:
        BadInput: for a form without a file, or a file that cannot be read.
    """
    sent = request.FILES.get("items")
    if not isinstance(sent, SentFile):
        raise BadInput("choose a file first")
    sent.flush()
    upload = imports.add_upload(
        _project(), sent.path, sent.name or "", now=now(), by=request.person.name
    )
    try:
        _start_of(upload)
    except TropeError:
        imports.drop_upload(_project(), upload)
        raise
    return upload


def _items_page(
    request: HttpRequest, *, problem: str = "", said: str = "", status: int = 200
) -> HttpResponse:
    words = request.GET.get("find", "").strip()[:100]
    given = request.GET.get("after", "0")
    after = int(given) if given.isascii() and given.isdigit() and len(given) < 18 else 0
    found = list(setup.found_items(words).filter(place__gt=after)[: _PER_PAGE + 1])
    more = len(found) > _PER_PAGE
    context = {
        "items": found[:_PER_PAGE],
        "any_free": any(item.free for item in found),
        "following": found[_PER_PAGE - 1].place if more else None,
        "find": words,
        "uploads": (uploads := imports.latest_uploads(_project(), now=now())),
        "running": any(upload.state == "running" for upload in uploads),
        "added": bool(uploads) and uploads[0].state == "done",
        "limit": settings.TROPE_UPLOAD_LIMIT // 1_000_000,
        "problem": problem,
        "said": said,
    }
    return render(request, "items.html", context, status=status)


@require_http_methods(["GET", "POST"])
@only("owner")
def mapping(request: HttpRequest, token: str) -> HttpResponse:
    """The first rows of a file, and what its columns are for; POST imports it."""
    upload = imports.find_upload(token)
    if upload is None:
        raise Http404
    if upload.state in ("running", "done"):
        return redirect("items")
    sheet, problems = request.GET.get("sheet", ""), []
    try:
        start = _start_of(upload, sheet)
    except TropeError as error:
        if not sheet or request.method != "GET":
            return message_page(request, "This file cannot be read", str(error), 422)
        start, problems = _start_of(upload), [str(error)]  # another sheet could be read before
    if request.method == "GET":
        guessed = guess_uses(start.columns, plan(), start.rows)
        return _mapping_page(request, upload, start, guessed, problems=problems)
    if request.POST.get("action") == "discard":
        imports.drop_upload(_project(), upload)
        return redirect("items")
    uses = {column: request.POST.get(f"use-{n}", "") for n, column in enumerate(start.columns)}
    action = request.POST.get("action", "")
    do, done = _WORK.get(action, _WORK["import"])
    problems = list(mapping_faults(uses, plan()))
    if action == "replace" and "id" not in uses.values():
        problems.append("choose the column that holds the ids of the items to replace")
    if problems:
        return _mapping_page(request, upload, start, uses, problems=problems)
    if (lost := _lost_ids(uses, start)) and not request.POST.get("new_ids"):
        return _mapping_page(request, upload, start, uses, lost=lost)
    further = start.sheet if start.sheet != next(iter(start.sheets), "") else ""
    own_name = f"{upload.name.rpartition('.')[0]} {further}"
    stem = re.sub(r"[^\w.-]+", "-", own_name)[:60].strip("-") or "item"
    columns = ColumnMapping(uses, made=f"{stem}-")
    work = imports.begin_import(
        *(_project(), upload, columns),
        now=now(),
        by=request.person.name,
        do=do,
        done=done,
        sheet=start.sheet,
    )
    if work is not None:
        work.join(_WAIT_S)
    upload.refresh_from_db()
    if upload.state == "failed":
        return _mapping_page(request, upload, start, uses, problems=[upload.message, _REMEDY])
    begins = upload.state == "done" and action != "demo" and not people.any_annotator()
    return redirect("links" if begins else "items")


_REMEDY = (
    "Nothing was added. Choose other uses of the columns, or change the file and send it again."
)

_WORK: dict[str, tuple[Callable[..., int], str]] = {
    "import": (imports.import_items, "added"),
    "replace": (setup.replace_items, "replaced"),
    "demo": (import_demo, "added to the demo task"),
}
"""What is done with the rows of a file, and how the page says that it was."""


def _start_of(upload: Any, sheet: str = "") -> TableStart:
    path = imports.upload_file(_project(), upload)
    if not path.is_file():
        raise BadInput(f"{upload.name}: is not here any more; send it again")
    return table_start(path, upload.kind, upload.name, sheet)


def _lost_ids(uses: dict[str, str], start: TableStart) -> str:
    """The column of ids that a mapping would not use as such."""
    if "id" in uses.values():
        return ""
    guessed = guess_uses(start.columns, plan(), start.rows)
    return next((column for column, use in guessed.items() if use == "id"), "")


def _mapping_page(
    request: HttpRequest,
    upload: Any,
    start: TableStart,
    uses: dict[str, str],
    *,
    problems: list[str] | None = None,
    lost: str = "",
) -> HttpResponse:
    known = [(f"gold.{question.id}", question.text) for question in plan().questions]
    rows = start.rows[:_SHOWN_ROWS]
    columns = [
        {"name": name, "use": uses[name], "samples": [row.get(name, "") for row in rows]}
        for name in start.columns
    ]
    context = {
        "upload": upload,
        "columns": columns,
        "notes": start.notes,
        "start": start,
        "known": known,
        "field": FIELD,
        "has_ids": "id" in uses.values(),
        "may_replace": setup.found_items("").exists(),
        "lost": lost,
        "problems": problems or (),
    }
    return render(request, "mapping.html", context, status=422 if problems or lost else 200)


@require_http_methods(["GET", "POST"])
@only("owner")
def item(request: HttpRequest, number: int) -> HttpResponse:
    """One item; POST replaces it, if nobody has judged it."""
    found = setup.found_items("").filter(pk=number).first()
    if found is None:
        raise Http404
    text, fields, problem = found.text, _as_fields(found), ""
    if request.method == "POST":
        text = request.POST.get("text", "").replace("\r\n", "\n")
        fields = {name: request.POST.get(f"field-{n}", "") for n, name in enumerate(fields)}
        try:
            setup.replace_item(
                number,
                text,
                {name: value for name, value in fields.items() if value},
                plan(),
                now=now(),
                by=request.person.name,
            )
            return redirect("items")
        except BadRecord as error:
            problem = f"The item {error.problem}."
        except BadInput as error:
            problem = str(error)
    context = {
        "item": found,
        "pieces": marked_segments(found.text, found.payload.get("highlight") or ()),
        "text": text,
        "fields": list(fields.items()),
        "problem": problem,
    }
    return render(request, "edit_item.html", context, status=422 if problem else 200)


def _as_fields(found: Any) -> dict[str, str]:
    """The fields of an item as a file gives them."""
    own = {"highlight": "", "gold": ""}
    own |= {name: _as_cell(value) for name, value in found.payload.items()}
    own["highlight"] = highlight_cell(found.payload.get("highlight") or (), found.text)
    return own | ({"gold": json.dumps(found.gold, ensure_ascii=False)} if found.gold else {})


def _as_cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if value else ""


_log = logging.getLogger("trope.annotate")

_ROUND_WORDS = dict(
    zip(
        ROUND_ORDERS,
        (
            "what a light model is unsure of",
            "what models disagree on",
            "what is unlike anything judged",
            "any, at random",
        ),
        strict=True,
    )
)
_ROUND_SIZE = 100
_ROUND_WAIT_S = 20.0
"""Seconds that a page waits for a round, since most take no longer."""


@require_http_methods(["GET", "POST"])
@only("owner")
def batches_page(request: HttpRequest) -> HttpResponse:
    """The batches and rounds with their progress; POST opens the next batch, or chooses a round."""
    if request.method == "GET":
        return _batches_page(request)
    if request.POST.get("action") != "round":
        slots.open_next_batch(now=now(), by=request.person.name)
        return redirect("batches")
    try:
        return _batches_page(request, said=_choose_round(request))
    except BadInput as error:
        return _batches_page(request, problem=str(error), status=422)


def _batches_page(
    request: HttpRequest, *, said: str = "", problem: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "batches": (batches := slots.all_batches()),
        "waits": any(batch.opened is None for batch in batches),
        "orders": _ROUND_WORDS,
        "by": request.POST.get("by", "random"),
        "size": request.POST.get("size", _ROUND_SIZE),
        "questions": [one for one in plan().questions if one.kind in ("choice", "scale")],
        "said": said,
        "problem": problem,
    }
    return render(request, "batches.html", context, status=status)


def _choose_round(request: HttpRequest) -> str:
    """Let another process choose a round, and wait a while for it; what it did, in words.

    Raises:
        BadInput: for a form without an order or a size, or why there is no round.
    """
    by, size = request.POST.get("by", ""), request.POST.get("size", "").strip()
    if by not in ROUND_ORDERS or not (
        size.isascii() and size.isdecimal() and 0 < int(size) < 10**6
    ):
        raise BadInput("choose an order, and a number of items of 1 or more")
    command = [sys.executable, "-m", "trope", "annotate", "round", str(_project().folder), "--json"]
    command += [f"--by={by}", f"--size={size}", f"--who={request.person.name}"]
    if question := request.POST.get("question", ""):
        command.append(f"--question={question}")
    outcome: Future[str] = Future()
    Thread(target=_work, args=(command, outcome), daemon=True, name="round").start()
    try:
        return outcome.result(_ROUND_WAIT_S)
    except TimeoutError:
        return "The round is still being chosen. It opens by itself; look again in a while."


def _work(command: list[str], outcome: Future[str]) -> None:
    """Wait for the process that chooses a round; the log keeps what nobody waits for."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        outcome.set_exception(BadInput(f"the round could not be chosen ({error.strerror})"))
        return
    if not done.returncode:
        outcome.set_result(_round_in_words(json.loads(done.stdout)))
        return
    lines = done.stderr.strip().splitlines() or ["the round could not be chosen"]
    why = lines[-1].removeprefix("trope: ")
    _log.error("no round: %s", why)
    outcome.set_exception(BadInput(why))


def _round_in_words(begun: dict[str, Any]) -> str:
    opened = begun["opened"]
    items, labels = counted(opened["items"], "item"), counted(begun["labelled"], "label")
    said = f"{opened['name']}: {items} opened, after {labels}; {opened['left']} left."
    return f"{said} Note: {begun['note']}." if begun["note"] else said
