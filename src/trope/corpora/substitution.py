"""What the readers of lexical substitution yield: a word in its text and words for its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Substitute:
    """A word for a place, and how many, or which share, of the annotators stood behind it."""

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class SubstitutionTarget:
    """The word `text[start:end]` and substitutes for it.

    `upos` is VERB, NOUN, ADJ or ADV, empty where the source does not tell; `document` names the
    text that the sentence was taken from.
    """

    id: str
    text: str
    start: int
    end: int
    lemma: str
    upos: str
    substitutes: tuple[Substitute, ...]
    document: str = ""

    @property
    def word(self) -> str:
        """The word as it stands in the text."""
        return self.text[self.start : self.end]
