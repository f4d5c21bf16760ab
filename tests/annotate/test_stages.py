"""Stages in their order, and when guidelines are read again: pure rules, a set clock."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.annotate.rules.assignment import Caps, Tally
from trope.annotate.rules.selection import (
    CompletedStages,
    ReadingRules,
    RequiredStages,
    must_read_again,
    stage,
)

MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)
ALL = RequiredStages(profile=True, reading=True, training=2, demo=True, selection=True)


def test_stages_come_one_after_the_other() -> None:
    steps = [
        CompletedStages(),
        CompletedStages(consented=True),
        CompletedStages(consented=True, profiled=True),
        CompletedStages(consented=True, profiled=True, read=True),
        CompletedStages(consented=True, profiled=True, read=True, trained=1),
        CompletedStages(consented=True, profiled=True, read=True, trained=2),
        CompletedStages(consented=True, profiled=True, read=True, trained=2, demonstrated=True),
    ]
    found = [stage(ALL, step) for step in steps]
    assert found == ["consent", "profile", "reading", "training", "training", "demo", "waiting"]


def test_nothing_is_asked_that_the_project_does_not_want() -> None:
    assert stage(RequiredStages(), CompletedStages(consented=True)) == "work"
    assert (
        stage(RequiredStages(demo=True), CompletedStages(consented=True, demonstrated=True))
        == "work"
    )
    assert stage(RequiredStages(selection=True), CompletedStages(consented=True)) == "waiting"


passed = st.builds(
    CompletedStages,
    consented=st.booleans(),
    trusted=st.booleans(),
    verdict=st.sampled_from(["", "accepted", "declined"]),
    profiled=st.booleans(),
    read=st.booleans(),
    trained=st.integers(0, 3),
    demonstrated=st.booleans(),
)
ways = st.builds(
    RequiredStages,
    profile=st.booleans(),
    reading=st.booleans(),
    training=st.integers(0, 3),
    demo=st.booleans(),
    selection=st.booleans(),
)


@given(ways, passed)
def test_nobody_works_without_consent_or_against_a_verdict(
    way: RequiredStages, done: CompletedStages
) -> None:
    found = stage(way, done)
    if not done.consented:
        assert found == "consent"
    elif done.verdict == "declined" and not done.trusted:
        assert found == "declined"
    if found == "work" and not done.trusted and done.verdict != "accepted":
        assert done.profiled or not way.profile
        assert done.read or not way.reading
        assert done.trained >= way.training
        assert done.demonstrated or not way.demo
        assert not way.selection


def reads(
    reading: ReadingRules,
    caps: Caps,
    tally: Tally,
    *,
    worked: datetime,
    now: datetime,
    **more: datetime,
) -> bool:
    return must_read_again(reading, caps, tally, worked=worked, read=more.get("read"), now=now)


TUESDAY, NEXT_WEEK = MONDAY + timedelta(hours=15), MONDAY + timedelta(days=7)


@pytest.mark.parametrize(
    ("tally", "now", "wanted"),
    [
        (Tally(MONDAY.date(), 300, 300, 300), MONDAY, False),
        (Tally(MONDAY.date(), 300, 300, 300), TUESDAY, True),
        (Tally(MONDAY.date(), 299, 299, 299), TUESDAY, False),
        (Tally(MONDAY.date(), 100, 500, 900), TUESDAY, False),
        (Tally(MONDAY.date(), 100, 500, 900), NEXT_WEEK, True),
        (Tally(MONDAY.date(), 100, 499, 900), NEXT_WEEK, False),
        (Tally(MONDAY.date(), 300, 300, 300), MONDAY - timedelta(days=2), False),
    ],
)
def test_reading_after_a_limit_of_day_or_week(tally: Tally, now: datetime, wanted: bool) -> None:
    reading, caps = ReadingRules(after_cap=True), Caps(day=300, week=500)
    assert reads(reading, caps, tally, worked=MONDAY, now=now) is wanted


def test_reading_on_the_evening_of_the_limit_is_not_reading_before_going_on() -> None:
    reading, caps = ReadingRules(after_cap=True), Caps(day=300)
    tally = Tally(MONDAY.date(), 300, 300, 300)
    evening = MONDAY + timedelta(minutes=5)
    assert reads(reading, caps, tally, worked=MONDAY, now=TUESDAY, read=evening)
    assert not reads(reading, caps, tally, worked=MONDAY, now=TUESDAY, read=TUESDAY)


def test_reading_after_a_pause_counts_from_the_last_thing_done() -> None:
    reading, tally = ReadingRules(pause_hours=12), Tally(MONDAY.date(), 3, 3, 3)
    for hours, wanted in ((11.9, False), (12, True), (500, True)):
        now = MONDAY + timedelta(hours=hours)
        assert reads(reading, Caps(), tally, worked=MONDAY, now=now) is wanted
    read = MONDAY + timedelta(hours=13)
    soon, late = read + timedelta(hours=1), read + timedelta(hours=12)
    assert not reads(reading, Caps(), tally, worked=MONDAY, now=soon, read=read)
    assert reads(reading, Caps(), tally, worked=MONDAY, now=late, read=read)


def test_who_has_not_worked_has_nothing_to_resume() -> None:
    reading = ReadingRules(after_cap=True, pause_hours=1)
    tally = Tally(MONDAY.date())
    assert not must_read_again(reading, Caps(day=1), tally, worked=None, read=MONDAY, now=NEXT_WEEK)
