"""Facts of a corpus that the index stores: its totals and its columns."""

from __future__ import annotations

from typing import Literal

import msgspec

from trope.core.records import WordView

PERIODS = {"year": 4, "month": 7, "day": 10}
"""Characters of a date that name its year, month and day."""

FILE = "file"
"""The column that every corpus has."""


class CorpusColumn(msgspec.Struct, frozen=True):
    """A column of the texts, and its name in the index."""

    name: str
    key: str
    values: int
    periods: dict[str, int]
    """For dates, the number of years, months and days; otherwise empty."""
    counted: Literal["", "value", "month"]
    """What the lemmas of its texts are counted by in advance, if they are."""
    offered: tuple[str, ...]
    """Its values if they are few, for forms; of dates the years."""

    @property
    def date(self) -> bool:
        """Whether its values are dates."""
        return bool(self.periods)


class CorpusFacts(msgspec.Struct, frozen=True):
    """Totals and columns of a corpus."""

    columns: tuple[CorpusColumn, ...]
    texts: int
    sentences: int
    words: int
    metaphors: int
    text: bool
    """Whether the texts are the original ones, not rebuilt from tokens."""
    threshold: float | None
    """The lowest score of a metaphor; None where scores do not decide or nothing is one."""
    word_view: WordView = "all"
    """The view by which metaphors are counted."""
