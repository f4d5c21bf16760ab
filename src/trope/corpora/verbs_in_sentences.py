"""Tables of verbs in sentences, `verb,sentence,verb_idx,label`: MOH, MOH-X and TroFi have them."""

from __future__ import annotations

from collections.abc import Iterator

from trope.corpora.fields import Row, read_bytes, told_encoding
from trope.corpora.records import LabelledTarget
from trope.corpora.sources import Source
from trope.corpora.tables import read_rows


def read_verb_table(source: Source, *, arguments: bool = False) -> Iterator[LabelledTarget]:
    """Verbs in their sentences; ids count the rows from 1.

    Args:
        arguments: whether there are columns `arg1` and `arg2`, the verb's subject and object,
            of which either may be empty.

    Raises:
        BadRecord: for empty columns, unknown labels, positions outside of the sentence.
    """
    content = read_bytes(source)
    encoding = told_encoding(content.getvalue(), "cp1252")
    rows = read_rows(content, format="csv", encoding=encoding)
    for number, (line, fields) in enumerate(rows, start=1):
        row = Row(content.name, line, fields)
        words = row.words("sentence")
        yield LabelledTarget(
            str(number),
            words,
            row.position("verb_idx", len(words)),
            row.text("verb"),
            row.label(),
            line,
            subject=row.optional("arg1") if arguments else "",
            object=row.optional("arg2") if arguments else "",
        )
