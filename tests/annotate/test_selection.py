"""The score of applicants and their order, as the formula says."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.annotate.rules.selection import (
    Applicant,
    Pace,
    ScoreWeights,
    best,
    passes,
    ranked,
    score,
)

DONE = datetime(2026, 3, 2, 12, tzinfo=UTC)


def applicant(name: str = "Ann", **changes: object) -> Applicant:
    usual = Applicant(name, shown=120, skipped=0, gold=20, right=20, seconds=18.0, finished=DONE)
    return replace(usual, **changes)  # type: ignore[arg-type]


@st.composite
def applicants(draw: st.DrawFn, most: int = 6) -> list[Applicant]:
    names = draw(st.lists(st.text("abcdef", min_size=1), unique=True, max_size=most))
    found = []
    for name in names:
        shown = draw(st.integers(1, 120))
        gold = draw(st.integers(0, min(shown, 20)))
        skipped = draw(st.integers(0, shown))
        found.append(
            Applicant(
                name,
                shown,
                skipped,
                gold,
                draw(st.integers(0, gold)),
                draw(st.floats(0, 4000)),
                DONE + timedelta(minutes=draw(st.integers(0, 3))),
            )
        )
    return found


weights = st.builds(ScoreWeights, st.floats(0.01, 5), st.floats(0, 5), st.floats(0, 5))


def test_score_is_the_stated_one() -> None:
    given = applicant(skipped=12, right=15, seconds=36.0)
    found = score(given, ScoreWeights(0.8, 0.1, 0.1), Pace(expected=18, too_fast=2))
    assert (found.gold, found.skips, found.time) == (0.75, 0.9, 0.5)
    assert found.total == pytest.approx(0.8 * 0.75 + 0.1 * 0.9 + 0.1 * 0.5)


def test_weights_need_not_add_up_to_one() -> None:
    given = applicant(skipped=12, right=15, seconds=36.0)
    assert score(given, ScoreWeights(8, 1, 1), Pace()).total == pytest.approx(
        score(given, ScoreWeights(0.8, 0.1, 0.1), Pace()).total
    )


def test_who_cannot_have_read_gets_nothing_for_speed() -> None:
    pace = Pace(expected=18, too_fast=2)
    assert score(applicant(seconds=1.9), ScoreWeights(), pace).time == 0
    assert score(applicant(seconds=2.0), ScoreWeights(), pace).time == 1
    assert score(applicant(seconds=18.0), ScoreWeights(), pace).time == 1


@given(applicants(), weights)
def test_every_part_lies_between_0_and_1(group: list[Applicant], weights: ScoreWeights) -> None:
    for one in group:
        found = score(one, weights, Pace())
        for part in (found.gold, found.skips, found.time):
            assert 0 <= part <= 1
        assert -1e-9 <= found.total <= 1 + 1e-9


@given(applicants(), st.randoms(use_true_random=False), weights)
def test_order_does_not_depend_on_the_order_of_arrival(
    group: list[Applicant], rng: object, weights: ScoreWeights
) -> None:
    mixed = list(group)
    rng.shuffle(mixed)  # type: ignore[attr-defined]
    assert ranked(group, weights=weights) == ranked(mixed, weights=weights)


@given(applicants(most=8), weights, st.floats(0, 1))
def test_one_applicant_more_never_turns_the_order_of_others(
    group: list[Applicant], weights: ScoreWeights, mark: float
) -> None:
    whole = [one.applicant for one in ranked(group, weights=weights, pass_mark=mark)]
    for gone in group:
        rest = [one for one in group if one != gone]
        left = [one.applicant for one in ranked(rest, weights=weights, pass_mark=mark)]
        assert left == [one for one in whole if one != gone]


@given(applicants(), weights)
def test_one_more_known_answer_right_never_costs_a_place(
    group: list[Applicant], weights: ScoreWeights
) -> None:
    for one in group:
        if one.right == one.gold:
            continue
        better = replace(one, right=one.right + 1)
        others = [other for other in group if other != one]
        before = {r.applicant.name: r.place for r in ranked(group, weights=weights)}
        after = {r.applicant.name: r.place for r in ranked([*others, better], weights=weights)}
        assert after[one.name] <= before[one.name]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # equal scores: 1 known answer more (0.04) against pace (0.04)
        (
            applicant("Zoe", right=10, seconds=18 / 0.6),
            applicant("Ann", right=9, seconds=18.0),
        ),
        (applicant("Zoe", seconds=3.0), applicant("Ann", seconds=4.0)),
        (
            applicant("Zoe", finished=DONE),
            applicant("Ann", finished=DONE + timedelta(seconds=1)),
        ),
        (applicant("Ann"), applicant("Zoe")),
    ],
)
def test_ties_are_broken_as_stated(first: Applicant, second: Applicant) -> None:
    totals = [round(score(one, ScoreWeights(), Pace()).total, 9) for one in (first, second)]
    assert totals[0] == totals[1]
    assert [one.applicant for one in ranked([second, first])] == [first, second]


def test_those_under_the_mark_come_last_and_get_no_place() -> None:
    weak = applicant("Weak", right=10, seconds=10.0)
    slow = applicant("Slow", right=14, skipped=100, seconds=3000.0)
    assert score(weak, ScoreWeights(0, 0.5, 0.5), Pace()).total > 0.9
    ranking = ranked([weak, slow], pass_mark=0.7, weights=ScoreWeights(0, 0.5, 0.5))
    assert [one.applicant.name for one in ranking] == ["Slow", "Weak"]
    assert [one.passes for one in ranking] == [True, False]
    assert best(ranking, 2) == [slow]
    assert best(ranking, 0) == []


def test_without_control_items_nobody_passes_a_mark() -> None:
    unknown = applicant(gold=0, right=0)
    assert passes(unknown, 0)
    assert not passes(unknown, 0.1)
    assert score(unknown, ScoreWeights(), Pace()).gold == 0
