"""The corpus view: tables of a corpus as pages, each with its command, CSV and JSON."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from trope.core.errors import TropeError
from trope.workbench.corpus.answering import answer
from trope.workbench.corpus.corpus import Corpus
from trope.workbench.corpus.handover import MOST_ITEMS, hand_over
from trope.workbench.corpus.queries import ConcordanceQuery, make_query
from trope.workbench.corpus.table import Table, to_csv, to_json
from trope.workbench.refused import Refused
from trope.workbench.web.corpus_pictures import DotPlot, LinePlot, dot_plot, line_plot
from trope.workbench.web.corpus_shown import pieces, shown_rows
from trope.workbench.web.state import the_corpus, the_options

MOST_SHOWN = 500
"""Rows of a page; files may have more."""

_FORMS = {"csv": (to_csv, "text/csv; charset=utf-8"), "json": (to_json, "application/json")}
_NEEDED = {"rates": (), "verbs": (), "keyness": ("by", "part"), "concordance": ()}
"""What a form must bring before there is a table."""


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
    """What the corpus is, and the ways into it."""
    corpus = the_corpus()
    if corpus is None:
        return render(request, "corpus_none.html", {"view": "none"})
    table = answer(corpus, make_query("rates", {"rows": 1}))
    everything = shown_rows("rates", [table.about["all"]])[0]
    context = {"view": "overview", "corpus": corpus, "everything": everything}
    return render(request, "corpus_overview.html", context)


@require_safe
def page(request: HttpRequest, view: str) -> HttpResponse:
    """A view of the corpus below its form; `format` gives the same table as a file."""
    corpus = _corpus()
    given = _fields(request.GET)
    context: dict[str, Any] = {"corpus": corpus, "view": view, "given": given}
    context |= {"where": (given.get("where") or [""])[0], "tags": _tags(corpus)}
    template = f"corpus_{view}.html"
    if any(name not in given for name in _NEEDED[view]) or (view == "concordance" and not given):
        return render(request, template, context)
    form = request.GET.get("format", "")
    asked = given if form else {**given, **_few_rows(given)}
    try:
        table = answer(corpus, make_query(view, asked))
    except TropeError as fault:
        return render(request, template, {**context, "fault": str(fault)}, status=400)
    if form:
        return _file(table, form)
    context |= _taken(request, table) | {"rows": shown_rows(view, table.dicts())}
    if view == "rates":
        context["everything"] = shown_rows(view, [table.about["all"]])[0]
    context |= {"plot": _plot(table), "projects": the_options().projects, "most": MOST_ITEMS}
    return render(request, template, context)


@require_safe
def text(request: HttpRequest, number: int) -> HttpResponse:
    """One text with its words shaded; `at` is where the word begins that was looked for."""
    corpus = _corpus()
    table = answer(corpus, make_query("text", {"text": number}))
    if form := request.GET.get("format", ""):
        return _file(table, form)
    last = number == corpus.facts.texts
    context = {"corpus": corpus, "view": "text", "before": number - 1, **_taken(request, table)}
    context |= {"pieces": pieces(table, request.GET.get("at", ""))}
    context |= {"after": None if last else number + 1}
    return render(request, "corpus_text.html", context)


@require_POST
def send(request: HttpRequest) -> HttpResponse:
    """A new annotation project with the chosen lines."""
    corpus = _corpus()
    query = make_query("concordance", _fields(QueryDict(request.POST.get("query", ""))))
    assert isinstance(query, ConcordanceQuery)
    every = request.POST.get("which") == "all"
    made = hand_over(
        corpus,
        query,
        None if every else set(request.POST.getlist("line")),
        base=the_options().projects,
        name=request.POST.get("name", ""),
    )
    return render(request, "corpus_sent.html", {"view": "sent", "made": made})


def _corpus() -> Corpus:
    corpus = the_corpus()
    if corpus is None:
        message = "no corpus is open; start again with one: trope serve FOLDER"
        raise Refused(404, "no-corpus", message)
    return corpus


def _fields(query: QueryDict) -> dict[str, Any]:
    """The fields of a form; a box that is not ticked does not come at all."""
    given = {name: query.get(name) for name in query if name not in ("format", "where", "at")}
    where = [one for one in query.getlist("where") if one]
    kept: dict[str, Any] = {name: value for name, value in given.items() if value}
    return kept | ({"where": where} if where else {})


def _tags(corpus: Corpus) -> list[str]:
    if not corpus.source.tokens:
        return []
    return [tag for (tag,) in corpus.database.ask("SELECT text FROM tags ORDER BY text")]


def _file(table: Table, form: str) -> HttpResponse:
    if form not in _FORMS:
        raise Refused(400, "unknown-format", f"a table is {' or '.join(_FORMS)}")
    write, kind = _FORMS[form]
    response = HttpResponse(write(table), content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{table.view}.{form}"'
    return response


def _taken(request: HttpRequest, table: Table) -> dict[str, Any]:
    """The table, its files, and the pages before and after."""
    at, pages = table.about.get("page", 1), table.about.get("pages", 1)
    return {
        "table": table,
        "about": table.about,
        "counts": {n: f"{c:,}" for n, c in table.about.items() if isinstance(c, int)},
        "query": request.GET.urlencode(),
        "earlier": _address(request, page=at - 1) if at > 1 else "",
        "later": _address(request, page=at + 1) if at < pages else "",
        **{form: _address(request, format=form) for form in _FORMS},
    }


def _plot(table: Table) -> DotPlot | LinePlot | None:
    rows = table.dicts()
    if table.view == "rates":
        return line_plot(rows) if table.about["date"] else dot_plot(rows, "group")
    return None


def _few_rows(given: dict[str, Any]) -> dict[str, int]:
    """No more rows than a page has; what is no number is told of later."""
    rows = str(given.get("rows", ""))
    return {"rows": MOST_SHOWN} if rows.isdecimal() and int(rows[:9]) > MOST_SHOWN else {}


def _address(request: HttpRequest, **changes: Any) -> str:
    """The address of the page with some fields changed."""
    fields = request.GET.copy()
    for name, value in changes.items():
        fields[name] = value
    return f"?{fields.urlencode()}"
