"""Tables of texts: CSV, TSV and JSON lines, streamed, with the fault at its line."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from trope.core.errors import BadInput, BadRecord
from trope.corpora.records import TextRecord
from trope.corpora.sources import LINE_LIMIT, Source, numbered_lines, source_name

TableFormat = Literal["auto", "csv", "tsv", "jsonl"]
TableRow = tuple[int, dict[str, str]]
"""The line where a row begins, and its fields by column."""

TEXT_COLUMNS = ("text", "tweet", "headline", "sentence", "full_text", "tweet_text", "title", "body")
"""Column names that mean the text, in this order; case does not matter."""

ID_COLUMNS = ("id", "id_str", "tweet_id", "tweetid", "headline_id", "sentence_id", "sent_id")
"""Column names that mean the id, in this order; case does not matter."""

# A long id as a spreadsheet writes it: its last digits are lost. A plain "1234e56" may
# be a hexadecimal id, so that only spellings that a number formatter writes are refused.
_DAMAGED_ID = re.compile(r"\d+(\.\d+)?[eE]\+\d+|\d\.\d+[eE]\d+|\d[eE]1\d|\d{5,}\.\d+")

_SUFFIXES: dict[str, TableFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


class SpeltFloat(float):
    """A JSON number with a point or an exponent that remembers how it was spelt."""

    def __new__(cls, spelling: str) -> SpeltFloat:  # noqa: D102
        number = super().__new__(cls, spelling)
        number.spelling = spelling
        return number

    spelling: str


class NoTextColumn(BadRecord):
    """A table in which no column is known to hold the texts."""


def read_texts(
    source: Source,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    format: TableFormat = "auto",  # noqa: A002 - the word that users know
    quoting: bool | None = None,
    delimiter: str | None = None,
    columns: Sequence[str] | None = None,
    skip_lines: int = 0,
    encoding: str = "utf-8",
    limit: int = LINE_LIMIT,
) -> Iterator[TextRecord]:
    """The texts of a table of tweets, headlines or sentences, one at a time.

    Without `text_column` and `id_column`, the first of `TEXT_COLUMNS` and `ID_COLUMNS` that the
    table has; a table without ids counts its rows from 1. The other options are `read_rows`'s.

    Raises:
        BadRecord: also for a table without a text column and for damaged ids, such as tweet ids
            in scientific notation.
    """
    name = source_name(source)
    rows = read_rows(
        source,
        format=format,
        quoting=quoting,
        delimiter=delimiter,
        columns=columns,
        skip_lines=skip_lines,
        encoding=encoding,
        limit=limit,
    )
    yield from named_texts(rows, name, text_column=text_column, id_column=id_column)


def named_texts(
    rows: Iterable[TableRow],
    name: str,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
) -> Iterator[TextRecord]:
    """The texts of any rows, with the columns found as `read_texts` finds them."""
    seen: tuple[str, ...] | None = None
    for index, (line, row) in enumerate(rows, start=1):
        if tuple(row) != seen:  # once in a table with a header, at any line of JSON
            seen = tuple(row)
            text_key = _text_key(row, text_column, name, line)
            id_key = _id_key(row, id_column, name, line)
        identifier = str(index) if id_key is None else checked_id(row[id_key], name, line)
        fields = {key: value for key, value in row.items() if key not in (text_key, id_key)}
        yield TextRecord(identifier, row[text_key], line, fields)


def read_rows(
    source: Source,
    *,
    format: TableFormat = "auto",  # noqa: A002
    quoting: bool | None = None,
    delimiter: str | None = None,
    columns: Sequence[str] | None = None,
    skip_lines: int = 0,
    encoding: str = "utf-8",
    limit: int = LINE_LIMIT,
) -> Iterator[TableRow]:
    """The rows of any table, with the line where each begins; every value is a string.

    Args:
        format: taken from the file name, or from the first line, if "auto".
        quoting: whether "…" holds a field together; by default yes in CSV and no in TSV.
        delimiter: what separates fields, if neither comma (CSV) nor tab (TSV).
        columns: the names of the columns of a table without a header line.
        skip_lines: lines before the header that belong to no table.
        limit: the most bytes of a line, and of a quoted row over several lines.
    """
    name = source_name(source)
    lines = numbered_lines(source, encoding=encoding, keep_ends=True, limit=limit)
    for _ in range(skip_lines):
        next(lines, None)
    first = next(lines, None)
    if first is None:
        raise BadRecord(name, skip_lines + 1, "has no rows; give a table")
    lines = chain([first], lines)
    if format == "auto":
        format = _guessed_format(source, first[1])  # noqa: A001
    if format == "jsonl":
        yield from _json_rows(lines, name)
        return
    if delimiter is None:
        delimiter = "\t" if format == "tsv" else ","
    if quoting is None:
        quoting = format == "csv"
    if quoting:
        split = _quoted_rows(lines, delimiter, name, limit)
    else:
        split = _plain_rows(lines, delimiter)
    yield from _with_columns(split, columns, name)


def _guessed_format(source: Source, first_line: str) -> TableFormat:
    if isinstance(source, str | Path):
        path = Path(source)
        suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
        if suffix.lower() in _SUFFIXES:
            return _SUFFIXES[suffix.lower()]
    if first_line.lstrip().startswith("{"):
        return "jsonl"
    return "tsv" if "\t" in first_line else "csv"


def _plain_rows(
    lines: Iterable[tuple[int, str]], delimiter: str
) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines:
        line = line.removesuffix("\n").removesuffix("\r")
        if line:
            yield number, line.split(delimiter)


def _quoted_rows(
    lines: Iterable[tuple[int, str]], delimiter: str, name: str, limit: int
) -> Iterator[tuple[int, list[str]]]:
    if len(delimiter) != 1:
        raise BadInput(f"{name}: the delimiter must be one character, got {delimiter!r}")
    # the module's own bound is 128 kB and holds for the whole process: it is only ever raised
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    last = held = 0

    def texts() -> Iterator[str]:
        nonlocal last, held
        for number, line in lines:
            last, held = number, held + len(line)
            if held > limit:  # a quote that is never closed would gather the whole file
                problem = f"is in a row longer than {limit // 1024**2} MB; close its quotes"
                raise BadRecord(name, number, problem)
            yield line

    rows = csv.reader(texts(), delimiter=delimiter, strict=True)
    while True:
        before, held = rows.line_num, 0
        try:
            row = next(rows, None)
        except csv.Error as error:
            start = last - (rows.line_num - before) + 1
            problem = f"cannot be split into fields ({error}); close its quotes or read without"
            raise BadRecord(name, start, problem) from None
        if row is None:
            return
        if row:
            yield last - (rows.line_num - before) + 1, row


def _with_columns(
    rows: Iterator[tuple[int, list[str]]], columns: Sequence[str] | None, name: str
) -> Iterator[TableRow]:
    if columns is None:
        header = next(rows, None)
        if header is None:
            raise BadRecord(name, 1, "holds no header; give a file with rows")
        line, columns = header
        doubled = sorted({column for column in columns if columns.count(column) > 1})
        if doubled:
            raise BadRecord(name, line, f"the header has {', '.join(doubled)!r} more than once")
    for line, row in rows:
        if len(row) != len(columns):
            problem = (
                f"the number of fields is {len(row)}, but the table has {len(columns)} columns"
            )
            raise BadRecord(name, line, problem)
        yield line, dict(zip(columns, row, strict=True))


def _json_rows(lines: Iterable[tuple[int, str]], name: str) -> Iterator[TableRow]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_float=SpeltFloat)
        except (ValueError, RecursionError) as error:
            cause = getattr(error, "msg", str(error))
            problem = f"cannot be read as JSON ({cause}); write one object per line"
            raise BadRecord(name, number, problem) from None
        if not isinstance(row, dict):
            problem = f"is a JSON {type(row).__name__}; write one object per line"
            raise BadRecord(name, number, problem)
        yield number, {key: json_text(value, name, number) for key, value in row.items()}


def json_text(value: Any, name: str, number: int) -> str:
    """A value of JSON as the text of a field; nothing for null, BadRecord for half a character."""
    if value is None:
        return ""
    if isinstance(value, SpeltFloat):
        return value.spelling
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        problem = "holds half of a surrogate pair, which is not a character; fix the \\u escapes"
        raise BadRecord(name, number, problem)
    return text


def _text_key(row: Mapping[str, str], wanted: str | None, name: str, line: int) -> str:
    key = _named(row, wanted, name, line) if wanted else find_column(row, TEXT_COLUMNS)
    if key is None:
        problem = (
            f"no column is called 'text' (found: {', '.join(row)}); rename the column of texts"
        )
        raise NoTextColumn(name, line, problem)
    return key


def _id_key(row: Mapping[str, str], wanted: str | None, name: str, line: int) -> str | None:
    return _named(row, wanted, name, line) if wanted else find_column(row, ID_COLUMNS)


def _named(row: Mapping[str, str], wanted: str, name: str, line: int) -> str:
    if wanted not in row:
        raise BadRecord(name, line, f"has no column {wanted!r}; it has {', '.join(row)}")
    return wanted


def find_column(row: Iterable[str], known: Sequence[str]) -> str | None:
    """The column with the first of the known names that the row has; case does not matter."""
    by_lower = {key.strip().lower(): key for key in reversed(list(row))}
    return next((by_lower[name] for name in known if name in by_lower), None)


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
