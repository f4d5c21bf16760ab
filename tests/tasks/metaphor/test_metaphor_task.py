import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.classification import count_classes, macro_f1
from trope.tasks.metaphor.task import choose_threshold, highest

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
