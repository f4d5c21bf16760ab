"""The pages of a corpus: each view as a table with its command, CSV and JSON."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from trope.core.errors import TropeError
from trope.render.plots import check_plot
from trope.workbench.corpus.annotation import MOST_ITEMS, make_annotation_project
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import (
    DRAWN,
    AnyQuery,
    ConcordanceQuery,
    TextQuery,
    make_query,
    notebook_cell,
)
from trope.workbench.corpus.table import (
    CorpusTable,
    counted_in_words,
    draw_table,
    spread_in_words,
    to_csv,
    to_json,
)
from trope.workbench.corpus.views import answer, passage
from trope.workbench.requests import TEXT_LIMIT, BadField, RequestRefused, as_sentence
from trope.workbench.text_view import pieces, shown_figures
from trope.workbench.web.corpus_tables import charts, group_column, shown_rows
from trope.workbench.web.plots import DotPlot, LinePlot, dot_plot, line_plot
from trope.workbench.web.state import the_corpus, the_options

MOST_SHOWN = 500
"""Most rows of a page; files may have more."""

_FORMS = {"csv": (to_csv, "text/csv; charset=utf-8"), "json": (to_json, "application/json")}
_PLOT_FORMS = {"svg": "image/svg+xml", "png": "image/png"}
_drawing = Lock()
_LINK = re.compile(r'(href="/corpus/(?!bring)[^"?]*)(\?)?')
_LABELS = {
    "by": "Column",
    "period": "Period",
    "sort": "Order",
    "min_uses": "Minimum uses",
    "near": "Near",
    "uses": "Uses",
    "window": "Words on either side",
    "part": "Group",
    "against": "Compared with",
    "min_count": "Minimum count",
    "correction": "Correction of p",
    "direction": "Show",
    "regex": "Regular expression",
    "upos": "Part of speech",
    "min_score": "Minimum score",
    "max_score": "Maximum score",
    "context": "Words of context",
    "of": "Compare",
    "role": "Show",
    "size": "Words of a sequence",
    "rows": "Lines per page",
    "page": "Page",
    "where": "Only texts with",
    "words": "Words that count",
    "kind": "Kind",
}
"""Fields by the name that the forms show."""

_NEEDED = {
    "rates": (),
    "figures": (),
    "verbs": (),
    "keyness": ("by", "part"),
    "trend": ("by",),
    "collocates": ("lemma",),
    "sketch": ("lemma",),
    "ngrams": (),
    "dispersion": ("lemma",),
    "concordance": (),
    "domains": (),
    "features": (),
}
"""Fields that a form needs before there is a table."""


def addresses() -> list[Any]:
    """Every address of the corpus view."""
    return [
        path("corpus/", overview, name="corpus"),
        path("corpus/text/<int:number>", text, name="corpus-text"),
        path("corpus/send", send, name="corpus-send"),
        *(path(f"corpus/{view}", page, {"view": view}, name=f"corpus-{view}") for view in _NEEDED),
    ]


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Figures of the corpus, and links to its views."""
    corpus = the_corpus(request.GET.get("words", ""))
    if corpus is None:
        if the_options().bring_mb:
            return redirect("bring")
        return render(request, "corpus_none.html", {"view": "none"})
    query = make_query("rates", {"by": group_column(corpus), "rows": 1})
    table = answer(corpus, query)
    everything = shown_rows("rates", [table.about["all"]])[0]
    counted = counted_in_words(corpus.counted)
    context = {"view": "overview", "corpus": corpus, "everything": everything, "counted": counted}
    context |= {"charts": charts(corpus), "plots": _plots_installed(), "given": request.GET}
    return _page(request, "corpus_overview.html", context)


@require_safe
def page(request: HttpRequest, view: str) -> HttpResponse:
    """A view of the corpus below its form; with `format`, the same table as a file."""
    corpus = _corpus(request.GET)
    given = _fields(request.GET)
    context: dict[str, Any] = {"corpus": corpus, "view": view, "given": given}
    context |= {"where": (given.get("where") or [""])[0], "tags": _tags(corpus)}
    template = f"corpus_{view}.html"
    fields = given.keys() - {"words"}
    fitting = group_column(corpus)
    context["fitting"] = fitting
    if view == "rates" and fitting:
        given.setdefault("by", fitting)
    if not fields.issuperset(_NEEDED[view]) or (view == "concordance" and not fields):
        return _page(request, template, context)
    form = request.GET.get("format", "")
    asked = given if form in _FORMS else {**given, **_few_rows(given)}
    try:
        query = make_query(view, asked)
        table = answer(corpus, query)
    except TropeError as fault:
        # without a form that was sent, it is the corpus that lacks something
        status = 400 if fields else 200
        return _page(request, template, {**context, "fault": _in_words(fault)}, status)
    if form:
        return _file(table, form)
    context |= (
        _taken(request, table) | _cell(corpus, query) | {"rows": shown_rows(view, table.dicts())}
    )
    if view == "rates":
        context["everything"] = shown_rows(view, [table.about["all"]])[0]
    if view == "dispersion":
        context["spread"] = spread_in_words(table.about)
    context |= {"plot": _plot(table), "projects": the_options().projects, "most": MOST_ITEMS}
    return _page(request, template, context)


