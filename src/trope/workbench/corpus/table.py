"""The table of a view: rows, the command for the same table, and notes."""

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
"""Columns that are shortened in files; pages and terminals round the full numbers."""


@dataclass(frozen=True, slots=True)
class CorpusTable:
    """The result of a view; `about` has what concerns all rows, such as their number."""

    view: str
    columns: tuple[str, ...]
    rows: list[Row]
    command: str
    notes: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def to_dict(table: CorpusTable) -> dict[str, Any]:
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


def to_json(table: CorpusTable) -> str:
    """The table as one JSON document."""
    return json.dumps(to_dict(table), ensure_ascii=False, indent=2) + "\n"


def to_csv(table: CorpusTable) -> str:
    """The table as CSV that spreadsheets do not read as formulas; lists are written in words."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(value) for value in _written(row).values()] for row in table.dicts())
    return file.getvalue()


def _written_about(about: Mapping[str, Any]) -> dict[str, Any]:
    """What concerns all rows; the row of all texts, if any, is written like the others."""
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
    """The objects of a verb, with its metaphorical and all uses."""
    return ", ".join(f"{one['lemma']} ({one['metaphors']} of {one['count']})" for one in objects)
