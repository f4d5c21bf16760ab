"""Rates corrected by a judged sample, by hand, by simulation and at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from trope.core.errors import BadInput
from trope.metrics.corrected_rates import LEAST_JUDGED, corrected_rate, rate_difference
from trope.metrics.intervals import jeffreys, wilson


def corpus(rng, items: int, rate: float, right: float):
    truth = (rng.random(items) < rate).astype(float)
    return truth, np.where(rng.random(items) < right, truth, 1 - truth)


def test_the_estimate_by_hand():
    """40 judged of 200: people say yes to 16, the model to 20 of them, 14 in common; 120 of all.

    cov = 14/40 − (16/40)(20/40) = 0.15, var = 0.25, so λ = 0.6 and the rate is
    0.6·0.6 + 0.4 − 0.6·0.5 = 0.46.
    """
    judged = [1] * 16 + [0] * 24
    predicted = [1] * 14 + [0] * 2 + [1] * 6 + [0] * 18
    everything = predicted + [1] * 100 + [0] * 60
    found = corrected_rate(judged, predicted, everything)
    assert found.weight == pytest.approx(0.6)
    assert found.corrected.value == pytest.approx(0.46)
    assert (found.model, found.judged, found.items) == (0.6, 40, 200)
    assert found.classical.value == pytest.approx(0.4)
    # of what the items were drawn from: λ is smaller by 1 + 40/160, the other 160 say 100/160
    beyond = corrected_rate(judged, predicted, everything, beyond=True)
    assert beyond.weight == pytest.approx(0.6 / 1.25)
    assert beyond.corrected.value == pytest.approx(0.48 * 50 / 80 + 0.4 - 0.48 * 0.5)
    assert beyond.width > found.width


@pytest.mark.parametrize("beyond", [False, True])
def test_coverage_and_width(beyond):
    rng = np.random.default_rng(11)
    hits, widths = 0, []
    for _ in range(500):
        truth, model = corpus(rng, 2000, 0.2, 0.9)
        drawn = rng.choice(2000, 150, replace=False)
        found = corrected_rate(truth[drawn], model[drawn], model, beyond=beyond)
        wanted = 0.2 if beyond else truth.mean()
        hits += found.corrected.low <= wanted <= found.corrected.high
        widths.append(found.width / (found.classical.high - found.classical.low))
    assert 0.93 <= hits / 500 <= 0.97
    assert np.mean(widths) < 0.8


@pytest.mark.parametrize("right", [0.85, 0.95, 0.99])
@pytest.mark.parametrize("judged", [50, 200])
def test_rare_labels_and_few_errors_are_covered_without_a_wider_interval(right, judged):
    """The interval of a sample that has 2 to 10 items with the label, and hardly an error."""
    rng = np.random.default_rng(17)
    hits, ratios = 0, []
    for _ in range(400):
        truth, model = corpus(rng, 5000, 0.05, right)
        drawn = rng.choice(5000, judged, replace=False)
        found = corrected_rate(truth[drawn], model[drawn], model)
        hits += found.corrected.low <= truth.mean() <= found.corrected.high
        ratios.append(found.width / (found.classical.high - found.classical.low))
    assert hits / 400 >= 0.93
    assert np.mean(ratios) < 1


@pytest.mark.parametrize(("rate", "right"), [(0.2, 0.7), (0.2, 0.85), (0.5, 0.85)])
def test_the_smallest_sample_that_corrects_is_covered(rate, right):
    rng = np.random.default_rng(23)
    hits = 0
    for _ in range(1000):
        truth, model = corpus(rng, 5000, rate, right)
        drawn = rng.choice(5000, LEAST_JUDGED, replace=False)
        found = corrected_rate(truth[drawn], model[drawn], model)
        hits += found.corrected.low <= truth.mean() <= found.corrected.high
    assert hits / 1000 >= 0.93


def test_probabilities_of_a_model_are_covered():
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(400):
        truth, _ = corpus(rng, 3000, 0.2, 1.0)
        model = np.where(truth > 0, rng.beta(4, 2, 3000), rng.beta(2, 4, 3000))
        drawn = rng.choice(3000, 200, replace=False)
        found = corrected_rate(truth[drawn], model[drawn], model)
        hits += found.corrected.low <= truth.mean() <= found.corrected.high
    assert hits / 400 >= 0.93


def test_a_useless_model_changes_nothing():
    rng = np.random.default_rng(3)
    truth, _ = corpus(rng, 400, 0.4, 1.0)
    against = 1 - truth
    found = corrected_rate(truth[:100], against[:100], against)
    assert found.weight == 0 and found.corrected == found.classical
    assert "do not go with" in found.notes[0]


@pytest.mark.parametrize(
    ("judged", "note"),
    [
        ([0] * 40, "no judged item has this label"),
        ([1] * 40, "all judged items have this label"),
        ([1], "1 judged item cannot correct"),
        ([1, 0], "2 judged items cannot correct"),
        ([1] + [0] * 38, "39 judged items cannot correct a model (40 or more can)"),
    ],
)
def test_samples_that_cannot_correct_give_wilson_and_say_so(judged, note):
    model = [1, 0] * 100
    found = corrected_rate(judged, model[: len(judged)], model, beyond=True)
    assert note in found.notes[0] and "classical" in found.notes[0]
    assert found.corrected == wilson(sum(judged), len(judged))
    assert found.corrected.low < found.corrected.high


def test_a_model_without_an_error_in_the_sample_is_not_taken_for_perfect():
    judged = [1] * 10 + [0] * 30
    found = corrected_rate(judged, judged, judged + [1, 0] * 500)
    assert found.weight == 1
    assert 0.01 < found.width < found.classical.high - found.classical.low


def test_a_corpus_that_is_judged_whole_has_no_interval_left():
    judged = [1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    found = corrected_rate(judged, judged, judged)
    assert found.corrected.low == found.corrected.high == found.corrected.value == 0.25
    assert found.notes == ("all items are judged",)


@pytest.mark.parametrize("beyond", [False, True])
def test_the_number_of_judgments_gives_the_width(beyond):
    rng = np.random.default_rng(5)
    truth, model = corpus(rng, 20_000, 0.3, 0.9)
    first = rng.choice(20_000, 200, replace=False)
    wanted = 0.05
    number = corrected_rate(truth[first], model[first], model, beyond=beyond).judgments_for(wanted)
    drawn = rng.choice(20_000, number, replace=False)
    found = corrected_rate(truth[drawn], model[drawn], model, beyond=beyond)
    assert found.width == pytest.approx(wanted, rel=0.1)


def test_a_width_that_no_sample_of_the_corpus_needs_more_than_all_of_it_for():
    rng = np.random.default_rng(5)
    truth, model = corpus(rng, 300, 0.3, 0.8)
    found = corrected_rate(truth[:100], model[:100], model)
    assert 100 < found.judgments_for(0.01) <= 300


def test_the_difference_of_groups():
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(300):
        rates = []
        for rate in (0.35, 0.2):
            truth, model = corpus(rng, 1500, rate, 0.88)
            drawn = rng.choice(1500, 120, replace=False)
            rates.append(corrected_rate(truth[drawn], model[drawn], model, beyond=True))
        found = rate_difference(*rates)
        hits += found.corrected.low <= 0.15 <= found.corrected.high
        assert (
            found.corrected.high - found.corrected.low < found.classical.high - found.classical.low
        )
    assert 0.92 <= hits / 300 <= 0.98
    same = rate_difference(rates[0], rates[0]).corrected
    assert same.value == 0 and same.low == pytest.approx(-same.high)


@pytest.mark.parametrize(
    ("judged", "predicted", "everything"),
    [([], [], [1]), ([1, 0], [1], [1, 0]), ([1, 0], [1, 0], [1]), ([2], [1], [1]),
     ([1], [float("nan")], [1])],
)  # fmt: skip
def test_what_does_not_fit_is_refused(judged, predicted, everything):
    with pytest.raises(BadInput):
        corrected_rate(judged, predicted, everything)


def test_a_width_that_no_rate_can_have_is_refused():
    found = corrected_rate([1, 0] * 10, [1, 0] * 10, [1, 0] * 40)
    with pytest.raises(BadInput, match="between 0 and 1"):
        found.judgments_for(0)


@pytest.mark.parametrize(
    ("part", "whole"), [(0, 50), (3, 50), (2.5, 50.5), (25, 50), (49, 50), (50, 50)]
)
def test_intervals_of_jeffreys_are_quantiles_of_beta(part, whole):
    stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    low, high = stats.beta.ppf([0.025, 0.975], part + 0.5, whole - part + 0.5)
    found = jeffreys(part, whole)
    assert found.value == part / whole
    assert found.low == pytest.approx(low if part else 0.0, abs=1e-9)
    assert found.high == pytest.approx(high if part < whole else 1.0, abs=1e-9)
    assert jeffreys(0, 0).value is None
