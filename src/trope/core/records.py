"""The records that travel between the layers: frozen, slotted, without behaviour of their own.

Offsets are code points of the original text. Inside a sentence words are counted from 0 and the
head of the root is -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ROOT = -1
"""The head of a sentence's root."""

TextKind = Literal["plain", "tweet", "headline"]


@dataclass(frozen=True, slots=True)
class Word:
    """A word where it stands: `original[start:end] == text`.

    `form` is the spelling that the encoder reads ("very" where the tweet has "verrrry").
    """

    text: str
    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of one sentence; never empty."""

    words: tuple[Word, ...]

    @property
    def start(self) -> int:
        """Where the first word begins."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """Where the last word ends."""
        return self.words[-1].end

    @property
    def forms(self) -> tuple[str, ...]:
        """The spellings that the encoder reads."""
        return tuple(word.form for word in self.words)


@dataclass(frozen=True, slots=True)
class Text:
    """An original text and its sentences; characters between words belong to none."""

    original: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Parse:
    """One sentence read: for every word a tag, a lemma, a head and a relation."""

    words: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True)
class Relation:
    """A verb with its object, or a verb with its subject and object, kept or rejected.

    Numbers are word positions: in a sentence where `relations` makes them, in the whole text in
    an `Analysis`. `start` and `end` bound the expression (end exclusive), `reason` is empty when
    the relation is kept.
    """

    kind: Literal["vo", "svo"]
    verb: int
    subject: int | None
    object: int | None
    start: int
    end: int
    root: bool
    kept: bool
    reason: str = ""
    particle: int | None = None
    negated: bool = False
    passive: bool = False
    verb_class: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of an analysed text; `head` counts over the whole text."""

    text: str
    start: int
    end: int
    upos: str
    xpos: str
    lemma: str
    head: int
    deprel: str
    metaphor: float | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything about one text. `sentences` are code-point ranges, `tasks` what was asked for."""

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[tuple[int, int], ...]
    relations: tuple[Relation, ...]
    tasks: tuple[str, ...] = ("syntax", "relations")
