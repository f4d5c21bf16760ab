"""Keyness: which words are more, or less, frequent in one corpus than in another.

a, b   how often a word occurs in the one corpus and in the other
c, d   how many words they have
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_STEPS, _CLOSE = 50, 1e-9


def log_likelihood(a: npt.ArrayLike, b: npt.ArrayLike, c: float, d: float) -> Floats:
    """Dunning's G² of the 2 × 2 table of this word and all others in both corpora.

    It is 2 Σ O ln(O / E) over the four cells; an empty cell adds nothing.
    """
    one, other = np.asarray(a, float), np.asarray(b, float)
    share = (one + other) / (c + d)
    cells = (
        (one, c * share),
        (other, d * share),
        (c - one, c * (1 - share)),
        (d - other, d * (1 - share)),
    )
    total = np.zeros_like(one)
    for seen, expected in cells:
        filled = seen > 0
        total[filled] += seen[filled] * np.log(seen[filled] / expected[filled])
    least: Floats = np.maximum(0.0, 2 * total)  # rounding can leave a value just below 0
    return least


def log_ratio(a: npt.ArrayLike, b: npt.ArrayLike, c: float, d: float) -> Floats:
    """log₂ of the ratio of the two relative frequencies: 1 is twice as often, −1 half as often.

    A count of 0 is taken for 0.5, so that there is a ratio.
    """
    one, other = (np.maximum(np.asarray(counts, float), 0.5) for counts in (a, b))
    ratio: Floats = np.log2(one / c) - np.log2(other / d)
    return ratio


def log_dice(near: npt.ArrayLike, node: float, total: npt.ArrayLike) -> Floats:
    """Rychlý's logDice: 14 + log₂ of Dice's coefficient, at most 14.

    `near` is how often two words occur together, `node` and `total` how often each does.
    """
    together, other = np.asarray(near, float), np.asarray(total, float)
    found: Floats = 14 + np.log2(2 * together / (node + other))
    return found


@dataclass(frozen=True, slots=True)
class TextSums:
    """Sums over the texts of a corpus for each word: its counts, their squares, and their products
    with the sizes of the texts; and for the corpus its texts, words and their squares."""

    counts: Floats
    squares: Floats
    products: Floats
    texts: int
    words: int
    word_squares: int

    @property
    def shares(self) -> Floats:
        """How often each word occurs per word."""
        return self.counts / self.words

    @property
    def variances(self) -> Floats:
        """The variance of the shares between texts: that of a ratio estimator."""
        share = self.shares
        left = self.squares - 2 * share * self.products + share**2 * self.word_squares
        spread: Floats = np.maximum(0.0, left) / self.words**2 * self.texts / (self.texts - 1)
        return spread


def welch_p(one: TextSums, other: TextSums) -> Floats | None:
    """The p of Welch's test of each word's shares, with texts as units; None for a single text.

    For texts of equal length this is his test of the shares in the texts. The tail of Student's
    distribution is Wallace's approximation.
    """
    if min(one.texts, other.texts) < 2:
        return None
    most = one.texts + other.texts - 2  # degrees of freedom, also where no share varies
    first, second = one.variances, other.variances
    both = np.maximum(first + second, np.finfo(float).tiny)
    square = (one.shares - other.shares) ** 2 / both
    inner = (first / both) ** 2 / (one.texts - 1) + (second / both) ** 2 / (other.texts - 1)
    return student_p(square, 1 / np.maximum(inner, 1 / most))


def student_p(squares: Floats, freedom: Floats | float) -> Floats:
    """The two-sided p of squared t values, by Wallace's approximation."""
    narrowed = ((8 * np.asarray(freedom) + 1) / (8 * np.asarray(freedom) + 3)) ** 2
    return chi_square_p(narrowed * freedom * np.log1p(squares / freedom))


def poisson_trends(
    counts: npt.ArrayLike, sizes: npt.ArrayLike, times: npt.ArrayLike
) -> tuple[Floats, Floats]:
    """For each row of counts, the change of its rate per unit of time as log₂, and its p.

    It is a log-linear regression of the counts, one per period, on time, with the sizes of the
    periods as exposure (quasi-Poisson): if counts vary more than by chance, p is larger.
    """
    seen, exposed = np.asarray(counts, float), np.asarray(sizes, float)
    when = np.asarray(times, float)
    centred = when - np.average(when, weights=exposed)
    base = np.log(seen.sum(axis=1) / exposed.sum())
    slope = np.zeros_like(base)
    for _ in range(_STEPS):
        expected = exposed * np.exp(base[:, None] + slope[:, None] * centred)
        i00, i01, i11 = expected.sum(axis=1), expected @ centred, expected @ centred**2
        left = seen - expected
        g0, g1 = left.sum(axis=1), left @ centred
        size = np.maximum(i00 * i11 - i01**2, np.finfo(float).tiny)
        steps = (i11 * g0 - i01 * g1) / size, (i00 * g1 - i01 * g0) / size
        base, slope = (
            old + np.clip(step, -1, 1) for old, step in zip((base, slope), steps, strict=True)
        )
        if max(np.abs(steps[0]).max(initial=0), np.abs(steps[1]).max(initial=0)) < _CLOSE:
            break
    freedom = seen.shape[1] - 2
    varied = (left**2 / np.maximum(expected, np.finfo(float).tiny)).sum(axis=1) / freedom
    variance = np.maximum(1.0, varied) * i00 / size
    return slope / math.log(2), student_p(slope**2 / variance, float(freedom))


def chi_square_p(statistics: npt.ArrayLike) -> Floats:
    """The p of chi-square values with one degree of freedom."""
    roots = np.sqrt(np.asarray(statistics, float) / 2)
    return np.array([math.erfc(root) for root in roots.ravel()]).reshape(roots.shape)


def holm(p: npt.ArrayLike) -> Floats:
    """Holm's correction: the chance of even one false finding is held."""
    values = np.asarray(p, float)
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    return _put_back(np.minimum(1.0, steps), order)


def benjamini_hochberg(p: npt.ArrayLike) -> Floats:
    """Benjamini and Hochberg's correction: the share of false findings is held."""
    values = np.asarray(p, float)
    order = np.argsort(values, kind="stable")
    steps = values[order] * len(values) / np.arange(1, len(values) + 1)
    return _put_back(np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1]), order)


def benjamini_yekutieli(p: npt.ArrayLike) -> Floats:
    """Benjamini and Yekutieli's correction: as above, however the tests depend on each other."""
    values = np.asarray(p, float)
    return benjamini_hochberg(values * np.sum(1 / np.arange(1, len(values) + 1)))


def _put_back(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    placed = np.empty_like(values)
    placed[order] = values
    return placed
