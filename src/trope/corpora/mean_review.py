"""Sheets of proposed analogies: written for a person, read back when rows are accepted."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

from trope.core.errors import BadRecord
from trope.corpora.fields import Row
from trope.corpora.mean import COLUMNS, Analogy, checked_item
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows

ACCEPT = "Accept"
ORIGINS = "Origins"
OTHERS = tuple(f"Other{column}" for column in COLUMNS[4:])
REVIEW_COLUMNS = (ACCEPT, *COLUMNS, *OTHERS, ORIGINS)
SEPARATOR = " | "
_YES, _NO = frozenset({"yes", "y", "x", "1"}), frozenset({"", "no", "n", "0"})


def write_review(rows: Iterable[Mapping[str, str]], file: IO[str]) -> None:
    """A sheet, comma-separated, with an empty column for the verdict."""
    writer = csv.DictWriter(file, REVIEW_COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def read_review(source: Source) -> Iterator[Analogy]:
    """The rows that were accepted, as items; what a person wrote over a cell counts.

    Raises:
        BadRecord: for verdicts other than yes and no, and for items that are none.
    """
    name, count = source_name(source), 0
    for line, fields in read_rows(source, format="csv"):
        row = Row(name, line, fields)
        verdict = row.optional(ACCEPT).lower()
        if verdict not in _YES | _NO:
            raise row.fault(f"column {ACCEPT!r} has {verdict!r}; write yes or no")
        if verdict in _YES:
            count += 1
            yield checked_item(str(count), row)
    if not count:
        raise BadRecord(name, None, f"no row is accepted; write yes into the column {ACCEPT!r}")


def write_mean(items: Iterable[Analogy], file: IO[str]) -> None:
    """Items in MEAN's form, one header line."""
    writer = csv.writer(file, delimiter=";", lineterminator="\n", quoting=csv.QUOTE_NONE)
    writer.writerow(COLUMNS)
    for item in items:
        domains = (item.first_domain, item.second_domain, item.element)
        writer.writerow([cell.replace(" ", "_") for cell in (*domains, *item.choices)])
