"""An interval contains its value, and annotators who differ are not called perfect."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.annotate.rules.agreement import measure_question
from trope.core.judgments import Judgment
from trope.metrics.aggregation.majority import majority
from trope.metrics.agreement import fleiss_kappa, percent_agreement, with_intervals
from trope.metrics.votes import encode_votes

counts = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=2, max_size=8)


@given(counts, st.integers(0, 5))
def test_an_interval_contains_its_value(rows, seed):
    table = np.array(rows, dtype=np.float64)
    statistics = [percent_agreement(table), fleiss_kappa(table)]
    for found in with_intervals(statistics, seed=seed, resamples=20):
        if found.value is not None and found.low is not None and found.high is not None:
            assert found.low <= found.value <= found.high


answers = st.dictionaries(
    st.tuples(st.sampled_from("12345"), st.sampled_from(("ann", "bob", "cy"))),
    st.sampled_from("123"),
    min_size=4,
)


@settings(max_examples=40)
@given(answers, st.integers(0, 5))
def test_every_statistic_of_a_question_lies_in_its_interval(answers, seed):
    judgments = [Judgment(item=i, annotator=a, label=label) for (i, a), label in answers.items()]
    question = measure_question(judgments, seed=seed, resamples=20)
    for found in (*question.agreements, *question.pairs):
        assert (found.low is None) == (found.high is None)
        if found.low is not None:
            assert found.low <= found.value <= found.high, found.name


def qualities(*answers):
    votes = encode_votes([Judgment(item=i, annotator=a, label=label) for i, a, label in answers])
    return {one.annotator: one.quality for one in majority(votes).annotators}


def test_a_tie_is_no_majority():
    agreed = [("1", "ann", "met"), ("1", "bob", "met")]
    differ = [("2", "ann", "met"), ("2", "bob", "lit")]
    assert qualities(*agreed, *differ) == {"ann": 0.5, "bob": 0.5}


def test_an_answer_that_nobody_else_gave_says_nothing():
    assert qualities(("1", "ann", "met"), ("2", "bob", "lit")) == {"ann": None, "bob": None}
