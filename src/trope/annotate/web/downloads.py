"""Files for the owner, streamed; CSV is safe to open in a spreadsheet unless asked otherwise.

A release is made by a higher layer than this one: the service is started with a function that
makes it (`serve(..., release=…)`), and the page of the release calls that.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Literal

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trope.annotate.exchange.files import csv_lines
from trope.annotate.exchange.platforms import (
    describe_settlement,
    read_amount,
    read_submissions,
    settlement_files,
)
from trope.annotate.exchange.platforms import settle as settle_submissions
from trope.annotate.exchange.records import Losses
from trope.annotate.project import Project
from trope.annotate.questions import measured_questions, watched_question
from trope.annotate.rules.aggregation import METHODS, AggregationOptions
from trope.annotate.store.exports import (
    ExportOptions,
    agreement_text,
    export_lines,
    export_parquet,
    note_release,
)
from trope.annotate.store.labels import BY_ITEM
from trope.annotate.store.overview import project_overview
from trope.annotate.store.reports import external_workers, pay_sheet
from trope.annotate.store.rows import MOST_DOWNLOADED, draw_sample, item_fields
from trope.annotate.web.context import SentFile, message_page, now, only, plan, takes_files
from trope.core.errors import BadInput, BadRecord, MissingExtra, TropeError

TIES = ("none", "first", "random")
_LIST_LIMIT = 20_000_000
"""Bytes of a platform's list of submissions."""


@require_GET
@only("owner")
def judgments(request: HttpRequest, kind: str) -> StreamingHttpResponse:
    """Every judgment."""
    return _download(ExportOptions("judgments", kind))


@require_GET
@only("owner")
def answers(request: HttpRequest) -> StreamingHttpResponse:
    """Every answer that counts, as `trope agree` and `aggregate` read it; `plain` leaves the cells
    as they are."""
    gold, plain = bool(request.GET.get("gold")), bool(request.GET.get("plain"))
    return _download(ExportOptions("answers", "csv", gold=gold, plain_cells=plain))


@require_GET
@only("owner")
def labels(request: HttpRequest, kind: str) -> HttpResponse | StreamingHttpResponse:
    """The label of every item that has all its judgments, by the method that is chosen; with
    `drafts` also of the others. Of a very large project some methods are for the command line."""
    chosen = aggregation_options(request)
    if chosen.method not in BY_ITEM and draw_sample().total > MOST_DOWNLOADED:
        command = f"trope annotate export DIR --what labels --method {chosen.method} --out FILE"
        text = f"This project is too large for a download by that method. Run: {command}"
        return message_page(request, "Too large", text, 422)
    drafts = bool(request.GET.get("drafts"))
    try:
        return _download(ExportOptions("labels", kind, drafts=drafts, aggregation=chosen))
    except BadInput as error:
        return message_page(request, "No labels", str(error), 422)


@require_GET
@only("owner")
def labelled(request: HttpRequest, kind: str) -> HttpResponse | StreamingHttpResponse:
    """One row per item with its text, its fields and its labels; with `drafts` also of items that
    lack judgments."""
    if draw_sample().total > MOST_DOWNLOADED:
        command = f"trope annotate export DIR --what labelled --format {kind} --out FILE"
        text = f"This project is too large for a download. Run: {command}"
        return message_page(request, "Too large", text, 422)
    options = ExportOptions("labelled", kind, drafts=bool(request.GET.get("drafts")))
    if kind != "parquet":
        return _download(options)
    file = BytesIO()
    try:
        export_parquet(plan(), options, Losses(), file)
    except MissingExtra as error:
        return message_page(request, "No Parquet", str(error), 422)
    return _whole(file.getvalue(), "labelled", kind, "application/vnd.apache.parquet")


@require_GET
@only("owner")
def agreement(request: HttpRequest, kind: Literal["json", "md"]) -> HttpResponse:
    """The agreement on every question as JSON or Markdown."""
    content = {"json": "application/json; charset=utf-8", "md": "text/markdown; charset=utf-8"}[
        kind
    ]
    return _whole(agreement_text(plan(), kind, draw_sample()), "agreement", kind, content)


@require_GET
@only("owner")
def trials(request: HttpRequest) -> StreamingHttpResponse:
    """The answers to training and demo items."""
    return _download(ExportOptions("trials"))


@require_GET
@only("owner")
def decisions(request: HttpRequest) -> StreamingHttpResponse:
    """What adjudicators decided."""
    return _download(ExportOptions("decisions", "csv"))


@require_GET
@only("owner")
def model_answers(request: HttpRequest) -> StreamingHttpResponse:
    """What models answered, without what they said word for word."""
    return _download(ExportOptions("models", "csv"))


@require_GET
@only("owner")
def pay(request: HttpRequest) -> StreamingHttpResponse:
    """The pay sheet."""
    head = ("name", "state", "judged", "skipped", "gold_seen", "gold_right", "hours", "earned")
    rows = (
        {name: getattr(row, name) for name in head}
        | {"hours": f"{row.hours:.4f}", "currency": plan().pay.currency, "hourly": row.hourly}
        for row in pay_sheet(plan(), now=now())
    )
    return stream(csv_lines([*head, "currency", "hourly"], rows), "pay", "csv")


