"""MEAN: metaphoric analogies with one right and three wrong choices, and sheets of proposed items.

The file says "source" for the topic (ANGER in "anger is fire") and "target" for the vehicle
(FIRE), the other way round than theory does. Here they are the first and the second domain.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from trope.core.errors import BadRecord, MissingData
from trope.corpora.labelled_texts import ITEMS, LABELS
from trope.corpora.rows import CheckedRow
from trope.corpora.sources import NamedBytes, Source, numbered_lines, read_bytes, source_name
from trope.corpora.tables import TableRow, read_rows
from trope.text.duplicates import text_digest

_DOMAINS = ("MetSource", "MetTarget", "SourceRole")
_CHOICES = ("TargetRoleGold", "SameFrameDifferentAttribute", "DiffFrameSameAtt", "DiffFrameDiffAtt")
COLUMNS = (*_DOMAINS, *_CHOICES)
CODES = ("gold", "sDdA", "dDsA", "dDdA")
"""What the choices are: the right one, then same or different domain (D) and attribute (A)."""

_FIELDS = ("first_domain", "second_domain", "element", *CODES)
"""The columns as a run of the recipe calls them."""


@dataclass(frozen=True, slots=True)
class Analogy:
    """First domain is to second domain what the element is to one of the choices, the first one.

    `choices` are in the order of `CODES`.
    """

    id: str
    first_domain: str
    second_domain: str
    element: str
    choices: tuple[str, ...]
    line: int

    @property
    def metaphor(self) -> str:
        """The metaphor that the item is of, as it is usually written."""
        return f"{self.first_domain} IS {self.second_domain}"

    @property
    def digest(self) -> int:
        """The number of its question, by which items that a system has seen are known."""
        return text_digest(f"{self.metaphor}: {spoken(self.element)}")

    @property
    def gold(self) -> str:
        """The right choice."""
        return self.choices[0]


def spoken(text: str) -> str:
    """The text as templates and vectors take it: small letters, blanks for underscores."""
    return " ".join(text.replace("_", " ").lower().split())


def read_mean(source: Source) -> Iterator[Analogy]:
    """The items of a file of MEAN's form: two header lines or the second one alone, `;` between.

    Two wrong choices may be equal, as in one item of MEAN; `trope analogy check` tells which.

    Raises:
        BadRecord: for missing columns, more or fewer than four choices, empty cells and a right
            choice that is among the wrong ones; the line is named.
    """
    name = source_name(source)
    header: list[str] | None = None
    count = 0
    for line, text in numbered_lines(source):
        cells = [cell.strip() for cell in text.split(";")]
        row = CheckedRow(name, line, dict(zip(COLUMNS, cells, strict=False)))
        if header is None:
            if cells[0] == "METAPHOR" and line == 1:
                continue  # the title over the header
            header = _checked_header(cells, row)
        elif text.strip():
            count += 1
            yield checked_item(str(count), _in_order(header, cells, row))
    if not count:
        row = CheckedRow(name, 1, {})
        raise row.fault(f"holds no items; write them below a header {';'.join(COLUMNS)}")


def read_questions(source: Source) -> tuple[list[Analogy], bool]:
    """The items of a file or a run, and whether it tells the right choices.

    It does with MEAN's columns. Otherwise every column of a table besides the two domains and the
    element holds a choice.

    Raises:
        BadRecord: for missing columns, fewer than two choices and empty cells.
    """
    if isinstance(source, Path) and source.is_dir():
        return _accepted_items(source), True
    name, again = source_name(source), _again(source)
    rows = list(read_rows(again()))
    if not rows or _DOMAINS[0] not in rows[0][1]:
        return list(read_mean(again())), True
    if set(_CHOICES) <= set(rows[0][1]):
        return _items_of_table(rows, name), True
    columns = [column for column in rows[0][1] if column not in _DOMAINS]
    if len(columns) < 2:
        raise BadRecord(name, 1, "has fewer than two columns of choices; give at least two")
    found = []
    for number, (line, fields) in enumerate(rows, start=1):
        row = CheckedRow(name, line, fields)
        domains = [row.text(column) for column in _DOMAINS]
        choices = tuple(row.text(column) for column in columns)
        found.append(Analogy(str(number), domains[0], domains[1], domains[2], choices, line))
    return found, False


def read_own_items(source: Path) -> list[Analogy]:
    """A user's own items: of a table with MEAN's columns, or those that people accepted in a run.

    Raises:
        MissingData: for a folder that is no judged run.
        BadRecord: as `read_mean`, and for a run of another recipe or without an accepted item.
    """
    if source.is_dir():
        return _accepted_items(source)
    again = _again(source)
    rows = list(read_rows(again()))
    if rows and set(COLUMNS) <= set(rows[0][1]):
        return _items_of_table(rows, source_name(source))
    return list(read_mean(again()))


def _again(source: Source) -> Callable[[], Source]:
    """What gives a source as often as it is called: a stream, which can be read once, is kept."""
    if isinstance(source, str | Path) and str(source) != "-":
        return lambda: source
    kept = read_bytes(source)
    return lambda: NamedBytes(kept.getvalue(), kept.name)


def items_file(source: Path) -> Path:
    """The file whose checksum says which items `read_own_items` gives."""
    return source / LABELS if source.is_dir() else source


def _items_of_table(rows: Sequence[TableRow], name: str) -> list[Analogy]:
    _checked_header(list(rows[0][1]), CheckedRow(name, 1, {}))
    return [
        checked_item(str(number), CheckedRow(name, line, fields))
        for number, (line, fields) in enumerate(rows, start=1)
    ]


def _accepted_items(run: Path) -> list[Analogy]:
    """The items of a run whose label is yes, in their order."""
    for name in (ITEMS, LABELS):
        if not (run / name).is_file():
            raise MissingData(run / name, "give a run of mean that was finished with --answers")
    accepted = {row["item"] for _, row in read_rows(run / LABELS) if row.get("label") == "yes"}
    found = []
    for line, item in read_rows(run / ITEMS):
        fields = json.loads(item.get("fields") or "{}")
        if not set(_FIELDS) <= set(fields):
            raise BadRecord(run / ITEMS, line, "is no analogy; give a run of mean")
        if item["id"] in accepted:
            cells = dict(zip(COLUMNS, (fields[name] for name in _FIELDS), strict=True))
            found.append(checked_item(item["id"], CheckedRow(str(run / ITEMS), line, cells)))
    if not found:
        raise BadRecord(run / LABELS, None, "no item was accepted; judge the items first")
    return found


def _checked_header(cells: list[str], row: CheckedRow) -> list[str]:
    missing = [column for column in COLUMNS if column not in cells]
    if missing:
        names = ", ".join(missing)
        raise row.fault(f"the header lacks {names}; it should be {';'.join(COLUMNS)}")
    if len(cells) > len(COLUMNS):
        more = ", ".join(repr(cell) for cell in cells if cell not in COLUMNS)
        raise row.fault(f"the header has more columns ({more}); an item has four choices")
    return cells


def _in_order(header: list[str], cells: list[str], row: CheckedRow) -> CheckedRow:
    if len(cells) != len(header):
        choices = len(cells) - len(_DOMAINS)
        raise row.fault(
            f"has {len(cells)} cells, so {max(choices, 0)} choices; an item has two domains, an "
            "element and four choices"
        )
    return CheckedRow(row.path, row.line, dict(zip(header, cells, strict=True)))


def checked_item(identifier: str, row: CheckedRow) -> Analogy:
    """The item of a row that has MEAN's columns; BadRecord where it is none."""
    domains = [row.text(column) for column in _DOMAINS]
    choices = tuple(row.text(column) for column in _CHOICES)
    wrong = [spoken(choice) for choice in choices[1:]]
    if spoken(choices[0]) in wrong:
        column = _CHOICES[1 + wrong.index(spoken(choices[0]))]
        raise row.fault(
            f"the right choice {choices[0]!r} is also a wrong one (column {column!r}); "
            "write another wrong choice"
        )
    return Analogy(identifier, domains[0], domains[1], domains[2], choices, row.line)


_ACCEPT = "Accept"
ORIGINS = "Origins"
OTHERS = tuple(f"Other{column}" for column in COLUMNS[4:])
REVIEW_COLUMNS = (_ACCEPT, *COLUMNS, *OTHERS, ORIGINS)
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
        row = CheckedRow(name, line, fields)
        verdict = row.optional(_ACCEPT).lower()
        if verdict not in _YES | _NO:
            raise row.fault(f"column {_ACCEPT!r} has {verdict!r}; write yes or no")
        if verdict in _YES:
            count += 1
            yield checked_item(str(count), row)
    if not count:
        raise BadRecord(name, None, f"no row is accepted; write yes into the column {_ACCEPT!r}")


def write_mean(items: Iterable[Analogy], file: IO[str]) -> None:
    """Items in MEAN's form, one header line."""
    writer = csv.writer(file, delimiter=";", lineterminator="\n", quoting=csv.QUOTE_NONE)
    writer.writerow(COLUMNS)
    for item in items:
        domains = (item.first_domain, item.second_domain, item.element)
        writer.writerow([cell.replace(" ", "_") for cell in (*domains, *item.choices)])
