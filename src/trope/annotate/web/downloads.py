"""Files for the owner, streamed; but for answers, CSV is safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from trope.annotate.exchange import text_files
from trope.annotate.exchange.records import Losses
from trope.annotate.rules.aggregating import METHODS, Way
from trope.annotate.store import demo_items, exporting, selectors
from trope.annotate.store import labels as labelling
from trope.annotate.store.answers import (
    MOST_DOWNLOADED,
    answer_head,
    answer_objects,
    draw_sample,
)
from trope.annotate.web.views import now, only, plan
from trope.core.errors import BadInput

TIES = ("none", "first", "random")


@require_GET
@only("owner")
def judgments(request: HttpRequest, kind: str) -> StreamingHttpResponse:
    """Every judgment."""
    rows = exporting.judgments()
    lines = (
        text_files.judgment_csv(rows, plan().questions)
        if kind == "csv"
        else text_files.judgment_jsonl(rows)
    )
    return _file(lines, "judgments", kind)


@require_GET
@only("owner")
def answers(request: HttpRequest) -> StreamingHttpResponse:
    """Every answer that counts, as `trope agree` and `aggregate` read it: with plain cells."""
    gold = bool(request.GET.get("gold"))
    rows = answer_objects(plan(), gold=gold)
    head = list(answer_head(plan(), gold=gold))
    return _file(text_files.csv_lines(head, rows, safe=False), "answers", "csv")


@require_GET
@only("owner")
def labels(request: HttpRequest, kind: str) -> HttpResponse | StreamingHttpResponse:
    """The label of every item that has all its judgments, by the method that is chosen; with
    `drafts` also of the others. Of a very large project some methods are for the command line."""
    way = way_of(request)
    if way.method not in labelling.BY_ITEM and draw_sample().total > MOST_DOWNLOADED:
        command = f"trope annotate export DIR --what labels --method {way.method} --out FILE"
        return _cannot(request, "Too large", f"This is too much for a page; run: {command}")
    try:
        found = labelling.labelled_items(
            plan(), Losses(), way=way, drafts=bool(request.GET.get("drafts"))
        )
        rows = _begun(labelling.label_rows(found))
    except BadInput as error:
        return _cannot(request, "No labels", str(error))
    return _table(list(labelling.LABEL_TYPES), rows, "labels", kind)


@require_GET
@only("owner")
def trials(request: HttpRequest) -> StreamingHttpResponse:
    """The answers to training and demo items."""
    return _table(list(demo_items.TRIAL_TYPES), demo_items.trial_rows(), "trials", "jsonl")


@require_GET
@only("owner")
def pay(request: HttpRequest) -> StreamingHttpResponse:
    """The pay sheet."""
    head = ("name", "state", "judged", "skipped", "gold_seen", "gold_right", "hours", "earned")
    rows = (
        {name: getattr(row, name) for name in head}
        | {"hours": f"{row.hours:.4f}", "currency": plan().pay.currency, "hourly": row.hourly}
        for row in selectors.pay_sheet(plan(), now=now())
    )
    return _table([*head, "currency", "hourly"], rows, "pay", "csv")


def way_of(request: HttpRequest) -> Way:
    """The method that the address names."""
    method, ties = request.GET.get("method", METHODS[0]), request.GET.get("ties", TIES[0])
    if method not in METHODS or ties not in TIES:
        raise Http404
    return Way(method=method, ties=ties)


def file_name(what: str, kind: str) -> str:
    """The name of a download, with that of the project's folder."""
    folder = settings.TROPE_PROJECT.folder.resolve().name
    safe = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder)
    return f"{safe}-{what}.{kind}"


def _begun(rows: Iterator[Any]) -> Iterator[Any]:
    """The same rows; what is wrong with the first is raised now, while a page can still say so."""
    first = next(rows, None)
    return iter(()) if first is None else _chained(first, rows)


def _chained(first: Any, rows: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rows


def _table(
    head: Sequence[str], rows: Iterable[Mapping[str, Any]], what: str, kind: str
) -> StreamingHttpResponse:
    lines = text_files.csv_lines(head, rows) if kind == "csv" else text_files.jsonl_lines(rows)
    return _file(lines, what, kind)


def _file(lines: Iterator[str], what: str, kind: str) -> StreamingHttpResponse:
    content = "text/csv" if kind == "csv" else "application/jsonl"
    response = StreamingHttpResponse(lines, content_type=f"{content}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name(what, kind)}"'
    return response


def _cannot(request: HttpRequest, heading: str, message: str) -> HttpResponse:
    return render(request, "message.html", {"heading": heading, "message": message}, status=422)
