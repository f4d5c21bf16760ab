"""Idioms as patterns of words with slots, and where a sentence has them.

A pattern is a line such as

    pull the rug (out)          a word in brackets may be missing
    take a/the back seat        words between strokes are alternatives
    pull one's leg              a possessive: "my", "his", "the minister 's"
    drop someone a line         one to three words of any kind

The verb stands in its base form and is found by lemma; every other word stands as the idiom has
it and is found by spelling or lemma; case does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from trope.core.errors import BadRecord
from trope.core.files import read_lines

SHIPPED = Path(__file__).with_name("idioms.txt")
"""The idioms that are used where no others are given."""

POSSESSIVE, ANYONE = "one's", "someone"
_SLOT_WORDS = 3
_PRONOUNS = frozenset({"my", "your", "his", "her", "its", "our", "their", "one's", "ur"})
_MARKERS = frozenset({"'s", "’s", "'", "’"})


@dataclass(frozen=True, slots=True)
class IdiomMatch:
    """An idiom and the positions of its words; what fills a slot is not among them."""

    idiom: str
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One spelling of an idiom, and how far its rarest word may stand from its first."""

    idiom: str
    items: tuple[str, ...]
    nearest: int
    farthest: int


class Idioms:
    """A list of idioms, indexed by the word of each that the fewest others have."""

    def __init__(self, lines: Iterable[str]) -> None:
        spelled = [(line, items) for line in lines for items in _spellings(line)]
        counts = Counter(item for _, items in spelled for item in set(items))
        self._index: dict[str, list[_Pattern]] = {}
        for idiom, items in spelled:
            rarest = min(_words(items), key=lambda item: (counts[item], -len(item)))
            before = items[: items.index(rarest)]
            slots = sum(item in (POSSESSIVE, ANYONE) for item in before)
            pattern = _Pattern(idiom, items, len(before), len(before) + slots * _SLOT_WORDS)
            self._index.setdefault(rarest, []).append(pattern)

    def find(self, words: Sequence[str], lemmas: Sequence[str]) -> tuple[IdiomMatch, ...]:
        """All idioms of a sentence, in time linear in its length."""
        forms = [word.lower() for word in words]
        bases = [lemma.lower() for lemma in lemmas]
        index = self._index
        found = []
        for position, (form, base) in enumerate(zip(forms, bases, strict=True)):
            for key in (form,) if form == base else (form, base):
                for pattern in index.get(key, ()):
                    match = _match_around(pattern, position, forms, bases)
                    if match is not None:
                        found.append(match)
        return tuple(found)


def read_idioms(path: str | Path) -> Idioms:
    """The idioms of a file with one pattern per line; `#` begins a comment line.

    Raises:
        BadRecord: for a line that is not a pattern, with its number.
    """
    lines = []
    for number, text in read_lines(path):
        line = text.strip()
        if not line or line.startswith("#"):
            continue
        if not all(len(_words(items)) > 1 for items in _spellings(line)):
            raise BadRecord(path, number, f"{line!r} needs two words or more besides its slots")
        lines.append(line)
    return Idioms(lines)


@cache
def shipped_idioms() -> Idioms:
    """The idioms of the package, read once."""
    return read_idioms(SHIPPED)


def _words(items: Sequence[str]) -> list[str]:
    return [item for item in items if item not in (POSSESSIVE, ANYONE)]


def _spellings(line: str) -> Iterator[tuple[str, ...]]:
    """Every way to spell a pattern, without brackets and strokes."""
    choices = []
    for item in line.lower().split():
        if item.startswith("(") and item.endswith(")"):
            choices.append(["", *item[1:-1].split("/")])
        else:
            choices.append(item.split("/"))
    for chosen in product(*choices):
        yield tuple(item for item in chosen if item)


def _match_around(
    pattern: _Pattern, anchor: int, forms: list[str], bases: list[str]
) -> IdiomMatch | None:
    """The pattern where its rarest word is the word `anchor`, or None."""
    for start in range(max(0, anchor - pattern.farthest), anchor - pattern.nearest + 1):
        positions = _match_from(pattern.items, start, forms, bases)
        if positions is not None and anchor in positions:
            return IdiomMatch(pattern.idiom, positions)
    return None


def _match_from(
    items: tuple[str, ...], start: int, forms: list[str], bases: list[str]
) -> tuple[int, ...] | None:
    """Positions of the words of a pattern that begins at `start`, or None."""
    if not items:
        return ()
    if start >= len(forms):
        return None
    item, rest = items[0], items[1:]
    if item in (POSSESSIVE, ANYONE):
        for end in _slot_ends(item, start, forms):
            positions = _match_from(rest, end, forms, bases)
            if positions is not None:
                return positions
        return None
    if item not in (forms[start], bases[start]):
        return None
    positions = _match_from(rest, start + 1, forms, bases)
    return None if positions is None else (start, *positions)


def _slot_ends(slot: str, start: int, forms: list[str]) -> Iterator[int]:
    """Where the filler of a slot may end, nearest first."""
    last = min(start + _SLOT_WORDS, len(forms))
    if slot == ANYONE:
        yield from range(start + 1, last + 1)
        return
    if forms[start] in _PRONOUNS:
        yield start + 1
    for marker in range(start + 1, min(last + 1, len(forms))):
        if forms[marker] in _MARKERS:
            yield marker + 1
