"""The alternative annotator test, against answers worked out by hand and by other means."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from trope.core.judgments import Judgment
from trope.metrics.alternative_annotator import alternative_test
from trope.metrics.intervals import student_tail
from trope.metrics.keyness import benjamini_yekutieli


def integrated_tail(t: float, freedom: int) -> float:
    """The tail of Student's t by Simpson's rule over the angle, without any special function."""
    angles = np.linspace(math.atan(t / math.sqrt(freedom)), math.pi / 2, 20_001)
    heights = np.cos(angles) ** (freedom - 1)
    weights = np.ones_like(angles)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    step = angles[1] - angles[0]
    front = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return float(front * step / 3 * (heights * weights).sum())


@pytest.mark.parametrize("t", [-3.0, -0.2, 0.0, 0.7, 2.042, 6.5])
@pytest.mark.parametrize("freedom", [1, 2, 30, 400])
def test_the_tail_of_t_is_that_of_the_integral(t, freedom):
    assert student_tail(t, freedom) == pytest.approx(integrated_tail(t, freedom), abs=1e-9)


def test_the_tail_of_t_is_that_of_printed_tables():
    assert student_tail(2.042, 30) == pytest.approx(0.025, abs=2e-5)
    assert student_tail(12.706, 1) == pytest.approx(0.025, abs=2e-5)
    assert (student_tail(math.inf, 5), student_tail(-math.inf, 5)) == (0.0, 1.0)


def test_benjamini_yekutieli_by_hand():
    # m = 3, 1 + 1/2 + 1/3 = 11/6: 0.01·3·11/6 = 0.055, 0.02·3/2·11/6 = 0.055, 0.04·11/6 = 0.0733
    assert benjamini_yekutieli([0.04, 0.01, 0.02]) == pytest.approx([11 / 150, 0.055, 0.055])


def panel(rows: dict[str, str]) -> list[Judgment]:
    """Judgments from one string of answers per annotator; a dot is no answer."""
    return [
        Judgment(f"item {at}", name, label)
        for name, labels in rows.items()
        for at, label in enumerate(labels)
        if label != "."
    ]


def test_a_panel_worked_out_by_hand():
    """40 items, all three say y but for c, who says n on the last 20; the model says y.

    Without a: the others agree wholly on 20 items and are split on 20. The model and a say the
    same everywhere, so both shares are 1, all differences 0, and 0 < 0.2 makes the model win; the
    same without b. Without c: the others always say y; the model always agrees, c on 20 items, so
    the model's share is 1, c's one half, and the mean difference −0.5 is far below 0.2.
    """
    people = panel({"a": "y" * 40, "b": "y" * 40, "c": "y" * 20 + "n" * 20})
    found = alternative_test(people, {f"item {at}": "y" for at in range(40)}, epsilon=0.2)
    assert found.winning_rate == 1 and found.passes and not found.notes
    assert found.advantage == 1
    shares = {
        row.annotator: (row.items, row.model, row.annotator_share) for row in found.annotators
    }
    assert shares == {"a": (40, 1, 1), "b": (40, 1, 1), "c": (40, 1, 0.5)}
    # differences of c: twenty 0 and twenty −1, so the spread is sqrt(40·¼/39)
    t = (0.2 + 0.5) / (math.sqrt(10 / 39) / math.sqrt(40))
    assert found.annotators[2].p == pytest.approx(integrated_tail(t, 39), rel=1e-6)


def test_a_model_that_contradicts_everyone_fails():
    people = panel({"a": "yn" * 20, "b": "yn" * 20, "c": "yn" * 20})
    against = {f"item {at}": "ny"[at % 2] for at in range(40)}
    found = alternative_test(people, against)
    assert (found.winning_rate, found.advantage, found.passes) == (0, 0, False)
    assert all(row.p == 1 for row in found.annotators)


def reference(people, answers, epsilon, score):
    """The procedure as the paper prints it, without any of the code that is tested."""
    by_item = {}
    for one in people:
        by_item.setdefault(one.item, {})[one.annotator] = one.label
    p, advantages = {}, []
    for name in sorted({one.annotator for one in people}):
        differences, wins = [], []
        for item, labels in by_item.items():
            if name not in labels or len(labels) < 2:
                continue
            others = [label for other, label in labels.items() if other != name]
            model, own = score(answers[item], others), score(labels[name], others)
            wins.append(model >= own)
            differences.append((own >= model) - (model >= own))
        t = (np.mean(differences) - epsilon) / (np.std(differences, ddof=1) / len(wins) ** 0.5)
        p[name] = integrated_tail(-t, len(wins) - 1)
        advantages.append(np.mean(wins))
    ranked = sorted(p, key=p.get)
    harmonic = sum(1 / k for k in range(1, len(p) + 1))
    passed = [k for k, name in enumerate(ranked, 1) if p[name] <= k / len(p) * 0.05 / harmonic]
    return max(passed, default=0) / len(p), float(np.mean(advantages)), p


def accuracy(label, others):
    return sum(label == other for other in others) / len(others)


def negative_rmse(label, others):
    return -math.sqrt(sum((float(label) - float(other)) ** 2 for other in others) / len(others))


@pytest.mark.parametrize(("labels", "score"), [("abc", accuracy), ("0123456", negative_rmse)])
@pytest.mark.parametrize("epsilon", [0.1, 0.15, 0.2])
@pytest.mark.parametrize("skill", [0.35, 0.6, 0.9])
def test_the_test_is_that_of_the_paper(labels, score, epsilon, skill):
    rng = Random(7)
    truth = [rng.choice(labels) for _ in range(120)]

    def answer(right: str, often: float) -> str:
        return right if rng.random() < often else rng.choice(labels)

    people = [
        Judgment(f"{at}", name, answer(right, often))
        for at, right in enumerate(truth)
        for name, often in (("p", 0.5), ("q", 0.7), ("r", 0.8), ("s", 0.6))
        if rng.random() < 0.8
    ]
    model = {f"{at}": answer(right, skill) for at, right in enumerate(truth)}
    wanted_rate, wanted_advantage, p = reference(people, model, epsilon, score)
    found = alternative_test(people, model, epsilon=epsilon)
    assert (found.winning_rate, found.passes) == (wanted_rate, wanted_rate >= 0.5)
    assert found.advantage == pytest.approx(wanted_advantage)
    for row in found.annotators:
        assert row.p == pytest.approx(p[row.annotator], rel=1e-5, abs=1e-12)


def test_requirements_that_are_not_met_are_told():
    people = panel({"a": "yn" * 20, "b": "yn" * 20 + "yy"})
    model = {f"item {at}": "y" for at in range(42)}
    notes = alternative_test(people, model).notes
    assert len(notes) == 1 and "3 annotators or more; there are 2" in notes[0]
    few = alternative_test(panel({"a": "yn", "b": "yy", "c": "nn"}), model)
    assert (few.winning_rate, few.advantage, few.passes) == (None, None, None)
    assert [row.p for row in few.annotators] == [None] * 3
    assert "30 items each" in few.notes[0] and "a 2, b 2, c 2" in few.notes[0]


def test_items_that_the_model_did_not_answer_do_not_count():
    people = panel({"a": "y" * 40, "b": "y" * 40, "c": "y" * 40})
    found = alternative_test(people, {f"item {at}": "y" for at in range(35)})
    assert {row.items for row in found.annotators} == {35}
    assert alternative_test(people, {}).winning_rate is None
