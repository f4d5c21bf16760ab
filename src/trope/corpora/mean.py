"""MEAN: metaphoric analogies, one right answer and three wrong ones of a known kind each.

The file says "source" of the topic (ANGER in "anger is fire") and "target" of the vehicle (FIRE),
the other way round than theory does. Here they are the first and the second domain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trope.corpora.fields import Row
from trope.corpora.sources import Source, numbered_lines, source_name

DOMAINS = ("MetSource", "MetTarget", "SourceRole")
CHOICES = ("TargetRoleGold", "SameFrameDifferentAttribute", "DiffFrameSameAtt", "DiffFrameDiffAtt")
COLUMNS = (*DOMAINS, *CHOICES)
CODES = ("gold", "sDdA", "dDsA", "dDdA")
"""What the choices are: the right one, then same or different domain (D) and attribute (A)."""


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
        row = Row(name, line, dict(zip(COLUMNS, cells, strict=False)))
        if header is None:
            if cells[0] == "METAPHOR" and line == 1:
                continue  # the title over the header
            header = _checked_header(cells, row)
        elif text.strip():
            count += 1
            yield checked_item(str(count), _in_order(header, cells, row))
    if not count:
        row = Row(name, 1, {})
        raise row.fault(f"holds no items; write them below a header {';'.join(COLUMNS)}")


def _checked_header(cells: list[str], row: Row) -> list[str]:
    missing = [column for column in COLUMNS if column not in cells]
    if missing:
        told = ", ".join(missing)
        raise row.fault(f"the header lacks {told}; it should be {';'.join(COLUMNS)}")
    if len(cells) > len(COLUMNS):
        more = ", ".join(repr(cell) for cell in cells if cell not in COLUMNS)
        raise row.fault(f"the header has more columns ({more}); an item has four choices")
    return cells


def _in_order(header: list[str], cells: list[str], row: Row) -> Row:
    if len(cells) != len(header):
        choices = len(cells) - len(DOMAINS)
        raise row.fault(
            f"has {len(cells)} cells, so {max(choices, 0)} choices; an item has two domains, an "
            "element and four choices"
        )
    return Row(row.path, row.line, dict(zip(header, cells, strict=True)))


def checked_item(identifier: str, row: Row) -> Analogy:
    """The item of a row that has MEAN's columns; BadRecord where it is none."""
    domains = [row.text(column) for column in DOMAINS]
    choices = tuple(row.text(column) for column in CHOICES)
    wrong = [spoken(choice) for choice in choices[1:]]
    if spoken(choices[0]) in wrong:
        column = CHOICES[1 + wrong.index(spoken(choices[0]))]
        raise row.fault(
            f"the right choice {choices[0]!r} is also a wrong one (column {column!r}); "
            "write another wrong choice"
        )
    return Analogy(identifier, domains[0], domains[1], domains[2], choices, row.line)
