"""Output of analyses as text, JSON or a page, written one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict
from importlib import import_module
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any

import msgspec

from trope.core.export import to_json
from trope.core.records import Analysis

if TYPE_CHECKING:
    from trope.tasks.rewriting.rewriter import Rewriting

Named = tuple[str, Analysis]
"""The source of a text ("" if there is none), and its analysis."""

_WRITERS = {
    "text": "trope.render.text:write_text",
    "json": "trope.render:write_json",
    "jsonl": "trope.render:write_jsonl",
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


def write_json(analyses: Iterable[Named], file: IO[str]) -> None:
    """Writes one document: an object for one text, a list for several, one text at a time."""
    stream = iter(analyses)
    first = list(islice(stream, 2))
    documents = (to_json(analysis, name=name, indent=2) for name, analysis in chain(first, stream))
    if len(first) == 1:
        file.write(next(documents) + "\n")
        return
    for number, document in enumerate(documents):
        file.write(("[\n" if number == 0 else ",\n") + document)
    file.write("\n]\n" if first else "[]\n")


def write_jsonl(analyses: Iterable[Named], file: IO[str]) -> None:
    """Writes one object per line, each as soon as it is there."""
    for name, analysis in analyses:
        file.write(to_json(analysis, name=name) + "\n")
        file.flush()


def rewritings_to_json(found: Sequence[tuple[str, Sequence[Rewriting]]]) -> str:
    """Texts with the alternatives for their verbs: an object for one text, a list for several."""
    rows = [{"text": text, "rewritings": [asdict(r) for r in own]} for text, own in found]
    document = msgspec.json.encode(rows[0] if len(rows) == 1 else rows)
    return msgspec.json.format(document, indent=1).decode()
