"""TSV: adjective–noun and subject–verb–object expressions of Tsvetkov et al.

Every list holds expressions of one class, which is therefore an option of the reader.
"""

from __future__ import annotations

from collections.abc import Iterator

from trope.corpora.fields import Row, Unique
from trope.corpora.records import LabelledExpression
from trope.corpora.sources import Source, numbered_lines, source_name
from trope.corpora.tables import read_rows

_NONE = "*none"  # written where a verb has no object


def read_adjective_nouns(source: Source, *, metaphor: bool) -> Iterator[LabelledExpression]:
    """Pairs of an adjective and a noun, one a line."""
    return _read_list(source, 2, metaphor)


def read_svo(source: Source, *, metaphor: bool) -> Iterator[LabelledExpression]:
    """Triplets of subject, verb and object, one a line; a missing part is empty.

    A class such as "*person" for a subject is kept as it is.
    """
    return _read_list(source, 3, metaphor)


def read_svo_sentences(source: Source) -> Iterator[LabelledExpression]:
    """Triplets with their sentences, `arg1,arg2,verb,sentence,verb_stem,label`."""
    name = source_name(source)
    for line, fields in read_rows(source, format="csv"):
        row = Row(name, line, fields)
        words = (row.optional("arg1"), row.text("verb"), row.optional("arg2"))
        yield LabelledExpression(words, row.label(), line, sentence=row.text("sentence"))


def _read_list(source: Source, size: int, metaphor: bool) -> Iterator[LabelledExpression]:
    name = source_name(source)
    seen = Unique()
    for line, text in numbered_lines(source):
        words = text.split()
        row = Row(name, line, {})
        if not words:
            continue
        if len(words) != size:
            raise row.fault(f"has {len(words)} words, but expressions of this list have {size}")
        seen.add(tuple(words), row, " ".join(words))
        parts = tuple("" if word == _NONE else word for word in words)
        yield LabelledExpression(parts, metaphor, line)
