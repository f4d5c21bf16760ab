"""The official scores, worked out by hand, and their conventions for what is undefined."""

import pytest

from trope.core.errors import BadInput
from trope.metrics.metonymy import score_names

LABELS = ("literal", "people", "event", "other")
# six samples: four literal, one people, one event
GOLD = {"a": "literal", "b": "literal", "c": "literal", "d": "literal", "e": "people", "f": "event"}
# right: a, b, e; wrong: c; abstains: d, f
ANSWERS = {"a": "literal", "b": "literal", "c": "people", "d": None, "e": "people", "f": None}


def test_scores_by_hand():
    scores = score_names(GOLD, ANSWERS, LABELS)
    assert (scores.samples, scores.answered) == (6, 4)
    assert scores.accuracy == 3 / 4
    assert scores.coverage == 4 / 6
    assert scores.all_accuracy == 4 / 6  # d becomes right, f stays wrong
    assert scores.baseline == 4 / 6
    literal, people = scores.classes["literal"], scores.classes["people"]
    assert (literal.precision, literal.recall, literal.f) == (1, 2 / 4, pytest.approx(2 / 3))
    assert (people.precision, people.recall, people.f) == (1 / 2, 1, pytest.approx(2 / 3))
    backed = scores.all_classes["literal"]
    assert (backed.precision, backed.recall, backed.f) == (3 / 4, 3 / 4, 3 / 4)


def test_undefined_as_in_the_official_results():
    scores = score_names(GOLD, {**ANSWERS, "d": "other"}, LABELS)
    event, other = scores.classes["event"], scores.classes["other"]
    assert (event.precision, event.recall, event.f) == (None, 0, 0)
    assert (other.precision, other.recall, other.f) == (0, None, None)


def test_undefined_as_in_the_script():
    scores = score_names(GOLD, {**ANSWERS, "f": "people"}, LABELS, undefined="script")
    assert scores.classes["event"].f is None
    assert scores.classes["people"].f == pytest.approx(1 / 2)
    wrong = score_names({"a": "people"}, {"a": "literal"}, LABELS, undefined="script")
    assert wrong.classes["literal"].f is None  # attempted, but nothing of it in the gold
    assert wrong.classes["people"].f is None


def test_nobody_who_abstains_always_has_an_accuracy():
    scores = score_names(GOLD, dict.fromkeys(GOLD), LABELS)
    assert (scores.accuracy, scores.coverage, scores.all_accuracy) == (None, 0, 4 / 6)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"a": "literal"}, "sample 'b' has no answer; write 'unknown'"),
        ({**ANSWERS, "z": "literal"}, "sample 'z' is not in the gold file"),
    ],
)
def test_other_samples_than_those_of_the_gold_are_refused(answers, words):
    with pytest.raises(BadInput, match=words):
        score_names(GOLD, answers, LABELS)
