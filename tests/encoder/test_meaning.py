"""Vectors of meaning: near for near meanings, the same alone and in company."""

import numpy as np
import pytest

from trope.encoder.decode import word_meanings
from trope.encoder.session import Array, Encoder


def text_meanings(encoder: Encoder, sentences: list[list[str]]) -> Array:
    """A vector of length 1 per text: the direction of the mean of its words."""
    means = np.array([rows.mean(axis=0) for rows in word_meanings(encoder, sentences)])
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(threads=1)


def test_a_paraphrase_is_nearer_than_another_sentence(encoder: Encoder) -> None:
    texts = ["The doctor cured the child", "A physician healed the boy", "Shares fell on Monday"]
    vectors = text_meanings(encoder, [text.split() for text in texts])
    likeness = vectors @ vectors.T
    assert likeness[0, 1] > likeness[0, 2] + 0.3
    assert np.allclose(np.diag(likeness), 1, atol=1e-5)


def test_a_word_means_something_else_elsewhere(encoder: Encoder) -> None:
    sentences = [s.split() for s in ("He sat by the bank of the river",
                                     "She opened an account at the bank",
                                     "They walked along the bank of the stream")]  # fmt: skip
    river, money, stream = (
        rows[s.index("bank")]
        for s, rows in zip(sentences, word_meanings(encoder, sentences), strict=True)
    )

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    assert cosine(river, stream) > cosine(river, money) + 0.1


def test_company_and_length_change_nothing(encoder: Encoder) -> None:
    short, long = ["Rain", "fell"], ["rain"] * 900
    together = word_meanings(encoder, [short, long])
    assert together[1].shape == (900, 256)
    (alone,) = word_meanings(encoder, [short])
    assert np.abs(alone - together[0]).max() < 1e-3
