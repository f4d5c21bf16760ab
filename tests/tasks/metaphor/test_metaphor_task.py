import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.classification import count_classes, macro_f1
from trope.tasks.metaphor.task import choose_threshold, highest, tuned_threshold

scored = st.lists(st.tuples(st.integers(0, 5).map(float), st.booleans()), min_size=1, max_size=25)


def f1(scores, labels, threshold):
    counts = count_classes(labels, [s is not None and s >= threshold for s in scores])
    return counts[True].f1


@given(scored.filter(lambda items: any(label for _, label in items)))
def test_no_other_threshold_has_a_better_f1(items):
    scores, labels = map(list, zip(*items, strict=True))
    best = f1(scores, labels, choose_threshold(scores, labels))
    assert best == pytest.approx(max(f1(scores, labels, s) for s in set(scores)))


@given(scored.filter(lambda items: len({label for _, label in items}) == 2))
def test_no_other_threshold_has_a_better_macro_f1(items):
    scores, labels = map(list, zip(*items, strict=True))

    def quality(threshold):
        return macro_f1(labels, [score >= threshold for score in scores])

    best = quality(choose_threshold(scores, labels, by="macro_f1"))
    assert best == pytest.approx(max(quality(score) for score in set(scores)))


def test_missing_scores_count_as_literal():
    assert choose_threshold([0.2, None, 0.8], [False, True, True]) == pytest.approx(0.5)
    with pytest.raises(BadInput, match="no threshold"):
        choose_threshold([0.2, None], [False, True])


def test_highest_passes_over_what_has_no_score():
    assert highest([None, 0.2, 0.1]) == 0.2
    assert highest([None]) is None


def test_f1_stays_where_it_holds_up_on_held_out_pairs():
    scores = [n / 100 for n in range(100)]
    labels = [score > 0.6 for score in scores]
    threshold, criterion = tuned_threshold(scores, labels, range(100))
    assert criterion == "f1"
    assert threshold == pytest.approx(0.605)


def test_macro_f1_takes_over_where_the_best_f1_calls_nearly_everything_a_metaphor():
    # most items are metaphors and scores say little: F1 alone would call all of them so
    scores = [n / 200 for n in range(200)]
    labels = [n % 10 < 7 if n > 60 else n % 10 < 5 for n in range(200)]
    threshold, criterion = tuned_threshold(scores, labels, range(200))
    assert criterion == "macro_f1"
    assert choose_threshold(scores, labels) < threshold


def test_rule_sees_groups_not_items():
    scores, labels = [0.9, 0.9, 0.1, 0.1], [True, True, False, False]
    assert tuned_threshold(scores, labels, ["a", "a", "b", "b"])[1] == "f1"
    assert tuned_threshold([0.5], [True], ["a"]) == (0.5, "f1")
    with pytest.raises(BadInput, match="no threshold"):
        tuned_threshold([None], [True], ["a"])


@given(scored.filter(lambda items: any(label for _, label in items)))
def test_rule_gives_the_same_answer_every_time(items):
    scores, labels = map(list, zip(*items, strict=True))
    groups = [n // 2 for n in range(len(scores))]
    first = tuned_threshold(scores, labels, groups)
    assert first == tuned_threshold(scores, labels, groups)
    assert first[0] == choose_threshold(scores, labels, by=first[1])
