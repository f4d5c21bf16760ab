import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.classification import Counts, accuracy, count_classes, count_sets, macro_f1

LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1)


def test_counts_give_precision_recall_and_f():
    counts = Counts(right=3, predicted=4, gold=6)
    assert (counts.precision, counts.recall, counts.f1) == (0.75, 0.5, 0.6)


def test_nothing_to_find_and_nothing_found_is_undefined():
    nothing = Counts(0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (None, None, None)


def test_an_answer_given_twice_counts_once():
    assert count_sets([1, 2], [2, 2, 3]) == Counts(right=1, predicted=2, gold=2)


def test_macro_f1_is_the_mean_over_the_classes_of_both_sides():
    # a: 1 right of 2 and 1 → 2/3; b: 1 of 1 and 1 → 1; c: only predicted → 0
    assert macro_f1(["a", "a", "b"], ["a", "c", "b"]) == pytest.approx((2 / 3 + 1 + 0) / 3)


def test_no_items_have_no_accuracy():
    assert accuracy([], []) is None
    assert macro_f1([], []) is None


def test_unequal_lengths_are_refused():
    with pytest.raises(BadInput, match="2 gold labels but 1 predicted"):
        accuracy(["a", "b"], ["a"])


@given(LABELS)
def test_class_counts_add_up(pairs):
    gold, predicted = [a for a, _ in pairs], [b for _, b in pairs]
    counts = count_classes(gold, predicted).values()
    assert sum(c.gold for c in counts) == sum(c.predicted for c in counts) == len(pairs)
    assert sum(c.right for c in counts) / len(pairs) == accuracy(gold, predicted)


@given(LABELS)
def test_gold_against_itself_is_perfect(pairs):
    gold = [a for a, _ in pairs]
    assert accuracy(gold, gold) == macro_f1(gold, gold) == 1
