"""A name of a place or an organisation in its context: what the metonymy readers yield."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trope.core.errors import BadInput, BadRecord
from trope.lexicon.readings import GRANULARITIES, Granularity, NameClass, coarsen

OnRefused = Callable[[BadRecord], None]
"""Called with the error of a refused sample; the reader continues with the next one."""


@dataclass(frozen=True, slots=True)
class NameSample:
    """One marked name in up to four sentences: `sentences[target][start:end] == name`.

    `reading` is a label at the granularity `known_at`; both are empty where it is not known. `line`
    is where the sample begins in its file.
    """

    id: str
    name: str
    name_class: NameClass
    sentences: tuple[str, ...]
    target: int
    start: int
    end: int
    reading: str = ""
    known_at: Granularity | None = None
    title: str = ""
    notes: str = ""
    line: int = 0

    def __post_init__(self) -> None:
        found = ""
        if 0 <= self.target < len(self.sentences):
            found = self.sentences[self.target][self.start : self.end]
        if not self.name or found != self.name or self.start < 0:
            raise BadInput(
                f"sample {self.id!r}: the name {self.name!r} is not at "
                f"{self.start}-{self.end} of its sentence; check the offsets"
            )

    @property
    def sentence(self) -> str:
        """The sentence with the name."""
        return self.sentences[self.target]

    def label(self, granularity: Granularity) -> str | None:
        """The reading at a granularity; None where it is unknown, or known only more roughly."""
        if self.known_at is None:
            return None
        if GRANULARITIES.index(self.known_at) < GRANULARITIES.index(granularity):
            return None
        return coarsen(self.reading, self.name_class, granularity, known_at=self.known_at)


def refuse(error: BadRecord, refused: OnRefused | None) -> None:
    """Report a refused sample to the callback, or raise the error where there is none."""
    if refused is None:
        raise error
    refused(error)
