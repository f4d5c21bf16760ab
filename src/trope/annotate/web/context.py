"""What every view needs: the plan, the time, the roles, and the content of an item's page."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from trope.annotate.plan import Plan
from trope.annotate.project import UPLOADS, open_project
from trope.annotate.web import content
from trope.core.errors import TropeError

View = Callable[..., HttpResponse]
_log = logging.getLogger("trope.annotate.security")
HOMES = {"owner": "project", "adjudicator": "disputes", "annotator": "work"}


def only(*roles: str) -> Callable[[View], View]:
    """Restrict a view to these roles; others get a page that says why."""

    def wrap(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            return refuse_role(request, roles) or view(request, *args, **kwargs)

        checked.roles = roles  # type: ignore[attr-defined]  # for `refuse_role` before a form is read
        return checked

    return wrap


def refuse_role(request: HttpRequest, roles: Sequence[str]) -> HttpResponse | None:
    """The page for someone who has none of the roles."""
    if request.person is None:
        return message_page(
            request,
            "Please use your link",
            "This page is for invited people. Open the link that you received.",
            401,
        )
    if request.person.role not in roles:
        _log.warning("person %d asked for %r without its role", request.person.pk, request.path)
        return message_page(request, "No access", "Your role does not include this page.", 403)
    return None


def takes_files(view: View) -> View:
    """Let the forms of a view bring files, which only owners may send."""
    view.takes_files = True  # type: ignore[attr-defined]  # for the middleware, before a form is read
    return view


class SentFile(UploadedFile):
    """A file of a form, in the project's folder until it is moved or the request ends."""

    def __init__(self, name: str) -> None:
        folder = settings.TROPE_PROJECT.folder / UPLOADS
        folder.mkdir(mode=0o700, exist_ok=True)
        descriptor, path = tempfile.mkstemp(dir=folder, prefix=".sent-")  # its owner's alone
        super().__init__(os.fdopen(descriptor, "w+b"), name)
        self.path = Path(path)

    def close(self) -> None:
        """Close the file, and remove it unless it was moved."""
        super().close()
        self.path.unlink(missing_ok=True)


class SentFileHandler(FileUploadHandler):
    """Writes the files of a form to the disk as they arrive."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin a file."""
        super().new_file(*args, **kwargs)
        self.file = SentFile(self.file_name)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a piece."""
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> SentFile:
        """The whole file."""
        self.file.size = file_size
        self.file.seek(0)
        return self.file

    def upload_interrupted(self) -> None:
        """Remove what there is."""
        if hasattr(self, "file"):
            self.file.close()


def unless_paused(view: View) -> View:
    """Let nobody work while the project is paused."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return pause_page(request) if request.paused else view(request, *args, **kwargs)

    return checked


def pause_page(request: HttpRequest) -> HttpResponse:
    """What people see while the project is paused."""
    text = "The owner has paused the work. What you have filled in is kept; please come back later."
    return message_page(request, "A pause", text, 200)


def renew_plan(version: int) -> None:
    """Read project.toml again if a process of the service has saved it since."""
    project = settings.TROPE_PROJECT
    if version == project.version:
        return
    try:
        project = open_project(project.folder)
    except TropeError as error:  # someone has written into the file; people can work on
        _log.error("the plan was not read again: %s", error)
    settings.TROPE_PROJECT = replace(project, version=version)


def now() -> datetime:
    """The current time; tests replace it."""
    return datetime.now(UTC)


def plan() -> Plan:
    """The plan of the project that is served."""
    return settings.TROPE_PROJECT.plan


def item_context(item: Any, token: str, values: Any, faults: dict[str, str]) -> dict[str, Any]:
    """The content of an item's page, for any kind of item."""
    return {
        "token": token,
        "pieces": content.marked_segments(item.text, item.payload.get("highlight", ())),
        "shown": content.shown_fields(plan(), item.payload),
        "senses": content.looked_up(plan(), item.text, item.payload),
        "fields": content.fields(plan(), item.text, item.payload, values, faults),
        "faults": faults,
        "guidelines": in_html(plan().guidelines),
    }


@lru_cache(maxsize=8)
def in_html(guidelines: str) -> str:
    """The guidelines on every item's page, rendered once."""
    return render_to_string("blocks.html", {"blocks": content.blocks(guidelines)})


def message_page(request: HttpRequest, heading: str, message: str, status: int) -> HttpResponse:
    """A page with a heading and one paragraph."""
    context = {"heading": heading, "message": message}
    return render(request, "message.html", context, status=status)
