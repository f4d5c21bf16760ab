"""McNemar's test against values worked out by hand and by other programs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.intervals import McNemar, mcnemar


def test_counts_are_of_items_that_one_alone_gets_right():
    gold = [1, 1, 1, 0, 0]
    found = mcnemar(gold, [1, 1, 0, 0, 1], [1, 0, 1, 1, 0])
    assert (found.first_only, found.second_only, found.n) == (2, 2, 5)
    assert found.statistic == 2
    assert found.exact_p == 1


def test_values_of_a_known_table():
    found = McNemar(5, 15, 100)
    assert found.exact_p == pytest.approx(0.04138946533203125)
    assert found.mid_p == pytest.approx(0.04138946533203125 - math.comb(20, 5) / 2**20)
    assert found.corrected_statistic == pytest.approx(81 / 20)
    assert found.corrected_p == pytest.approx(0.0441715, abs=1e-6)


def test_the_papers_statistic_can_only_be_a_count():
    assert McNemar(57, 95, 546).exact_p < 0.01
    assert McNemar(0, 43, 546).corrected_statistic < 57


def test_systems_that_never_differ():
    found = mcnemar([1, 0], [1, 1], [1, 1])
    assert (found.statistic, found.exact_p, found.mid_p, found.corrected_p) == (0, 1, 1, 1)


@given(st.integers(0, 300), st.integers(0, 300))
def test_order_does_not_matter_and_the_variants_keep_their_order(b, c):
    one, other = McNemar(b, c, 700), McNemar(c, b, 700)
    assert (one.exact_p, one.mid_p, one.corrected_p) == (
        other.exact_p, other.mid_p, other.corrected_p)  # fmt: skip
    assert 0 <= one.mid_p <= one.exact_p <= 1


def test_scipy_agrees():
    stats = pytest.importorskip("scipy.stats")
    for b, c in ((3, 9), (40, 61), (0, 7)):
        assert McNemar(b, c, 200).exact_p == pytest.approx(stats.binomtest(b, b + c).pvalue)


def test_lists_of_different_length_are_refused():
    with pytest.raises(BadInput, match="2 items but 1 and 2 answers"):
        mcnemar([1, 0], [1], [0, 0])
