"""Shares with intervals: known values, and what must hold for any counts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.metrics.intervals import ClusteredShare, wilson

clusters = st.lists(
    st.integers(0, 60).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))),
    max_size=40,
)


def share_of(counts: list[tuple[int, int]]) -> ClusteredShare:
    share = ClusteredShare()
    for part, whole in counts:
        share.add(part, whole)
    return share


def test_wilson_has_its_published_values() -> None:
    found = wilson(1, 10)
    assert found.value == 0.1
    assert found.low == pytest.approx(0.017876, abs=1e-6)
    assert found.high == pytest.approx(0.404150, abs=1e-6)
    assert wilson(0, 10).low == 0
    assert wilson(0, 10).high == pytest.approx(0.277533, abs=1e-6)
    assert wilson(0, 0).value is None


@given(clusters)
def test_the_share_lies_in_its_interval_and_the_interval_between_0_and_1(
    counts: list[tuple[int, int]],
) -> None:
    found = share_of(counts).interval()
    whole = sum(size for _, size in counts)
    if not whole:
        assert found.value is found.low is found.high is None
        return
    assert found.value == pytest.approx(sum(part for part, _ in counts) / whole)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


@given(clusters, clusters)
def test_merging_is_counting_all(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    merged = share_of(left)
    merged.merge(share_of(right))
    assert merged == share_of(left + right)


def test_words_of_one_text_tell_less_than_words_of_many() -> None:
    alike = share_of([(10, 10)] * 5 + [(0, 10)] * 45)
    spread = share_of([(1, 10)] * 50)
    assert alike.interval().value == spread.interval().value == 0.1
    assert spread.effective == 500
    assert alike.effective == pytest.approx(50, rel=0.03)


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    truth, trials, covered = 0.2, 400, 0
    for _ in range(trials):
        # texts differ: each has a rate of its own around the truth
        rates = rng.beta(2, 8, size=60)
        counts = [
            (int(rng.binomial(size, r)), size)
            for r, size in zip(rates, rng.integers(5, 40, 60), strict=True)
        ]
        found = share_of([(part, int(size)) for part, size in counts]).interval()
        covered += (found.low or 0) <= truth <= (found.high or 1)
    assert covered / trials == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / trials))
