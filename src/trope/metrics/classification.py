"""Accuracy, precision, recall and F of labels; None where a score is undefined."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from trope.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Counts:
    """How many were found rightly, how many were found, how many there were to find."""

    right: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float | None:
        """The share of what was found that is right."""
        return ratio(self.right, self.predicted)

    @property
    def recall(self) -> float | None:
        """The share of what there was that was found."""
        return ratio(self.right, self.gold)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return ratio(2 * self.right, self.predicted + self.gold)


def ratio(part: float, whole: float) -> float | None:
    """Part by whole, None where the whole is nothing."""
    return part / whole if whole else None


def count_sets(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> Counts:
    """The counts of one item whose answers are sets; an answer given twice counts once."""
    wanted, found = set(gold), set(predicted)
    return Counts(right=len(wanted & found), predicted=len(found), gold=len(wanted))


def count_classes(
    gold: Sequence[Hashable], predicted: Sequence[Hashable]
) -> dict[Hashable, Counts]:
    """The counts of every class that occurs on either side."""
    _check_lengths(gold, predicted)
    right = Counter(a for a, b in zip(gold, predicted, strict=True) if a == b)
    wanted, found = Counter(gold), Counter(predicted)
    labels = list(dict.fromkeys([*gold, *predicted]))
    return {label: Counts(right[label], found[label], wanted[label]) for label in labels}


def accuracy(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> float | None:
    """The share of items with the right label."""
    _check_lengths(gold, predicted)
    return ratio(sum(a == b for a, b in zip(gold, predicted, strict=True)), len(gold))


def macro_f1(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> float | None:
    """The plain mean of F over the classes that occur on either side."""
    scores = [counts.f1 for counts in count_classes(gold, predicted).values()]
    known = [score for score in scores if score is not None]
    return ratio(sum(known), len(known))


def matthews(gold: Sequence[bool], predicted: Sequence[bool]) -> float:
    """The correlation of yes-or-no answers with the truth; 0 where either side is constant."""
    _check_lengths(gold, predicted)
    pairs = Counter(zip(gold, predicted, strict=True))
    both, neither = pairs[True, True], pairs[False, False]
    missed, wrong = pairs[True, False], pairs[False, True]
    product = (both + missed) * (both + wrong) * (neither + missed) * (neither + wrong)
    return (both * neither - missed * wrong) / math.sqrt(product) if product else 0.0


def _check_lengths(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> None:
    if len(gold) != len(predicted):
        raise BadInput(
            f"{len(gold)} gold labels but {len(predicted)} predicted ones; give one for each item"
        )
