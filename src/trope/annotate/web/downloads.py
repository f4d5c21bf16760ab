"""Files for the owner, streamed; CSV is safe to open in a spreadsheet unless asked otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import chain, islice
from typing import Literal

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_GET

from trope.annotate.exchange.files import csv_lines
from trope.annotate.exchange.records import Losses
from trope.annotate.rules.aggregation import METHODS, AggregationOptions
from trope.annotate.store.exports import (
    ExportOptions,
    agreement_text,
    export_lines,
    export_parquet,
)
from trope.annotate.store.labels import BY_ITEM
from trope.annotate.store.reports import pay_sheet
from trope.annotate.store.rows import MOST_DOWNLOADED, draw_sample
from trope.annotate.web.context import message_page, now, only, plan
from trope.core.errors import BadInput, MissingExtra

TIES = ("none", "first", "random")


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
def pay(request: HttpRequest) -> StreamingHttpResponse:
    """The pay sheet."""
    head = ("name", "state", "judged", "skipped", "gold_seen", "gold_right", "hours", "earned")
    rows = (
        {name: getattr(row, name) for name in head}
        | {"hours": f"{row.hours:.4f}", "currency": plan().pay.currency, "hourly": row.hourly}
        for row in pay_sheet(plan(), now=now())
    )
    return _stream(csv_lines([*head, "currency", "hourly"], rows), "pay", "csv")


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
    return _stream(chain(first, lines), options.what, options.format)


def _whole(content: str | bytes, what: str, kind: str, content_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{file_name(what, kind)}"'
    return response


def _stream(lines: Iterator[str], what: str, kind: str) -> StreamingHttpResponse:
    content = "text/csv" if kind == "csv" else "application/jsonl"
    response = StreamingHttpResponse(lines, content_type=f"{content}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name(what, kind)}"'
    return response
