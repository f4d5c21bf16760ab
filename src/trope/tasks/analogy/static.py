"""Static vectors: the choice nearest to element + second domain - first domain.

An expression is looked up whole, then as the mean of its words; an unknown word loses its last
letter until a known one is left (both as in the paper). Words without a vector are reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.corpora.mean import Analogy, spoken
from trope.lexicon.vectors import Vectors

Array = npt.NDArray[np.float32]
FIXED_QUERY = 6
"""The item whose query the released script compares every item with, counted from 0."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """The vector of an expression, None where none of its words has one; `cut` words lost letters,
    `unknown` ones were left out.
    """

    vector: Array | None
    cut: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StaticAnswer:
    """A likeness for every choice, and the words that were cut or are unknown.

    Where the question has no vector all choices are alike, and a choice without one scores -1.
    """

    scores: tuple[float, ...]
    cut: tuple[str, ...]
    unknown: tuple[str, ...]


def look_up(text: str, vectors: Vectors, *, unit: bool = True) -> Lookup:
    """The vector of a word or expression, by the paper's rules."""
    whole = "_".join(spoken(text).split())
    if (vector := _vector(whole, vectors, unit)) is not None:
        return Lookup(vector)
    found: list[Array] = []
    cut: list[str] = []
    unknown: list[str] = []
    for word in spoken(text).split():
        stem, vector = _backed_off(word, vectors, unit)
        if vector is None:
            unknown.append(word)
            continue
        found.append(vector)
        if stem != word:
            cut.append(word)
    mean = np.mean(found, axis=0).astype(np.float32) if found else None
    return Lookup(mean, tuple(cut), tuple(unknown))


def answer(item: Analogy, vectors: Vectors, *, unit: bool = True) -> StaticAnswer:
    """How near each choice is to where the formula points."""
    return _compared(item, item, vectors, unit)


def answer_as_released(
    items: Sequence[Analogy], vectors: Vectors, *, unit: bool = True
) -> list[StaticAnswer]:
    """The answers of the released script, which asks every item the question of one."""
    if len(items) <= FIXED_QUERY:
        raise BadInput(f"the released script needs {FIXED_QUERY + 1} items; there are {len(items)}")
    return [_compared(items[FIXED_QUERY], item, vectors, unit) for item in items]


def _compared(asked: Analogy, item: Analogy, vectors: Vectors, unit: bool) -> StaticAnswer:
    find = partial(look_up, vectors=vectors, unit=unit)
    parts = [find(text) for text in (asked.element, asked.second_domain, asked.first_domain)]
    choices = [find(choice) for choice in item.choices]
    looked = [*parts, *choices]
    query = _query([part.vector for part in parts], unit)
    scores = tuple(_cosine(query, choice.vector) for choice in choices)
    cut = tuple(dict.fromkeys(word for one in looked for word in one.cut))
    unknown = tuple(dict.fromkeys(word for one in looked for word in one.unknown))
    return StaticAnswer(scores, cut, unknown)


def _query(parts: Sequence[Array | None], unit: bool) -> Array | None:
    """Element + second domain - first domain; a part without a vector counts as nothing."""
    signs = (1, 1, -1)
    known = [
        sign * (part / np.linalg.norm(part) if unit else part)
        for sign, part in zip(signs, parts, strict=True)
        if part is not None
    ]
    return np.sum(known, axis=0).astype(np.float32) if known else None


def _cosine(query: Array | None, choice: Array | None) -> float:
    if query is None:
        return 0.0
    if choice is None:
        return -1.0
    lengths = float(np.linalg.norm(query) * np.linalg.norm(choice))
    return float(query @ choice) / lengths if lengths else 0.0


def _backed_off(word: str, vectors: Vectors, unit: bool) -> tuple[str, Array | None]:
    for end in range(len(word), 0, -1):
        if (vector := _vector(word[:end], vectors, unit)) is not None:
            return word[:end], vector
    return word, None


def _vector(word: str, vectors: Vectors, unit: bool) -> Array | None:
    """As it is spelt, then with a capital letter; of length 1 or as long as the file has it."""
    for spelling in (word, word.capitalize()):
        vector = vectors.get(spelling)
        if vector is not None:
            length = 1.0 if unit else getattr(vectors, "length_of", lambda _: 1.0)(spelling)
            return (vector * length).astype(np.float32)
    return None