@require_safe
def text(request: HttpRequest, number: int) -> HttpResponse:
    """One text with its words shaded, long ones in parts; `at` is where the found word begins."""
    corpus = _corpus(request.GET)
    query = make_query("text", {"text": number, "words": request.GET.get("words", "")})
    assert isinstance(query, TextQuery)
    if form := request.GET.get("format", ""):
        return _file(answer(corpus, query), form)
    at = request.GET.get("at", "")
    table = passage(corpus, query, _number(request.GET.get("part", ""), 1), _number(at, -1))
    last = number == corpus.facts.texts
    context = {"corpus": corpus, "view": "text", "before": number - 1, **_taken(request, table)}
    begin, end = table.about["begin"], table.about["end"]
    figures = [one for one in corpus.source.figures_of(number) if begin <= one["start"] < end]
    context |= {"pieces": pieces(table, at, figures)} | _cell(corpus, query)
    told = shown_figures(table.about["text"], figures)
    context |= {"figures": told, "novel": any(one.get("novelty") is not None for one in told)}
    context |= {"after": None if last else number + 1, "given": request.GET}
    context["short"] = len(table.about["text"]) <= TEXT_LIMIT
    return _page(request, "corpus_text.html", context)


def _number(given: str, otherwise: int) -> int:
    """The whole number of a field, if it is one of usual size."""
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else otherwise


@require_POST
def send(request: HttpRequest) -> HttpResponse:
    """Make an annotation project with the chosen lines."""
    asked = QueryDict(request.POST.get("query", ""))
    corpus, query = _corpus(asked), make_query("concordance", _fields(asked))
    assert isinstance(query, ConcordanceQuery)
    every = request.POST.get("which") == "all"
    made = make_annotation_project(
        corpus,
        query,
        None if every else set(request.POST.getlist("line")),
        base=the_options().projects,
        name=request.POST.get("name", ""),
    )
    return render(request, "corpus_sent.html", {"view": "sent", "made": made})


def _page(
    request: HttpRequest, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A page of the corpus, whose links keep the view of words that its address asks for."""
    page = render_to_string(template, context, request)
    if words := request.GET.get("words"):
        page = _LINK.sub(lambda link: f"{link[1]}?words={words}{'&amp;' if link[2] else ''}", page)
    return HttpResponse(page, status=status)


def _corpus(asked: QueryDict) -> IndexedCorpus:
    corpus = the_corpus(asked.get("words", ""))
    if corpus is None:
        message = "no corpus is open; start the workbench with one: trope serve FOLDER"
        raise RequestRefused(404, "no-corpus", message)
    return corpus


def _fields(query: QueryDict) -> dict[str, Any]:
    """The fields of a form that have a value."""
    given = {name: query.get(name) for name in query if name not in ("format", "where", "at")}
    where = [one for one in query.getlist("where") if one]
    kept: dict[str, Any] = {name: value for name, value in given.items() if value}
    return kept | ({"where": where} if where else {})


def _in_words(fault: TropeError) -> str:
    """The fault, with a field under the name that the form shows."""
    if isinstance(fault, BadField):
        return as_sentence(fault.sentence(_LABELS.get(fault.field, fault.field)))
    return as_sentence(str(fault))


def _tags(corpus: IndexedCorpus) -> list[str]:
    if not corpus.source.tokens:
        return []
    return [tag for (tag,) in corpus.database.ask("SELECT text FROM tags ORDER BY text")]


def _file(table: CorpusTable, form: str) -> HttpResponse:
    if form in _PLOT_FORMS and table.view in DRAWN:
        response = HttpResponse(_drawn(table, form), content_type=_PLOT_FORMS[form])
    elif form in _FORMS:
        write, kind = _FORMS[form]
        response = HttpResponse(write(table), content_type=kind)
    else:
        known = ", ".join((*_FORMS, *(_PLOT_FORMS if table.view in DRAWN else ())))
        raise RequestRefused(400, "unknown-format", f"unknown format {form!r}; use {known}")
    response["Content-Disposition"] = f'attachment; filename="{table.view}.{form}"'
    return response


def _drawn(table: CorpusTable, form: str) -> bytes:
    """The plot of a table as a file; matplotlib draws one at a time."""
    with _drawing, TemporaryDirectory() as folder:
        path = Path(folder) / f"{table.view}.{form}"
        check_plot(path)
        draw_table(table, path)
        return path.read_bytes()


def _plots_installed() -> bool:
    return find_spec("matplotlib") is not None


def _cell(corpus: IndexedCorpus, query: AnyQuery) -> dict[str, str]:
    """The cell of a notebook for the same table."""
    return {"cell": notebook_cell(corpus.folder, query)}


def _taken(request: HttpRequest, table: CorpusTable) -> dict[str, Any]:
    """The table, links to its files, and to the pages before and after."""
    at, pages = table.about.get("page", 1), table.about.get("pages", 1)
    return {
        "table": table,
        "about": table.about,
        "counts": {n: f"{c:,}" for n, c in table.about.items() if isinstance(c, int)},
        "counted": counted_in_words(table.about),
        "query": request.GET.urlencode(),
        "earlier": _address(request, page=at - 1) if at > 1 else "",
        "later": _address(request, page=at + 1) if at < pages else "",
        "address": request.build_absolute_uri(),
        "plots": _plots_installed(),
        "drawn": table.view in DRAWN and bool(table.rows),
        **{form: _address(request, format=form) for form in (*_FORMS, *_PLOT_FORMS)},
    }


def _plot(table: CorpusTable) -> DotPlot | LinePlot | None:
    rows = table.dicts()
    if table.view == "rates":
        return line_plot(rows) if table.about["date"] else dot_plot(rows, "group")
    return None


def _few_rows(given: dict[str, Any]) -> dict[str, int]:
    """A limit for the rows of a page; values that are not numbers are checked later."""
    rows = str(given.get("rows", ""))
    return {"rows": MOST_SHOWN} if rows.isdecimal() and int(rows[:9]) > MOST_SHOWN else {}


def _address(request: HttpRequest, **changes: Any) -> str:
    """The address of the page with some fields changed."""
    fields = request.GET.copy()
    for name, value in changes.items():
        fields[name] = value
    return f"?{fields.urlencode()}"
