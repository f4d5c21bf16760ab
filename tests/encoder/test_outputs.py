"""Scores of whole sequences from those of their windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.encoder.decode import SentimentScores
from trope.encoder.pieces import WordPieces
from trope.encoder.session import SENTIMENT_OUTPUTS, BatchPass
from trope.encoder.windows import Window

NO_PIECES = WordPieces([], [], [0])


def done(rows: list[tuple[int, int, int, float]]) -> BatchPass:
    """A batch of windows (sequence, first and last word wanted) with their scores."""
    windows = [
        Window(number, max(0, first - 2), last + 2, first, last, NO_PIECES)
        for number, first, last, _ in rows
    ]
    said = np.full((len(rows), len(SENTIMENT_OUTPUTS)), 99, dtype=np.float32)
    said[:, SENTIMENT_OUTPUTS.index("score")] = [score for *_, score in rows]
    return BatchPass(windows, {"sentiment": said}, 0.0)


def test_windows_count_by_the_words_they_are_wanted_for() -> None:
    felt = SentimentScores(2)
    felt.add(done([(1, 30, 40, 4.0), (0, 0, 3, -1.5)]))
    felt.add(done([(1, 0, 30, -2.0)]))
    assert felt.scores() == [-1.5, pytest.approx((30 * -2 + 10 * 4) / 40)]


@given(st.lists(st.tuples(st.integers(1, 9), st.floats(-5, 5, width=32)), min_size=1), st.randoms())
def test_the_order_of_batches_changes_nothing(parts: list[tuple[int, float]], rng) -> None:
    rows, first = [], 0
    for words, score in parts:
        rows.append((0, first, first + words, score))
        first += words
    felt = SentimentScores(1)
    rng.shuffle(rows)
    for row in rows:
        felt.add(done([row]))
    wanted = sum(words * score for words, score in parts) / first
    assert felt.scores() == [pytest.approx(wanted, abs=1e-6)]


def test_a_pass_that_was_not_asked_says_nothing() -> None:
    felt = SentimentScores(1)
    felt.add(BatchPass([Window(0, 0, 2, 0, 2, NO_PIECES)], {}, 0.0))
    felt.add(done([(0, 0, 2, 1.0)]))
    assert felt.scores() == [1.0]
