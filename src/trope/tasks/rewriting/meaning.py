"""What words mean where they stand, as vectors: three sources behind one interface.

`encoder` is the head of the small encoder, `public` the last layer of a large public one (tier
`base`), `static` the word vectors of the package, which know no context and stand in where the
model has no such head.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from trope.core.errors import MissingExtra
from trope.encoder.base import find_base_weights
from trope.encoder.meaning import word_meanings
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import Encoder
from trope.encoder.windows import Window, batches, network_input, windows
from trope.lexicon.vectors import WordVectors, read_vectors

Array = npt.NDArray[np.float32]
_NOTHING: Array = np.zeros((0, 0), dtype=np.float32)
BASE = "all-mpnet-base-v2"
LAYERS = slice(12, 13)
"""The last layer, which the head of the small encoder was taught to imitate."""


class Meanings(Protocol):
    """A source of vectors; `kind` tells which, for rankers that were trained on one."""

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
            import torch
            import transformers  # noqa: F401
            from safetensors.torch import load_file
        except ModuleNotFoundError:
            raise MissingExtra("the tier 'base'", "hub") from None
        from trope.encoder.network import Trunk

        self._torch: Any = torch
        self._threads = threads or os.cpu_count() or 1
        self._vocabulary = vocabulary
        self._trunk: Any = Trunk(BASE, dict(load_file(find_base_weights(weights)))).eval()

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[Array]:
        """[word, dimension] for each sentence (of at least one word)."""
        pieces = self._vocabulary.pieces
        pending = [w for n, words in enumerate(sentences) for w in windows(n, pieces(words))]
        found: list[Array] = [_NOTHING] * len(sentences)
        before = self._torch.get_num_threads()
        # a batch a thread: threads that share a batch wait for each other most of the time
        self._torch.set_num_threads(1)
        try:
            with ThreadPoolExecutor(self._threads) as pool:
                todo = list(batches(pending))
                for batch, words in zip(todo, pool.map(self._words, todo), strict=True):
                    _sort_in(found, batch, words, sentences)
        finally:
            self._torch.set_num_threads(before)
        return found

    def _words(self, batch: Sequence[Window]) -> Array:
        """[window, word, dimension] of one batch."""
        torch = self._torch
        torch.set_num_threads(1)
        arrays = network_input(batch, self._vocabulary)
        ids, types, mask, pool = (
            torch.from_numpy(arrays[name].copy()) for name in ("ids", "types", "mask", "pool")
        )
        with torch.inference_mode():
            layers = self._trunk(ids, types, mask.long())[LAYERS]
            words: Array = (pool @ torch.stack(layers).mean(0)).numpy()
        return words


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
