"""Judgments of pairs of verbs: the verb of a headline, and its replacement.

A pair that nobody judged is estimated from similar pairs: both verbs count, by the square of their
similarity. The judged pairs themselves are not kept. Every verb is represented by its similarity to
groups of verbs, and the pairs of each direction are summed in two tables of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

import msgspec
import numpy as np
import numpy.typing as npt

from trope.tasks.rewriting.inventory import framed_vectors, read_inventory
from trope.tasks.rewriting.meaning import Array

PAIR_FEATURES = ("accepted_pair", "judged_pair")
"""How often people accepted similar pairs, beyond the expected number, and judged them."""

WEIGHT = 2.0
"""This many neutral judgments are added to those of a pair."""

GROUPS = 64
_STEPS = 20
_SMALLEST = 1e-3  # directions in which the groups hardly differ would be blown up
_STORED = np.float16

Floats = npt.NDArray[np.float64]
AcceptanceTable = Mapping[str, tuple[float, float]]
"""How often each word was judged, and its acceptances beyond the expected number."""


class VerbPairs(msgspec.Struct, frozen=True):
    """One vector per group of verbs, and for each direction two sums over judged pairs."""

    groups: bytes
    sums: dict[str, bytes]

    def features(
        self,
        word: str,
        lemmas: Sequence[str],
        direction: str,
        without: AcceptanceTable | None = None,
    ) -> Array:
        """[lemma, PAIR_FEATURES] for a word and those put in its place.

        `without` is what the list of this very word added, in training.
        """
        if direction not in self.sums:
            return np.zeros((len(lemmas), len(PAIR_FEATURES)), dtype=np.float32)
        own, others = self._codes((word,))[0], self._codes(tuple(lemmas))
        judged, excess = (others @ (own @ table) for table in _sums(self.sums[direction]))
        if without:
            added = float(own @ own) * (others @ _added(without, self.groups))
            judged, excess = judged - added[:, 0], excess - added[:, 1]
        judged = np.maximum(judged, 0)
        rows = np.stack([excess / (judged + WEIGHT), np.log1p(judged)], axis=1)
        return np.asarray(rows, dtype=np.float32)

    def _codes(self, lemmas: tuple[str, ...]) -> Floats:
        return _codes(lemmas, self.groups)


def sum_pairs(lists: Iterable[tuple[str, str, AcceptanceTable]]) -> VerbPairs:
    """The tables of lists: direction, word of the place, acceptances of the words offered."""
    groups = _verb_groups()
    sums: dict[str, Floats] = {}
    for direction, word, part in lists:
        own = _codes((word,), groups)[0]
        table = sums.setdefault(direction, np.zeros((2, GROUPS, GROUPS)))
        table += own[None, :, None] * _added(part, groups).T[:, None, :]
    return VerbPairs(
        groups, {name: table.astype(_STORED).tobytes() for name, table in sums.items()}
    )


def _added(part: AcceptanceTable, groups: bytes) -> Floats:
    """[group, 2]: the words of a list, each as often as it was judged, and accepted."""
    values = np.array(list(part.values()), dtype=np.float64).reshape(len(part), 2)
    return np.asarray(_codes(tuple(part), groups).T @ values, dtype=np.float64)


@lru_cache(maxsize=16)
def _sums(table: bytes) -> Floats:
    return np.frombuffer(table, dtype=_STORED).astype(np.float64).reshape(2, GROUPS, GROUPS)


@lru_cache(maxsize=4096)
def _codes(lemmas: tuple[str, ...], groups: bytes) -> Floats:
    """[lemma, group] so that products of rows are about the squares of the verbs' likeness."""
    vectors, turned = _turned(groups)
    return np.asarray(likeness(framed_vectors(lemmas), vectors) @ turned, dtype=np.float64)


@cache
def _turned(groups: bytes) -> tuple[Array, Floats]:
    """The groups, and what makes them count as if they were at right angles (Nyström)."""
    vectors = np.frombuffer(groups, dtype=_STORED).astype(np.float32).reshape(GROUPS, -1)
    values, directions = np.linalg.eigh(likeness(vectors, vectors))
    return vectors, directions / np.sqrt(np.maximum(values, _SMALLEST))


def likeness(first: Array, second: Array) -> Floats:
    """[row of the first, row of the second]: the similarity of two verbs, 0 to 1."""
    return np.asarray(np.maximum(first @ second.T, 0) ** 2, dtype=np.float64)


@cache
def _verb_groups() -> bytes:
    """Groups of similar verbs of the inventory: k-means on the sphere."""
    known = read_inventory("VERB").framed
    verbs = known[np.linalg.norm(known, axis=1) > 0]
    start = np.random.default_rng(0).permutation(len(verbs))[:GROUPS]
    groups = verbs[np.sort(start)]
    for _ in range(_STEPS):
        nearest = (verbs @ groups.T).argmax(axis=1)
        sums = np.array([verbs[nearest == number].sum(axis=0) for number in range(GROUPS)])
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        groups = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), groups)
    return bytes(groups.astype(_STORED).tobytes())
