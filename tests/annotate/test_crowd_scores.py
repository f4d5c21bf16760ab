"""Weighted scores of a crowd: reliability, rounding, the queue, and what is undefined."""

from typing import Any

import pytest

from trope.annotate.rules.crowd import CrowdRules, crowd_scores, team_scores
from trope.annotate.rules.gold import KnownAnswer
from trope.core.judgments import Judgment

GOLD = {f"q{at}": KnownAnswer(low=-1, high=1) for at in range(10)}


def work(name: str, right: int, answers: dict[str, int]) -> list[Judgment]:
    tests = [Judgment(f"q{at}", name, "0" if at < right else "5") for at in range(10)]
    return tests + [Judgment(item, name, str(label)) for item, label in answers.items()]


def scores(rows: list[Judgment], **rules: object) -> dict[str, Any]:
    result = crowd_scores(rows, GOLD, CrowdRules(outliers=None, **rules))  # type: ignore[arg-type]
    return {score.item: score for score in result.scores}


def test_score_is_weighted_by_reliability_and_rounded_half_up() -> None:
    rows = [
        row
        for n, right in enumerate((10, 10, 8, 8, 7))
        for row in work(f"w{n}", right, {"t": -1 - n})
    ]
    found = scores(rows)["t"]
    assert found.score == pytest.approx(-(1 + 2 * 1 + 3 * 0.8 + 4 * 0.8 + 5 * 0.7) / 4.3)
    assert found.integer == -3
    half = [
        row for n, a in enumerate((-2, -3, -2, -3, -2, -3)) for row in work(f"w{n}", 10, {"t": a})
    ]
    assert scores(half)["t"].score == -2.5
    assert scores(half)["t"].integer == -2


def test_fewer_than_five_go_back_to_the_queue_without_a_score() -> None:
    rows = [row for n in range(5) for row in work(f"w{n}", 10, {"t": 1, **({"u": 2} if n else {})})]
    found = scores(rows)
    assert found["t"].score == 1
    assert found["u"].score is None
    assert found["u"].note == "back to the queue: 4 judgments are left, 1 too few"
    dismissed = [*rows, *work("bad", 3, {"u": -5})]
    assert crowd_scores(dismissed, GOLD).cleaned.queue == {"u": 1}


def test_reliabilities_of_zero_are_said_and_not_divided_by() -> None:
    rows = [row for n in range(5) for row in work(f"w{n}", 0, {"t": n})]
    found = scores(rows, least_accuracy=0.0)["t"]
    assert found.score is None
    assert found.note == "undefined: the reliability of every annotator of this item is 0"


def test_who_has_seen_no_test_question_is_not_judged_and_does_not_count() -> None:
    rows = [row for n in range(5) for row in work(f"w{n}", 10, {"t": 1})]
    rows += [Judgment("t", "new", "-5")]
    result = crowd_scores(rows, GOLD, CrowdRules(outliers=None))
    assert "new" not in result.cleaned.dismissed
    assert "new" not in result.reliability
    assert next(s for s in result.scores if s.item == "t").score == 1
    alone = [Judgment("t", f"n{n}", "1") for n in range(5)]
    found = crowd_scores(alone, GOLD, CrowdRules(outliers=None)).scores[0]
    assert found.note == "undefined: no annotator of this item has answered a test question"


def test_native_speakers_of_a_team_count_twice() -> None:
    rows = [Judgment("t", name, label) for name, label in (("a", "-4"), ("b", "2"), ("c", "2"))]
    assert team_scores(rows, native={"a"}) == {"t": -1.0}
    assert team_scores(rows, native={"a"}, weight=1) == {"t": 0.0}
