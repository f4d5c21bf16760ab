import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.classification import SCORES, accuracy, binary_figures, count_classes, macro_f1
from trope.metrics.figures import NO_DATA

answers = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def values(gold, called, **options):
    made = binary_figures("x", gold, called, data=NO_DATA, seed=0, **options)
    return {figure.name.removeprefix("x."): figure.value for figure in made}


@given(answers)
def test_scores_are_those_of_the_label_metrics(pairs):
    gold, called = map(list, zip(*pairs, strict=True))
    found = values(gold, called)
    counts = count_classes(gold, called).get(True)
    assert found["f1"] == pytest.approx(counts.f1 if counts else None)
    assert found["accuracy"] == pytest.approx(accuracy(gold, called))
    assert found["macro_f1"] == pytest.approx(macro_f1(gold, called))
    assert found["share"] == pytest.approx(sum(called) / len(called))


def test_resamples_without_a_class_are_passed_over_in_silence():
    found = values([True, False], [True, False])
    assert found == dict.fromkeys(SCORES, 1.0) | {"share": 0.5}


def test_precision_of_no_answer_is_undefined_and_says_so():
    (figure,) = binary_figures(
        "x", [True], [False], data=NO_DATA, seed=0, scores=("precision",), note="n"
    )
    assert figure.value is None
    assert "undefined" in figure.note


def test_groups_are_drawn_whole_so_that_intervals_widen():
    gold = [True, False] * 50
    called = ([True, False] * 5 + [False, True] * 5) * 5

    def width(groups):
        (figure,) = binary_figures(
            "x", gold, called, data=NO_DATA, seed=1, groups=groups, scores=("accuracy",)
        )
        return figure.high - figure.low

    assert width([at // 10 for at in range(100)]) > 1.5 * width(None)


def test_answers_must_be_as_many_as_items():
    with pytest.raises(BadInput, match="2 labels but 1 answers"):
        values([True, False], [True])
