"""Rows as JSON lines or CSV, one at a time; CSV cells are safe in a spreadsheet unless told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trope.annotate.exchange.columns import HEAD as JUDGMENT_HEAD
from trope.annotate.exchange.columns import as_cells, as_object, column_of, from_cells, from_object
from trope.annotate.exchange.records import RECORD_LIMIT, Judged, as_json
from trope.annotate.exchange.spreadsheet import protect, unprotect
from trope.annotate.questions import Question
from trope.core.errors import BadRecord
from trope.corpora.sources import numbered_lines
from trope.corpora.tables import read_rows

_QUOTE = '"'
_TO_QUOTE = re.compile(r'[",\r\n]')


def jsonl_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A line of JSON a row."""
    for row in rows:
        yield as_json(row) + "\n"


def csv_lines(
    head: Sequence[str], rows: Iterable[Mapping[str, Any]], *, safe: bool = True
) -> Iterator[str]:
    """The head and a line a row; lists and objects are written as JSON, None as nothing."""
    guard = protect if safe else str
    yield _csv_line([guard(name) for name in head])
    for row in rows:
        yield _csv_line([guard(_cell(row.get(name))) for name in head])


def judgment_jsonl(rows: Iterable[Judged]) -> Iterator[str]:
    """Judgments as JSON lines."""
    return jsonl_lines(as_object(row) for row in rows)


def judgment_head(questions: Sequence[Question]) -> list[str]:
    """The columns of a table of judgments."""
    return [*JUDGMENT_HEAD, *(column_of(question.id) for question in questions)]


def judgment_csv(
    rows: Iterable[Judged], questions: Sequence[Question], *, safe: bool = True
) -> Iterator[str]:
    """Judgments as CSV, a column a question."""
    cells = (as_cells(row, questions) for row in rows)
    return csv_lines(judgment_head(questions), cells, safe=safe)


def read_judgment_jsonl(path: Path) -> Iterator[tuple[int, Judged]]:
    """The judgments of JSON lines with their lines.

    Raises:
        BadRecord: for the first line at fault.
    """
    for line, given in read_objects(path):
        try:
            yield line, from_object(given)
        except ValueError as error:
            raise BadRecord(path, line, str(error)) from None


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines with their lines, their values as JSON has them."""
    for line, text in numbered_lines(path, limit=RECORD_LIMIT):
        if not text.strip():
            continue
        try:
            given = json.loads(text)
            if not isinstance(given, dict):
                raise ValueError("no object")
            as_json(given).encode()  # half a surrogate pair is no text, and no database takes it
        except (ValueError, RecursionError) as error:
            problem = f"cannot be read as a JSON object ({error}); write one a line"
            raise BadRecord(path, line, problem) from None
        yield line, given


def read_judgment_csv(
    path: Path, questions: Sequence[Question], *, safe: bool = True
) -> Iterator[tuple[int, Judged]]:
    """The judgments of a CSV file as `judgment_csv` writes it, with their lines."""
    for line, row in read_cells(path, safe=safe):
        try:
            yield line, from_cells(row, questions)
        except ValueError as error:
            raise BadRecord(path, line, str(error)) from None


def read_cells(path: Path, *, safe: bool = True) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file, with what protects them from spreadsheets taken away if `safe`."""
    for line, row in read_rows(path, format="csv", limit=RECORD_LIMIT):
        cells = {unprotect(name): unprotect(cell) for name, cell in row.items()} if safe else row
        yield line, cells


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return as_json(value) if isinstance(value, list | dict) else str(value)


def _csv_line(cells: Sequence[str]) -> str:
    # by hand: the csv module leaves a lone carriage return unquoted, and cannot read it back
    line = ",".join(
        f'"{cell.replace(_QUOTE, _QUOTE * 2)}"' if _TO_QUOTE.search(cell) else cell
        for cell in cells
    )
    return (line or '""') + "\n"
