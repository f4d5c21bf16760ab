"""How the ranker is learnt: logistic regression, priors, folds, files."""

from pathlib import Path

import numpy as np
import pytest

from trope.core.errors import BadModel, MissingData
from trope.tasks.rewriting.ranker import (
    PRIOR_FEATURES,
    LinearScores,
    SubstituteRanker,
    prior_features,
    ranker_file,
    read_ranker,
    write_ranker,
)
from trope.tasks.rewriting.ranker_training import (
    JudgedList,
    contributions,
    cross_scores,
    fit_logistic,
    folds_of,
    learn_directions,
    learn_priors,
    learn_scores,
    learn_statistics,
    scale_between,
    with_copies,
)


def lists(number: int = 40) -> list[JudgedList]:
    """Headlines whose right candidate has the larger column; directions want opposite signs."""
    rng = np.random.default_rng(0)
    found = []
    for at in range(number):
        column = rng.normal(size=4)
        direction = ("literal", "metaphorical")[at % 2]
        best = column.argmax() if direction == "literal" else column.argmin()
        labels = np.eye(4)[best]
        words = tuple(f"w{at}_{n}" for n in range(4))
        found.append(JudgedList(words, labels, {"x": column}, direction, group=str(at)))
    return found


def test_logistic_regression_finds_the_weights_that_made_the_labels() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(20_000, 2)) * [1, 10]
    chance = 1 / (1 + np.exp(-(rows @ [1.0, 0.2] - 0.5)))
    weights, bias = fit_logistic(rows, rng.random(20_000) < chance, penalty=1e-6)
    assert np.allclose([*weights, bias], [1.0, 0.2, -0.5], atol=0.08)


def test_a_column_that_never_changes_gets_no_weight() -> None:
    weights, _ = fit_logistic([[1.0, 5.0], [0.0, 5.0], [1.0, 5.0]], [1, 0, 1], penalty=1.0)
    assert weights[1] == 0


def test_directions_learn_what_differs_between_them() -> None:
    judged = lists()
    scores = learn_directions(
        judged, learn_statistics(judged), ("x",), own=contributions(judged), penalty=1.0, here=True
    )
    assert scores["literal"].weights["x~"] > 0 > scores["metaphorical"].weights["x~"]


def test_a_word_is_never_helped_by_its_own_headline() -> None:
    judged = [JudgedList(("a", "b"), np.array([1.0, 0.0]), {}, "literal", group="1")]
    priors = learn_priors(judged)
    assert priors["literal"]["a"] == (1.0, 0.5)
    without = prior_features(priors, ("a", "b"), "literal", without=contributions(judged)[0])
    assert not without.any()


def test_verbs_that_mean_about_the_same_lend_each_other_their_acceptance() -> None:
    judged = [JudgedList(("attack", "eat"), np.array([1.0, 0.0]), {}, "literal", group="1")]
    rows = prior_features(learn_priors(judged), ("assault", "devour", "zzyx"), "literal")
    accepted, near = (
        rows[:, PRIOR_FEATURES.index("accepted")],
        rows[:, PRIOR_FEATURES.index("accepted_near")],
    )
    assert not accepted.any()  # nobody judged these
    assert near[0] > 0 > near[1]
    assert near[2] == 0  # nothing is known of it


def test_copies_count_as_much_as_one_list_and_priors_see_each_headline_once() -> None:
    judged = lists(8)
    said, every, own = with_copies([judged, judged, judged], [0, 1, 5])
    assert (len(every), len(own)) == (9, 9)
    assert sum(one.share for one in every) == pytest.approx(3)
    assert said == learn_statistics([judged[0], judged[1], judged[5]])
    once = learn_directions(
        [judged[n] for n in (0, 1, 5)], said, ("x",), own=own[:3], penalty=1.0, here=True
    )
    thrice = learn_directions(every, said, ("x",), own=own, penalty=1.0, here=True)
    for direction, scores in once.items():
        assert scores.weights == pytest.approx(thrice[direction].weights)


def test_scores_compared_inside_a_list_do_not_depend_on_its_level() -> None:
    scores = LinearScores(0.0, {"x~": 2.0})
    low, high = scores.of({"x": np.array([1.0, 2.0])}), scores.of({"x": np.array([11.0, 12.0])})
    assert np.allclose(low, high)


def test_cross_validation_keeps_groups_together_and_generalises() -> None:
    folds = folds_of(["a", "b", "a", "c"], 2, seed=0)
    assert folds[0] == folds[2]
    judged = lists(80)
    found = cross_scores([judged], judged, ("x",), penalty=1.0, folds=4)
    right = [int(s.argmax()) == int(j.labels.argmax()) for s, j in zip(found, judged, strict=True)]
    assert np.mean(right) > 0.9


def test_labels_may_be_shares() -> None:
    judged = [JudgedList(("a", "b"), np.array([0.8, 0.1]), {"x": np.array([1.0, 0.0])})]
    assert learn_scores(judged, ("x",), penalty=0.01, here=False).weights["x"] > 0


def test_a_ranker_survives_its_file(tmp_path: Path) -> None:
    scores = {"literal": LinearScores(0.5, {"x": 1.25})}
    ranker = SubstituteRanker(
        "static", scores, scores, {"literal": {"say": (3.0, -0.5)}}, {"literal": 2.0}
    )
    write_ranker(ranker, tmp_path / "static.json")
    assert read_ranker(tmp_path / "static.json") == ranker


def test_missing_and_broken_rankers_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="trope train rewriting"):
        read_ranker(tmp_path / "none.json")
    (tmp_path / "broken.json").write_text('{"meanings": 3}')
    with pytest.raises(BadModel, match="holds no ranker"):
        read_ranker(tmp_path / "broken.json")


def test_the_shipped_ranker_for_static_vectors_is_there() -> None:
    assert read_ranker(ranker_file("static")).meanings == "static"


def test_a_ranker_on_another_scale_says_the_same() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) * [3.0, 0.2] + [1.0, -2.0]
    names = ("word_kept", "sentence_kept")
    scale = scale_between(first, second, names)
    moved = scale.rows(first, names)
    assert np.allclose(moved.mean(axis=0), second.mean(axis=0), atol=1e-5)
    assert np.allclose(moved.std(axis=0), second.std(axis=0), atol=1e-5)
    weights = {"word_kept": 2.0, "word_kept~": -1.0, "sentence_kept": 0.5, "rank": 1.5}
    scores = {"literal": LinearScores(0.25, weights)}
    ranker = SubstituteRanker("encoder", {}, scores, {}, {}, {"literal": 7})
    other = scale.ranker(ranker, "public")
    ranks = rng.normal(size=50)
    there = {"rank": ranks, "word_kept": first[:, 0], "sentence_kept": first[:, 1]}
    here = {"rank": ranks, "word_kept": moved[:, 0], "sentence_kept": moved[:, 1]}
    assert np.allclose(other.rank["literal"].of(there), scores["literal"].of(here), atol=1e-4)
    assert (other.meanings, other.nearest) == ("public", {"literal": 7})
