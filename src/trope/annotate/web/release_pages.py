"""The owner's release: a form, and the data set as one file.

A release is made by a higher layer than this one. The service is started with a function that makes
it (`serve(..., release=…)`), and pages call that.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from trope.annotate.project import Project
from trope.annotate.questions import measured_questions
from trope.annotate.rules.aggregation import METHODS
from trope.annotate.store.exports import note_release
from trope.annotate.store.rows import MOST_DOWNLOADED, draw_sample, item_fields
from trope.annotate.web.context import message_page, now, only, plan
from trope.annotate.web.downloads import file_name
from trope.core.errors import TropeError

LICENCES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0", "ODbL", "MIT")
"""Licences that the form suggests; any other can be written."""

_SMALL = 20
_LONGEST = 200
_NOT_HERE = "This service was started without releases. Run: trope release DIR --licence LICENCE"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same release is the same file, whenever it is made


@dataclass(frozen=True, slots=True)
class ReleaseForm:
    """What the owner wants released, as the form has it."""

    licence: str = ""
    name: str = ""
    creator: str = ""
    language: str = "en"
    question: str = ""
    group_by: str = ""
    method: str = "majority"
    shares: str = "0.8,0.1,0.1"
    drafts: bool = False
    with_text: bool = False


MakeRelease = Callable[[Project, Path, ReleaseForm], None]
"""Writes the release of a connected project into a new folder."""


@require_http_methods(["GET", "POST"])
@only("owner")
def release(request: HttpRequest) -> HttpResponse | FileResponse:
    """The form; POST answers with the data set as a ZIP file, or with what is in its way."""
    total = draw_sample().total
    if total > MOST_DOWNLOADED:
        command = "trope release DIR --licence LICENCE"
        return message_page(request, "Too large", f"This project is too large. Run: {command}", 422)
    if request.method == "GET":
        few = total < _SMALL
        return _page(request, ReleaseForm(shares="1,0,0") if few else ReleaseForm(), few=few)
    form = _read_form(request)
    make: MakeRelease | None = getattr(settings, "TROPE_RELEASE", None)
    if make is None or not form.licence:
        problem = _NOT_HERE if make is None else "Say under which licence the data may be used."
        return _page(request, form, problem=problem, status=422)
    try:
        file = _zipped(make, form)
    except TropeError as error:
        return _page(request, form, problem=str(error), status=422)
    note_release(form.licence, now=now(), by=request.person.name)
    return FileResponse(file, as_attachment=True, filename=file_name("release", "zip"))


def _read_form(request: HttpRequest) -> ReleaseForm:
    given = {
        name: request.POST.get(name, "").strip()[:_LONGEST]
        for name in ("licence", "name", "creator", "language", "question", "group_by", "shares")
    }
    form = replace(ReleaseForm(), **{name: value for name, value in given.items() if value})
    method = request.POST.get("method", form.method)
    return replace(
        form,
        method=method if method in METHODS else form.method,
        drafts=bool(request.POST.get("drafts")),
        with_text=bool(request.POST.get("with_text")),
    )


def _page(
    request: HttpRequest,
    form: ReleaseForm,
    *,
    problem: str = "",
    few: bool = False,
    status: int = 200,
) -> HttpResponse:
    asked = [
        question
        for question in measured_questions(plan().questions)
        if question.id != plan().doubt.question
    ]
    context = {
        "form": form,
        "licences": LICENCES,
        "methods": METHODS,
        "questions": asked,
        "fields": item_fields(),
        "problem": problem,
        "few": few,
    }
    return render(request, "release.html", context, status=status)


def _zipped(make: MakeRelease, form: ReleaseForm) -> IO[bytes]:
    """The release in one file, which goes away when it is closed."""
    with TemporaryDirectory() as place:
        folder = Path(place) / "release"
        make(settings.TROPE_PROJECT, folder, form)
        file = TemporaryFile()  # noqa: SIM115  # the response closes it
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    inside = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
                    inside.external_attr = 0o644 << 16
                    inside.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(inside, path.read_bytes())
    file.seek(0)
    return file
