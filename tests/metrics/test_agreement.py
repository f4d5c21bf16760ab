"""Agreement: equal to statsmodels and to cases worked by hand, explained where undefined."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.annotate.rules.agreement import measure_question
from trope.core.judgments import Judgment
from trope.metrics.agreement import fleiss_kappa, landis_koch, with_intervals
from trope.metrics.votes import encode_votes

# Fleiss' worked example of ten subjects and fourteen raters, which statsmodels tests with
SUBJECTS = np.array(
    [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
     [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]],
    dtype=float,
)  # fmt: skip
PAIR = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]  # statsmodels' table of two raters


def table(rows):
    """Judgments of a table, a row an item, a column an annotator, None for no answer."""
    return [
        Judgment(f"i{i}", f"a{j}", str(label))
        for i, row in enumerate(rows)
        for j, label in enumerate(row)
        if label is not None
    ]


def values(rows, **options):
    options = {"resamples": 20, **options}
    return {a.name: a for a in measure_question(table(rows), **options).agreements}


def rows_of_pair(cells):
    return [
        (one, other)
        for one, row in enumerate(cells)
        for other, number in enumerate(row)
        for _ in range(number)
    ]


def test_fleiss_is_that_of_statsmodels():
    (found,) = with_intervals([fleiss_kappa(SUBJECTS)], seed=0)
    assert found.value == pytest.approx(0.20993070442195522, abs=1e-12)  # statsmodels 0.15.0
    assert found.low < found.value < found.high
    assert (found.n, found.word) == (10, "fair")


def test_cohen_is_that_of_statsmodels():
    found = values(rows_of_pair(PAIR))["cohen"]
    assert found.value == pytest.approx(0.48416289592760187, abs=1e-12)  # statsmodels 0.15.0


def test_kappas_equal_statsmodels_on_random_tables():
    rater = pytest.importorskip(
        "statsmodels.stats.inter_rater", reason="statsmodels is not installed"
    )
    rng = np.random.default_rng(4)
    for width in (2, 3, 5):
        rows = rng.integers(0, width, size=(30, 4))
        found = values(rows.tolist())
        counts = np.stack([(rows == label).sum(axis=1) for label in range(width)], axis=1)
        assert found["fleiss"].value == pytest.approx(rater.fleiss_kappa(counts), abs=1e-12)
        kappas = []
        for one, other in combinations(range(4), 2):
            cells = np.zeros((width, width))
            np.add.at(cells, (rows[:, one], rows[:, other]), 1)
            kappas.append(rater.cohens_kappa(cells, return_results=False))
        assert found["cohen"].value == pytest.approx(np.mean(kappas), abs=1e-12)


def test_alpha_of_a_table_with_gaps():
    # expected values: krippendorff 0.9.0 on the same table
    rows = [
        (1, 1, None, 1), (2, 2, 3, 2), (3, 3, 3, 3), (3, 3, 3, 3), (2, 2, 2, 2), (1, 2, 3, 4),
        (4, 4, 4, 4), (1, 1, 2, 1), (2, 2, 2, 2), (None, 5, 5, 5), (None, None, 1, 1),
        (None, None, 3, None),
    ]  # fmt: skip
    found = values(rows)
    assert found["alpha_nominal"].value == pytest.approx(0.743421052631579, abs=1e-9)
    assert found["alpha_ordinal"].value == pytest.approx(0.815388, abs=1e-6)
    assert found["alpha_interval"].value == pytest.approx(0.849107, abs=1e-6)
    assert found["alpha_nominal"].n == 11  # the last item has one answer, which agrees with nothing


def test_kappa_by_hand():
    # pairs agree on 1, 1/3, 1/3 and 1; yes has 7 of 12 answers
    found = values([("y", "y", "y"), ("y", "y", "n"), ("y", "n", "n"), ("n", "n", "n")])
    observed = (1 + 1 / 3 + 1 / 3 + 1) / 4
    assert found["percent"].value == pytest.approx(observed)
    assert found["unanimous"].value == 0.5
    chance = (6 / 12) ** 2 + (6 / 12) ** 2
    assert found["fleiss"].value == pytest.approx((observed - chance) / (1 - chance))


def test_total_disagreement_of_two_is_minus_one():
    found = values([("y", "n"), ("n", "y")])
    assert found["cohen"].value == pytest.approx(-1)
    assert found["fleiss"].value == pytest.approx(-1)
    assert found["fleiss"].word == "poor"


def test_unequal_numbers_of_answers_weigh_items_the_same():
    rows = [("y", "y", "y", "n"), ("n", "n", None, None), ("y", "n", None, None)]
    found = values(rows)
    observed = (1 / 2 + 1 + 0) / 3
    yes = (3 / 4 + 0 + 1 / 2) / 3
    chance = yes**2 + (1 - yes) ** 2
    assert found["fleiss"].value == pytest.approx((observed - chance) / (1 - chance))
    assert found["fleiss_complete"].n == 2  # two answers are the most frequent number
    assert values(rows, usual=4)["fleiss_complete"].n == 1


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("y", "y")] * 3, "all answers are 'y'"),
        ([("y",), ("n",)], "one annotator"),
        ([("y", "n")], "one item"),
        ([("y", None), (None, "n")], "no item has two answers"),
    ],
)
def test_undefined_is_explained(rows, words):
    found = values(rows)
    for name in ("fleiss", "fleiss_complete", "cohen", "alpha_nominal"):
        assert found[name].value is None
        assert words in found[name].note
        assert found[name].word == ""


def test_unanimous_data_agree_by_percent():
    found = values([("y", "y")] * 3)
    assert (found["percent"].value, found["unanimous"].value) == (1, 1)


def test_labels_without_order_have_neither_ordinal_nor_interval_alpha():
    rows = [("low", "high"), ("mid", "mid"), ("low", "low"), ("high", "mid")]
    found = values(rows)
    assert "--order" in found["alpha_ordinal"].note
    assert "not numbers" in found["alpha_interval"].note
    ordered = values(rows, order=("low", "mid", "high"))["alpha_ordinal"].value
    places = {"low": "1", "mid": "2", "high": "3"}
    numbered = values([[places[label] for label in row] for row in rows])["alpha_ordinal"].value
    assert ordered == pytest.approx(numbered)


def test_spellings_of_one_number_are_one_label():
    votes = encode_votes(table([("1", "+1"), ("1.0", "−2")]))
    assert votes.labels == ("−2", "1")


@pytest.mark.parametrize(
    ("kappa", "word"),
    [
        (-0.2, "poor"), (-0.004, "slight"), (0.2049, "slight"), (0.205, "fair"), (0.41, "moderate"),
        (0.61, "substantial"), (0.804, "substantial"), (0.806, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)  # fmt: skip
def test_words_of_landis_and_koch_follow_rounding(kappa, word):
    assert landis_koch(kappa) == word


def test_verb_classes_leave_items_out_as_in_the_paper():
    rows = [("y", "y"), ("y", "n"), ("n", "n"), ("y", "y"), ("n", "n")]
    classes = {"i0": "light", "i1": "weak", "i2": "aspectual"}
    found = measure_question(table(rows), verb_classes=classes, resamples=20).exclusions
    sizes = {part.name: part.agreements[0].n for part in found}
    assert sizes == {"no": 5, "partial": 3, "full": 2}
    assert found[1].agreements[0].value == pytest.approx(1)


def test_most_disputed_items_come_first():
    report = measure_question(table([("y", "y", "y"), ("y", "n", None), ("y", "y", "n")]), top=5)
    assert [item.item for item in report.disputed] == ["i1", "i2"]
    assert report.disputed[1].answers == {"n": 1, "y": 2}


ratings = st.lists(
    st.lists(st.sampled_from([1, 2, 3, None]), min_size=3, max_size=3), min_size=2, max_size=12
).filter(lambda rows: any(label is not None for row in rows for label in row))


@settings(max_examples=60, deadline=None)
@given(ratings, st.randoms(use_true_random=False))
def test_order_of_items_and_annotators_changes_nothing(rows, random):
    before = values(rows, resamples=1)
    columns = random.sample(range(3), 3)
    shuffled = [[row[column] for column in columns] for row in random.sample(rows, len(rows))]
    after = values(shuffled, resamples=1)
    for name, found in before.items():
        assert after[name].n == found.n
        assert after[name].value == pytest.approx(found.value, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 2), min_size=2, max_size=20))
def test_alpha_of_two_is_scotts_pi_with_its_correction_for_small_samples(rows):
    found = values(rows, resamples=1)
    if found["fleiss"].value is None:
        assert found["alpha_nominal"].value is None
        return
    answers = 2 * len(rows)
    corrected = 1 - (1 - found["fleiss"].value) * (answers - 1) / answers
    assert found["alpha_nominal"].value == pytest.approx(corrected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(ratings)
def test_nothing_is_ever_not_a_number(rows):
    for found in values(rows, resamples=5).values():
        assert found.value is None or np.isfinite(found.value)
        assert (found.value is None) == bool(found.note)
