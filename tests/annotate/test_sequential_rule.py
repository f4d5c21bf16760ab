"""Evidence that grows with answers, signs of bad work, and the simulated crowd."""

import numpy as np
import pytest

from trope.annotate.rules.gold import parse_gold
from trope.annotate.rules.review import (
    binomial_tail,
    copiers,
    longest_run,
    review,
    straight_lines,
    too_fast,
)
from trope.annotate.rules.sequential import (
    Evidence,
    SequentialRule,
    gold_evidence,
    peer_evidence,
    weigh,
)
from trope.annotate.rules.simulation import (
    BINARY,
    KINDS,
    SCALE,
    SUBJECT,
    measure_kind,
    simulate_room,
)
from trope.core.errors import UnknownName
from trope.core.judgments import Judgment

TEN = [str(n) for n in range(-5, 6)]


def gold(passed, chance=0.5):
    return Evidence("gold", passed, chance)


def peers(passed, chance=0.5):
    return Evidence("peers", passed, chance)


def test_wrong_answers_dismiss_and_right_ones_do_not():
    verdict = weigh([gold(False)] * 12)
    assert verdict.action == "dismiss"
    assert verdict.after <= 12
    assert "0 of" in verdict.reason
    assert weigh([gold(True)] * 40).action == ""


def test_nobody_is_judged_before_the_test_questions():
    rule = SequentialRule(after_gold=5)
    assert weigh([], rule).action == ""
    assert weigh([peers(False)] * 200, rule).action == ""
    assert weigh([gold(False)] * 4, rule).action == ""


def test_peers_alone_do_not_dismiss_who_passes_test_questions():
    work = [gold(True) if at % 6 == 0 else peers(at % 2 == 0) for at in range(120)]
    assert weigh(work).action != "dismiss"
    guesses = [gold(True) if at % 6 == 0 else peers(False) for at in range(120)]
    verdict = weigh(guesses, SequentialRule(alpha=1e-9))
    assert verdict.action == "review"
    assert "may be known" in verdict.reason


def test_work_that_becomes_bad_is_seen_though_the_whole_looks_fair():
    good, bad = [gold(True)] * 60, [gold(False)] * 12
    assert weigh(good + bad).action == "dismiss"
    scattered = [gold(at % 6 != 5) for at in range(72)]  # as many wrong, but spread out
    assert weigh(scattered).action == ""


def test_honest_work_is_dismissed_no_more_often_than_promised():
    rng = np.random.default_rng(7)
    rule = SequentialRule(honest_gold=0.8, alpha=0.05, after_gold=1)
    wronged = sum(
        weigh([gold(bool(right)) for right in rng.random(150) < 0.8], rule).action == "dismiss"
        for _ in range(400)
    )
    assert wronged / 400 <= 0.05


def test_evidence_of_answers():
    assert gold_evidence("1", parse_gold("0..3"), TEN) == Evidence("gold", True, 4 / 11)
    assert gold_evidence("1", parse_gold("-5..5"), TEN) is None  # any answer is right
    rule = SequentialRule()
    assert peer_evidence("no", ["yes", "yes"], ["no", "yes"], rule) is None  # too few
    assert peer_evidence("no", ["yes", "no", "yes", "no"], ["no", "yes"], rule) is None  # divided
    assert peer_evidence("no", ["yes"] * 3 + ["no"], ["no", "yes"], rule) == peers(False)
    assert peer_evidence("5", ["-3", "-2", "-2"], TEN, rule) == peers(False, 5 / 11)
    assert peer_evidence("-4", ["-3", "-2", "-2"], TEN, rule) == peers(True, 5 / 11)


def test_a_guess_that_passes_as_often_as_honest_work_says_nothing():
    assert weigh([gold(False, chance=0.9)] * 50).action == ""


def rows(**labels):
    """Judgments in turns, an item at a time."""
    names = list(labels)
    length = len(labels[names[0]])
    return [Judgment(f"i{at}", name, labels[name][at]) for at in range(length) for name in names]


def test_runs():
    assert longest_run("abbbba") == 4
    assert longest_run("") == 0
    mixed = "yn" * 30
    assert straight_lines(rows(a=mixed, b=mixed, c="y" * 30 + "n" * 30)).keys() == {"c"}
    assert straight_lines(rows(a="y" * 30)) == {}  # one label: nothing to compare with


def test_speed_is_compared_with_the_others():
    times = {"a": 8.0, "b": 10.0, "c": 9.0, "d": 1.0}
    timed = [
        Judgment(f"i{n}", name, "y", seconds=s) for name, s in times.items() for n in range(10)
    ]
    assert list(too_fast(timed)) == ["d"]
    assert too_fast(timed[:20]) == {}  # two annotators: who is slow?


def test_nobody_reads_in_no_time():
    def timed(seconds, times=10):
        return [Judgment(f"i{at}", "a", "y", seconds=seconds) for at in range(times)]

    assert list(too_fast(timed(0.4))) == ["a"]  # alone, or where all are as fast
    assert too_fast(timed(0.6)) == {}
    assert too_fast(timed(0.4, times=9)) == {}  # a few slips of the key


def test_a_copier_shares_errors_and_excellent_annotators_do_not():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    honest = [np.where(rng.random(120) < 0.15, 1 - truth, truth) for _ in range(4)]
    spelt = [["ny"[place] for place in answers] for answers in honest]
    found = copiers(rows(a=spelt[0], b=spelt[1], c=spelt[2], d=spelt[3], e=spelt[0]))
    assert list(found) == ["e"]
    assert "'a'" in found["e"]
    perfect = ["ny"[place] for place in truth]
    assert copiers(rows(a=spelt[0], b=spelt[1], c=spelt[2], d=perfect, e=perfect)) == {}


def test_tail_of_the_binomial_by_hand():
    assert binomial_tail(2, 3, 0.5) == pytest.approx(0.5)
    assert binomial_tail(0, 3, 0.2) == pytest.approx(1)


def test_a_review_names_the_constant_one():
    room = simulate_room("constant", BINARY, np.random.default_rng(1))
    verdicts = review(room.judgments, room.gold, BINARY.labels)
    assert verdicts[SUBJECT].action == "dismiss"
    assert "constant" in verdicts[SUBJECT].reason
    assert len(verdicts) == 5


def test_rooms_are_seeded_and_whole():
    one, two = (simulate_room("copier", SCALE, np.random.default_rng(5)) for _ in range(2))
    assert one == two
    assert len(one.judgments) == 5 * 120
    assert len(one.gold) == 20
    with pytest.raises(UnknownName, match="kind of annotator"):
        simulate_room("saint", SCALE, np.random.default_rng(5))


@pytest.mark.parametrize("task", [BINARY, SCALE], ids=lambda task: task.name)
def test_simulated_crowd_is_judged_as_promised(task):
    found = {
        kind: measure_kind(kind, task, workers=60, seed=2)
        for kind in ("constant", "random", "honest 85 %")
    }
    assert found["constant"].dismissed >= 0.95
    assert found["random"].dismissed >= 0.95
    assert found["honest 85 %"].dismissed <= 0.02
    assert found["honest 85 %"].gold_accuracy == pytest.approx(0.85, abs=0.04)


def test_every_kind_can_be_measured():
    for kind in KINDS:
        outcome = measure_kind(kind, SCALE, workers=2, seed=0)
        assert 0 <= outcome.caught <= 1
