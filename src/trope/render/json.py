"""Analyses and rewritings as JSON: one document, or one object per line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import chain, islice
from typing import IO

import msgspec

from trope.core.export import to_json
from trope.render import Named
from trope.tasks.rewriting.rewriter import Rewriting

RewrittenText = tuple[str, Sequence[Rewriting]]
"""A text and the alternatives for its verbs."""


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


def rewritings_to_json(found: Sequence[RewrittenText]) -> str:
    """One document: an object for one text, a list for several."""
    rows = [{"text": text, "rewritings": [asdict(r) for r in own]} for text, own in found]
    document = msgspec.json.encode(rows[0] if len(rows) == 1 else rows)
    return msgspec.json.format(document, indent=1).decode()
