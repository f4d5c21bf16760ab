"""Output of analyses as text, JSON or a page, written one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import IO, Any

from trope.core.records import Analysis

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
