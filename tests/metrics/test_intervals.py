import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics import intervals
from trope.metrics.intervals import Interval, bootstrap_ratios, bootstrap_sums

SENTENCES = st.lists(
    st.integers(1, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=1,
    max_size=40,
)


def test_the_value_is_the_ratio_of_the_sums_not_the_mean_of_the_ratios():
    (result,) = bootstrap_ratios([1, 0], [1, 9], seed=1)
    assert result.value == 0.1


def test_equal_items_have_no_spread():
    assert bootstrap_ratios([3] * 20, [4] * 20, seed=1) == [Interval(0.75, 0.75, 0.75)]


def test_the_interval_is_that_of_a_binomial_for_items_of_one_word():
    right = np.repeat([1, 0], [800, 200])
    (result,) = bootstrap_ratios(right, np.ones(1000), seed=7, resamples=4000)
    half = 1.96 * np.sqrt(0.8 * 0.2 / 1000)
    assert result.low == pytest.approx(0.8 - half, abs=0.004)
    assert result.high == pytest.approx(0.8 + half, abs=0.004)


def test_a_lower_level_gives_a_narrower_interval():
    right = np.arange(50) % 2
    wide, narrow = (
        bootstrap_ratios(right, np.ones(50), seed=1, level=level)[0] for level in (0.95, 0.5)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_undefined_where_there_is_nothing_to_divide_by():
    undefined = Interval(None, None, None)
    assert bootstrap_ratios([0, 0], [0, 0], seed=1) == [undefined]
    assert bootstrap_ratios(np.empty((0, 2)), np.empty((0, 2)), seed=1) == [undefined] * 2


def test_resamples_without_a_whole_are_left_out():
    (result,) = bootstrap_ratios([1, 0], [2, 0], seed=1)
    assert result == Interval(0.5, 0.5, 0.5)


def test_columns_share_their_draws():
    parts = np.arange(30) % 3
    both = bootstrap_ratios(np.stack([parts, parts], 1), np.full((30, 2), 2), seed=5)
    assert both[0] == both[1] == bootstrap_ratios(parts, np.full(30, 2), seed=5)[0]


def test_the_size_of_the_blocks_does_not_change_the_draws(monkeypatch):
    parts, wholes = np.arange(20) % 4, np.full(20, 5)
    whole = bootstrap_ratios(parts, wholes, seed=3)
    monkeypatch.setattr(intervals, "_CELLS", 60)
    assert bootstrap_ratios(parts, wholes, seed=3) == whole


def test_any_statistic_of_sums_has_an_interval():
    (result,) = bootstrap_sums(
        [[1.0, 2.0]] * 5, lambda sums: (sums[:, :1] - sums[:, 1:]) / 5, seed=1
    )
    assert result == Interval(-1.0, -1.0, -1.0)


def test_shapes_must_fit():
    with pytest.raises(BadInput, match="do not fit"):
        bootstrap_ratios([1, 2], [1], seed=1)


@given(SENTENCES, st.integers(0, 2**32))
def test_bounds_enclose_what_is_possible_and_the_seed_decides(sentences, seed):
    right, words = zip(*sentences, strict=True)
    first, again = (bootstrap_ratios(right, words, seed=seed, resamples=50)[0] for _ in range(2))
    shares = [a / b for a, b in sentences]
    assert first == again
    assert min(shares) - 1e-9 <= first.low <= first.high <= max(shares) + 1e-9
