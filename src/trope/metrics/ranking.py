"""How good an order is: what stands first, and how often right stands above wrong.

Equal scores have no order, so they get what a random one would give on average: no file order can
help or hurt.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput


def first_right(scores: Sequence[float], right: Sequence[bool]) -> float:
    """The chance that the candidate with the highest score is right."""
    if not len(scores) or len(scores) != len(right):
        raise BadInput(f"{len(scores)} scores do not fit {len(right)} verdicts; give one for each")
    best = max(scores)
    top = [verdict for score, verdict in zip(scores, right, strict=True) if score == best]
    return sum(map(bool, top)) / len(top)


def area_under_curve(
    scores: npt.ArrayLike, right: npt.ArrayLike, times: npt.ArrayLike | None = None
) -> float | None:
    """The chance that a right candidate has a higher score than a wrong one; equal counts half.

    `times` says how often each candidate counts, as a bootstrap draws it. None where there is no
    right or no wrong candidate.
    """
    values = np.asarray(scores, dtype=np.float64)
    verdicts = np.asarray(right, dtype=bool)
    if values.shape != verdicts.shape:
        raise BadInput(f"{values.size} scores do not fit {verdicts.size} verdicts")
    counts = np.ones(len(values)) if times is None else np.asarray(times, dtype=np.float64)
    _, level = np.unique(values, return_inverse=True)
    number = int(level.max()) + 1 if len(level) else 0
    good = np.bincount(level[verdicts], counts[verdicts], minlength=number)
    bad = np.bincount(level[~verdicts], counts[~verdicts], minlength=number)
    if not good.sum() or not bad.sum():
        return None
    below = np.cumsum(bad) - bad
    return float((good * (below + bad / 2)).sum() / (good.sum() * bad.sum()))
