"""Lemma rules: what is made from a pair gives the pair back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.encoder.decode import apply_rule, make_rule

words = st.text(st.characters(categories=("Ll", "Lu")), min_size=1, max_size=12)


@given(words, words)
def test_a_rule_turns_its_form_into_its_lemma(form, lemma):
    if len(form.lower()) == len(form):  # the few letters that grow in lower case have no place here
        assert apply_rule(make_rule(form, lemma), form) == lemma


@given(words, words, words)
def test_a_rule_never_fails_on_another_form(form, lemma, other):
    assert isinstance(apply_rule(make_rule(form, lemma), other), str)


@pytest.mark.parametrize(
    ("form", "lemma", "rule"),
    [("tries", "try", "lower|3|y"), ("was", "be", "lower|=|be"), ("Oslo", "Oslo", "keep|0|")],
)
def test_rules_read_well(form, lemma, rule):
    assert make_rule(form, lemma) == rule


def test_a_rule_that_cuts_more_than_there_is_leaves_the_form():
    assert apply_rule("lower|3|y", "go") == "go"
