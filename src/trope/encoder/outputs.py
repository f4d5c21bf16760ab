"""Outputs for windows, combined for whole sequences: sentiment and meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trope.core.errors import BadInput
from trope.encoder.session import MEANING, SENTIMENT_OUTPUTS, Array, BatchPass, Encoder

_SCORE = SENTIMENT_OUTPUTS.index("score")


class SentimentScores:
    """Sentiment of many sequences, collected batch by batch, in any order.

    The score of a sequence is that of its windows, averaged by the words of each.
    """

    def __init__(self, sequences: int) -> None:
        self._sums = [0.0] * sequences
        self._words = [0] * sequences

    def add(self, done: BatchPass) -> None:
        """Add the scores of one batch; nothing if the pass was not asked for them."""
        scores = done.outputs.get("sentiment")
        if scores is None:
            return
        for row, window in enumerate(done.windows):
            words = window.core_last - window.core_first
            self._sums[window.sentence] += float(scores[row, _SCORE]) * words
            self._words[window.sentence] += words

    def scores(self) -> list[float]:
        """One number per sequence, near -5 to 5 but not clipped to it."""
        return [total / words for total, words in zip(self._sums, self._words, strict=True)]


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
