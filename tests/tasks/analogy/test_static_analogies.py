"""Static vectors: the formula, the back-off, means, unknown words, the released script."""

import numpy as np
import pytest

from analogies import an_item
from trope.core.errors import BadInput
from trope.corpora.mean import read_mean
from trope.lexicon.vectors import WordVectors, read_vectors
from trope.tasks.analogy.similarity import FIXED_QUERY, answer, answer_as_released, look_up

VECTORS = WordVectors(
    ["idea", "seed", "think", "sow", "soil", "red_clay", "Paris"],
    [[2, 0, 0], [0, 3, 0], [4, 0, 1], [0, 5, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1]],
)


def test_an_unknown_word_loses_letters_until_it_is_known():
    found = look_up("thinkers", VECTORS)
    assert found.cut == ("thinkers",)
    np.testing.assert_allclose(found.vector, VECTORS.get("think"))


def test_an_expression_is_looked_up_whole_then_as_the_mean_of_its_words():
    np.testing.assert_allclose(look_up("Red clay", VECTORS).vector, VECTORS.get("red_clay"))
    mean = (VECTORS.get("idea") + VECTORS.get("seed")) / 2
    np.testing.assert_allclose(look_up("idea_seed", VECTORS).vector, mean)
    np.testing.assert_allclose(look_up("paris", VECTORS).vector, VECTORS.get("Paris"))


def test_raw_vectors_keep_the_lengths_of_the_file():
    found = look_up("idea_seed", VECTORS, unit=False)
    np.testing.assert_allclose(found.vector, [1, 1.5, 0])


def test_words_without_vectors_are_told_and_left_out():
    found = look_up("seed zzz", VECTORS)
    assert found.unknown == ("zzz",)
    np.testing.assert_allclose(found.vector, VECTORS.get("seed"))
    assert look_up("zzz", VECTORS).vector is None


def test_the_formula_finds_what_it_points_to():
    found = answer(an_item("sow", "soil", "zzz", "paris"), VECTORS)
    assert max(range(4), key=found.scores.__getitem__) == 0
    assert found.scores[2] == -1.0  # no vector at all
    assert found.unknown == ("zzz",)


def test_a_question_without_vectors_leaves_all_choices_alike():
    empty = WordVectors(["other"], [[1.0]])
    found = answer(an_item(), empty)
    assert found.scores == (0.0,) * 4
    assert set(found.unknown) >= {"idea", "seed", "thinker"}


def test_the_released_script_asks_every_item_the_question_of_one():
    items = [an_item("sow", "soil", "idea", "paris", number=str(n)) for n in range(1, 9)]
    items[FIXED_QUERY] = an_item("sow", "soil", "idea", "paris", element="paris", number="7")
    released = answer_as_released(items, VECTORS)
    assert {found.scores for found in released} == {answer(items[FIXED_QUERY], VECTORS).scores}
    assert released[0].scores != answer(items[0], VECTORS).scores
    with pytest.raises(BadInput, match="needs 7 items"):
        answer_as_released(items[:3], VECTORS)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("unit", "released", "right"), [(False, False, 116), (True, False, 118), (True, True, 40)]
)
def test_the_shared_vectors_give_what_was_measured(shared, unit, released, right):
    items = list(read_mean(shared / "data/mean/MEAN_datasetV1.csv"))
    vectors = read_vectors(shared / "data/vectors/glove.6B.100d.top60k.int8.npz")
    found = (
        answer_as_released(items, vectors, unit=unit)
        if released
        else [answer(item, vectors, unit=unit) for item in items]
    )
    assert sum(one.scores[0] > max(one.scores[1:]) for one in found) == right
