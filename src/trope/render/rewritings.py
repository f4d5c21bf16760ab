"""Candidates: as JSON, and on the page, where they unfold under each sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from html import escape

import msgspec

from trope.core.records import SentenceSpan
from trope.render.printable import printable
from trope.tasks.rewriting.rewriter import Candidate, Rewriting

Rewritten = tuple[str, Sequence[Rewriting]]
"""A text and what its verbs may become."""

_COLUMNS = ("instead", "fit", "meaning", "metaphor")


def to_json(found: Sequence[Rewritten]) -> str:
    """One document: an object for one text, a list for several."""
    rows = [{"text": text, "rewritings": [asdict(r) for r in own]} for text, own in found]
    document = msgspec.json.encode(rows[0] if len(rows) == 1 else rows)
    return msgspec.json.format(document, indent=1).decode()


def listed(sentence: SentenceSpan, rewritings: Sequence[Rewriting]) -> Iterator[str]:
    """What stands under a sentence: for each of its verbs a list that opens."""
    for rewriting in rewritings:
        if not sentence.start <= rewriting.start < sentence.end or not rewriting.candidates:
            continue
        verb = escape(printable(rewriting.verb))
        what = "plainly" if rewriting.to == "literal" else "with a picture"
        yield f'<details class="rewriting"><summary>Say <bdi>{verb}</bdi> {what}</summary><table>'
        yield "<tr>" + "".join(f'<th scope="col">{name}' for name in _COLUMNS)
        yield from map(_row, rewriting.candidates)
        yield "</table></details>"


def _row(candidate: Candidate) -> str:
    numbers = (f"{candidate.fit:+.2f}", f"{candidate.meaning:.2f}", f"{candidate.metaphor:.2f}")
    cells = "".join(f'<td class="count">{number}' for number in numbers)
    return f'<tr><th scope="row"><bdi>{escape(printable(candidate.form))}</bdi>{cells}'
