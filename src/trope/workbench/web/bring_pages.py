"""The pages to bring a corpus: choose or drop its files, watch the analysis, open the result."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, get_args

from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from trope.core.errors import BadInput, MissingData
from trope.core.records import TextKind
from trope.core.texts import unstorable_character
from trope.workbench.corpus.bring import BroughtCorpora
from trope.workbench.requests import BringChoices, FurtherTask, RequestRefused, as_sentence
from trope.workbench.web import state
from trope.workbench.web.state import BRING

_MOST_FILES = 20_000
_KINDS = get_args(TextKind)
_PARTIAL = "progress"
"""What a page that watches the analysis asks for: its changing part."""


class ArrivingFiles(FileUploadHandler):
    """Writes the files of a form into a folder as they arrive."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.arrived: list[tuple[Path, str]] = []
        self.fault = ""
        self._open: IO[bytes] | None = None

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin a file."""
        super().new_file(*args, **kwargs)
        number = len(self.arrived)
        if number >= _MOST_FILES:
            self.fault = f"these are more than {_MOST_FILES:,} files; bring them as an archive"
            return
        arriving = self.folder / str(number)
        self.arrived.append((arriving, self.file_name or ""))
        self._open = arriving.open("xb")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a piece; after a fault the rest is only taken from the browser."""
        try:
            if self._open is not None and not self.fault:
                self._open.write(raw_data)
        except OSError as error:
            self.fault = f"{self.folder}: cannot be written ({error.strerror}); make room there"

    def file_complete(self, file_size: int) -> None:
        """The file is whole; it is not kept open, since there may be thousands."""
        self.close()

    def upload_interrupted(self) -> None:
        """The browser has gone."""
        self.close()

    def close(self) -> None:
        """Close the file that arrives."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def place(self, names: list[str]) -> Path:
        """A folder with the files under the names that they had, which may have folders."""
        placed = self.folder / "placed"
        placed.mkdir(mode=0o700)
        whole = len(names) == len(self.arrived)
        for (arrived, name), given in zip(
            self.arrived, names if whole else [""] * len(self.arrived), strict=True
        ):
            arrived.rename(safe_path(placed, given or name))
        return placed


def safe_path(folder: Path, name: str) -> Path:
    """Where in the folder a file goes that a browser named so; a name that is taken gets a number.

    Raises:
        BadInput: the folder cannot have a file of that name.
    """
    parts = [
        part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..")
    ]
    if not parts or unstorable_character(name) or any(len(part.encode()) > 200 for part in parts):
        raise BadInput(f"{name[:80]!r} is no name of a file; rename it")
    if parts == ["-"]:  # means standard input where files are found
        parts = ["_"]
    wanted = folder.joinpath(*parts)
    path, number = wanted, 1
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        while path.exists():
            number += 1
            path = wanted.with_stem(f"{wanted.stem}-{number}")
    except OSError as error:
        raise BadInput(f"{name[:80]!r} cannot be stored ({error.strerror}); rename it") from None
    return path


def check_allowed() -> None:
    """Raises RequestRefused unless files may be brought to this workbench."""
    if not state.the_options().bring_mb:
        message = "files cannot be brought to this workbench; start it with --bring MB to allow it"
        raise RequestRefused(403, "not-allowed", message)


@contextmanager
def receiving(request: HttpRequest) -> Iterator[None]:
    """Let the form of a request bring files; what was not taken by its view is deleted."""
    folder = state.the_brought().arriving_folder()
    handler = ArrivingFiles(folder)
    request.upload_handlers = [handler]
    request.arriving = handler
    try:
        yield
    finally:
        handler.close()
        shutil.rmtree(folder, ignore_errors=True)


@require_http_methods(["GET", "HEAD", "POST"])
def bring(request: HttpRequest) -> HttpResponse:
    """The form for files and the corpora that were brought; POST analyses the files."""
    check_allowed()
    if request.method != "POST":
        return render(request, "bring.html", {"view": "none", **form_context()})
    choices = _choices(request)
    files: ArrivingFiles = request.arriving
    if files.fault:
        raise RequestRefused(413, "not-stored", files.fault)
    if not files.arrived:
        raise RequestRefused(400, "no-file", "no file arrived; choose a file or a folder first")
    placed = files.place(_names(request.POST.get("names", "")))
    return redirect("brought", state.the_brought().add(placed, choices))


@require_safe
def brought(request: HttpRequest, name: str) -> HttpResponse:
    """How far a corpus is, or what came of it."""
    check_allowed()
    corpora = state.the_brought()
    one = _found(corpora, name)
    rows = corpora.refused_rows(name) if not one.under_way else []
    share = round(100 * one.position / one.size) if one.size else 0
    context = {
        "view": "none",
        "one": one,
        "share": share if one.state == "running" else 100,
        "known": bool(one.size) and one.state == "running",
        "before": corpora.before(name),
        "rows": rows,
        "refused": one.totals.get("refused", len(rows)),
        "message": as_sentence(one.message),
        **form_context(),
    }
    partial = request.headers.get("X-Trope") == _PARTIAL
    return render(request, "brought_part.html" if partial else "brought.html", context)


@require_POST
def change(request: HttpRequest, name: str, action: str) -> HttpResponse:
    """Cancel, analyse again, delete, or open a corpus."""
    check_allowed()
    corpora = state.the_brought()
    one = _found(corpora, name)
    if action == "open":
        if one.state != "done":
            raise BadInput(f"{one.title}: is not analysed yet; wait until it is")
        state.show_corpus(corpora.corpus_folder(name))
        return redirect("corpus")
    if action == "delete":
        folder = corpora.corpus_folder(name)
        corpora.delete(name)
        state.forget_corpus(folder)
        return redirect("bring")
    if action == "cancel":
        corpora.cancel(name)
    else:
        corpora.again(name, _choices(request))
    return redirect("brought", name)


def form_context() -> dict[str, Any]:
    """What the form for files needs."""
    return {
        "kinds": _KINDS,
        "limit_mb": state.the_options().bring_mb,
        "corpora": list(state.the_brought()),
        "folder": state.the_brought().folder,
    }


def addresses() -> list[Any]:
    """Every address of these pages."""
    actions = ("cancel", "again", "delete", "open")
    return [
        path(BRING.lstrip("/"), bring, name="bring"),
        path("corpus/bring/<slug:name>", brought, name="brought"),
        *(
            path(f"corpus/bring/<slug:name>/{one}", change, {"action": one}, name=f"brought-{one}")
            for one in actions
        ),
    ]


def _choices(request: HttpRequest) -> BringChoices:
    kind = request.POST.get("kind", "plain")
    if kind not in _KINDS:
        message = f"unknown kind of text {kind!r}; use {', '.join(_KINDS)}"
        raise RequestRefused(400, "unknown-kind", message)
    asked = request.POST.getlist("tasks")
    tasks = tuple(one for one in get_args(FurtherTask) if one in asked)
    column = request.POST.get("column", "").strip()[:200]
    return BringChoices(kind=kind, column=column, tasks=tasks)


def _names(sent: str) -> list[str]:
    """The names with folders that a script sends; a form without scripts sends none."""
    try:
        names = json.loads(sent or "[]")
    except ValueError:
        return []
    good = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return names if good else []


def _found(corpora: BroughtCorpora, name: str) -> Any:
    try:
        return corpora.find(name)
    except MissingData:
        message = "there is no such corpus; it may have been deleted"
        raise RequestRefused(404, "not-found", message) from None
