"""Judgments as numbers: who gave which label to what, in three arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.core.judgments import Judgment, as_number

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_LABELS = 1000


@dataclass(frozen=True, slots=True)
class Votes:
    """Judgments of one question; `item`, `annotator`, `label` and `weight` have one entry per vote.

    The entries are places in `items`, `annotators` and `labels`. Items and annotators stand in
    the order of their first appearance, labels in numeric order if all are numbers, else in the
    order of the alphabet.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    item: Ints
    annotator: Ints
    label: Ints
    weight: Floats

    def __len__(self) -> int:
        return len(self.item)

    def counts(self) -> Floats:
        """How often each item was given each label, items × labels."""
        width = len(self.labels)
        cells = np.bincount(self.item * width + self.label, minlength=len(self.items) * width)
        return cells.reshape(len(self.items), width).astype(np.float64)

    def weights(self) -> Floats:
        """The sum of the weights of each label of each item, items × labels."""
        width = len(self.labels)
        cells = np.bincount(
            self.item * width + self.label, self.weight, minlength=len(self.items) * width
        )
        weights: Floats = cells.reshape(len(self.items), width).astype(np.float64)
        return weights

    def numbers(self) -> Floats | None:
        """The labels as numbers, or None if one of them is none."""
        numbers = [as_number(label) for label in self.labels]
        found = [number for number in numbers if number is not None]
        return np.array(found) if len(found) == len(numbers) else None


def encode_votes(judgments: Iterable[Judgment], *, order: Sequence[str] = ()) -> Votes:
    """The votes behind judgments of one question; "1", "+1" and "1.0" are one number.

    Args:
        order: the labels from lowest to highest, where they are not numbers.

    Raises:
        BadInput: for a label that `order` lacks, or too many different ones to be labels.
    """
    rows = list(judgments)
    items = _places(row.item for row in rows)
    annotators = _places(row.annotator for row in rows)
    names, labels = _label_places({row.label for row in rows}, order)
    if len(names) > MOST_LABELS:
        raise BadInput(f"{len(names)} different labels: they look like measurements; round them")
    return Votes(
        tuple(items),
        tuple(annotators),
        names,
        np.array([items[row.item] for row in rows], dtype=np.int64),
        np.array([annotators[row.annotator] for row in rows], dtype=np.int64),
        np.array([labels[row.label] for row in rows], dtype=np.int64),
        np.array([row.weight for row in rows], dtype=np.float64),
    )


def _places(names: Iterable[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for name in names:
        places.setdefault(name, len(places))
    return places


def _label_places(labels: set[str], order: Sequence[str]) -> tuple[tuple[str, ...], dict[str, int]]:
    """The labels in their order, and the place of each spelling."""
    numbers = {label: as_number(label) for label in labels}
    if order:
        strange = sorted(labels - set(order))
        if strange:
            raise BadInput(f"the order of labels lacks {strange[0]!r}; it has {', '.join(order)}")
        names = tuple(label for label in order if label in labels)
    elif all(number is not None for number in numbers.values()):
        spellings: dict[float, str] = {}
        for label in sorted(labels, key=lambda label: (len(label), label)):
            spellings.setdefault(numbers[label] or 0.0, label)
        values = sorted(spellings)
        places = {label: values.index(numbers[label] or 0.0) for label in labels}
        return tuple(spellings[value] for value in values), places
    else:
        names = tuple(sorted(labels))
    return names, {label: place for place, label in enumerate(names)}
