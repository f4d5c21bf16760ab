"""The words that may fill a place, with what is known of each without context."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from trope.lexicon.associations import read_associations
from trope.lexicon.inflection import inflect
from trope.lexicon.vectors import WordVectors, read_vectors
from trope.lexicon.verbs import shipped_verbs
from trope.lexicon.wordlists import shipped_words
from trope.lexicon.wordnet import PARTS, WordNet, read_wordnet, semantic_classes

Array = npt.NDArray[np.float32]
_FORMS = {"VERB": ("VBZ", "VBD", "VBG", "VBN"), "NOUN": ("NNS",), "ADJ": (), "ADV": ()}
_Kind = TypeVar("_Kind")
FRAMED = Path(__file__).with_name("weights") / "verbs.npz"
"""Vectors of verbs, made by `trope train verbs`."""

_RAREST = 25_000  # the rank of a word without a vector
_SHORTEST = 2


class WordInventory:
    """Base forms of one part of speech, and arrays with a row for each."""

    def __init__(self, lemmas: Sequence[str], upos: str) -> None:
        self.upos = upos
        self.lemmas = tuple(lemmas)
        self.rows = {lemma: row for row, lemma in enumerate(self.lemmas)}
        own = [lemma_vector(lemma, upos) for lemma in lemmas]
        self.vectors = np.array(own, np.float32).reshape(len(own), static_vectors().dimensions)
        self.framed = framed_vectors(lemmas, upos)
        net = wordnet_of(upos)
        self.senses = tuple(net.senses(lemma) if net else () for lemma in lemmas)
        self.classes = tuple(frozenset(semantic_classes(lemma, upos)) for lemma in lemmas)
        ranks = word_ranks()
        associations = read_associations()
        counts = [associations.count(lemma) if upos == "VERB" else 0.0 for lemma in lemmas]
        self.alone = np.array(
            [
                [
                    math.log(1 + ranks.get(lemma, _RAREST)),
                    math.log(1 + count),
                    math.log(1 + len(senses)),
                    float(bool(senses)),
                ]
                for lemma, count, senses in zip(lemmas, counts, self.senses, strict=True)
            ],
            np.float32,
        ).reshape(-1, 4)
        self.associations = (
            associations.vectors(lemmas)
            if upos == "VERB"
            else np.zeros((len(lemmas), associations.vectors([]).shape[1]), np.float32)
        )
        self._sort()

    def __len__(self) -> int:
        return len(self.lemmas)

    def take(self, rows: Sequence[int]) -> WordInventory:
        """Some of the words, with what is known of them."""
        part = WordInventory.__new__(WordInventory)
        part.upos = self.upos
        part.lemmas = tuple(self.lemmas[row] for row in rows)
        part.senses = tuple(self.senses[row] for row in rows)
        part.classes = tuple(self.classes[row] for row in rows)
        part.rows = {lemma: row for row, lemma in enumerate(part.lemmas)}
        at = np.asarray(rows, dtype=np.int64)
        part.vectors, part.alone = self.vectors[at], self.alone[at]
        part.associations, part.framed = self.associations[at], self.framed[at]
        part._sort()
        return part

    def _sort(self) -> None:
        """Find the rows that have each sense and each class."""
        self.by_sense = _rows_by(self.senses)
        self.by_class = _rows_by(self.classes)
        self.class_counts = np.array([len(own) for own in self.classes], np.float64)


def _rows_by(kinds: Sequence[Iterable[_Kind]]) -> dict[_Kind, list[int]]:
    """The rows of the words that have each sense, or class."""
    found: dict[_Kind, list[int]] = {}
    for row, own in enumerate(kinds):
        for kind in own:
            found.setdefault(kind, []).append(row)
    return found


@cache
def read_inventory(upos: str) -> WordInventory:
    """All base forms that trope may offer for a part of speech: in the vectors and in WordNet.

    Auxiliaries and light verbs are left out.
    """
    if upos not in PARTS:
        return WordInventory((), upos)
    known = static_vectors()
    net = read_wordnet(upos)
    if upos == "VERB":
        return WordInventory(known_verbs(), upos)
    words = [w for w in net.lemmas if w.isalpha() and len(w) >= _SHORTEST and w in known]
    return WordInventory(sorted(words), upos)


@cache
def known_verbs() -> tuple[str, ...]:
    """Base forms from the headlines, or from both WordNet and the vectors."""
    known, net = static_vectors(), read_wordnet("VERB")
    auxiliaries, associations = shipped_verbs().auxiliary, read_associations()
    return tuple(
        sorted(
            verb
            for verb in shipped_words().verbs
            if verb not in auxiliaries
            and len(verb) >= _SHORTEST
            and (associations.count(verb) or (verb in known and net.senses(verb)))
        )
    )


@cache
def wordnet_of(upos: str) -> WordNet | None:
    """WordNet's part for a tag; None for tags that it has no words of."""
    return read_wordnet(upos) if upos in PARTS else None


@cache
def word_ranks() -> dict[str, int]:
    """Words by frequency, the most frequent first: the order of the vectors."""
    return {word: rank for rank, word in enumerate(static_vectors().words)}


@cache
def static_vectors() -> WordVectors:
    """The word vectors of the package, read once."""
    return read_vectors()


@cache
def _frames() -> WordVectors:
    return read_vectors(FRAMED)


def framed_vectors(lemmas: Sequence[str], upos: str = "VERB") -> Array:
    """Vectors of verbs from a large encoder, in plain sentences; zeros for all other words."""
    table = _frames()
    found = np.zeros((len(lemmas), table.dimensions), dtype=np.float32)
    for row, lemma in enumerate(lemmas if upos == "VERB" else ()):
        if (vector := table.get(lemma)) is not None:
            found[row] = vector
    return found


def lemma_vector(lemma: str, upos: str) -> Array:
    """The vector of a base form, or else of one of its forms; zeros where there is none."""
    table = static_vectors()
    forms = (lemma, *(inflect(lemma, tag) for tag in _FORMS.get(upos, ())))
    found = (vector for form in forms if (vector := table.get(form)) is not None)
    return next(found, np.zeros(table.dimensions, dtype=np.float32))
