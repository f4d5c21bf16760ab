"""Aggregation: equal to crowd-kit on its toy example, and sound where it has none."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.core.judgments import Judgment
from trope.metrics.aggregation.dawid_skene import dawid_skene
from trope.metrics.aggregation.glad import glad
from trope.metrics.aggregation.mace import digamma, mace
from trope.metrics.aggregation.majority import majority
from trope.metrics.aggregation.weighted_mean import mean, round_half_up, weighted_mean  # type: ignore[attr-defined]
from trope.metrics.votes import encode_votes

# The five tasks and five workers that crowd-kit tests with; "-" is no answer.
TOY = ["n y - y n", "y y y n n", "y n n y n", "y y y y y", "y n n n n"]
MODELS = {"dawid-skene": dawid_skene, "mace": mace, "glad": glad}


def toy():
    return [
        Judgment(f"t{i}", f"w{j}", {"n": "no", "y": "yes"}[answer])
        for i, row in enumerate(TOY, 1)
        for j, answer in enumerate(row.split(), 1)
        if answer != "-"
    ]


def crowd(seed=0, items=60, skills=(0.9, 0.85, 0.8, 0.5), labels="abc"):
    """Answers of annotators of known skills, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(labels), items)
    rows = []
    for item in range(items):
        for number, skill in enumerate(skills):
            right = rng.random() < skill
            place = truth[item] if right else rng.integers(len(labels))
            rows.append(Judgment(f"i{item}", f"a{number}", labels[place]))
    return rows, {f"i{item}": labels[place] for item, place in enumerate(truth)}


def yes(result):
    return [item.shares["yes"] for item in result.items]


def qualities(result):
    return {one.annotator: one.quality for one in result.annotators}


# Expected numbers of the next four: crowd-kit 1.4.2, iterated until they stood still.


def test_majority_is_that_of_crowd_kit():
    result = majority(encode_votes(toy()))
    assert yes(result) == pytest.approx([0.5, 0.6, 0.4, 1.0, 0.2])
    assert [item.label for item in result.items] == [None, "yes", "no", "yes", "no"]


def test_dawid_skene_is_that_of_crowd_kit():
    result = dawid_skene(encode_votes(toy()))
    assert yes(result) == pytest.approx([1, 1, 0, 1, 0], abs=1e-8)
    # prior of yes 3/5; w1 is right on yes 2 of 3 times and on no never, and so on
    expected = {"w1": 0.4, "w2": 1.0, "w3": 1.0, "w4": 0.6, "w5": 0.6}
    assert qualities(result) == pytest.approx(expected, abs=1e-8)
    assert result.converged


@pytest.mark.parametrize(
    ("training", "knows"),
    [
        ("variational", [0.05537746, 0.88085383, 0.86474244, 0.20635759, 0.20956961]),
        ("em", [0.00200187, 0.99692449, 0.99750563, 0.17051831, 0.33223616]),
    ],
)
def test_mace_is_that_of_crowd_kit(training, knows):
    # crowd-kit mixes up annotators unless its rows are sorted by worker and label: they were
    result = mace(encode_votes(toy()), training=training, tolerance=1e-13)
    assert [item.label for item in result.items] == ["yes", "yes", "no", "yes", "no"]
    found = [qualities(result)[name] for name in ("w1", "w2", "w3", "w4", "w5")]
    assert found == pytest.approx(knows, abs=1e-3)


def test_glad_is_that_of_crowd_kit():
    result = glad(encode_votes(toy()))
    expected = [0.885984411, 0.915536295, 0.001119581, 0.999998758, 0.000000087]
    assert yes(result) == pytest.approx(expected, abs=2e-4)
    found = [qualities(result)[name] for name in ("w1", "w2", "w3", "w4", "w5")]
    abilities = [-0.048594401, 1.195893524, 1.213106690, 0.338619623, 0.477780778]
    assert found == pytest.approx(abilities, abs=2e-4)


@pytest.mark.parametrize("name", MODELS)
def test_models_find_the_truth_and_the_guesser(name):
    rows, truth = crowd()
    result = MODELS[name](encode_votes(rows))
    wrong = [item.item for item in result.items if item.label != truth[item.item]]
    assert len(wrong) <= 6
    assert min(result.annotators, key=lambda one: one.quality).annotator == "a3"
    assert result.converged


@pytest.mark.parametrize("name", MODELS)
def test_known_labels_stay(name):
    rows, truth = crowd()
    known = {"i0": truth["i0"], "i1": next(label for label in "abc" if label != truth["i1"])}
    result = MODELS[name](encode_votes(rows), known=known)
    assert {item.item: item.label for item in result.items[:2]} == known
    assert [item.confidence for item in result.items[:2]] == [1.0, 1.0]
    with pytest.raises(BadInput, match="given by nobody"):
        MODELS[name](encode_votes(rows), known={"i0": "z"})


