"""Tables as CSV, JSON lines or Parquet, a few rows at a time.

CSV cells are safe in a spreadsheet by default: a cell that would be a formula (it begins with
= + - @, a tab, a line break or a full-width = + - @), and any that begins with an apostrophe, gets
a leading apostrophe. Reading removes one leading apostrophe. Numbers are left as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal
from zipfile import BadZipFile, ZipFile

from trope.annotate.exchange.records import (
    RECORD_LIMIT,
    JudgmentRecord,
    as_json,
    column_of,
    from_cells,
    from_object,
)
from trope.annotate.questions import Question
from trope.core.errors import BadInput, BadRecord, MissingExtra
from trope.core.texts import unstorable_character
from trope.corpora.files import FileOptions, InputFile, good_rows
from trope.corpora.sources import numbered_lines
from trope.corpora.tables import named_delimiter, read_rows
from trope.corpora.workbooks import first_filled, sheet_names

_BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def protect(cell: str) -> str:
    """The cell in a form that is safe to open in a spreadsheet."""
    risky = cell.startswith(_BEGINS_A_FORMULA) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if risky or cell.startswith("'") else cell


def unprotect(cell: str) -> str:
    """The cell that `protect` was given."""
    return cell.removeprefix("'")


_QUOTE = '"'
_TO_QUOTE = re.compile(r'[",\r\n]')


def jsonl_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One line of JSON per row."""
    for row in rows:
        yield as_json(row) + "\n"


def csv_lines(
    head: Sequence[str], rows: Iterable[Mapping[str, Any]], *, safe: bool = True
) -> Iterator[str]:
    """The header and one line per row; lists and objects are written as JSON, None as nothing."""
    guard = protect if safe else str
    yield _csv_line([guard(name) for name in head])
    for row in rows:
        yield _csv_line([guard(_cell(row.get(name))) for name in head])


def read_judgment_jsonl(path: Path) -> Iterator[tuple[int, JudgmentRecord]]:
    """The judgments of JSON lines with their lines.

    Raises:
        BadRecord: for the first invalid line.
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
                raise ValueError("not an object")
            if found := unstorable_character(_all_text(given)):
                raise ValueError(f"it contains {found}")
        except (ValueError, RecursionError) as error:
            problem = f"is not a JSON object ({error}); write one per line"
            raise BadRecord(path, line, problem) from None
        yield line, given


def _all_text(value: Any) -> str:
    """All strings in a value of JSON, one after the other."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(f"{name}{_all_text(part)}" for name, part in value.items())
    return "".join(map(_all_text, value)) if isinstance(value, list) else ""


def read_judgment_csv(
    path: Path, questions: Sequence[Question], *, safe: bool = True
) -> Iterator[tuple[int, JudgmentRecord]]:
    """The judgments of a CSV file as an export writes it, with their lines."""
    for line, row in read_cells(path, safe=safe):
        try:
            yield line, from_cells(row, questions)
        except ValueError as error:
            raise BadRecord(path, line, str(error)) from None


