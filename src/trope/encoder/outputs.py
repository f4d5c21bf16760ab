"""Outputs for windows, combined for whole sequences: sentiment and meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.encoder.session import MEANING, SENTIMENT_OUTPUTS, Array, BatchPass, Encoder

Floats = npt.NDArray[np.float64]
_SCORE, _VALENCE = (SENTIMENT_OUTPUTS.index(name) for name in ("score", "valence"))


class SentimentScores:
    """Sentiment of many sequences, collected batch by batch, in any order.

    The score of a sequence is that of its windows, averaged by the words of each.
    """

    def __init__(self, sequences: int) -> None:
        self._sums: list[Floats | None] = [None] * sequences
        self._words = [0] * sequences

    def add(self, done: BatchPass) -> None:
        """Add the scores of one batch; nothing if the pass was not asked for them."""
        scores = done.outputs.get("sentiment")
        if scores is None:
            return
        for row, window in enumerate(done.windows):
            words, at = window.core_last - window.core_first, window.sentence
            own, before = scores[row].astype(np.float64) * words, self._sums[at]
            self._sums[at] = own if before is None else before + own
            self._words[at] += words

    def scores(self) -> list[float]:
        """One number per sequence on the scale of tweets, near -5 to 5 but not clipped to it."""
        return [float(mean[_SCORE]) for mean in self._means()]

    def valences(self) -> list[float | None]:
        """The same on the scale of prose, None where the model does not have it."""
        return [float(m[_VALENCE]) if len(m) > _VALENCE else None for m in self._means()]

    def _means(self) -> Iterator[Floats]:
        for total, words in zip(self._sums, self._words, strict=True):
            assert total is not None  # every sequence has a window
            yield total / words


def word_meanings(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> list[Array]:
    """The vectors of each sentence's words (of at least one), one row per word.

    Raises:
        BadInput: where the model has no such head.
    """
    if not encoder.labels.meaning:
        raise BadInput("this model has no head for meaning; use the one that ships")
    found = [np.zeros((len(s), encoder.labels.meaning), dtype=np.float32) for s in sentences]
    for future in encoder.submit(sentences, MEANING):
        done = future.result()
        for row, window in enumerate(done.windows):
            core = slice(window.core_first - window.first, window.core_last - window.first)
            vectors = done.outputs["meaning"][row, core]
            found[window.sentence][window.core_first : window.core_last] = vectors
    return found
