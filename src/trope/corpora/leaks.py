"""Texts of training sets that also occur in a test set: lists of them, and how they are compared.

`leaks.tsv` of a corpus lists its rows. Other sets are compared by their `wording`, since copies of
a tweet differ in what was masked or left out: names of users, links, the hashtags that gave away
a label.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows

_MASKED = re.compile(r"https?://\S+|www\.\S+|\bhttp\b|[@#]\w+", re.IGNORECASE)


def wording(text: str) -> str:
    """Letters and digits of a text in lower case, without links, names of users and hashtags."""
    plain = _MASKED.sub(" ", html.unescape(text))
    return "".join(character for character in plain.casefold() if character.isalnum())


@dataclass(frozen=True, slots=True)
class LeakedRow:
    """The row `id` of `file`, and the test sets whose texts it shares.

    `held` among them stands for tests that are not part of the corpora.
    """

    file: str
    id: str
    against: tuple[str, ...]
    line: int


def read_leaks(source: Source) -> Iterator[LeakedRow]:
    """Rows of `file id against`, separated by tabs; a semicolon separates several test sets.

    A row may be listed more than once, against different test sets.

    Raises:
        BadRecord: for empty fields and rows that are repeated.
    """
    name = source_name(source)
    seen = UniqueIds()
    for line, fields in read_rows(source, format="tsv"):
        row = CheckedRow(name, line, fields)
        file, identifier = row.text("file"), row.text("id")
        against = tuple(one.strip() for one in row.text("against").split(";"))
        seen.add((file, identifier, against), row, identifier)
        if "" in against:
            raise row.fault("column 'against' names an empty test set; check its semicolons")
        yield LeakedRow(file, identifier, against, line)
