"""A simulated crowd, drawn by a seed, and the labels and agreement of any crowd.

Each simulated annotator has a skill: the share of answers that match a hidden truth. The truth is
drawn too, close to what the model says about the item, so that there is an effect to find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trope.annotate.rules.agreement import QuestionAgreement, measure_question
from trope.annotate.rules.simulation import SCALE
from trope.core.judgments import Judgment
from trope.metrics.aggregation.majority import majority
from trope.metrics.agreement import Agreement
from trope.metrics.votes import encode_votes
from trope.recipes.records import ItemLabel, Record
from trope.recipes.settings import Number, Share

Random = np.random.Generator
_USUAL_SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class CrowdSettings:
    """A simulated crowd: judgments per item, mean and spread of the skills.

    `machine` is the share of items whose hidden truth is what the model says.
    """

    annotators: Number
    skill: Share
    spread: Share
    machine: Share


def generator(seed: int, purpose: str) -> Random:
    """A random generator for one purpose, so that a further step changes no other."""
    return np.random.default_rng([seed, *purpose.encode()])


def names(number: int, prefix: str = "a") -> list[str]:
    """Pseudonyms: a01, a02, …"""
    return [f"{prefix}{place:02d}" for place in range(1, number + 1)]


def skills(rng: Random, settings: CrowdSettings, number: int) -> list[float]:
    """A skill per annotator: around the mean, between 0.5 and 0.99."""
    drawn = rng.normal(settings.skill, settings.spread, number)
    return [float(skill) for skill in np.clip(drawn, 0.5, 0.99)]


def hidden_truth(
    rng: Random, predicted: Sequence[str | None], labels: Sequence[str], machine: float
) -> list[str]:
    """A truth per item: what the model said with the given probability, else any label."""
    return [
        own
        if own is not None and rng.random() < machine
        else labels[int(rng.integers(len(labels)))]
        for own in predicted
    ]


def answer(rng: Random, truth: str, labels: Sequence[str], skill: float) -> str:
    """The truth with the probability of the skill, otherwise another label."""
    if rng.random() < skill:
        return truth
    others = [label for label in labels if label != truth]
    return others[int(rng.integers(len(others)))]


def scale_answers(rng: Random, truth: Sequence[float], skill: float) -> list[str]:
    """Answers on the scale from −5 to +5, close to the truth."""
    places = SCALE.answer(rng, np.asarray(truth, dtype=np.float64), skill)
    return [SCALE.labels[int(place)] for place in places]


def seconds(rng: Random) -> float:
    """The time that an answer took."""
    return round(float(_USUAL_SECONDS * rng.lognormal(0, 0.5)), 1)


def of_question(judgments: Sequence[Judgment], question: str) -> list[Judgment]:
    """The judgments that answer one question."""
    return [judgment for judgment in judgments if judgment.question == question]


def ids_of(items: Sequence[Record]) -> list[str]:
    """The ids of items, in their order."""
    return [item.id for item in items]


def majority_labels(
    judgments: Sequence[Judgment],
    items: Sequence[str],
    *,
    why_none: Mapping[str, str] | None = None,
) -> tuple[ItemLabel, ...]:
    """A label per item by majority; ties and items without answers have a reason instead."""
    found = {}
    if judgments:
        found = {result.item: result for result in majority(encode_votes(judgments)).items}
    labels = []
    for item in items:
        result = found.get(item)
        if result is None:
            reason = (why_none or {}).get(item, "no answer")
            labels.append(ItemLabel(item, None, reason=reason))
            continue
        share = None if result.confidence is None else round(result.confidence, 4)
        labels.append(
            ItemLabel(item, result.label, share, result.answers, share, reason=result.note)
        )
    return tuple(labels)


def agreement_of(
    judgments: Sequence[Judgment], *, verb_classes: Mapping[str, str] | None = None, seed: int = 0
) -> dict[str, object]:
    """All statistics of agreement on one question, as plain data."""
    if not judgments:
        return {"n": 0, "note": "no judgment"}
    return as_plain(measure_question(judgments, verb_classes=verb_classes, top=0, seed=seed))


def as_plain(measured: QuestionAgreement) -> dict[str, object]:
    """Agreement as plain data."""
    return {
        "question": measured.question,
        "items": measured.items,
        "judgments": measured.judgments,
        "annotators": measured.annotators,
        **{one.name: _figure(one) for one in measured.agreements},
        **(
            {
                "exclusions": {
                    exclusion.name: {one.name: _figure(one) for one in exclusion.agreements}
                    for exclusion in measured.exclusions
                }
            }
            if measured.exclusions
            else {}
        ),
    }


def _figure(agreement: Agreement) -> dict[str, object]:
    places = {
        key: None if number is None else round(number, 4)
        for key, number in (
            ("value", agreement.value),
            ("low", agreement.low),
            ("high", agreement.high),
        )
    }
    return {**places, "n": agreement.n, **({"note": agreement.note} if agreement.note else {})}
