"""The crowd rules on rows of our own making."""

import pytest

from trope.annotate.rules.crowd import (
    CrowdRules,
    OutlierRule,
    clean,
    constant_annotators,
    dismissed_by_gold,
    outlier_flags,
)
from trope.annotate.rules.gold import (
    KnownAnswer,
    gold_of,
    gold_records,
    parse_gold,
    reliabilities,
    team_ranges,
)
from trope.core.errors import BadInput
from trope.core.judgments import Judgment


def answers(annotator, labels, prefix="i"):
    return [Judgment(f"{prefix}{at}", annotator, str(label)) for at, label in enumerate(labels)]


def on_item(*labels):
    return [Judgment("t", f"a{at}", str(label)) for at, label in enumerate(labels)]


def test_gold_is_a_label_several_or_a_range():
    assert parse_gold("yes").accepts("yes")
    assert parse_gold("yes|unsure").accepts("unsure")
    assert not parse_gold("yes|unsure").accepts("no")
    around = parse_gold("-2..1")
    assert [around.accepts(label) for label in ("-3", "-2", "1", "2", "x")] == [
        False, True, True, False, False,
    ]  # fmt: skip
    assert around.chance([str(n) for n in range(-5, 6)]) == pytest.approx(4 / 11)


@pytest.mark.parametrize("text", ["", "|", "a..b", "3..1", "1..2..3"])
def test_bad_gold_is_refused(text):
    with pytest.raises(BadInput, match="gold"):
        parse_gold(text)


def test_two_golds_of_one_item_are_refused():
    rows = [Judgment("t", "a", "1", gold="1"), Judgment("t", "b", "1", gold="2")]
    with pytest.raises(BadInput, match="an item has one"):
        gold_of(rows)


def test_ranges_come_from_the_team():
    assert team_ranges(on_item(-3, 0, -1))["t"] == KnownAnswer(low=-3, high=0)


def test_reliability_is_right_over_seen_and_unknown_without_test_questions():
    gold = {"i0": parse_gold("1"), "i1": parse_gold("0..2")}
    rows = [*answers("a", [1, 5, 9]), Judgment("other", "b", "1")]
    assert gold_records(rows, gold)["a"].reliability == 0.5
    assert gold_records(rows, gold)["b"].reliability is None
    assert reliabilities(rows, gold) == {"a": 0.5}


def test_seventy_percent_stays_and_less_goes():
    gold = {f"i{at}": parse_gold("1") for at in range(10)}
    rows = answers("seven", [1] * 7 + [0] * 3) + answers("six", [1] * 6 + [0] * 4)
    assert dismissed_by_gold(rows, gold, CrowdRules()) == {
        "six": "test questions: 6 of 10 right, under 70%"
    }


def test_rules_wait_for_enough_answers_and_test_questions():
    gold = {f"i{at}": parse_gold("1") for at in range(4)}
    rows = answers("new", [0] * 4) + answers("untested", [5] * 9, prefix="x")
    assert clean(rows, gold).dismissed == {}
    assert list(clean(rows, gold, CrowdRules(after_gold=4)).dismissed) == ["new"]
    assert constant_annotators(rows, after=9) == {"untested": "constant: all 9 answers are '5'"}


def test_leave_one_out_flags_what_the_plain_mean_does_not():
    # of 0, 0, 0, 2, 2 a two is 1.2 from the mean, 1.5 from the others', the deviation 0.98
    rows = on_item(0, 0, 0, 2, 2)
    assert outlier_flags(rows, OutlierRule("all")) == [False, False, False, True, True]
    assert outlier_flags(rows, OutlierRule("loo")) == [True] * 3 + [True] * 2
    assert outlier_flags(rows, OutlierRule("signed")) == [False, False, False, True, True]


def test_signed_rule_sees_only_what_is_too_high():
    low, high = on_item(-5, 0, 0, 0, 0), on_item(5, 0, 0, 0, 0)
    assert outlier_flags(low, OutlierRule("signed")) == [False] * 5
    assert outlier_flags(low, OutlierRule("all"))[0]
    assert outlier_flags(high, OutlierRule("signed"))[0]


def test_spread_of_the_others_alone_flags_any_departure_from_unanimity():
    rows = on_item(1, 1, 1, 2)
    assert outlier_flags(rows, OutlierRule("loo-both"))[3]
    assert outlier_flags(on_item(1, 2), OutlierRule("loo-both", sample=True)) == [False, False]


def test_sample_deviation_is_more_lenient():
    rows = on_item(0, 0, 3)
    assert outlier_flags(rows, OutlierRule("loo"))[2]
    assert outlier_flags(on_item(0, 3), OutlierRule("loo")) == [True, True]
    assert outlier_flags(on_item(0, 1, 2, 3), OutlierRule("all", sample=True)) == [
        True, False, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize("variant", ["loo", "all", "signed", "loo-both"])
def test_unanimous_items_and_single_answers_flag_nobody(variant):
    assert outlier_flags(on_item(3, 3, 3, 3), OutlierRule(variant)) == [False] * 4
    assert outlier_flags(on_item(3), OutlierRule(variant)) == [False]


def test_the_share_of_outliers_dismisses_and_items_go_back_to_the_queue():
    rows = [row for name in "abcde" for row in answers(name, [at % 3 for at in range(10)])]
    rows += answers("far", [5 - at % 2 for at in range(10)])
    cleaned = clean(rows, {})
    assert list(cleaned.dismissed) == ["far"]
    assert "60%" in cleaned.dismissed["far"]
    assert {row.annotator for row in cleaned.judgments} == set("abcde")
    assert cleaned.queue == {}
    fewer = clean(rows, {"i0": KnownAnswer(low=-5, high=5)}, CrowdRules(least_answers=6))
    assert fewer.queue == {f"i{at}": 1 for at in range(1, 10)}  # not the test question


def test_words_have_no_outliers():
    rows = answers("a", ["yes", "no"] * 5)
    with pytest.raises(BadInput, match="scale of numbers"):
        clean(rows, {})
    assert clean(rows, {}, CrowdRules(outliers=None)).dismissed == {}
