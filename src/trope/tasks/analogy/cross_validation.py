"""Cross-validation: folds of the items, scores of a system by seed of the folds, and its errors.

Random folds, as in the paper, may train and test on items of the same metaphor. Grouped folds keep
each metaphor in one fold and test a system on metaphors that it never saw. The same seed gives the
same folds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from trope.core.errors import BadInput
from trope.corpora.mean import CODES, Analogy
from trope.tasks.analogy.controls import share_of_gold
from trope.tasks.analogy.ranker import Floats

FoldKind = Literal["grouped", "random"]
KINDS: tuple[FoldKind, ...] = ("grouped", "random")
_COUNT = 10
SEEDS = (0, 1, 2, 3, 4)


def make_folds(
    items: Sequence[Analogy], kind: FoldKind, seed: int, count: int = _COUNT
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


Key = tuple[str, str]
"""A template and a kind of folds."""


@dataclass(slots=True)
class FoldAnswers:
    """Scores, items × choices, of one system: by template and kind of folds, then by seed.

    `repaired` has those of the same models for the repaired variant, where they were asked.
    """

    scores: dict[Key, dict[int, Floats]] = field(default_factory=dict)
    repaired: dict[Key, dict[int, Floats]] = field(default_factory=dict)


def right_shares(by_seed: dict[int, Floats]) -> Floats:
    """For every item the share of the seeds that answer it rightly; ties are shared."""
    found: Floats = np.mean([right(scores) for scores in by_seed.values()], axis=0)
    return found


def right(scores: Floats) -> Floats:
    """For every item what its right choice gets: 1, 0, or a share of a tie."""
    return np.array([share_of_gold(row) for row in scores.tolist()])


def chosen_codes(scores: Floats) -> list[str]:
    """What kind of choice was made for every item; of equal ones a wrong one, the first column's.

    >>> chosen_codes(np.array([[0.9, 0.1, 0.0, 0.0], [0.5, 0.2, 0.5, 0.1]]))
    ['gold', 'dDsA']
    """
    best = scores.max(axis=1, keepdims=True)
    return [
        "gold" if row[0] and row.sum() == 1 else CODES[1 + int(np.argmax(row[1:]))]
        for row in (scores == best)
    ]


def error_counts(by_seed: dict[int, Floats]) -> Counter[str]:
    """How often each kind of wrong choice was made, over all seeds."""
    found = Counter(code for scores in by_seed.values() for code in chosen_codes(scores))
    return Counter({code: found[code] for code in CODES[1:]})


def domain_errors(items: Sequence[Analogy], rounds: Iterable[Floats]) -> dict[str, Counter[str]]:
    """Second domain → how often each kind of choice was made."""
    found: dict[str, Counter[str]] = {}
    for scores in rounds:
        for item, code in zip(items, chosen_codes(scores), strict=True):
            found.setdefault(item.second_domain, Counter())[code] += 1
    return found
