"""The alternative annotator test: may a model stand in for one of the annotators?

Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge". Each
annotator j is left out in turn. On every item that j judged, the model and j are compared with the
others' answers: f counts the items where the model agrees with them at least as well as j does, h
those where j agrees at least as well as the model. The model wins against j if a paired t-test
rejects f ≤ h − ε, where ε is what a person's judgment costs more. It passes if it wins against half
of the annotators, after the correction of Benjamini and Yekutieli for as many tests.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trope.core.judgments import Judgment, as_number
from trope.metrics.intervals import student_tail
from trope.metrics.keyness import benjamini_yekutieli

LEAST_ANNOTATORS = 3
LEAST_ITEMS = 30
"""Items that an annotator must share with the model and another annotator."""

EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""The paper's ε by the kind of annotators."""

FALSE_WINS = 0.05
PASS_MARK = 0.5

Alignment = Literal["accuracy", "rmse"]
"""Share of equal labels; or, of numbers, the negative root of the mean squared difference."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The comparison with one annotator; without `p` where there are too few items to test."""

    annotator: str
    items: int
    model: float
    annotator_share: float
    p: float | None
    corrected_p: float | None
    won: bool


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """The test of one model.

    `winning_rate` is the share of tested annotators that it wins against, `advantage` the mean
    share of items on which it agrees with the others at least as well as the annotator left out.
    Both are None where nobody could be tested. `notes` say which requirements are not met.
    """

    alignment: Alignment
    epsilon: float
    winning_rate: float | None
    advantage: float | None
    passes: bool | None
    annotators: tuple[LeftOut, ...]
    notes: tuple[str, ...]


def alternative_test(
    judgments: Sequence[Judgment],
    answers: Mapping[str, str],
    *,
    epsilon: float = EPSILONS["experts"],
    alignment: Alignment | None = None,
    least_items: int = LEAST_ITEMS,
) -> AlternativeTest:
    """The test of a model's answers, by item, against people's judgments of one question.

    Args:
        alignment: by default "rmse" if all labels are numbers, else "accuracy".
        least_items: annotators who share fewer items with the model and others are not tested.
    """
    given: dict[str, dict[str, str]] = {}
    for judgment in judgments:
        if judgment.item in answers:
            given.setdefault(judgment.item, {})[judgment.annotator] = judgment.label
    shared = {item: labels for item, labels in given.items() if len(labels) > 1}
    alignment = alignment or natural_alignment(judgments, answers)
    people = list(dict.fromkeys(judgment.annotator for judgment in judgments))
    compared = {
        person: _comparison(person, shared, answers, alignment)
        for person in people
        if any(person in labels for labels in shared.values())
    }
    return _tested(compared, people, alignment, epsilon, least_items)


def natural_alignment(judgments: Sequence[Judgment], answers: Mapping[str, str]) -> Alignment:
    """ "rmse" where all labels are numbers."""
    labels = {judgment.label for judgment in judgments} | set(answers.values())
    return "accuracy" if any(as_number(label) is None for label in labels) else "rmse"


def _comparison(
    person: str,
    shared: Mapping[str, Mapping[str, str]],
    answers: Mapping[str, str],
    alignment: Alignment,
) -> list[tuple[bool, bool]]:
    """For each item of the person: whether the model, and the person, is at least as good."""
    found = []
    for item, labels in shared.items():
        if person not in labels:
            continue
        others = [label for name, label in labels.items() if name != person]
        model, own = (_aligned(one, others, alignment) for one in (answers[item], labels[person]))
        found.append((model >= own, own >= model))
    return found


def _aligned(label: str, others: Sequence[str], alignment: Alignment) -> float:
    """How well a label agrees with the others; exact, so that equals compare as equal."""
    if alignment == "accuracy":
        return float(sum(_same(label, other) for other in others))
    own = as_number(label) or 0.0
    return -math.fsum((own - (as_number(other) or 0.0)) ** 2 for other in others)


def _same(one: str, other: str) -> bool:
    """Whether two labels are equal; "1" and "1.0" are one number."""
    numbers = as_number(one), as_number(other)
    return one == other or (numbers[0] is not None and numbers[0] == numbers[1])


def _tested(
    compared: Mapping[str, Sequence[tuple[bool, bool]]],
    people: Sequence[str],
    alignment: Alignment,
    epsilon: float,
    least_items: int,
) -> AlternativeTest:
    enough = {name: pairs for name, pairs in compared.items() if len(pairs) >= max(least_items, 2)}
    values = [_paired_p(pairs, epsilon) for pairs in enough.values()]
    corrected = dict(zip(enough, benjamini_yekutieli(values).tolist(), strict=True))
    p = dict(zip(enough, values, strict=True))
    rows = tuple(
        LeftOut(
            name,
            len(pairs),
            float(np.mean([model for model, _ in pairs])),
            float(np.mean([own for _, own in pairs])),
            p.get(name),
            corrected.get(name),
            corrected.get(name, 1.0) <= FALSE_WINS,
        )
        for name, pairs in compared.items()
    )
    tested = [row for row in rows if row.p is not None]
    rate = sum(row.won for row in tested) / len(tested) if tested else None
    return AlternativeTest(
        alignment,
        epsilon,
        rate,
        float(np.mean([row.model for row in tested])) if tested else None,
        None if rate is None else rate >= PASS_MARK,
        rows,
        tuple(_unmet(people, compared, enough, least_items)),
    )


def _paired_p(pairs: Sequence[tuple[bool, bool]], epsilon: float) -> float:
    """The p of H0: the model's share is at most the annotator's less epsilon (t, one-sided)."""
    differences = np.array([int(own) - int(model) for model, own in pairs], dtype=np.float64)
    gap = epsilon - float(differences.mean())
    spread = float(differences.std(ddof=1))
    if not spread:
        return 0.0 if gap > 0 else 1.0
    return student_tail(gap / (spread / math.sqrt(len(pairs))), len(pairs) - 1)


def _unmet(
    people: Sequence[str],
    compared: Mapping[str, Sequence[object]],
    enough: Mapping[str, object],
    least_items: int,
) -> list[str]:
    notes = []
    if len(people) < LEAST_ANNOTATORS:
        asked = f"the test asks for {LEAST_ANNOTATORS} annotators or more"
        notes.append(f"{asked}; there are {len(people)}, so take the result with caution")
    few = [f"{name} {len(compared.get(name, ()))}" for name in people if name not in enough]
    if few:
        asked = f"not tested, since the test asks for {least_items} items each that the model"
        notes.append(f"{asked} and another annotator judged: {', '.join(few)}")
    return notes
