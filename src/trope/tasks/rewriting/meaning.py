"""Vectors of words in context: three sources behind one interface.

`encoder` is the head of the small encoder, `public` the last layer of a large public one (tier
`base`), `static` the word vectors of the package, which ignore context and are used where the
model has no such head.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from trope.core.errors import MissingExtra
from trope.encoder.base import find_base_weights
from trope.encoder.decode import word_meanings
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import Encoder
from trope.encoder.windows import Window, batches, network_input, windows
from trope.lexicon.vectors import WordVectors, read_vectors

Array = npt.NDArray[np.float32]
_NOTHING: Array = np.zeros((0, 0), dtype=np.float32)
BASE = "all-mpnet-base-v2"
"""The encoder whose last layer the head of the small one was taught to imitate."""


class Meanings(Protocol):
    """A source of vectors; `kind` says which, for rankers that were trained on one."""

    kind: str

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[Array]:
        """[word, dimension] for each sentence (of at least one word)."""


class EncoderMeanings:
    """The head of the small encoder."""

    kind = "encoder"

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[Array]:
        """[word, dimension] for each sentence (of at least one word)."""
        return word_meanings(self._encoder, sentences)


class PublicMeanings:
    """The last layer of a public encoder, without any training of ours."""

    kind = "public"

    def __init__(
        self, vocabulary: Vocabulary, weights: Path | None = None, threads: int | None = None
    ) -> None:
        try:
            from trope.encoder.trunk import LastLayer
        except ModuleNotFoundError:
            raise MissingExtra("the tier 'base'", "hub") from None
        self._threads = threads or os.cpu_count() or 1
        self._vocabulary = vocabulary
        self._network = LastLayer(BASE, find_base_weights(weights))

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[Array]:
        """[word, dimension] for each sentence (of at least one word)."""
        pieces = self._vocabulary.pieces
        pending = [w for n, words in enumerate(sentences) for w in windows(n, pieces(words))]
        todo = list(batches(pending))
        found: list[Array] = [_NOTHING] * len(sentences)
        # one batch per thread: threads that share a batch wait for each other most of the time
        with self._network.one_thread_each(), ThreadPoolExecutor(self._threads) as pool:
            for batch, words in zip(todo, pool.map(self._words, todo), strict=True):
                _sort_in(found, batch, words, sentences)
        return found

    def _words(self, batch: Sequence[Window]) -> Array:
        """[window, word, dimension] of one batch."""
        return self._network.words(network_input(batch, self._vocabulary))


class StaticMeanings:
    """Word vectors: the same for a word wherever it stands, zeros for unknown ones."""

    kind = "static"

    def __init__(self, table: WordVectors | None = None) -> None:
        self._table = table or read_vectors()

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[Array]:
        """[word, dimension] for each sentence (of at least one word)."""
        nothing = np.zeros(self._table.dimensions, dtype=np.float32)
        return [
            np.array([nothing if (v := self._table.get(word)) is None else v for word in sentence])
            for sentence in sentences
        ]


def _sort_in(
    found: list[Array], batch: Sequence[Window], words: Array, sentences: Sequence[Sequence[str]]
) -> None:
    """Put the vectors of a batch where they belong: a long sentence comes in several windows."""
    for row, window in enumerate(batch):
        if not len(found[window.sentence]):
            shape = (len(sentences[window.sentence]), words.shape[-1])
            found[window.sentence] = np.zeros(shape, dtype=np.float32)
        core = slice(window.core_first - window.first, window.core_last - window.first)
        found[window.sentence][window.core_first : window.core_last] = words[row, core]


def open_meanings(
    encoder: Encoder, tier: str, *, base_weights: Path | None = None, threads: int | None = None
) -> Meanings:
    """The source of vectors of a tier."""
    if tier == "base":
        return PublicMeanings(encoder.vocabulary, base_weights, threads)
    return EncoderMeanings(encoder) if encoder.labels.meaning else StaticMeanings()
