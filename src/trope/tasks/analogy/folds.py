"""Folds for cross-validation: drawn at random as in the paper, or with each metaphor in one fold.

At random, items of one metaphor may be trained on and tested on in the same fold; grouped folds
show what is known of metaphors that were never seen. The same seed gives the same folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from trope.core.errors import BadInput
from trope.corpora.mean import Analogy

FoldKind = Literal["grouped", "random"]
KINDS: tuple[FoldKind, ...] = ("grouped", "random")
COUNT = 10
SEEDS = (0, 1, 2, 3, 4)


def make_folds(
    items: Sequence[Analogy], kind: FoldKind, seed: int, count: int = COUNT
) -> list[list[int]]:
    """The numbers of the items in each fold; every item is in exactly one."""
    if kind == "random":
        groups = [[at] for at in range(len(items))]
    else:
        by_metaphor: dict[str, list[int]] = {}
        for at, item in enumerate(items):
            by_metaphor.setdefault(item.metaphor, []).append(at)
        groups = list(by_metaphor.values())
    if len(groups) < count:
        what = "items" if kind == "random" else "metaphors"
        raise BadInput(f"{len(groups)} {what} cannot fill {count} folds; give more or fewer folds")
    order = np.random.default_rng(seed).permutation(len(groups))
    # large groups first, so that the folds come out even
    drawn = sorted((groups[at] for at in order), key=len, reverse=True)
    folds: list[list[int]] = [[] for _ in range(count)]
    for group in drawn:
        min(folds, key=len).extend(group)
    return [sorted(fold) for fold in folds]
