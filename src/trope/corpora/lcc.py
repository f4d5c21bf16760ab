"""LCC: spans of political and economic text, metaphorical or not, as prepared for probing."""

from __future__ import annotations

from collections.abc import Iterator

from trope.corpora.fields import Row
from trope.corpora.records import LabelledSpan
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows

_LABELS = {"Metaphor": True, "Non-metaphor": False}


def read_lcc(source: Source) -> Iterator[LabelledSpan]:
    """Spans of texts; `span1` is [first, last + 1) over the blank-separated words.

    Raises:
        BadRecord: for unknown labels and spans outside of the text.
    """
    name = source_name(source)
    for line, fields in read_rows(source, format="csv"):
        row = Row(name, line, fields)
        words = row.words("text")
        start, end = _span(row, len(words))
        yield LabelledSpan(words, start, end, row.choice("label", _LABELS), line)


def _span(row: Row, words: int) -> tuple[int, int]:
    match row.items("span1"):
        case [int(start), int(end)] if 0 <= start < end <= words:
            return start, end
        case span:
            raise row.fault(f"span {span} lies outside of the text, which has {words} words")
