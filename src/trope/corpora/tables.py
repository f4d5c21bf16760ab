"""Tables: CSV, TSV, JSON, workbooks and Parquet, streamed, with the fault at its line.

`read_rows` and `read_texts` are the way in for one table, and stop at the first fault; `parse_rows`
goes on after it. Delimiter and encoding are found if they are not given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

from trope.core.errors import BadInput, BadRecord
from trope.corpora.dialects import (
    RowSplitter,
    SplitRow,
    TableDialect,
    find_dialect,
    is_dialect_line,
)
from trope.corpora.encodings import LINE_LIMIT, Line
from trope.corpora.records import TextRecord
from trope.corpora.rows import SpeltFloat, fields_shown, json_text
from trope.corpora.sources import (
    Source,
    inner_source,
    read_lines,
    source_name,
    unpacked_suffix,
    unread_format,
)

TableFormat = Literal["auto", "csv", "tsv", "jsonl", "json", "xlsx", "parquet"]
TableRow = tuple[int, dict[str, str]]
"""The line where a row begins, and its fields by column."""

ParsedRow = tuple[int, dict[str, str] | str]
"""The line where a row begins, and its fields or what is wrong with it."""

TEXT_COLUMNS = ("text", "tweet", "headline", "sentence", "full_text", "tweet_text", "title", "body")
"""Column names that mean the text, in this order; case does not matter."""

ID_COLUMNS = ("id", "id_str", "tweet_id", "tweetid", "headline_id", "sentence_id", "sent_id")
"""Column names that mean the id, in this order; case does not matter."""

# A long id as a spreadsheet writes it, with a decimal point or comma: its last digits are lost. A
# plain "1234e56" may be a hexadecimal id, so that only spellings that a number formatter writes are
# refused.
_DAMAGED_ID = re.compile(r"\d+([.,]\d+)?[eE]\+\d+|\d[.,]\d+[eE]\d+|\d[eE]1\d|\d{5,}[.,]\d+")

_SUFFIXES: dict[str, TableFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".parquet": "parquet",
}
_NO_TABLES = (".docx", ".pdf", ".html", ".htm", ".xhtml", ".epub")
_SAMPLE_LINES = 60
_MISSING = {"nan", "none", "null", "<na>", "#n/a", "n/a"}


class NoTextColumn(BadRecord):
    """A table in which no column is known to hold the texts."""


def read_texts(
    source: Source,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    **options: Any,
) -> Iterator[TextRecord]:
    """The texts of a table of tweets, headlines or sentences, one at a time.

    Without `text_column` and `id_column`, the first of `TEXT_COLUMNS` and `ID_COLUMNS` that the
    table has; a table without ids counts its rows from 1. The other options are `read_rows`'s.

    Raises:
        BadRecord: also for a table without a text column and for damaged ids, such as tweet ids
            in scientific notation.
    """
    rows = read_rows(source, **options)
    yield from named_texts(rows, source_name(source), text_column=text_column, id_column=id_column)


def named_texts(
    rows: Iterable[TableRow],
    name: str,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
) -> Iterator[TextRecord]:
    """The texts of any rows, with the columns found as `read_texts` finds them.

    A row of JSON that leaves the text out has an empty one.
    """
    seen: tuple[str, ...] | None = None
    text_key = ""
    for index, (line, row) in enumerate(rows, start=1):
        if tuple(row) != seen:  # once in a table with a header, at any line of JSON
            seen = tuple(row)
            if not text_key or (text_column or find_column(row, TEXT_COLUMNS)) in row:
                text_key = _text_key(row, text_column, name, line)
            id_key = _id_key(row, id_column, name, line)
        identifier = str(index) if id_key is None else checked_id(row[id_key], name, line)
        fields = {key: value for key, value in row.items() if key not in (text_key, id_key)}
        yield TextRecord(identifier, row.get(text_key, ""), line, fields)


def read_rows(
    source: Source,
    *,
    format: TableFormat = "auto",  # noqa: A002
    quoting: bool | None = None,
    delimiter: str | None = None,
    columns: Sequence[str] | None = None,
    skip_lines: int = 0,
    encoding: str | None = None,
    sheet: str | None = None,
    limit: int = LINE_LIMIT,
) -> Iterator[TableRow]:
    """The rows of any table, with the line where each begins; every value is a string.

    Args:
        format: taken from the file name, or from the first line, if "auto".
        quoting: whether "…" holds a field together; by default yes in CSV, and in TSV only where
            its rows have equally many fields in this way alone.
        delimiter: what separates fields; if None, what gives all rows equally many: comma,
            semicolon, tab or a vertical bar.
        columns: the names of the columns of a table without a header line.
        skip_lines: lines before the header that belong to no table.
        encoding: if None, UTF-8, UTF-16 or cp1252, whichever the bytes are.
        sheet: the name or number of a sheet of a workbook; the first if None.
        limit: the most bytes of a line, and of a quoted row over several lines.

    Raises:
        BadRecord: for the first row that cannot be read.
    """
    name = source_name(source)
    reading = TableReading(format, quoting, delimiter, columns, skip_lines, encoding, sheet, limit)
    for line, row in parse_rows(source, reading):
        if isinstance(row, str):
            raise BadRecord(name, line, row)
        yield line, row


@dataclass(frozen=True, slots=True)
class TableReading:
    """How a table is read; the fields are the options of `read_rows`."""

    format: TableFormat = "auto"
    quoting: bool | None = None
    delimiter: str | None = None
    columns: Sequence[str] | None = None
    skip_lines: int = 0
    encoding: str | None = None
    sheet: str | None = None
    limit: int = LINE_LIMIT


def parse_rows(source: Source, reading: TableReading) -> Iterator[ParsedRow]:
    """The rows of any table; what is wrong with a row stands in its place, and reading goes on."""
    source = inner_source(source)
    form = _named_format(source) if reading.format == "auto" else reading.format
    if form in ("xlsx", "parquet"):
        from trope.corpora import workbooks

        if form == "parquet":
            return workbooks.parquet_rows(source)
        rows = workbooks.sheet_rows(source, reading.sheet)
        return _with_columns(rows, reading.columns)
    lines = read_lines(
        source,
        encoding=reading.encoding,
        limit=reading.limit,
        unicode_only=form in ("json", "jsonl"),
    )
    return parse_lines(lines, source_name(source), replace(reading, format=form))


def parse_lines(lines: Iterator[Line], name: str, reading: TableReading) -> Iterator[ParsedRow]:
    """The rows of a table whose lines these are."""
    for _ in range(reading.skip_lines):
        next(lines, None)
    first = next(lines, None)
    if first is None:
        problem = "has no rows; give a table" if reading.skip_lines else "is empty; give a table"
        yield reading.skip_lines + 1, problem
        return
    form = reading.format
    if form == "auto":
        form = _guessed_format(first.text)
    if form in ("jsonl", "json"):
        yield from _json_rows(chain([first], lines), name, whole=form == "json")
        return
    delimiter, quoting = reading.delimiter, reading.quoting
    usual = TableDialect(
        delimiter or ("\t" if form == "tsv" else ","), form == "csv" if quoting is None else quoting
    )
    if len(usual.delimiter) != 1 and usual.quoting:
        raise BadInput(f"{name}: the delimiter must be one character, got {delimiter!r}")
    sample = [first, *islice(lines, _SAMPLE_LINES)] if delimiter is None or quoting is None else []
    if sample:
        usual = find_dialect(
            [line.text for line in sample],
            usual,
            any_delimiter=delimiter is None and quoting is not False,
            any_quoting=quoting is None and len(usual.delimiter) == 1,
        )
    lines = chain(sample or [first], lines)
    if is_dialect_line(first.text):
        next(lines)
    split = RowSplitter(lines, usual, reading.limit)
    yield from _with_columns(split, reading.columns)


def named_delimiter(given: str) -> str | None:
    """The delimiter, which may be spelt out where a shell makes it hard to type; None if empty."""
    return {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(given, given) or None


def _named_format(source: Source) -> TableFormat:
    """The format that the name of a file shows, "auto" if it shows none."""
    name = source if isinstance(source, str | Path) else getattr(source, "name", "")
    path = Path(name) if isinstance(name, str | Path) else Path()
    if problem := unread_format(path):
        raise BadInput(f"{path}: {problem}")
    if unpacked_suffix(path) in _NO_TABLES:
        raise BadInput(f"{path}: is a document; give a table, such as .csv, .xlsx or .jsonl")
    return _SUFFIXES.get(unpacked_suffix(path), "auto")


def _guessed_format(first_line: str) -> TableFormat:
    if first_line.lstrip().startswith("{"):
        return "jsonl"
    if first_line.lstrip().startswith("["):
        return "json"
    return "tsv" if "\t" in first_line else "csv"


def _with_columns(
    rows: RowSplitter | Iterable[SplitRow], columns: Sequence[str] | None
) -> Iterator[ParsedRow]:
    split = iter(rows)
    if columns is None:
        line, header = next(split, (1, "holds no header; give a file with rows"))
        if isinstance(header, str):
            yield line, header if header.startswith("holds") else f"its header {header}"
            return
        columns = header = _header(header)
        if doubled := sorted({column for column in header if header.count(column) > 1}):
            problem = f"the header has {', '.join(map(repr, doubled))} more than once"
            yield line, f"{problem}; rename one of them"
            return
    if isinstance(rows, RowSplitter):
        rows.width = len(columns)
    for line, row in split:
        if isinstance(row, str):
            yield line, row
        elif len(row) != len(columns):
            count = f"the number of fields is {len(row)}"
            yield line, f"{count}, but the table has {len(columns)} columns; fix the row"
        else:
            yield line, dict(zip(columns, row, strict=True))


def _header(names: Sequence[str]) -> list[str]:
    """The names of the columns; several without a name are told apart by their places."""
    names = [name.strip() for name in names]
    if names.count("") < 2:
        return names
    return [name or f"column {place}" for place, name in enumerate(names, start=1)]


def _json_rows(lines: Iterable[Line], name: str, *, whole: bool) -> Iterator[ParsedRow]:
    """The objects of JSON lines, or of one JSON list over all lines."""
    if whole:
        held = list(lines)
        fault = next(((line.number, line.fault) for line in held if line.fault), None)
        if fault is not None:
            yield fault
            return
        parsed = _parsed_json("".join(line.text for line in held))
        if isinstance(parsed, list):
            yield from ((at, _json_row(row, name, at)) for at, row in enumerate(parsed, start=1))
            return
        lines = held
    for number, text, fault_here in lines:
        if fault_here:
            yield number, fault_here
        elif text.strip():
            parsed = _parsed_json(text)
            yield number, parsed if isinstance(parsed, str) else _json_row(parsed, name, number)


def _parsed_json(text: str) -> Any:
    """The value, or what is wrong with it."""
    try:
        value = json.loads(text, parse_float=SpeltFloat, parse_constant=_missing_number)
    except (ValueError, RecursionError) as error:
        cause = getattr(error, "msg", str(error))
        return f"cannot be read as JSON ({cause}); write one object per line"
    return f"is a JSON str; {_OBJECTS}" if isinstance(value, str) else value


_OBJECTS = "write one object per line"


def _missing_number(_: str) -> None:
    """NaN and infinite numbers, which JSON does not have, are no values."""


def _json_row(row: Any, name: str, number: int) -> dict[str, str] | str:
    if not isinstance(row, dict):
        return f"is a JSON {type(row).__name__}; {_OBJECTS}"
    try:
        return {key: json_text(value, name, number) for key, value in row.items()}
    except BadRecord as error:
        return error.problem


def _text_key(row: Mapping[str, str], wanted: str | None, name: str, line: int) -> str:
    key = _named(row, wanted, name, line) if wanted else find_column(row, TEXT_COLUMNS)
    if key is None:
        problem = f"no column is called 'text' (found: {fields_shown(row)})"
        problem = f"{problem}; rename the column of texts"
        raise NoTextColumn(name, line, problem)
    return key


def _id_key(row: Mapping[str, str], wanted: str | None, name: str, line: int) -> str | None:
    return _named(row, wanted, name, line) if wanted else find_column(row, ID_COLUMNS)


def _named(row: Mapping[str, str], wanted: str, name: str, line: int) -> str:
    if wanted not in row:
        raise BadRecord(name, line, f"has no column {wanted!r}; it has {fields_shown(row)}")
    return wanted


def find_column(row: Iterable[str], known: Sequence[str]) -> str | None:
    """The column with the first of the known names that the row has; case does not matter."""
    by_lower = {key.strip().lower(): key for key in reversed(list(row))}
    return next((by_lower[name] for name in known if name in by_lower), None)


def is_missing(text: str) -> bool:
    """Whether a cell has no text: it is blank, or what programs write for "no value"."""
    return not text.strip() or text.strip().lower() in _MISSING


def checked_id(identifier: str, name: str, line: int) -> str:
    """The id without blanks around it; BadRecord for one that lost digits."""
    identifier = identifier.strip()
    if _DAMAGED_ID.fullmatch(identifier):
        problem = (
            f"id {identifier!r} was turned into a number and has lost digits; "
            "export the ids as text"
        )
        raise BadRecord(name, line, problem)
    return identifier
