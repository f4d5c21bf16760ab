"""Candidates that a user hands over: which of them can be ranked, and why the others cannot."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trope.core.errors import BadInput
from trope.core.files import read_lines
from trope.lexicon.verbs import shipped_verbs
from trope.lexicon.wordlists import shipped_words
from trope.lexicon.wordnet import PARTS, read_wordnet
from trope.tasks.rewriting.inventory import WordInventory, read_inventory, static_vectors
from trope.tasks.rewriting.task import WordPlace, verb_base

MOST_CANDIDATES = 1000
"""Most candidates that are read in one place."""


@dataclass(frozen=True, slots=True)
class RefusedWord:
    """A word that was handed over but is not ranked, and why."""

    word: str
    reason: str


@dataclass(frozen=True, slots=True)
class UserCandidates:
    """The verbs of a list that can be ranked in a place, and the words that cannot."""

    verbs: WordInventory
    refused: tuple[RefusedWord, ...]


def read_candidates(given: str) -> list[str]:
    """The words of a file, a line each, or of a list with commas.

    Raises:
        BadInput: where there are none, or far too many.
    """
    is_file = os.path.isfile(given)  # noqa: PTH113 (a long list is not a file name for Path)
    words = [line for _, line in read_lines(given)] if is_file else given.split(",")
    found = [word.strip() for word in words if word.strip()]
    if not found:
        raise BadInput(
            "the list of candidates is empty; give words separated by commas, or a file with one "
            "word per line"
        )
    if len(found) > MOST_CANDIDATES:
        raise BadInput(f"the list has {len(found)} candidates; give at most {MOST_CANDIDATES}")
    return found


def usable_candidates(words: Sequence[str], place: WordPlace) -> UserCandidates:
    """What of a list can be ranked in a place, and what cannot.

    Raises:
        BadInput: where nothing of it can.
    """
    given = sort_candidates(words, place)
    if not len(given.verbs):
        reasons = "; ".join(f"{own.word!r} {own.reason}" for own in given.refused)
        raise BadInput(f"none of the candidates can replace {place.word!r}: {reasons}")
    return given


def sort_candidates(words: Iterable[str], place: WordPlace) -> UserCandidates:
    """The verbs among the words, each once, and the others with what is wrong with them."""
    lemmas: dict[str, str] = {}
    refused: list[RefusedWord] = []
    for word in words:
        base = verb_base(word)
        problem = _problem(word, base)
        if not problem and base == place.lemma:
            problem = "is the verb of the text"
        if not problem and base in lemmas:
            problem = f"repeats {lemmas[base]!r}"
        if problem:
            refused.append(RefusedWord(word, problem))
        else:
            lemmas[base] = word
    return UserCandidates(WordInventory(tuple(lemmas), "VERB"), tuple(refused))


def _problem(word: str, base: str) -> str:
    """Why a word cannot be ranked in the place of a verb; empty where it can."""
    if len(word.split()) > 1:
        return "is more than one word"
    if base in shipped_verbs().auxiliary:
        return "is an auxiliary"
    if base in read_inventory("VERB").rows or read_wordnet("VERB").senses(base):
        return ""
    return "is not a verb" if _is_word(word) else "is not in the dictionaries of trope"


def _is_word(word: str) -> bool:
    """Whether a dictionary of trope has the word, as any part of speech."""
    small = word.lower()
    return (
        small in static_vectors()
        or small in shipped_words().verbs
        or any(read_wordnet(part).senses(small) for part in PARTS)
    )
