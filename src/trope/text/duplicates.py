"""Exact and near duplicates of earlier texts, in one pass with bounded work.

Near duplicates are found by MinHash over word shingles with banding and then measured exactly
(Jaccard). Only texts that are kept are remembered, so a text never duplicates a dropped one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trope.core.errors import BadInput
from trope.core.records import TextKind
from trope.text.normalise import STEPS, normalise

Reason = Literal["", "empty", "exact", "near"]

HASHES = 80
MOST_MISSED = 0.001
"""Share of near duplicates exactly at the threshold that may go unseen."""

MOST_CANDIDATES = 64
"""Most texts compared per band, so that many similar texts do not make work quadratic."""

_WORD = re.compile(r"[@#]?\w+(?:['’]\w+)?|[^\w\s]{2,}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one text; a dropped one has a reason and names the text that it repeats."""

    id: str
    reason: Reason = ""
    duplicate_of: str = ""
    similarity: float = 0.0

    @property
    def kept(self) -> bool:
        """Whether the text is the first of its kind."""
        return not self.reason


def find_duplicates(
    texts: Iterable[tuple[str, str]],
    kind: TextKind = "tweet",
    *,
    threshold: float = 0.8,
    shingle: int = 2,
    seed: int = 0,
) -> Iterator[Verdict]:
    """A verdict for each (id, text), in order, one at a time.

    Args:
        texts: identifiers and original texts.
        kind: how the texts are cleaned before they are compared.
        threshold: least share of common shingles for a near duplicate; above 1 finds exact ones.
        shingle: words in a shingle.
        seed: of the hash functions.
    """
    if threshold <= 0 or shingle < 1:
        raise BadInput(
            f"threshold {threshold} and shingle {shingle} must be above 0; 0.8 and 2 are usual"
        )
    index = _NearIndex(threshold, _rows(threshold), seed)
    seen: dict[bytes, str] = {}
    for name, text in texts:
        clean = comparable(text, kind)
        digest = blake2b(clean.encode("utf-8", "replace"), digest_size=16).digest()
        if not clean:
            yield Verdict(name, "empty")
        elif digest in seen:
            yield Verdict(name, "exact", seen[digest], 1.0)
        else:
            verdict = index.check(name, _shingles(clean, shingle, seed)) if threshold <= 1 else None
            if verdict is None:
                seen[digest] = name
            yield verdict or Verdict(name)


def comparable(text: str, kind: TextKind = "tweet") -> str:
    """The form in which texts are compared: cleaned, case-folded, single blanks."""
    return " ".join(normalise(text, STEPS[kind]).text.casefold().split())


def text_digest(text: str, kind: TextKind = "tweet") -> int:
    """A number for a text, the same for texts that differ in case, blanks and links alone."""
    clean = comparable(text, kind).encode("utf-8", "replace")
    return int.from_bytes(blake2b(clean, digest_size=8).digest())


def _shingles(clean: str, size: int, seed: int) -> frozenset[int]:
    """Hashes of all runs of `size` words; a shorter text is one shingle."""
    words = _WORD.findall(clean) or clean.split()
    runs = (" ".join(words[i : i + size]) for i in range(max(1, len(words) - size + 1)))
    key = str(seed).encode()[:64]
    return frozenset(
        int.from_bytes(blake2b(run.encode("utf-8", "replace"), digest_size=8, key=key).digest())
        for run in runs
    )


@dataclass(slots=True)
class _NearIndex:
    """The kept texts, indexed by every band of their signatures."""

    threshold: float
    rows: int
    seed: int
    names: list[str] = field(default_factory=list)
    shingles: list[frozenset[int]] = field(default_factory=list)
    bands: dict[tuple[int, bytes], list[int]] = field(default_factory=dict)

    def check(self, name: str, shingles: frozenset[int]) -> Verdict | None:
        """A verdict if a kept text is nearly the same; otherwise None, and the text is kept."""
        keys = self._keys(shingles)
        candidates = {i for key in keys for i in self.bands.get(key, ())[:MOST_CANDIDATES]}
        best = max(candidates, key=lambda i: (_jaccard(shingles, self.shingles[i]), -i), default=-1)
        if best >= 0:
            similarity = _jaccard(shingles, self.shingles[best])
            if similarity >= self.threshold:
                return Verdict(name, "near", self.names[best], similarity)
        for key in keys:
            self.bands.setdefault(key, []).append(len(self.names))
        self.names.append(name)
        self.shingles.append(shingles)
        return None

    def _keys(self, shingles: frozenset[int]) -> list[tuple[int, bytes]]:
        signature = _signature(np.fromiter(shingles, np.uint64, len(shingles)), self.seed)
        bands = signature[: HASHES - HASHES % self.rows].reshape(-1, self.rows)
        return [(number, band.tobytes()) for number, band in enumerate(bands)]


def _rows(threshold: float) -> int:
    """Hashes in a band: as many as can be (few false candidates) while few texts are missed.

    Texts of similarity s share none of b bands of r rows with probability (1 - s**r)**b.
    """
    for rows in (4, 3, 2):
        if (1 - min(threshold, 1) ** rows) ** (HASHES // rows) <= MOST_MISSED:
            return rows
    return 1


def _signature(hashes: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """The least hash under each of HASHES hash functions (multiply, add, wrap around)."""
    multipliers, summands = _functions(seed)
    mixed = hashes[None, :] * multipliers[:, None] + summands[:, None]
    least: NDArray[np.uint64] = mixed.min(axis=1)
    return least


@lru_cache(maxsize=8)
def _functions(seed: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    rng = np.random.default_rng(seed & 0xFFFFFFFF)
    high = np.iinfo(np.uint64).max
    numbers = rng.integers(1, high, size=(2, HASHES), dtype=np.uint64)
    return numbers[0] | np.uint64(1), numbers[1]


def _jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other)
