"""Rows with checked fields: errors name the file and the line."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from trope.core.errors import BadRecord


@dataclass(slots=True)
class CheckedRow:
    """One row of a table; every method returns a checked field or raises an error."""

    path: str
    line: int
    fields: Mapping[str, str]

    def fault(self, problem: str) -> BadRecord:
        """The error for a problem of this row."""
        return BadRecord(self.path, self.line, problem)

    def text(self, column: str) -> str:
        """A field that must hold something, without the blanks around it."""
        if column not in self.fields:
            known = ", ".join(self.fields)
            raise self.fault(f"has no column {column!r} (it has {known}); check the format")
        value = self.fields[column].strip()
        if not value:
            raise self.fault(f"column {column!r} is empty; every row needs a value there")
        return value

    def optional(self, column: str) -> str:
        """A field that may be empty; its column must be there."""
        empty = column in self.fields and not self.fields[column].strip()
        return "" if empty else self.text(column)

    def words(self, column: str) -> tuple[str, ...]:
        """The words of a field, separated by blanks."""
        return tuple(self.text(column).split())

    def choice(self, column: str, meanings: Mapping[str, bool]) -> bool:
        """A label as yes or no; one without a meaning is refused."""
        value = self.text(column)
        if value not in meanings:
            allowed = ", ".join(meanings)
            raise self.fault(f"unknown label {value!r} in column {column!r}; known: {allowed}")
        return meanings[value]

    def label(self, column: str = "label") -> bool:
        """A label that is written 1 or 0."""
        return self.choice(column, {"1": True, "0": False})

    def position(self, column: str, words: int) -> int:
        """A position in a sentence of so many words, counted from 0."""
        value = self.text(column)
        if not value.isdecimal() or int(value) >= words:
            raise self.fault(
                f"{column} {value!r} is not a position in a sentence of {words} words; "
                "positions count from 0"
            )
        return int(value)

    def items(self, column: str) -> list[object]:
        """A list that is written as Python writes lists."""
        value = self.text(column)
        try:
            found = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            found = None
        if not isinstance(found, list):
            raise self.fault(f"column {column!r} does not hold a list such as [0, 1]")
        return found

    def span(self, column: str, words: int) -> tuple[int, int]:
        """A span [first, last + 1) of a text of so many words, written as a list."""
        match self.items(column):
            case [int(start), int(end)] if 0 <= start < end <= words:
                return start, end
            case found:
                raise self.fault(f"span {found} lies outside of the text, which has {words} words")

    def whole(self, column: str) -> int:
        """A whole number that is not negative."""
        value = self.text(column)
        if not (value.isascii() and value.isdecimal()):
            raise self.fault(f"{column} {value!r} is not a whole number; write digits only")
        return int(value)

    def number(self, column: str, lowest: float, highest: float) -> float:
        """A number in a range, both ends included."""
        value = self.text(column)
        try:
            number = float(value)
        except ValueError:
            raise self.fault(f"{column} {value!r} is not a number; write it as 3.5") from None
        if not lowest <= number <= highest:
            raise self.fault(f"{column} {value!r} is not from {lowest:g} to {highest:g}")
        return number


@dataclass(slots=True)
class UniqueIds:
    """Refuses an id that occurs twice."""

    lines: dict[Hashable, int] = field(default_factory=dict)

    def add(self, key: Hashable, row: CheckedRow, shown: str) -> None:
        """Remember the id of a row."""
        if key in self.lines:
            raise row.fault(
                f"id {shown!r} is also in line {self.lines[key]}; each row needs its own id"
            )
        self.lines[key] = row.line
