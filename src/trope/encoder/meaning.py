"""What words mean where they stand: a vector a word, and by their mean one a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trope.core.errors import BadInput
from trope.encoder.session import MEANING, Array, Encoder


def word_meanings(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> list[Array]:
    """The vectors of each sentence's words (of at least one), a row a word.

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


def text_meanings(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> Array:
    """A vector of length 1 for each sequence of words: the direction of its words' mean."""
    means = np.array([rows.mean(axis=0) for rows in word_meanings(encoder, sentences)])
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), dtype=np.float32)
