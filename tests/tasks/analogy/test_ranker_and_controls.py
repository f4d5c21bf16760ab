"""The ranker learns what is there and nothing else; controls cannot see what they should not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analogies import an_item, write_set
from trope.corpora.mean import CODES, read_mean
from trope.lexicon.vectors import read_vectors
from trope.tasks.analogy.controls import answer_features, question_features, surface_features
from trope.tasks.analogy.cross_validation import (
    chosen_codes,
    domain_errors,
    error_counts,
    make_folds,
    right,
)
from trope.tasks.analogy.ranker import (
    choose_strength,
    cross_validate,
    fit_ranker,
    log_likelihood,
)
from trope.tasks.analogy.similarity import similarity_features
from trope.tasks.analogy.templates import read_templates


def clear_case(items=40, seed=0):
    """Features of which the first alone tells the right choice."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(items, 4, 3))
    table[:, 0, 0] += 3
    return table


def test_the_ranker_learns_what_tells_and_is_not_fooled_by_chance():
    table = clear_case()
    ranker = fit_ranker(table, strength=1.0)
    assert right(ranker.score(clear_case(seed=1))).mean() > 0.9
    assert abs(ranker.weights[0]) > 3 * np.abs(ranker.weights[1:]).max()


def test_weights_are_the_ones_of_the_gradient():
    table = clear_case()
    ranker = fit_ranker(table, strength=2.0)
    best = log_likelihood(ranker, table) - 1.0 * (ranker.weights**2).sum()
    for step in np.eye(3) * 1e-2:
        other = type(ranker)(ranker.mean, ranker.scale, ranker.weights + step)
        assert log_likelihood(other, table) - 1.0 * (other.weights**2).sum() <= best + 1e-6


def test_pure_noise_is_held_down():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(60, 4, 20))
    groups = [str(at // 3) for at in range(60)]
    assert choose_strength(noise, groups, seed=0) >= 30


def test_cross_validation_never_trains_on_the_fold_it_scores():
    table = clear_case(12)
    folds = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    groups = [str(at) for at in range(12)]
    scores, _ = cross_validate(table, groups, folds, seed=0)
    changed = table.copy()
    changed[0] = changed[0][::-1]  # an item of the first fold
    again, _ = cross_validate(changed, groups, folds, seed=0)
    np.testing.assert_allclose(again[1:4], scores[1:4])
    assert not np.allclose(again[4:], scores[4:])


def test_a_constant_feature_does_no_harm():
    table = clear_case()
    table[:, :, 2] = 7.0
    assert np.isfinite(fit_ranker(table, strength=1.0).weights).all()


def test_answer_only_never_sees_the_question():
    one, other = an_item(), an_item(element="farmer")
    np.testing.assert_array_equal(answer_features([one]), answer_features([other]))
    assert not np.array_equal(surface_features([one]), surface_features([other]))


def test_question_only_never_sees_the_choices():
    one, other = an_item(), an_item("w", "x", "y", "z")
    np.testing.assert_array_equal(question_features([one], 0), question_features([other], 0))
    assert not np.array_equal(question_features([one], 0), question_features([one], 2))


def test_likenesses_do_not_look_at_spelling(tmp_path):
    items = list(read_mean(write_set(tmp_path / "set.csv")))
    template = read_templates()["t1"]
    hidden = {}

    def meaning(texts):
        """A vector a text, the same for texts however they are spelt."""
        rng = np.random.default_rng(1)
        for text in texts:
            hidden.setdefault(text, rng.normal(size=8))
        return np.array([hidden[text] for text in texts], dtype=np.float32)

    alone = similarity_features(items, template, read_vectors(), None)
    table = similarity_features(items, template, read_vectors(), meaning)
    assert alone.shape == (len(items), 4, 5)
    assert table.shape == (len(items), 4, 12)
    folds = make_folds(items, "grouped", 0, 3)
    scores, _ = cross_validate(table, [item.metaphor for item in items], folds, seed=0)
    assert scores.shape == (len(items), 4)


def test_words_without_vectors_are_like_nothing():
    from trope.lexicon.vectors import WordVectors

    table = similarity_features(
        [an_item()], read_templates()["t1"], WordVectors(["q"], [[1.0]]), None
    )
    np.testing.assert_array_equal(table, 0)


def test_kinds_of_errors_are_counted():
    scores = np.array([[1.0, 0, 0, 0], [0, 1.0, 1.0, 0], [0.5, 0, 0, 0.5], [0, 0, 1.0, 0]])
    assert chosen_codes(scores) == ["gold", "sDdA", "dDdA", "dDsA"]
    assert error_counts({0: scores, 1: scores}) == {"sDdA": 2, "dDsA": 2, "dDdA": 2}
    items = [an_item(number=str(n)) for n in range(1, 5)]
    assert domain_errors(items, [scores])["SEED"].total() == 4


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=9))
def test_right_and_chosen_agree(rows):
    scores = np.array(rows, dtype=float)
    shares = right(scores)
    for share, code in zip(shares, chosen_codes(scores), strict=True):
        assert (share == 1) == (code == CODES[0])
        assert 0 <= share <= 1


@pytest.mark.parametrize("name", ["t1", "t2", "t3"])
def test_templates_of_the_paper_are_there(name):
    assert name in read_templates()
