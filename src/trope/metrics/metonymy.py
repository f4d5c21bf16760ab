"""The official scores of SemEval-2007 Task 8, with the organisers' conventions.

`accuracy` counts the samples that a system answered, `coverage` how many those are, and
`all_accuracy` is the accuracy once every abstention is answered with "literal".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from trope.core.errors import BadInput
from trope.metrics.classification import Counts, ratio

Undefined = Literal["organisers", "script"]
"""What an F is where precision is undefined or nothing is right: 0, as in the official results
(undefined then only for a class without gold), or undefined, as the distributed script has it."""

LITERAL = "literal"


@dataclass(frozen=True, slots=True)
class ClassScores:
    """The scores of one label; None is undefined."""

    counts: Counts
    precision: float | None
    recall: float | None
    f: float | None


@dataclass(frozen=True, slots=True)
class NameScores:
    """All scores of one submission. `baseline` is the accuracy of always answering "literal"."""

    samples: int
    answered: int
    accuracy: float | None
    coverage: float | None
    all_accuracy: float | None
    baseline: float | None
    classes: dict[str, ClassScores]
    all_classes: dict[str, ClassScores]


def score_names(
    gold: Mapping[str, str],
    answers: Mapping[str, str | None],
    labels: Sequence[str],
    *,
    undefined: Undefined = "organisers",
) -> NameScores:
    """The scores of answers against gold labels; None is an abstention.

    Raises:
        BadInput: where the two have different samples, with the id of the first.
    """
    for sample in answers:
        if sample not in gold:
            raise BadInput(f"sample {sample!r} is not in the gold file; answer its samples only")
    for sample in gold:
        if sample not in answers:
            raise BadInput(f"sample {sample!r} has no answer; write 'unknown' to abstain")
    answered = {sample: label for sample, label in answers.items() if label is not None}
    filled = {sample: LITERAL if label is None else label for sample, label in answers.items()}
    return NameScores(
        samples=len(gold),
        answered=len(answered),
        accuracy=ratio(_right(gold, answered), len(answered)),
        coverage=ratio(len(answered), len(gold)),
        all_accuracy=ratio(_right(gold, filled), len(gold)),
        baseline=ratio(sum(label == LITERAL for label in gold.values()), len(gold)),
        classes=_classes(gold, answered, labels, undefined),
        all_classes=_classes(gold, filled, labels, undefined),
    )


def f_score(counts: Counts, undefined: Undefined = "organisers") -> float | None:
    """F of one label, by either convention."""
    if undefined == "organisers":
        return None if not counts.gold else 2 * counts.right / (counts.predicted + counts.gold)
    return counts.f1 if counts.right else None


def _right(gold: Mapping[str, str], answers: Mapping[str, str]) -> int:
    return sum(gold[sample] == label for sample, label in answers.items())


def _classes(
    gold: Mapping[str, str], answers: Mapping[str, str], labels: Sequence[str], undefined: Undefined
) -> dict[str, ClassScores]:
    found: dict[str, ClassScores] = {}
    for label in labels:
        counts = Counts(
            right=sum(
                gold[sample] == label for sample, answer in answers.items() if answer == label
            ),
            predicted=sum(answer == label for answer in answers.values()),
            gold=sum(wanted == label for wanted in gold.values()),
        )
        found[label] = ClassScores(
            counts, counts.precision, counts.recall, f_score(counts, undefined)
        )
    return found
