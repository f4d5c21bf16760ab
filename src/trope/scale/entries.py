"""The texts of a corpus, row by row: what cannot be used is refused with its place, and the rest
goes on. Nothing is held but the row itself; ids are remembered on the disk.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from trope.core.errors import BadRecord
from trope.corpora.sources import LINE_LIMIT
from trope.corpora.tables import (
    ID_COLUMNS,
    TEXT_COLUMNS,
    SpeltFloat,
    checked_id,
    find_column,
    json_text,
)
from trope.scale.inputs import DAMAGED, InputFile, open_input, parquet_rows

_PLAIN_COLUMN = "text"
"""What the lines of a plain file are called."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns are the text and the id (found by their usual names if empty), and which are
    kept."""

    text: str = ""
    id: str = ""
    kept: tuple[str, ...] = ()

    def needed(self, names: Sequence[str]) -> Sequence[str]:
        """The columns that are read; all of them if one is missing, so that it is reported."""
        text = self.text or find_column(names, TEXT_COLUMNS)
        wanted = {text, *self.kept, *((self.id,) if self.id else ())}
        if not wanted <= {*names}:
            return names
        wanted.add(self.id or find_column(names, ID_COLUMNS))
        return [name for name in names if name in wanted]


@dataclass(frozen=True, slots=True)
class TextRow:
    """A text, where it stood, and the fields that are kept with it."""

    file: str
    line: int
    id: str
    text: str
    kept: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row, or the rest of a file, that cannot be used."""

    file: str
    line: int
    problem: str


Entry = TextRow | RefusedRow
_Fields = dict[str, str]
_Parsed = tuple[int, "_Fields | str"]
"""The line of a row, and its fields or what is wrong with it."""


class InputCorpus:
    """The entries of all files in order; `position` says how many bytes are read."""

    def __init__(self, files: Sequence[InputFile], columns: Columns) -> None:
        self.files, self.columns = files, columns
        self.position = 0
        self.size = sum(file.bytes for file in files)

    def check(self) -> None:
        """Raises BadRecord if a file lacks a column: better before the work than after it."""
        for file in self.files:
            if file.path == "-":
                continue
            first = next(_rows(file, lambda _: None, self.columns), None)
            if first is not None and isinstance(first[1], dict):
                self._keys(first[1], file, first[0], strict=file.format != "jsonl")

    def __iter__(self) -> Iterator[Entry]:
        done = 0
        for file in self.files:
            seen = _SeenIds()  # files are often numbered from 1, each by itself

            def moved(at: int, done: int = done) -> None:
                self.position = done + at

            rows = 0
            for line, parsed in _rows(file, moved, self.columns):
                rows += 1
                try:
                    yield self._entry(file, line, parsed, seen)
                except BadRecord as error:
                    yield RefusedRow(file.path, line, error.problem)
            if not rows:
                yield RefusedRow(file.path, 1, "holds no text; leave it out")
            seen.close()
            done += file.bytes
            self.position = done

    def _entry(self, file: InputFile, line: int, parsed: _Fields | str, seen: _SeenIds) -> Entry:
        if isinstance(parsed, str):
            return RefusedRow(file.path, line, parsed)
        text_key, id_key = self._keys(parsed, file, line, strict=False)
        text = parsed[text_key]
        if not text.strip():
            problem = f"column {text_key!r} is empty; every row needs a text"
            return RefusedRow(file.path, line, problem)
        identifier = f"{file.path}:{line}"
        if id_key is not None and parsed[id_key].strip():
            identifier = checked_id(parsed[id_key], file.path, line)
            before = seen.add(identifier, line)
            if before is not None:
                problem = f"id {identifier!r} is also in line {before}; every row needs its own id"
                return RefusedRow(file.path, line, problem)
        kept = tuple(parsed.get(name) for name in self.columns.kept)
        return TextRow(file.path, line, identifier, text, kept)

    def _keys(
        self, row: _Fields, file: InputFile, line: int, *, strict: bool
    ) -> tuple[str, str | None]:
        """The columns of text and id of a row; `strict` asks for the kept ones too."""
        columns = self.columns
        kept = columns.kept if strict else ()
        # lines of a plain file have no column name: any name means them
        text = _PLAIN_COLUMN if file.format == "txt" else columns.text
        wanted = ("" if file.format == "txt" else columns.id), text, *kept
        for name in filter(None, wanted):
            if name not in row:
                problem = f"has no column {name!r}; it has {', '.join(row)}"
                raise BadRecord(file.path, line, problem)
        text_key = text or find_column(row, TEXT_COLUMNS)
        if text_key is None:
            problem = f"no column is a text among {', '.join(row)}; name it: --text-column"
            raise BadRecord(file.path, line, problem)
        id_key = columns.id or find_column(row, ID_COLUMNS)
        return text_key, id_key if id_key in row else None