@pytest.mark.parametrize("name", MODELS)
def test_one_label_and_one_item_are_no_trouble(name):
    for rows in ([Judgment("i", "a", "x")], [Judgment(i, a, "x") for i in "12" for a in "ab"]):
        result = MODELS[name](encode_votes(rows))
        assert {item.label for item in result.items} == {"x"}
        assert all(np.isfinite(item.confidence) for item in result.items)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 1000), random=st.randoms(use_true_random=False))
def test_order_of_rows_changes_no_label(name, seed, random):
    rows, _ = crowd(seed, items=25)
    before = MODELS[name](encode_votes(rows))
    after = MODELS[name](encode_votes(random.sample(rows, len(rows))))
    shares = {item.item: item.shares for item in after.items}
    for item in before.items:
        assert shares[item.item] == pytest.approx(item.shares, abs=2e-2)


def test_likelihood_of_dawid_skene_never_falls():
    votes = encode_votes(crowd(3)[0])
    steps = [dawid_skene(votes, iterations=n, tolerance=-1).log_likelihood for n in range(1, 12)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(steps))


def test_restarts_of_mace_are_seeded():
    votes = encode_votes(crowd(5)[0])
    assert mace(votes, seed=1) == mace(votes, seed=1)


def test_digamma_at_points_that_are_known():
    euler = 0.5772156649015329
    found = digamma(np.array([1.0, 2.0, 0.5, 30.0]))
    expected = [-euler, 1 - euler, -euler - 2 * np.log(2), 3.384438132685525]
    assert found == pytest.approx(expected, abs=1e-9)


def test_ties_are_broken_as_told():
    votes = encode_votes([Judgment("i", "a", "x"), Judgment("i", "b", "y")])
    (none,) = majority(votes).items
    assert (none.label, none.note) == (None, "unresolved: tie of x, y")
    (first,) = majority(votes, ties="first").items
    assert (first.label, first.confidence) == ("x", 0.5)
    drawn = {majority(votes, ties="random", seed=seed).items[0].label for seed in range(20)}
    assert drawn == {"x", "y"}


def test_weights_of_votes_decide_a_majority():
    rows = [Judgment("i", "a", "x", weight=2), Judgment("i", "b", "y"), Judgment("i", "c", "x")]
    (item,) = majority(encode_votes(rows)).items
    assert (item.label, item.confidence) == ("x", 0.75)


def test_reliable_annotators_count_more():
    rows = [Judgment("t", "good", "-4"), Judgment("t", "poor", "2"), Judgment("t", "new", "5")]
    result = weighted_mean(encode_votes(rows), {"good": 1.0, "poor": 0.5})
    assert result.items[0].score == pytest.approx((1.0 * -4 + 0.5 * 2) / 1.5)
    assert (result.items[0].label, result.items[0].answers) == ("-2", 2)
    assert "left out" in result.annotators[2].note
    counted = weighted_mean(encode_votes(rows), {"good": 1.0, "poor": 0.5}, default=0.5)
    assert counted.items[0].score == pytest.approx((-4 + 1 + 2.5) / 2)


def test_no_reliability_is_said_and_not_divided_by():
    rows = [Judgment("t", "a", "3"), Judgment("u", "b", "1")]
    found = weighted_mean(encode_votes(rows), {"a": 0.0}).items
    assert [(item.label, item.score) for item in found] == [(None, None)] * 2
    assert [item.note for item in found] == [
        "undefined: all weights are 0",
        "undefined: no answer of a judged annotator",
    ]


def test_native_speakers_count_double_in_a_mean():
    rows = [Judgment("t", "native", "-3", weight=2), Judgment("t", "other", "0")]
    assert mean(encode_votes(rows)).items[0].score == pytest.approx(-2)


def test_words_have_no_mean():
    with pytest.raises(BadInput, match="'yes'"):
        mean(encode_votes([Judgment("t", "a", "yes"), Judgment("t", "b", "2")]))


@pytest.mark.parametrize(("score", "integer"), [(-2.5, -2), (2.5, 3), (-0.5, 0), (1.49, 1)])
def test_scores_are_rounded_half_up(score, integer):
    assert round_half_up(score) == integer


@given(st.floats(-1e6, 1e6))
def test_rounding_goes_to_the_nearest_and_up_from_the_middle(score: float) -> None:
    assert -0.5 < round_half_up(score) - score <= 0.5
