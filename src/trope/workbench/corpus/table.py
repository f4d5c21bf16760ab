"""What a view of a corpus is: a table, the command that gives the same one, and what to know."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trope import __version__
from trope.annotate.exchange.files import protect
from trope.metrics.intervals import written_share

Row = tuple[Any, ...]
_SHARES = ("rate", "low", "high")
"""Columns whose numbers are shortened in files; pages and terminals round the whole ones."""


@dataclass(frozen=True, slots=True)
class Table:
    """A view of a corpus; `about` holds what is said once, such as how many rows there are."""

    view: str
    columns: tuple[str, ...]
    rows: list[Row]
    command: str
    notes: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def dicts(self) -> list[dict[str, Any]]:
        """The rows by the names of their columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def to_dict(table: Table) -> dict[str, Any]:
    """The table as plain data."""
    return {
        "trope": __version__,
        "view": table.view,
        "command": table.command,
        **_written_about(table.about),
        "columns": list(table.columns),
        "rows": [_written(row) for row in table.dicts()],
        "notes": list(table.notes),
    }


def to_json(table: Table) -> str:
    """The table as one JSON document."""
    return json.dumps(to_dict(table), ensure_ascii=False, indent=2) + "\n"


def to_csv(table: Table) -> str:
    """The table as CSV that no spreadsheet takes for formulas; lists are written in words."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(value) for value in _written(row).values()] for row in table.dicts())
    return file.getvalue()


def _written_about(about: Mapping[str, Any]) -> dict[str, Any]:
    """What is said once, with the row of all texts, if there is one, as the other rows."""
    whole = {"all": _written(about["all"])} if "all" in about else {}
    return {**about, **whole}


def _written(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: written_share(value) if name in _SHARES else value for name, value in row.items()}


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return protect(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return protect(objects_in_words(value))
    return value


def objects_in_words(objects: list[dict[str, Any]]) -> str:
    """The objects of a verb: how often it was a metaphor with them, of how many times."""
    return ", ".join(f"{one['lemma']} ({one['metaphors']} of {one['count']})" for one in objects)
