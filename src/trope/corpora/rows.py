"""The fields of rows: as text, inside objects, and checked; errors name the file and the line."""

from __future__ import annotations

import ast
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trope.core.errors import BadRecord


class SpeltFloat(float):
    """A JSON number with a point or an exponent that remembers how it was spelt."""

    def __new__(cls, spelling: str) -> SpeltFloat:  # noqa: D102
        number = super().__new__(cls, spelling)
        number.spelling = spelling
        return number

    spelling: str


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


def with_inner_fields(
    rows: Iterable[tuple[int, dict[str, str]]], columns: Iterable[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows with these columns also where they are fields of an object: "data.text" in JSON."""
    dotted = [column for column in columns if "." in column]
    if not dotted:
        yield from rows
        return
    for line, row in rows:
        inner = {column: _inner(row, column) for column in dotted if column not in row}
        yield line, {**row, **{column: text for column, text in inner.items() if text is not None}}


def _inner(row: Mapping[str, str], column: str) -> str | None:
    """The text of a field inside an object; None if there is none."""
    outer, *names = column.split(".")
    value: object = _as_object(row.get(outer, ""))
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return json_text(value, "", 0)


def fields_shown(row: Mapping[str, str]) -> str:
    """The names of the columns for a message; of an object, those of its fields."""
    shown: list[str] = []
    for column, text in row.items():
        inner = _as_object(text)
        shown += [f"{column}.{name}" for name in inner] if inner else [column]
    return ", ".join(shown)


def _as_object(text: str) -> dict[str, object]:
    """The object that a field of JSON holds; empty for any other text."""
    if not text.startswith("{"):
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


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
