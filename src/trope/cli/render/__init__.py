"""How analyses are shown: each format is a function from named analyses to a text stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import IO

from trope.core.records import Analysis

Named = tuple[str, Analysis]
"""Where a text comes from ("" if from nowhere in particular), and its analysis."""

Writer = Callable[[Iterable[Named], IO[str]], None]

_WRITERS = {
    "text": "trope.cli.render.text:write_text",
    "json": "trope.cli.render.json:write_json",
    "jsonl": "trope.cli.render.json:write_jsonl",
    "html": "trope.cli.render.html:write_html",
}

FORMATS = tuple(_WRITERS)


def writer(form: str) -> Writer:
    """The function that writes a format."""
    module, name = _WRITERS[form].split(":")
    write: Writer = getattr(import_module(module), name)
    return write
