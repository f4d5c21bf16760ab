"""A text cut into sentences and words, before anything is known of them."""

from __future__ import annotations

from dataclasses import dataclass


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
