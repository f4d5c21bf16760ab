"""The pages of a text: paste it, save it on this machine, show it at an address of its own.

At the end, every address of the workbench.
"""

from __future__ import annotations

import io
from typing import Any, get_args
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, re_path
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from trope.core.errors import BadInput, MissingExtra
from trope.core.export import to_json
from trope.core.records import Analysis, TextKind
from trope.corpora.files import read_document
from trope.render import names
from trope.render.html import write_html
from trope.render.page_pieces import rewriting_lists
from trope.render.sentiment import sentence_bars, sentiment_scale
from trope.render.summary import Summary
from trope.tasks.rewriting.task import DIRECTIONS
from trope.workbench.requests import TEXT_LIMIT, RequestRefused
from trope.workbench.text_view import (
    figure_list,
    shade_css,
    shade_words,
    slider,
    title,
    word_facts,
    words_csv,
)
from trope.workbench.web import api, bring_pages, corpus_pages, middleware
from trope.workbench.web.state import analysis_of, in_turn, the_options, the_texts

KINDS = get_args(TextKind)
EXAMPLE = (
    "The new tax strangles small shops, and their owners are drowning in forms. Brussels promised "
    "to listen. Siemens shed 300 jobs; its shares climbed all the same.\n\n"
    "It was a wonderful evening on the square. The baker wiped his counter and watched the rain."
)
HINT = "Choose a word to see its tree, its relations and how to rewrite it."
EXPORTS = (
    ("json", "what trope analyze --json prints"),
    ("csv", "a row per word, for spreadsheets"),
    ("html", "a page of its own, to send or print"),
)


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """The page to paste or drop a text."""
    if request.method != "POST":
        return render(request, "text.html", _form(EXAMPLE if "example" in request.GET else ""))
    kind = _kind(request.POST)
    try:
        text = _given_text(request)
    except (BadInput, MissingExtra) as fault:
        given = {**_form(request.POST.get("text", "")), "fault": str(fault), "kind": kind}
        return render(request, "text.html", given, status=getattr(fault, "status", 400))
    return redirect(_address(the_texts().save(text), kind))


@require_safe
def shown(request: HttpRequest, name: str) -> HttpResponse:
    """A saved text with its words shaded, and the facts of the chosen word."""
    kind = _kind(request.GET)
    analysis = analysis_of(the_texts().read(name), kind)
    panel = _panel(request, analysis, name, kind)
    if request.headers.get("X-Trope") == "panel":
        return render(request, "panel.html", panel)
    return render(request, "shown.html", {**_page(analysis, name, kind), **panel})


@require_safe
def shade_rules(request: HttpRequest, name: str) -> HttpResponse:
    """The style sheet of a saved text."""
    analysis = analysis_of(the_texts().read(name), _kind(request.GET))
    return HttpResponse(shade_css(analysis), content_type="text/css")


