"""Words to word pieces, once for training and use: ids, letter-case types, which word owns which.

The vocabulary is uncased, so the case of a word would be lost; it enters as the token type of its
pieces instead, which costs nothing and tells names from nouns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import accumulate, chain, repeat
from pathlib import Path

from trope.core.errors import BadModel

MAX_PIECES_PER_WORD = 12
"""Beyond this a "word" is noise (an encoded blob, a run of punctuation): its first pieces do."""

MASK = "[MASK]"
"""The word that stands where a name is hidden; no text has it, since brackets are words."""

_READ_PER_WORD = 128  # characters; more never changes the first twelve pieces of real text
_MENTION = re.compile(r"@\w+")
_LINK = re.compile(r"(?:https?://|www\.)\S+|URL\d*|\S+@\S+\.\w+", re.IGNORECASE)


class CaseType(IntEnum):
    """How a word is written."""

    LOWER = 0
    CAPITALISED = 1
    UPPER = 2
    MIXED = 3
    NUMBER = 4
    PUNCTUATION = 5
    SYMBOL = 6
    HANDLE = 7


@dataclass(frozen=True, slots=True)
class WordPieces:
    """The pieces of one sentence. Word w owns `ids[starts[w]:starts[w + 1]]`; no special pieces."""

    ids: list[int]
    types: list[int]
    starts: list[int]

    @property
    def words(self) -> int:
        """How many words there are."""
        return len(self.starts) - 1


def _case_type(word: str) -> CaseType:
    """The way a word is written, from its letters."""
    if word.startswith(("@", "#")) and len(word) > 1:
        return CaseType.HANDLE
    letters = [c for c in word[:_READ_PER_WORD] if c.isalpha()]
    if not letters:
        if any(c.isdigit() for c in word[:_READ_PER_WORD]):
            return CaseType.NUMBER
        return CaseType.PUNCTUATION if word.isascii() else CaseType.SYMBOL
    if not any(c.isupper() for c in letters):
        return CaseType.LOWER
    if letters[0].isupper() and not any(c.isupper() for c in letters[1:]):
        return CaseType.CAPITALISED
    return CaseType.UPPER if all(c.isupper() for c in letters) else CaseType.MIXED


class Vocabulary:
    """The word-piece vocabulary with a memory of the words it has met."""

    def __init__(self, path: Path) -> None:
        from tokenizers import BertWordPieceTokenizer

        try:
            self._tokenizer = BertWordPieceTokenizer(str(path), lowercase=True)
        except Exception as error:  # noqa: BLE001 - tokenizers raises just that for a bad file
            problem = f"is not a vocabulary ({error}); train or install it again"
            raise BadModel(path, problem) from None
        special = ("[CLS]", "[SEP]", "[PAD]", "[UNK]", MASK)
        if lacking := [one for one in special if self._tokenizer.token_to_id(one) is None]:
            raise BadModel(path, f"has no piece {lacking[0]}; train or install it again")
        self.cls, self.sep, self.pad, self.unknown, self.mask = map(
            self._tokenizer.token_to_id, special
        )
        self.of_word = lru_cache(maxsize=200_000)(self._of_word)

    def _of_word(self, word: str) -> tuple[tuple[int, ...], int]:
        """The ids of a word's pieces (at least one) and its case type."""
        kind = _case_type(word)
        if word == MASK:
            return (self.mask,), int(CaseType.CAPITALISED)
        # lone surrogates cannot cross into the tokenizer, which is UTF-8 inside
        text = word[:_READ_PER_WORD].encode("utf-8", "replace").decode("utf-8")
        if _LINK.fullmatch(text):
            text, kind = "url", CaseType.HANDLE
        elif _MENTION.fullmatch(text):
            text = "@user"
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids[:MAX_PIECES_PER_WORD]
        return tuple(ids) or (self.unknown,), int(kind)

    def pieces(self, words: Sequence[str]) -> WordPieces:
        """The pieces of a sentence's words."""
        if not words:
            return WordPieces([], [], [0])
        ids, kinds = zip(*map(self.of_word, words), strict=True)
        sizes = list(map(len, ids))
        types = chain.from_iterable(map(repeat, kinds, sizes))
        starts = accumulate(sizes, initial=0)
        return WordPieces(list(chain.from_iterable(ids)), list(types), list(starts))


def count_pieces(vocabulary: Vocabulary, words: Iterable[str]) -> int:
    """How many pieces the words have, with the two that bracket a sentence."""
    return 2 + sum(len(vocabulary.of_word(word)[0]) for word in words)
