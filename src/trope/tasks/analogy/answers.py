"""Answers of a system to all items: scores of the choices by seed of the folds, and errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from trope.corpora.mean import CODES, Analogy
from trope.tasks.analogy.ranker import Floats
from trope.tasks.analogy.spelling import share_of_gold

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
