"""EmoBank: sentences of prose and headlines with ratings of valence, arousal and dominance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows

_SPLITS = ("train", "dev", "test")
_LOWEST, _NEUTRAL, _HIGHEST = 1.0, 3.0, 5.0


@dataclass(frozen=True, slots=True)
class RatedText:
    """A text with mean ratings from 1 to 5, where 3 is neutral; the genre may be unknown."""

    id: str
    text: str
    split: str
    valence: float
    arousal: float
    dominance: float
    line: int
    genre: str = ""
    subgenre: str = ""

    @property
    def sentiment(self) -> float:
        """The valence as a score from -5 to 5."""
        return (self.valence - _NEUTRAL) * 2.5


def read_emobank(source: Source) -> Iterator[RatedText]:
    """The rows of `id,split,V,A,D,text`, with or without the columns `genre` and `subgenre`.

    Raises:
        BadRecord: for ratings that are not from 1 to 5, unknown splits, empty texts and ids that
            occur twice.
    """
    name = source_name(source)
    seen = UniqueIds()
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        identifier, split = row.text("id"), row.text("split")
        seen.add(identifier, row, identifier)
        if split not in _SPLITS:
            raise row.fault(f"unknown split {split!r}; known: {', '.join(_SPLITS)}")
        valence, arousal, dominance = (row.number(key, _LOWEST, _HIGHEST) for key in "VAD")
        yield RatedText(
            identifier,
            row.text("text"),
            split,
            valence,
            arousal,
            dominance,
            line,
            genre=row.optional("genre") if "genre" in fields else "",
            subgenre=row.optional("subgenre") if "subgenre" in fields else "",
        )