def read_cells(
    path: Path, *, safe: bool = True, options: FileOptions | None = None
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file, with what protects them from spreadsheets taken away if `safe`."""
    given = options or FileOptions()
    rows = read_rows(
        path,
        format="csv",
        encoding=given.encoding or None,
        delimiter=named_delimiter(given.delimiter),
        limit=RECORD_LIMIT,
    )
    for line, row in rows:
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


_GROUP = 5_000

_JUDGMENT_TYPES = {
    "judgment": "int64",
    "seconds": "float64",
    "current": "bool",
    "replaces": "int64",
    "gold_right": "bool",
    "weight": "float64",
    "changed": "bool",
}


def write_parquet(
    file: IO[bytes], types: Mapping[str, str], rows: Iterable[Mapping[str, Any]]
) -> int:
    """Write the rows with columns of these types (of Arrow); returns the number of rows."""
    arrow, parquet = _arrow()
    schema = arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in types.items()])
    number, source = 0, iter(rows)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while part := list(islice(source, _GROUP)):
            columns = {
                name: [_fitting(row.get(name), kind) for row in part]
                for name, kind in types.items()
            }
            writer.write_table(arrow.Table.from_pydict(columns, schema=schema))
            number += len(part)
    return number


def judgment_types(questions: Sequence[Question]) -> dict[str, str]:
    """The columns of judgments with their types."""
    from trope.annotate.exchange.records import JUDGMENT_COLUMNS

    types = {name: _JUDGMENT_TYPES.get(name, "string") for name in JUDGMENT_COLUMNS}
    for question in questions:
        types[column_of(question.id)] = "int64" if question.kind == "scale" else "string"
    return types


def read_judgment_parquet(
    path: Path, questions: Sequence[Question]
) -> Iterator[tuple[int, JudgmentRecord]]:
    """The judgments of a file as an export writes it, with their rows."""
    for number, row in read_rows(path, format="parquet"):
        try:
            yield number, from_cells(row, questions)
        except ValueError as error:
            raise BadRecord(path, number, str(error)) from None


def _fitting(value: Any, kind: str) -> Any:
    """The value for the column: in a text column, anything but text becomes JSON."""
    if kind != "string" or value is None or isinstance(value, str):
        return value
    return as_json(value)


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise MissingExtra("Parquet", "annotate", error.name or "pyarrow") from error


# Files that were sent: their names say nothing certain, and what they unpack to may be too much.
SentKind = Literal["csv", "tsv", "xlsx", "jsonl", "txt"]
_KINDS: dict[str, SentKind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".txt": "txt",
}
MOST_COLUMNS = 200
_SAMPLE_ROWS = 20
_UNPACKED, _UNPACKED_SMALL = 20, 50_000_000
"""A workbook unpacks to at most so many times its size; a small one to so many bytes."""

_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_PAGE_NOTE = re.compile(r"; --.*")  # nobody gives an option to a page
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class TableStart:
    """The columns of a table, its first rows, and what a user should know about it.

    Of a workbook with several `sheets`, `sheet` is the one that was read.
    """

    columns: list[str]
    rows: list[dict[str, str]]
    notes: list[str]
    sheets: Sequence[str] = ()
    sheet: str = ""


def sent_kind(name: str) -> SentKind:
    """The format of a file that was sent, by its name.

    Raises:
        BadInput: for any other file.
    """
    if (kind := _KINDS.get(Path(name).suffix.lower())) is None:
        raise BadInput(f"{name}: is not a file of items; send CSV, TSV, XLSX, JSON lines or text")
    return kind


def table_start(path: Path, kind: SentKind, name: str, sheet: str = "") -> TableStart:
    """The beginning of a file that was sent under a name; of a workbook without `sheet`, that of
    the first sheet with rows below its columns.

    Raises:
        BadInput: for one that cannot be read, has macros or too many columns, or unpacks to more
            than a table needs.
    """
    notes: list[str] = []
    if kind == "xlsx" and _has_formulas(path, name):
        notes.append("The workbook has formulas. Their last values are read; nothing is computed.")
    file = InputFile(str(path), kind, path.stat().st_size)
    try:
        sheets = sheet_names(path) if kind == "xlsx" else []
        if sheet not in sheets:
            sheet = first_filled(path, sheets) if sheets else ""
        options = FileOptions(format=kind, sheet=sheet, limit=RECORD_LIMIT)
        found = good_rows(
            file, options, tell=lambda _, note: notes.append(_PAGE_NOTE.sub("", note))
        )
        rows = [row for _, row in islice(found, _SAMPLE_ROWS)]
    except BadRecord as error:
        raise BadRecord(name, error.line, error.problem) from None
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if len(columns) > MOST_COLUMNS:
        problem = f"has {len(columns):,} columns, more than {MOST_COLUMNS}; leave some out"
        raise BadRecord(name, None, problem)
    if not rows:
        problem = f"the sheet {sheet!r} has no rows" if sheet else "has no rows"
        raise BadRecord(name, None, f"{problem}; send a file with items")
    return TableStart(columns, rows, notes, sheets, sheet)


def _has_formulas(path: Path, name: str) -> bool:
    """Whether cells of a workbook are computed; one that may do more is refused."""
    with suppress(BadZipFile), ZipFile(path) as book:
        entries = book.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > max(_UNPACKED_SMALL, _UNPACKED * path.stat().st_size):
            problem = f"unpacks to {size:,} bytes, more than a table needs; check it"
            raise BadRecord(name, None, problem)
        if any(entry.filename.lower().endswith("vbaproject.bin") for entry in entries):
            problem = "has macros; save it as .xlsx, which holds none"
            raise BadRecord(name, None, problem)
        sheets = [e for e in entries if e.filename.startswith("xl/worksheets/")]
        return any(_holds(book, sheet.filename, _FORMULA) for sheet in sheets)
    return False  # whoever reads it says what it is


def _holds(book: ZipFile, name: str, wanted: re.Pattern[bytes]) -> bool:
    with book.open(name) as stream:
        end = b""
        while piece := stream.read(_PIECE):
            if wanted.search(end + piece):
                return True
            end = piece[-40:]
    return False
