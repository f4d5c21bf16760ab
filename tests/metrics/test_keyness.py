"""Keyness against values that were computed by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.metrics.keyness import (
    TextSums,
    benjamini_hochberg,
    chi_square_p,
    holm,
    log_dice,
    log_likelihood,
    log_ratio,
    welch_p,
)


def test_log_likelihood_of_a_table_by_hand() -> None:
    # 30 of 1,000 words against 10 of 1,000: 20 of each are expected, and 980 of all others
    by_hand = 2 * (
        30 * math.log(30 / 20)
        + 10 * math.log(10 / 20)
        + 970 * math.log(970 / 980)
        + 990 * math.log(990 / 980)
    )
    assert by_hand == pytest.approx(10.6690, abs=1e-4)
    assert log_likelihood([30, 10, 5], [10, 30, 5], 1000, 1000) == pytest.approx(
        [by_hand, by_hand, 0]
    )


def test_log_likelihood_of_a_word_that_one_corpus_lacks() -> None:
    # 8 of 100 against 0 of 300: 2 and 6 are expected
    by_hand = 2 * (8 * math.log(8 / 2) + 92 * math.log(92 / 98) + 300 * math.log(300 / 294))
    assert log_likelihood([8], [0], 100, 300)[0] == pytest.approx(by_hand)


def test_log_dice_is_at_most_fourteen_and_halves_by_one() -> None:
    assert log_dice([10, 5, 1], 10, [10, 10, 15]) == pytest.approx([14, 13, 14 + math.log2(2 / 25)])


def test_log_ratio_counts_doublings() -> None:
    assert log_ratio([40, 10, 10], [10, 10, 40], 1000, 1000) == pytest.approx([2, 0, -2])
    # nothing is taken for half a time
    assert log_ratio([8, 0], [0, 4], 100, 200) == pytest.approx([5, -2])


def test_p_of_chi_square() -> None:
    assert chi_square_p([3.841459, 6.634897, 0]) == pytest.approx([0.05, 0.01, 1], abs=1e-6)


def test_a_word_as_frequent_in_every_text_has_a_p_too() -> None:
    # two texts of eight words each: four and two times in each of the first, twice in the second
    first = TextSums(np.array([8, 4]), np.array([32, 8]), np.array([64, 32]), 2, 16, 128)
    second = TextSums(np.array([4, 4]), np.array([8, 8]), np.array([32, 32]), 2, 16, 128)
    assert not first.variances.any()
    assert not second.variances.any()
    assert welch_p(first, second) == pytest.approx([0, 1])


def test_corrections_by_hand() -> None:
    p = [0.01, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert holm([]).tolist() == benjamini_hochberg([]).tolist() == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_keep_the_order_and_never_help(p: list[float]) -> None:
    for corrected in (holm(p), benjamini_hochberg(p)):
        assert np.all(corrected >= np.array(p) - 1e-12)
        assert np.all(corrected <= 1)
        order = np.argsort(p, kind="stable")
        assert np.all(np.diff(corrected[order]) >= -1e-12)
    assert np.all(holm(p) >= benjamini_hochberg(p) - 1e-12)
