"""How the rows of a text table are split: which delimiter, with quotes or without."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from trope.corpora.encodings import LINE_LIMIT, Line

ROW_LIMIT = 8 * 1024 * 1024
"""The most characters of a quoted row beyond its first line; an open quote would take the file."""

_ROW_LINES = 20_000
"""The most lines of a quoted row: many short ones take far more memory than their characters."""

_DELIMITERS = (",", ";", "\t", "|")
_NAMED = re.compile(r"sep=(.)\s*", re.I)  # the first line of some spreadsheets

SplitRow = tuple[int, "list[str] | str"]
"""The line where a row begins, and its fields or what is wrong with it."""


@dataclass(frozen=True, slots=True)
class TableDialect:
    """What separates fields, and whether quotes hold them together."""

    delimiter: str
    quoting: bool


def find_dialect(
    lines: Sequence[str], dialect: TableDialect, *, any_delimiter: bool, any_quoting: bool
) -> TableDialect:
    """The dialect of a table that begins with these lines; the usual one unless another fits.

    Args:
        any_delimiter, any_quoting: whether the delimiter and the use of quotes may differ from
            those of `dialect`.
    """
    if named := _NAMED.fullmatch(lines[0]):
        return TableDialect(named[1], True)
    if any_delimiter and not _fits(lines, dialect):
        others = (TableDialect(sign, True) for sign in _DELIMITERS)
        dialect = next((other for other in others if _fits(lines, other)), dialect)
    if any_quoting and not dialect.quoting and not _fits(lines, dialect):
        quoted = TableDialect(dialect.delimiter, True)
        return quoted if _fits(lines, quoted) else dialect
    return dialect


def is_dialect_line(line: str) -> bool:
    """Whether a line names the delimiter, as "sep=;" does, and is no row."""
    return _NAMED.fullmatch(line) is not None


def _fits(lines: Sequence[str], dialect: TableDialect) -> bool:
    """Whether the lines have more than one column, and nearly all rows as many."""
    if dialect.quoting:
        try:
            rows = [row for row in csv.reader(lines, delimiter=dialect.delimiter) if row]
        except csv.Error:
            return False
    else:
        rows = [line.rstrip("\r\n").split(dialect.delimiter) for line in lines if line.strip()]
    widths = [len(row) for row in rows]
    return bool(widths) and widths[0] > 1 and widths.count(widths[0]) >= 0.8 * len(widths)


class RowSplitter:
    """The rows of a table; one that cannot be split is a problem, and the next line is read.

    `width` is the number of columns once it is known: a quote that was never closed may end in
    the quote of a later row, which the number of fields shows.
    """

    def __init__(self, lines: Iterable[Line], dialect: TableDialect, limit: int) -> None:
        self.width: int | None = None
        self._lines, self._dialect = iter(lines), dialect
        self._limit = min(limit, ROW_LIMIT)
        self._again: deque[Line] = deque()
        self._held: list[Line] = []
        self._size = 0

    def __iter__(self) -> Iterator[SplitRow]:
        return self._quoted() if self._dialect.quoting else self._plain()

    def _plain(self) -> Iterator[SplitRow]:
        for number, text, fault in self._lines:
            text = text.removesuffix("\n").removesuffix("\r")
            if fault or text:
                yield number, fault or text.split(self._dialect.delimiter)

    def _quoted(self) -> Iterator[SplitRow]:
        # the module's own bound is 128 kB and holds for the whole process: it is only ever raised
        csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
        rows = self._reader()
        while True:
            self._held, self._size = [], 0
            try:
                row = next(rows, None)
            except csv.Error as error:
                remedy = "close the quote, or write it twice if it is part of the text"
                yield self._held[0].number, f"cannot be split into fields ({error}); {remedy}"
                self._step_back()
                rows = self._reader()
                continue
            if row is None:
                return
            fault = next((line.fault for line in self._held if line.fault), "")
            if len(self._held) > 1 and (fault or self.width not in (None, len(row))):
                problem = "opens a quote that another row closes; close it, or leave it out"
                yield self._held[0].number, self._held[0].fault or problem
                self._step_back()
                rows = self._reader()
            elif row or fault:
                yield self._held[0].number, fault or row

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(self._texts(), delimiter=self._dialect.delimiter, strict=True)

    def _texts(self) -> Iterator[str]:
        while True:
            line = self._again.popleft() if self._again else next(self._lines, None)
            if line is None:
                return
            self._size += len(line.text) if self._held else 0
            self._held.append(line)
            if len(self._held) > _ROW_LINES:
                raise csv.Error(f"a quote is open for longer than {_ROW_LINES:,} lines")
            if self._size > self._limit:
                raise csv.Error(f"a quote is open for longer than {self._limit // 1024**2} MB")
            yield line.text

    def _step_back(self) -> None:
        """Read the lines after the first one of a bad row again."""
        self._again.extendleft(reversed(self._held[1:]))
