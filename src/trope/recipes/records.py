"""Records that pass through the steps of a recipe, drops with their reasons, labels of items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

Fields = dict[str, Any]
"""Fields of a record besides its text: strings, numbers, booleans, None, lists of strings."""

SUBSET = "subset"
"""The field that names the subset of a data set."""


@dataclass(frozen=True, slots=True)
class Record:
    """A text, and what the steps have found out about it."""

    id: str
    text: str
    fields: Fields = field(default_factory=dict)

    def having(self, **found: Any) -> Record:
        """The same record with further fields."""
        return Record(self.id, self.text, {**self.fields, **found})


@dataclass(frozen=True, slots=True)
class Drop:
    """A dropped record; the reason is a word that can be counted."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ItemLabel:
    """The label of an item, or the reason why it has none."""

    item: str
    label: str | None
    score: float | None = None
    votes: int = 0
    share: float | None = None
    reason: str = ""


Outcome = Record | Drop


class _Line(msgspec.Struct):
    """A line of a step's file: a record, or a drop if it has a reason."""

    id: str
    text: str = ""
    fields: dict[str, Any] = {}
    reason: str = ""


_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(_Line)


def to_line(row: object) -> bytes:
    """A record, a drop or any plain data as one line of JSON, its keys in order."""
    return _ENCODER.encode(row) + b"\n"


def from_lines(lines: Iterable[bytes]) -> Iterator[Outcome]:
    """The records and drops of a step's file."""
    for line in lines:
        found = _DECODER.decode(line)
        if found.reason:
            yield Drop(found.id, found.reason)
        else:
            yield Record(found.id, found.text, found.fields)
