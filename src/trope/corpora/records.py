"""Records that the readers yield."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from trope.core.errors import BadInput, BadRecord
from trope.lexicon.readings import GRANULARITIES, Granularity, NameClass, coarsen

OnRefused = Callable[[BadRecord], None]
"""Called with the error of a refused sample; the reader continues with the next one."""


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A text and its line; `fields` holds the other columns of a table."""

    id: str
    text: str
    line: int
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence with a verdict for every word; `upos` and `genre` are empty where not given."""

    id: str
    words: tuple[str, ...]
    labels: tuple[bool, ...]
    line: int
    upos: tuple[str, ...] = ()
    genre: str = ""


@dataclass(frozen=True, slots=True)
class LabelledTarget:
    """One word of a sentence, `words[target]`, used metaphorically or not; `verb` is its lemma."""

    id: str
    words: tuple[str, ...]
    target: int
    verb: str
    metaphor: bool
    line: int
    subject: str = ""
    object: str = ""


@dataclass(frozen=True, slots=True)
class LabelledExpression:
    """Words that form an expression by themselves: adjective and noun, or subject, verb, object.

    A part that the expression lacks is empty.
    """

    words: tuple[str, ...]
    metaphor: bool
    line: int
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """The words `start` to `end` (exclusive) of a text, used metaphorically or not."""

    words: tuple[str, ...]
    start: int
    end: int
    metaphor: bool
    line: int


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
