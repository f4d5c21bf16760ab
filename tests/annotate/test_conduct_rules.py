"""The counters that watch a person: equal to the rules over all rows, and what follows."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.annotate.rules.conduct import (
    Conduct,
    ConductFinding,
    QualityRules,
    check_conduct,
    log_factor,
    read_conduct,
)
from trope.annotate.rules.gold import KnownAnswer
from trope.annotate.rules.review import find_conduct
from trope.annotate.rules.sequential import Evidence, SequentialRule, weigh
from trope.core.judgments import Judgment

MARKS = {"pass_mark": 0.7, "at_least": 5}
PLAIN = QualityRules(gold_rule="plain")


def stand(*rights: bool | None, quality: QualityRules = PLAIN, label: str | None = None) -> Conduct:
    """The counters after these answers; None is no control item."""
    conduct = Conduct()
    for at, right in enumerate(rights):
        given = label if label is not None else str(at)
        conduct = conduct.after(given, right, 0.5, quality)
    return conduct


@given(
    st.lists(st.sampled_from([True, False, None]), max_size=70),
    st.sampled_from([0.05, 0.25, 0.5, 0.75]),
)
def test_level_from_counters_is_the_rule_over_all_rows(
    rights: list[bool | None], chance: float
) -> None:
    quality = QualityRules()
    conduct, dismissed = Conduct(), 0
    for at, right in enumerate(rights):
        conduct = conduct.after("x", right, chance, quality)
        finding = check_conduct("Ann", conduct, replace(quality, warn_after=0), **MARKS)
        if finding and finding.outcome == "dismiss" and not dismissed:
            dismissed = at + 1
    evidence = [None if right is None else Evidence("gold", right, chance) for right in rights]
    verdict = weigh(evidence, SequentialRule())
    assert (verdict.after if verdict.action == "dismiss" else 0) == dismissed
    assert conduct.seen == sum(right is not None for right in rights)


@given(st.lists(st.sampled_from([True, False, None]), max_size=30))
def test_conduct_survives_storage(rights: list[bool | None]) -> None:
    conduct = stand(*rights)
    assert read_conduct(conduct.stored()) == conduct
    assert read_conduct({}) == Conduct()


@pytest.mark.parametrize(
    ("rights", "outcome"),
    [
        ([False, False], None),
        ([True, False, False], "warn"),
        ([True, True, True, False, False], "dismiss"),  # 60 %
        ([True] * 7 + [False] * 3, None),  # exactly 70 %
        ([True] * 4, None),
    ],
)
def test_plain_rule_warns_then_dismisses(rights: list[bool], outcome: str | None) -> None:
    finding = check_conduct("Ann", stand(*rights), PLAIN, **MARKS)
    assert (finding.outcome if finding else None) == outcome


def test_outcome_is_what_the_plan_says() -> None:
    bad = stand(*[False] * 6)
    for outcome in ("warn", "hold", "dismiss"):
        found = check_conduct("Ann", bad, replace(PLAIN, on_gold=outcome), **MARKS)  # type: ignore[arg-type]
        assert found == ConductFinding(
            "Ann", "gold", outcome, "0 of 6 control items right, under 70%"
        )  # type: ignore[arg-type]
    for outcome in ("off", "list"):
        assert check_conduct("Ann", bad, replace(PLAIN, on_gold=outcome), **MARKS) is None  # type: ignore[arg-type]


def test_constant_answers_are_seen_until_one_differs() -> None:
    quality = replace(PLAIN, constant_after=4, on_constant="dismiss")
    conduct = stand(*[None] * 4, label="3", quality=quality)
    found = check_conduct("Ann", conduct, quality, **MARKS)
    assert found is not None
    assert (found.rule, found.reason) == ("constant", "all 4 answers are '3'")
    conduct = conduct.after("2", None, 1.0, quality).after("3", None, 1.0, quality)
    assert check_conduct("Ann", conduct, quality, **MARKS) is None
    unasked = stand(*[None] * 9, label="3", quality=replace(quality, on_constant="list"))
    assert check_conduct("Ann", unasked, replace(quality, on_constant="list"), **MARKS) is None


def test_person_is_told_about_control_items_in_steps() -> None:
    told = [stand(*[True] * n).told_seen for n in range(12)]
    assert told == [0] * 5 + [5] * 5 + [10] * 2


def test_guess_that_does_as_well_as_honest_work_says_nothing() -> None:
    assert log_factor(False, 0.9, 0.8) == 0
    assert log_factor(True, 0.4, 0.8) == pytest.approx(math.log(0.5))


def rows(name: str, labels: list[str], seconds: float = 10.0) -> list[Judgment]:
    return [Judgment(f"i{at}", name, label, seconds=seconds) for at, label in enumerate(labels)]


def crowd() -> list[Judgment]:
    """Four who agree on 40 items, and one who says yes to all in no time."""
    rng = np.random.default_rng(4)
    truth = ["yes" if value else "no" for value in rng.integers(0, 2, 40)]
    made = [row for n in range(4) for row in rows(f"honest {n}", truth)]
    return made + rows("clicker", ["yes"] * 40, seconds=0.5)


def test_findings_name_rule_person_and_outcome() -> None:
    quality = QualityRules(on_constant="dismiss", on_speed="warn", on_straight_line="off")
    found = find_conduct(crowd(), {}, ["yes", "no"], quality, **MARKS)
    assert [(one.annotator, one.rule, one.outcome) for one in found] == [
        ("clicker", "constant", "dismiss"),
        ("clicker", "speed", "warn"),
    ]


def test_outliers_are_found_on_numbers_only() -> None:
    quality = QualityRules(on_outliers="hold", on_constant="off", gold_rule="plain")
    scores = [row for n in range(5) for row in rows(f"p{n}", [str(n % 2)] * 12)]
    scores += rows("far", ["9"] * 12)
    assert [(f.annotator, f.rule) for f in find_conduct(scores, {}, [], quality, **MARKS)] == [
        ("far", "outliers")
    ]
    assert not [f for f in find_conduct(crowd(), {}, [], quality, **MARKS) if f.rule == "outliers"]


def test_plain_rule_over_rows_needs_the_same_mark() -> None:
    gold = {f"i{n}": KnownAnswer(frozenset({"yes"})) for n in range(6)}
    judgments = rows("bad", ["no"] * 6) + rows("good", ["yes"] * 6)
    found = find_conduct(judgments, gold, ["yes", "no"], replace(PLAIN, on_copying="off"), **MARKS)
    assert [(one.annotator, one.rule, one.outcome) for one in found] == [("bad", "gold", "dismiss")]
