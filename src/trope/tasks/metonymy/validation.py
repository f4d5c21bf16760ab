"""Validation: samples held out of all training, and cross-validation over names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from random import Random

from trope.core.errors import BadInput
from trope.lexicon.readings import Granularity, coarsen
from trope.tasks.metonymy.task import MetonymySystem, NameInContext, Probabilities, decide

PARTS = 10
"""One sample in this many, by a checksum of its id."""


def held_out(identifier: str) -> bool:
    """Whether no stage of training reads this sample."""
    digest = hashlib.md5(identifier.encode(), usedforsecurity=False).digest()
    return digest[0] % PARTS == 0


FOLDS = 10


def cross_predict(
    build: Callable[[], MetonymySystem],
    names: Sequence[NameInContext],
    readings: Sequence[str],
    *,
    seed: int,
    folds: int = FOLDS,
) -> list[Probabilities]:
    """The probabilities of each name from a system trained without its fold."""
    found: list[Probabilities] = [{}] * len(names)
    for held_out in draw_folds(names, readings, seed=seed, folds=folds):
        out = set(held_out)
        rest = [at for at in range(len(names)) if at not in out]
        system = build()
        system.fit([names[at] for at in rest], [readings[at] for at in rest])
        predicted = system.predict([names[at] for at in held_out])
        for at, probabilities in zip(held_out, predicted, strict=True):
            found[at] = probabilities
    return found


def draw_folds(
    names: Sequence[NameInContext], readings: Sequence[str], *, seed: int, folds: int = FOLDS
) -> list[list[int]]:
    """Positions in folds that share out each reading of each class of names evenly.

    Raises:
        BadInput: for fewer than two folds, or more folds than names.
    """
    if not 2 <= folds <= len(names):
        raise BadInput(f"{len(names)} names cannot be split into {folds} folds")
    groups: dict[tuple[str, str], list[int]] = {}
    for at, (name, reading) in enumerate(zip(names, readings, strict=True)):
        groups.setdefault((name.name_class, reading), []).append(at)
    rng = Random(seed)
    drawn: list[list[int]] = [[] for _ in range(folds)]
    turn = 0
    for key in sorted(groups):
        rng.shuffle(groups[key])
        for at in groups[key]:  # going on where the last group ended keeps folds of equal size
            drawn[turn % folds].append(at)
            turn += 1
    return [sorted(fold) for fold in drawn]


def share_right(
    names: Sequence[NameInContext],
    predicted: Sequence[Probabilities],
    readings: Sequence[str],
    granularity: Granularity,
) -> float:
    """The share of names whose most probable label is that of their reading."""
    right = [
        decide(one, name.name_class, granularity) == coarsen(reading, name.name_class, granularity)
        for name, one, reading in zip(names, predicted, readings, strict=True)
    ]
    return sum(right) / len(right)


def choose_by_cross_validation(
    systems: Mapping[str, Callable[[], MetonymySystem]],
    names: Sequence[NameInContext],
    readings: Sequence[str],
    *,
    seed: int,
) -> tuple[str, dict[str, float]]:
    """The name of the best system by coarse accuracy on training data, and all accuracies.

    Both classes of names count the same; the first of equals wins.
    """
    scores: dict[str, float] = {}
    for label, build in systems.items():
        predicted = cross_predict(build, names, readings, seed=seed)
        by_class = []
        for name_class in sorted({name.name_class for name in names}):
            own = [at for at, name in enumerate(names) if name.name_class == name_class]
            by_class.append(
                share_right(
                    [names[at] for at in own],
                    [predicted[at] for at in own],
                    [readings[at] for at in own],
                    "coarse",
                )
            )
        scores[label] = sum(by_class) / len(by_class)
    return max(scores, key=lambda label: scores[label]), scores
