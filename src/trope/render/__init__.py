"""Output of analyses as text, JSON or a page, written one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
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
    details: Collection[str] = (),
) -> None:
    """Writes analyses in a format.

    `details` are tasks of which a text or a page shows everything at once: trees (`syntax`),
    `relations`, names (`metonymy`). Only a page has a title, and candidates for verbs.
    """
    module, name = _WRITERS[form].split(":")
    options: dict[str, Any] = {}
    if form in ("text", "html"):
        options["details"] = details
    if form == "html":
        options |= {"title": title, "rewrite": rewrite}
    getattr(import_module(module), name)(analyses, file, **options)