@require_safe
def download(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """The analysis as a file."""
    text = the_texts().read(name)
    analysis = analysis_of(text, _kind(request.GET))
    if form == "json":
        content, kind = to_json(analysis, indent=2) + "\n", "application/json"
    elif form == "csv":
        content, kind = words_csv(analysis), "text/csv; charset=utf-8"
    else:
        page = io.StringIO()
        write_html([("", analysis)], page, title=title(text))
        content, kind = page.getvalue(), "text/html; charset=utf-8"
    response = HttpResponse(content.encode("utf-8", errors="replace"), content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="text-{name}.{form}"'
    return response


@require_safe
def kept(request: HttpRequest) -> HttpResponse:
    """All saved texts."""
    return render(request, "kept.html", {"texts": list(the_texts())})


@require_POST
def delete(request: HttpRequest) -> HttpResponse:
    """Delete one saved text, or all."""
    name = request.POST.get("name", "")
    if name:
        the_texts().delete(name)
    else:
        the_texts().clear()
    return redirect("kept")


def _form(text: str) -> dict[str, Any]:
    return {"text": text, "kinds": KINDS, "limit": TEXT_LIMIT}


def _kind(fields: Any) -> TextKind:
    kind = fields.get("kind", "plain")
    if kind not in KINDS:
        message = f"unknown kind of text {kind!r}; use {', '.join(KINDS)}"
        raise RequestRefused(400, "unknown-kind", message)
    return kind


def _given_text(request: HttpRequest) -> str:
    """The text of the form, or of the chosen file."""
    file = request.FILES.get("file")
    pasted = request.POST.get("text", "").replace("\r\n", "\n")
    text = pasted if file is None else read_document(file.read(), file.name)
    if not text.strip():
        raise RequestRefused(400, "no-text", "the text is empty; paste a text or choose a file")
    if "\0" in text:
        raise RequestRefused(400, "no-text", "this is binary data, not text; give a UTF-8 text")
    if len(text) > TEXT_LIMIT:
        message = (
            f"the text has {len(text):,} characters, the limit is {TEXT_LIMIT:,}; "
            "for longer texts use trope analyze --format html or trope detect"
        )
        raise RequestRefused(413, "text-too-long", message)
    return text


def _address(name: str, kind: TextKind, **more: object) -> str:
    query = urlencode(({} if kind == "plain" else {"kind": kind}) | more)
    return f"/t/{name}" + (f"?{query}" if query else "")


def _page(analysis: Analysis, name: str, kind: TextKind) -> dict[str, Any]:
    summary = Summary()
    summary.add(analysis)
    query = "" if kind == "plain" else f"?kind={kind}"
    return {
        "title": title(analysis.text),
        "hint": HINT,
        "name": name,
        "kind": kind,
        "query": query,
        "line": summary.totals.short_line(),
        "words": mark_safe(shade_words(analysis, _address(name, kind, word=""))),
        "slider": mark_safe(slider(analysis)),
        "figures": mark_safe(figure_list(analysis, _address(name, kind, word=""))),
        "strip": mark_safe(sentence_bars(analysis.sentence_sentiments)),
        "sentiment": mark_safe(sentiment_scale(analysis)),
        "names": mark_safe("".join(names.table(summary.names))),
        "exports": EXPORTS,
        "folder": the_options().keep,
    }


def _panel(request: HttpRequest, analysis: Analysis, name: str, kind: TextKind) -> dict[str, Any]:
    """The panel beside the text: empty, or the facts of the word in the address."""
    number = request.GET.get("word", "")
    if not number:
        return {"word": None}
    if not number.isdecimal() or len(number) > 9:
        message = "a word is given by its number; choose one in the text"
        raise RequestRefused(400, "no-such-word", message)
    facts = word_facts(analysis, int(number))
    rewritten = (
        _rewritten(facts.sentence, facts.token.text, kind) if "rewrite" in request.GET else ""
    )
    return {
        "word": facts,
        "kind": kind,
        "close": _address(name, kind),
        "go": _address(name, kind, word=""),
        "relations": mark_safe(facts.relations),
        "names_here": mark_safe(facts.names),
        "tree": mark_safe(facts.tree),
        "directions": zip(DIRECTIONS, ("literally", "metaphorically"), strict=True),
        "rewritten": mark_safe(rewritten),
    }


def _rewritten(sentence: str, verb: str, kind: TextKind) -> str:
    """Rewritings in both directions, for browsers without JavaScript."""
    rewritings = in_turn(
        lambda model: [
            found
            for to in DIRECTIONS
            for found in model.rewrite(sentence, to=to, verb=verb, kind=kind)
        ]
    )
    return "".join(rewriting_lists(rewritings))


handler400 = middleware.bad_request
handler404 = middleware.not_found
handler500 = middleware.failed

urlpatterns = [
    path("", home, name="home"),
    path("t/<slug:name>", shown, name="shown"),
    path("t/<slug:name>/shades.css", shade_rules, name="shades"),
    re_path(r"^t/(?P<name>[0-9a-f]+)\.(?P<form>json|csv|html)$", download, name="download"),
    path("kept", kept, name="kept"),
    path("kept/delete", delete, name="delete"),
    path("enter/<str:token>", middleware.enter, name="enter"),
    *api.addresses(),
    path("api/openapi.json", api.describe, name="openapi"),
    *bring_pages.addresses(),
    *corpus_pages.addresses(),
]
"""Every address of the workbench."""