class _SeenIds:
    """The ids of a file and their lines, in a database that goes with it: memory stays flat."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")  # a temporary file, used beyond a small cache
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("CREATE TABLE ids (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID")

    def add(self, identifier: str, line: int) -> int | None:
        """Remember an id; the line where it stood before, if it did."""
        try:
            self._database.execute("INSERT INTO ids VALUES (?, ?)", (identifier, line))
        except sqlite3.IntegrityError:
            found = self._database.execute("SELECT line FROM ids WHERE id = ?", (identifier,))
            before: int = found.fetchone()[0]
            return before
        return None

    def close(self) -> None:
        """Forget all ids."""
        self._database.close()


def _rows(file: InputFile, moved: Callable[[int], None], columns: Columns) -> Iterator[_Parsed]:
    """The rows of a file; the last one says so where a file ends before its end."""
    if file.format == "parquet":
        yield from parquet_rows(file, moved, columns.needed)
        return
    line = 0
    try:
        with open_input(file) as (stream, raw):
            for line, parsed in _text_rows(file, _numbered(stream)):
                if file.path != "-":
                    moved(raw.tell())
                yield line, parsed
    except DAMAGED as error:
        kind = {"gz": "gzip", "zst": "zstd"}.get(file.packing, file.packing)
        cause = f"is a damaged {kind} file" if kind else "cannot be read further"
        yield line + 1, f"{cause} ({error}); get it again"


def _text_rows(file: InputFile, lines: Iterator[tuple[int, str]]) -> Iterator[_Parsed]:
    if file.format == "txt":
        for number, line in lines:
            line = line.rstrip("\r\n")
            if line.strip():
                yield number, _fault(line) or {_PLAIN_COLUMN: line}
    elif file.format == "jsonl":
        for number, line in lines:
            if line.strip():
                yield number, _json_row(line, file.path, number)
    else:
        yield from _table_rows(file, lines)


def _numbered(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Lines with their numbers. Bytes that are no UTF-8 become surrogates, a line that is too long
    becomes a NUL: `_fault` tells both, and the lines after them are read."""
    number = 0
    while raw := stream.readline(LINE_LIMIT + 1):
        number += 1
        if len(raw) > LINE_LIMIT:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LINE_LIMIT)
            yield number, _TOO_LONG
            continue
        line = raw.decode("utf-8", "surrogateescape")
        yield number, line.removeprefix("\ufeff") if number == 1 else line


_TOO_LONG = "\0\0too long\n"


def _fault(text: str) -> str:
    """What keeps a row from being text, empty if nothing does."""
    if "\0" in text:
        if _TOO_LONG.strip() in text:
            return f"is longer than {LINE_LIMIT // 1024**2} MB; split it into lines"
        return "holds a NUL byte, so it is no text; give UTF-8 text"
    if not text.isascii():
        for character in text:
            if "\udc80" <= character <= "\udcff":
                byte = ord(character) - 0xDC00
                return f"is not UTF-8 (byte 0x{byte:02x}); convert it, as with iconv -t UTF-8"
    return ""


def _json_row(line: str, name: str, number: int) -> _Fields | str:
    if fault := _fault(line):
        return fault
    try:
        row: Any = json.loads(line, parse_float=SpeltFloat)
    except (ValueError, RecursionError) as error:
        cause = getattr(error, "msg", str(error))
        return f"cannot be read as JSON ({cause}); write one object per line"
    if not isinstance(row, dict):
        return f"is a JSON {type(row).__name__}; write one object per line"
    try:
        return {key: json_text(value, name, number) for key, value in row.items()}
    except BadRecord as error:
        return error.problem


def _table_rows(file: InputFile, lines: Iterator[tuple[int, str]]) -> Iterator[_Parsed]:
    """The rows of CSV (with quotes) or TSV (without) by the names of their header."""
    split = _quoted(lines) if file.format == "csv" else _unquoted(lines)
    header: list[str] | None = None
    for number, fields in split:
        problem = fields if isinstance(fields, str) else _fault("\t".join(fields))
        if header is None:
            if problem or isinstance(fields, str):
                yield number, f"its header {problem}"
                return
            doubled = sorted({name for name in fields if fields.count(name) > 1})
            if doubled:
                yield number, f"its header has {', '.join(doubled)!r} more than once; rename one"
                return
            header = fields
        elif problem or isinstance(fields, str):
            yield number, problem
        elif len(fields) != len(header):
            count = f"the number of fields is {len(fields)}"
            yield number, f"{count}, but the table has {len(header)} columns; fix the row"
        else:
            yield number, dict(zip(header, fields, strict=True))


def _unquoted(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str] | str]]:
    for number, line in lines:
        line = line.rstrip("\r\n")
        if line:
            yield number, line.split("\t")


def _quoted(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str] | str]]:
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    last = 0

    def texts() -> Iterator[str]:
        nonlocal last
        for number, line in lines:
            last = number
            yield line

    rows = csv.reader(texts(), strict=True)
    while True:
        before = last
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield before + 1, f"cannot be split into fields ({error}); close its quotes"
            continue
        if row is None:
            return
        if row:
            yield before + 1, row
