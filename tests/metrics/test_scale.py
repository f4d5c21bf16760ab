"""Cosine and mean squared error with the task's penalties, and rank correlations."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.figures import NO_DATA
from trope.metrics.scale import scale_figures, score_scale, spearman

GOLD = [-3, -2, 1, 4]
scores = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=30)


def test_a_right_answer_is_perfect() -> None:
    score = score_scale(GOLD, GOLD)
    assert (score.cosine, score.mse) == (pytest.approx(1), 0)


def test_by_hand() -> None:
    score = score_scale([3, -4], [4, -3])
    assert score.cosine == pytest.approx(24 / 25)
    assert score.mse == 1


def test_three_quarters_pay_the_penalty_exactly() -> None:
    whole = score_scale(GOLD[:3], [-2, -2, 0])
    part = score_scale(GOLD[:3], [-2, -2, 0], asked=4)
    assert whole.cosine is not None
    assert part.cosine == pytest.approx(whole.cosine * 3 / 4)
    assert part.mse == pytest.approx(whole.mse * 4 / 3)


def test_zeros_have_no_cosine_and_the_note_says_why() -> None:
    score = score_scale(GOLD, [0] * 4)
    assert score.cosine is None
    assert "submitted scores are all 0" in score.note
    assert "gold scores are all 0" in score_scale([0, 0], [1, 2]).note
    figures = scale_figures("x", GOLD, [0] * 4, data=NO_DATA, seed=0)
    assert figures[0].value is None
    assert "all 0" in figures[0].note
    assert figures[1].value == score.mse


@pytest.mark.parametrize(
    ("gold", "given_", "asked"), [([], [], None), ([1], [1, 2], None), ([1, 2], [1, 2], 1)]
)
def test_nothing_to_score_is_refused(gold: list[int], given_: list[int], asked: int | None) -> None:
    with pytest.raises(BadInput):
        score_scale(gold, given_, asked=asked)


@given(scores)
def test_figures_and_score_agree(pairs: list[tuple[int, int]]) -> None:
    gold, given_ = [a for a, _ in pairs], [b for _, b in pairs]
    score = score_scale(gold, given_, asked=len(gold) + 3)
    cosine, mse = scale_figures("x", gold, given_, asked=len(gold) + 3, data=NO_DATA, seed=1)
    assert mse.value == pytest.approx(score.mse)
    assert (cosine.value is None) == (score.cosine is None)
    if score.cosine is not None:
        assert cosine.value == pytest.approx(score.cosine)


@given(scores)
def test_cosine_does_not_see_the_scale_but_its_sign(pairs: list[tuple[int, int]]) -> None:
    gold, ours = [a for a, _ in pairs], [b for _, b in pairs]
    once, thrice = score_scale(gold, ours).cosine, score_scale(gold, [3 * b for b in ours]).cosine
    assert once is None or thrice == pytest.approx(once)


def test_weights_count_items_more_than_once() -> None:
    twice = scale_figures("x", [1, -2, -2], [2, -1, -1], data=NO_DATA, seed=0)
    weighted = scale_figures("x", [1, -2], [2, -1], weights=[1, 2], data=NO_DATA, seed=0)
    assert [f.value for f in weighted] == pytest.approx([f.value for f in twice])


def test_rank_correlation_shares_ranks() -> None:
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 2, 2, 4], [1, 3, 2, 4]) == pytest.approx(3 / math.sqrt(10))
    assert spearman([1, 1], [1, 2]) is None
    with pytest.raises(BadInput):
        spearman([1], [1])
