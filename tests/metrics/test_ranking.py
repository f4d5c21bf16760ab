"""What stands first, and right above wrong: ties have no order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.ranking import area_under_curve, first_right, target_counts

ITEMS = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), min_size=1)


def test_equal_scores_count_what_a_random_order_gives() -> None:
    assert first_right([1, 1, 0], [True, False, True]) == 0.5
    assert area_under_curve([1, 1], [True, False]) == 0.5


def test_right_above_wrong() -> None:
    assert area_under_curve([3, 2, 1, 0], [True, False, True, False]) == 0.75


def test_without_wrong_candidates_there_is_no_area() -> None:
    assert area_under_curve([1, 2], [True, True]) is None


def test_scores_and_verdicts_must_fit() -> None:
    with pytest.raises(BadInput):
        first_right([1.0], [])
    with pytest.raises(BadInput):
        area_under_curve([1.0], [])


@given(ITEMS, st.randoms())
def test_the_order_of_the_list_changes_nothing(
    items: list[tuple[float, bool]], random: object
) -> None:
    mixed = list(items)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    for measure in (first_right, area_under_curve):
        here = measure([s for s, _ in items], [r for _, r in items])
        there = measure([s for s, _ in mixed], [r for _, r in mixed])
        assert here == there or abs((here or 0) - (there or 0)) < 1e-12


@given(ITEMS)
def test_counting_an_item_twice_is_having_it_twice(items: list[tuple[float, bool]]) -> None:
    scores, right = [s for s, _ in items], [r for _, r in items]
    twice = area_under_curve(scores * 2, right * 2)
    counted = area_under_curve(scores, right, np.full(len(items), 2.0))
    assert twice == counted or abs((twice or 0) - (counted or 0)) < 1e-12


def test_lenient_drops_what_nobody_judged_and_strict_does_not() -> None:
    judged = {"big": 0.9, "vast": 0.2, "large": 0.0}
    lenient = target_counts(["huge", "big", "large"], judged, "great")
    strict = target_counts(["huge", "big", "large"], judged, "great", lenient=False)
    assert (lenient.right, lenient.given, lenient.possible) == (1, 2, 1)
    assert (strict.right, strict.given, strict.possible) == (1, 3, 1)


def test_conceivable_is_what_anyone_accepted_and_the_own_word_never_counts() -> None:
    counts = target_counts(["great", "vast", "vast"], {"vast": 0.1, "great": 1.0}, "great", above=0)
    assert (counts.right, counts.given, counts.possible) == (1, 1, 1)


def test_recall_asks_for_ten_words_at_most() -> None:
    judged = {f"w{n}": 1.0 for n in range(15)}
    assert target_counts(list(judged), judged, "x").possible == 10
