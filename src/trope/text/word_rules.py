"""How spaCy's tokeniser cuts what is between blanks, from its tables, without spaCy.

Importing spaCy takes longer than everything else that a sentence needs, so its tables for English
lie beside this file (`tools/export_word_rules.py` writes them) and its algorithm is here:
affixes are taken off from outside until an exception or nothing to take off is left, the rest is
cut at infixes, and exceptions that were cut by this come back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

Parts = tuple[str, ...]
"""The words that a piece of text is cut into."""


@dataclass(frozen=True, slots=True)
class RuleChanges:
    """What is added to spaCy's tables, and the exceptions that are taken out."""

    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    infixes: tuple[str, ...]
    exceptions: Mapping[str, Parts]
    without: frozenset[str]

    def change_exceptions(self, known: Mapping[str, Parts]) -> dict[str, Parts]:
        """Exceptions with their parts, as they are after the changes."""
        kept = {word: parts for word, parts in known.items() if word not in self.without}
        return kept | dict(self.exceptions)


class WordRules:
    """Prefixes, suffixes and infixes as patterns, and exceptions with their parts."""

    def __init__(
        self,
        *,
        prefixes: Sequence[str],
        suffixes: Sequence[str],
        infixes: Sequence[str],
        exceptions: Mapping[str, Parts],
    ) -> None:
        self.exceptions = exceptions
        self._infixes = infixes
        self._prefix = re.compile("|".join(f"^{piece}" for piece in prefixes if piece.strip()))
        self._suffix = re.compile("|".join(f"{piece}$" for piece in suffixes if piece.strip()))
        self._longest = max(map(len, self.exceptions), default=0)
        self._uncut = lru_cache(maxsize=None)(self._find_uncut)  # at most one per exception

    @cached_property
    def _infix(self) -> re.Pattern[str]:
        return re.compile("|".join(piece for piece in self._infixes if piece.strip()))

    def cut(self, piece: str) -> list[str]:
        """The words of a piece of text that holds no blanks."""
        known = self.exceptions.get(piece)
        words = list(known) if known else self._cut_affixes(piece, self.exceptions)
        return self._restore(words)

    def _cut_affixes(self, piece: str, exceptions: Mapping[str, Parts]) -> list[str]:
        before: list[str] = []
        after: list[str] = []
        size = 0
        while piece and len(piece) != size and piece not in exceptions:
            size = len(piece)
            prefix = _length(self._prefix, piece)
            if prefix and piece[prefix:] in exceptions:
                before.append(piece[:prefix])
                piece = piece[prefix:]
                break
            suffix = _length(self._suffix, piece[prefix:])
            if suffix and piece[:-suffix] in exceptions:
                after.append(piece[-suffix:])
                piece = piece[:-suffix]
                break
            if prefix:
                before.append(piece[:prefix])
            if suffix:
                after.append(piece[-suffix:])
            piece = piece[prefix : size - suffix]
        return [*before, *(exceptions.get(piece) or self._cut_infixes(piece)), *reversed(after)]

    def _cut_infixes(self, piece: str) -> list[str]:
        if piece.isascii() and piece.isalnum():
            return [piece]  # most pieces; an infix is never a letter or digit of ASCII
        words: list[str] = []
        done = 0
        for match in self._infix.finditer(piece):
            start, end = match.span()
            if start:  # never at the beginning
                words += [piece[done:start], piece[start:end]]
                done = end
        return [word for word in (*words, piece[done:]) if word]

    def _restore(self, words: list[str]) -> list[str]:
        """The words, with exceptions that are cut as they would be by affixes alone put right.

        Of two that overlap, the longer one counts, then the first.
        """
        found = self._find_cut_exceptions(words)
        if not found:
            return words
        taken: set[int] = set()
        kept: dict[int, int] = {}
        for start, end in sorted(found, key=lambda span: (span[0] - span[1], span[0])):
            if start not in taken and end - 1 not in taken:
                kept[start] = end
            taken.update(range(start, end))
        restored: list[str] = []
        at = 0
        while at < len(words):
            end = kept.get(at, at)
            restored += self.exceptions["".join(words[at:end])] if end > at else words[at : at + 1]
            at = max(end, at + 1)
        return restored

    def _find_cut_exceptions(self, words: list[str]) -> list[tuple[int, int]]:
        """The first word and the end of each exception among the words."""
        found = []
        for start in range(len(words)):
            joined = ""
            for end in range(start + 1, len(words) + 1):
                joined += words[end - 1]
                if len(joined) > self._longest:
                    break
                if joined in self.exceptions and self._uncut(joined) == words[start:end]:
                    found.append((start, end))
        return found

    def _find_uncut(self, exception: str) -> list[str] | None:
        """What affixes make of an exception, or None if they do not touch it."""
        touched = (
            _length(self._prefix, exception)
            or _length(self._suffix, exception)
            or self._infix.search(exception)
        )
        return self._cut_affixes(exception, {}) if touched else None


def _length(affix: re.Pattern[str], piece: str) -> int:
    match = affix.search(piece)
    return match.end() - match.start() if match else 0


def read_rules(changes: RuleChanges) -> WordRules:
    """spaCy's rules for English, changed."""
    tables: dict[str, Any] = json.loads(
        files("trope.text").joinpath("spacy_tables.json").read_text(encoding="utf-8")
    )
    known = {word: tuple(parts) for word, parts in tables["exceptions"].items()}
    return WordRules(
        prefixes=[*tables["prefixes"], *changes.prefixes],
        suffixes=[*tables["suffixes"], *changes.suffixes],
        infixes=[*tables["infixes"], *changes.infixes],
        exceptions=changes.change_exceptions(known),
    )
