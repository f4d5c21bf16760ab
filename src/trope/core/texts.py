"""Texts before anything is known of them: cleaned, and cut into sentences and words.

A changed text still knows where each of its characters came from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

_UNSTORABLE = re.compile("[\\x00\ud800-\udfff]")


def unstorable_character(text: str) -> str:
    """The first character that no file or database takes, in words; "" if there is none."""
    found = _UNSTORABLE.search(text)
    if not found:
        return ""
    return "a NUL character" if found[0] == "\0" else "half of a surrogate pair"


WORD = r"\w[\w'’\-]*"
"""What can be marked as one word."""


def words_of(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end, as annotators mark them; punctuation is none."""
    return [found.span() for found in re.finditer(WORD, text)]


Edit = tuple[int, int, str]
"""Replace `text[start:end]` by a string; edits come in order and do not overlap."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A text where character i comes from `original[starts[i]:ends[i]]`.

    Both sequences ascend, so a span of the text is a span of the original.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Mapped:
        """The text itself, each character mapped to its own place."""
        return cls(text, range(len(text)), range(1, len(text) + 1))

    def __len__(self) -> int:
        return len(self.text)

    def edit(self, edits: Iterable[Edit]) -> Mapped:
        """The text after the edits.

        Every character of a replacement stands for the whole stretch that it replaces. A stretch
        of no characters is passed over: nothing of the original would stand behind it.
        """
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        done = 0
        for start, end, replacement in edits:
            if start == end:
                continue
            pieces += self.text[done:start], replacement
            starts += self.starts[done:start]
            ends += self.ends[done:start]
            starts += [self.starts[start]] * len(replacement)
            ends += [self.ends[end - 1]] * len(replacement)
            done = end
        if not done:
            return self
        pieces.append(self.text[done:])
        starts += self.starts[done:]
        ends += self.ends[done:]
        return Mapped("".join(pieces), starts, ends)

    def sub(
        self,
        pattern: str | re.Pattern[str],
        replacement: str | Callable[[re.Match[str]], str],
    ) -> Mapped:
        """The text with each match replaced, as `re.sub` would (backslash groups included)."""
        if isinstance(pattern, str):
            pattern = re.compile(pattern)
        matches = list(pattern.finditer(self.text))
        if not matches:
            return self
        if callable(replacement):
            return self.edit([(*match.span(), replacement(match)) for match in matches])
        if "\\" in replacement:
            return self.edit([(*match.span(), match.expand(replacement)) for match in matches])
        return self.edit([(*match.span(), replacement) for match in matches])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stands in the original; an empty span stays empty."""
        if start < end:
            return self.starts[start], self.ends[end - 1]
        if start < len(self.starts):
            return self.starts[start], self.starts[start]
        last = self.ends[-1] if self.ends else 0
        return last, last


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
        return tuple([word.form for word in self.words])


@dataclass(frozen=True, slots=True)
class Text:
    """An original text and its sentences; characters between words belong to none."""

    original: str
    sentences: tuple[Sentence, ...]
