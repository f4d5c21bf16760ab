"""Output of analyses as text, JSON or a page, written one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from importlib import import_module
from typing import IO, Any

from trope.core.records import Analysis, Figure

Named = tuple[str, Analysis]
"""The source of a text ("" if there is none), and its analysis."""

_WRITERS = {
    "text": "trope.render.text:write_text",
    "json": "trope.render.json:write_json",
    "jsonl": "trope.render.json:write_jsonl",
    "html": "trope.render.html:write_html",
}

FORMATS = tuple(_WRITERS)


def write(
    form: str,
    analyses: Iterable[Named],
    file: IO[str],
    *,
    title: str = "",
    rewrite: Callable[[Analysis], Any] | None = None,
) -> None:
    """Writes analyses in a format; only a page has a title, and candidates for verbs."""
    module, name = _WRITERS[form].split(":")
    options = {"title": title, "rewrite": rewrite} if form == "html" else {}
    getattr(import_module(module), name)(analyses, file, **options)


_COLOURS = {
    "metaphor": "#e9a3c9",
    "idiom": "#fdb863",
    "simile": "#b8e186",
    "metonymy": "#92c5de",
    "irony": "#cccccc",
}


def to_notebook(analysis: Analysis) -> str:
    """The text as a paragraph whose figures are coloured and named when pointed at."""
    owners = {place: figure for figure in reversed(analysis.figures) for place in figure.tokens}
    parts: list[str] = []
    at = 0
    for place, token in enumerate(analysis.tokens):
        parts.append(escape(analysis.text[at : token.start]))
        word, figure = escape(token.text), owners.get(place)
        parts.append(word if figure is None else _marked(word, figure))
        at = token.end
    parts.append(escape(analysis.text[at:]))
    return f'<p style="white-space: pre-wrap">{"".join(parts)}</p>'


def _marked(word: str, figure: Figure) -> str:
    facts = [figure.kind, f"{figure.score:.2f}", figure.meaning or figure.stands_for]
    if figure.novelty is not None:
        facts.insert(2, f"novelty {figure.novelty:.2f}")
    title = escape(", ".join(filter(None, facts)), quote=True)
    colour = _COLOURS[figure.kind]
    return f'<mark style="background: {colour}; color: #000" title="{title}">{word}</mark>'
