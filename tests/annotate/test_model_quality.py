"""A model beside people: agreement, bias by label and length, anchoring."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trope.annotate.rules.agreement import measure_question
from trope.annotate.rules.model_quality import measure_model
from trope.core.judgments import Judgment


def judged(rows: dict[str, str]) -> list[Judgment]:
    return [
        Judgment(f"i{at}", name, label, "q")
        for name, labels in rows.items()
        for at, label in enumerate(labels)
    ]


PEOPLE = judged({"ann": "yyynnnyn", "bob": "yynnnnyy", "cy": "yynnynyn"})
MODEL = dict(zip([f"i{at}" for at in range(8)], "yyynnnyy", strict=True))


def test_agreement_is_that_of_agree_and_of_counting():
    found = measure_model(PEOPLE, MODEL, model="m")
    equal, kappa = found.agreement
    known = {one.name: one for one in measure_question(PEOPLE).agreements}
    for one, name in ((equal, "percent"), (kappa, "cohen")):
        assert one.people.value == pytest.approx(known[name].value)
        assert (one.people.low, one.people.high) == pytest.approx(
            (known[name].low, known[name].high)
        )
        assert one.difference.value == pytest.approx(one.model.value - one.people.value)
        assert one.model.low <= one.model.value <= one.model.high
    same = sum(one.label == MODEL[one.item] for one in PEOPLE)
    assert equal.model.value == pytest.approx(same / 24)
    assert (found.items, found.judgments, found.question) == (8, 24, "q")


def test_bias_by_label_is_counted():
    yes, no = sorted(
        measure_model(PEOPLE, MODEL, model="m").labels, key=lambda one: -one.model.value
    )
    assert (yes.label, no.label) == ("y", "n")
    said = sum(one.label == "y" for one in PEOPLE)
    assert yes.people.value == pytest.approx(said / 24)
    assert yes.model.value == pytest.approx(5 / 8)
    assert yes.difference.value == pytest.approx(5 / 8 - said / 24)
    both = sum(one.label == "y" == MODEL[one.item] for one in PEOPLE)
    assert yes.found.value == pytest.approx(both / said)
    assert no.difference.value == pytest.approx(-yes.difference.value)


def test_bias_by_length():
    """The model agrees on short texts alone."""
    people = judged({"ann": "yn" * 15, "bob": "yn" * 15})
    model = {f"i{at}": "yn"[at % 2] if at < 20 else "ny"[at % 2] for at in range(30)}
    texts = {f"i{at}": "word " * (at + 1) for at in range(30)}
    found = measure_model(people, model, model="m", texts=texts)
    assert [(one.shortest, one.longest, one.items) for one in found.lengths] == [
        (1, 10, 10), (11, 20, 10), (21, 30, 10)]  # fmt: skip
    assert [one.model.value for one in found.lengths] == [1, 1, 0]
    assert [one.people.value for one in found.lengths] == [1, 1, 1]
    assert (found.longer.value, found.longer.low, found.longer.high) == (-1, -1, -1)
    assert measure_model(people, model, model="m").lengths == ()


def test_anchoring_compares_what_was_shown_with_what_was_not():
    """Shown: 18 of 20 take the model's answer over. Blind: 10 of 20 give it anyway."""
    people = [Judgment(f"i{at}", "ann", "y" if at not in (3, 7) else "n", "q") for at in range(20)]
    people += [Judgment(f"i{at}", "ann", "y" if at % 2 else "n", "q") for at in range(20, 40)]
    shown = [(f"i{at}", "ann") for at in range(20)]
    found = measure_model(people, {f"i{at}": "y" for at in range(40)}, model="m", shown=shown)
    anchoring = found.anchoring
    assert (anchoring.suggested.value, anchoring.blind.value) == (0.9, 0.5)
    assert anchoring.difference.value == pytest.approx(0.4)
    assert 0 < anchoring.difference.low < 0.4 < anchoring.difference.high
    assert (anchoring.suggested_judgments, anchoring.blind_judgments) == (20, 20)
    # what was given with the answer in view says nothing about the model
    assert (found.items, found.judgments) == (20, 20)
    assert "20 judgments were given with" in found.notes[0]


def test_time_with_and_without_suggestions_is_the_median_of_what_is_known():
    people = [
        Judgment(f"i{at}", "ann", "y", "q", seconds=None if at == 1 else float(at))
        for at in range(8)
    ]
    model = {f"i{at}": "y" for at in range(7)}  # the last one has no answer of the model
    shown = [(f"i{at}", "ann") for at in range(4)]
    found = measure_model(people, model, model="m", shown=shown).anchoring
    assert (found.suggested_seconds, found.blind_seconds) == (2, 5)
    untimed = [replace(one, seconds=None) for one in people]
    found = measure_model(untimed, model, model="m", shown=shown).anchoring
    assert (found.suggested_seconds, found.blind_seconds) == (None, None)


def test_people_who_ignore_suggestions_show_no_anchoring():
    people = [Judgment(f"i{at}", "ann", "yn"[at % 2], "q") for at in range(80)]
    shown = [(f"i{at}", "ann") for at in range(40)]
    found = measure_model(people, {f"i{at}": "y" for at in range(80)}, model="m", shown=shown)
    difference = found.anchoring.difference
    assert difference.value == 0 and difference.low < 0 < difference.high


def test_numbers_are_equal_however_they_are_spelt():
    people = [Judgment(f"i{at}", name, "1.0") for at in range(4) for name in ("ann", "bob")]
    equal, *_ = measure_model(people, {f"i{at}": "+1" for at in range(4)}, model="m").agreement
    assert equal.model.value == 1


@pytest.mark.parametrize(
    ("people", "note"),
    [(judged({"ann": "yn"}), "no item has two answers of people"), ([], "no item in common"),
     ([Judgment("else", "ann", "y")], "no item in common")],
)  # fmt: skip
def test_what_cannot_be_compared_is_said(people, note):
    found = measure_model(people, MODEL, model="m")
    assert any(note in one for one in found.notes)
    assert found.alternative.passes is None
