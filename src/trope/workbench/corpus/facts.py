"""What is known of a corpus without counting anything: its totals and its columns."""

from __future__ import annotations

from typing import Literal

import msgspec

PERIODS = {"year": 4, "month": 7, "day": 10}
"""How long the beginning of a date is that names them."""

FILE = "file"
"""The column that every corpus has."""


class Column(msgspec.Struct, frozen=True):
    """A column of the texts, and the name that the index has for it."""

    name: str
    key: str
    values: int
    periods: dict[str, int]
    """Of dates, how many years, months and days there are; empty for what is no date."""
    counted: Literal["", "value", "month"]
    """By what the lemmas of its texts are counted beforehand, if they are."""
    offered: tuple[str, ...]
    """Its values where they are few, to choose from; of dates the years."""

    @property
    def date(self) -> bool:
        """Whether its values are dates."""
        return bool(self.periods)


class Facts(msgspec.Struct, frozen=True):
    """What is known of an index without asking it."""

    columns: tuple[Column, ...]
    texts: int
    sentences: int
    words: int
    metaphors: int
    text: bool
    """Whether the texts are the original ones, not put together from their tokens."""
    threshold: float | None
    """The lowest score of a word that counted as a metaphor, None where none did."""
