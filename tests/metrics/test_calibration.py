"""Calibration error by hand, its bins, and what it refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.calibration import BINS, calibration_error, reliability


def test_error_is_the_gap_weighted_by_items():
    # three items predicted 0.9 of which two are true, one predicted 0.1 that is false
    predicted, gold = [0.9, 0.9, 0.9, 0.1], [True, True, False, False]
    wanted = 3 / 4 * abs(0.9 - 2 / 3) + 1 / 4 * 0.1
    assert calibration_error(predicted, gold, seed=1).value == pytest.approx(wanted)


def test_bins_have_their_means_and_empty_ones_are_left_out():
    low, high = reliability([0.0, 0.02, 1.0], [False, True, True])
    assert (low.items, low.predicted, low.true) == (2, pytest.approx(0.01), 0.5)
    assert (high.low, high.high, high.items, high.true) == ((BINS - 1) / BINS, 1.0, 1, 1.0)


def test_a_certain_and_right_forecast_has_no_error():
    found = calibration_error([0.0, 1.0] * 20, [False, True] * 20, seed=3)
    assert (found.value, found.low, found.high) == (0, 0, 0)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_groups_change_the_interval_and_not_the_error(items):
    predicted, gold = zip(*items, strict=True)
    alone = calibration_error(predicted, gold, seed=0).value
    grouped = calibration_error(predicted, gold, groups=[0] * len(gold), seed=0)
    assert grouped.value == pytest.approx(alone)
    assert grouped.low == pytest.approx(grouped.value)  # one group: every resample is the whole
    assert 0 <= alone <= 1
    assert sum(b.items for b in reliability(predicted, gold)) == len(items)


def test_what_is_no_probability_is_refused():
    with pytest.raises(BadInput, match="outside of 0 to 1"):
        reliability([1.2], [True])
    with pytest.raises(BadInput, match="2 probabilities but 1 labels"):
        calibration_error([0.1, 0.2], [True], seed=0)