@require_GET
@only("owner")
def pay_page(request: HttpRequest) -> HttpResponse:
    """Work done and pay owed, with the hourly rate, and a form for the list of a platform."""
    return _pay_page(request)


def _pay_page(request: HttpRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    context = {
        "rows": pay_sheet(plan(), now=now()),
        "reward": request.POST.get("reward", ""),
        "limit": _LIST_LIMIT // 1_000_000,
        "problem": problem,
    }
    return render(request, "pay.html", context, status=status)


@takes_files
@require_POST
@only("owner")
def settle(request: HttpRequest) -> HttpResponse | FileResponse:
    """The list of submissions of a platform as the files that it takes in, in one ZIP file."""
    sent = request.FILES.get("submissions")
    try:
        if not isinstance(sent, SentFile) or sent.size > _LIST_LIMIT:
            raise BadInput("choose the list of submissions that the platform offers as CSV")
        sent.flush()
        reward = request.POST.get("reward", "").strip()
        files = _settled(sent.path, sent.name or "", read_amount(reward) if reward else None)
    except TropeError as error:
        return _pay_page(request, problem=str(error), status=422)
    return FileResponse(files, as_attachment=True, filename=file_name("settlement", "zip"))


def _settled(path: Path, name: str, reward: Decimal | None) -> IO[bytes]:
    try:
        platform, submissions = read_submissions(path)
    except BadRecord as error:
        raise BadInput(f"{name}, line {error.line}: {error.problem}") from None
    except BadInput as error:
        raise BadInput(str(error).replace(str(path), name)) from None
    workers = external_workers({one.worker for one in submissions}, plan())
    settled = settle_submissions(submissions, workers, reward)
    made = settlement_files(platform, settled)
    said = describe_settlement(platform, settled, plan().pay.currency)
    return _zip(
        {"summary.txt": f"{said}\n".encode()}
        | {file: "".join(lines).encode() for file, lines in made.items()}
    )


def aggregation_options(request: HttpRequest) -> AggregationOptions:
    """The method that the address names."""
    method, ties = request.GET.get("method", METHODS[0]), request.GET.get("ties", TIES[0])
    if method not in METHODS or ties not in TIES:
        raise Http404
    return AggregationOptions(method=method, ties=ties)


def file_name(what: str, kind: str) -> str:
    """The name of a download, with that of the project's folder."""
    folder = settings.TROPE_PROJECT.folder.resolve().name
    safe = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder)
    return f"{safe}-{what}.{kind}"


def _download(options: ExportOptions) -> StreamingHttpResponse:
    """The export as a response; a problem with its first row is raised while a page can show it."""
    lines = export_lines(plan(), options, Losses())
    first = list(islice(lines, 2))  # of CSV, the first line is the header
    return stream(chain(first, lines), options.what, options.format)


def _whole(content: str | bytes, what: str, kind: str, content_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{file_name(what, kind)}"'
    return response


def stream(lines: Iterator[str], what: str, kind: str) -> StreamingHttpResponse:
    """Lines as a download."""
    content = "text/csv" if kind == "csv" else "application/jsonl"
    response = StreamingHttpResponse(lines, content_type=f"{content}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name(what, kind)}"'
    return response


LICENCES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0", "ODbL", "MIT")
"""Licences that the form suggests; any other can be written."""

MOST_RELEASED = 5_000
"""Items of which a page makes a release, in seconds; of more, the command does."""

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
    if total > MOST_RELEASED:
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
        problem = re.sub(r" \(--\w+\)|--(?=\w)", "", str(error))  # a page has fields, no options
        return _page(request, form, problem=problem, status=422)
    note_release(form.licence, now=now(), by=request.person.name)
    return FileResponse(file, as_attachment=True, filename=file_name("release", "zip"))


def _read_form(request: HttpRequest) -> ReleaseForm:
    def given(name: str) -> str:
        return " ".join(request.POST.get(name, "").split())[:_LONGEST]

    usual, method = ReleaseForm(), given("method")
    return ReleaseForm(
        licence=given("licence"),
        name=given("name"),
        creator=given("creator"),
        language=given("language") or usual.language,
        question=given("question"),
        group_by=given("group_by"),
        method=method if method in METHODS else usual.method,
        shares=given("shares") or usual.shares,
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
    usual = watched_question(asked, plan().quality.question)
    context = {
        "form": form,
        "question": form.question or (usual.id if usual else ""),
        "licences": LICENCES,
        "methods": METHODS,
        "questions": asked,
        "fields": item_fields(),
        "problem": problem,
        "few": few,
        "overview": project_overview(settings.TROPE_PROJECT),
    }
    return render(request, "release.html", context, status=status)


def _zipped(make: MakeRelease, form: ReleaseForm) -> IO[bytes]:
    """The release in one file, which goes away when it is closed."""
    with TemporaryDirectory() as place:
        folder = Path(place) / "release"
        make(settings.TROPE_PROJECT, folder, form)
        found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
        return _zip({name: p.read_bytes() for name, p in sorted(found.items()) if p.is_file()})


def _zip(files: Mapping[str, bytes]) -> IO[bytes]:
    """Files in one, which goes away when it is closed."""
    file = TemporaryFile()  # noqa: SIM115  # the response closes it
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            inside = zipfile.ZipInfo(name, _EPOCH)
            inside.external_attr = 0o644 << 16
            inside.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(inside, content)
    file.seek(0)
    return file
