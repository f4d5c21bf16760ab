"""McNemar's test: do two systems err on the same items equally often?

Only items that one of them alone gets right count: b by the first, c by the second. Three variants
are in use, and their results differ, so all are given and each is named.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from trope.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class McNemar:
    """Both counts of items that one system alone gets right, among `n` items."""

    first_only: int
    second_only: int
    n: int

    @property
    def statistic(self) -> int:
        """Of the exact test: the smaller count."""
        return min(self.first_only, self.second_only)

    @property
    def exact_p(self) -> float:
        """Exact binomial, two-sided: conservative. 1 where the systems never differ."""
        return min(1.0, 2 * self._tail(self.statistic))

    @property
    def mid_p(self) -> float:
        """Exact binomial with half the weight of what was seen: less conservative."""
        if not self._differing:
            return 1.0
        here = math.comb(self._differing, self.statistic) / (1 << self._differing)
        return min(1.0, 2 * self._tail(self.statistic) - here)

    @property
    def corrected_statistic(self) -> float:
        """Chi-square with one degree of freedom and continuity correction."""
        if not self._differing:
            return 0.0
        gap = max(0, abs(self.first_only - self.second_only) - 1)
        return gap * gap / self._differing

    @property
    def corrected_p(self) -> float:
        """Of the chi-square: good for many differing items only."""
        return math.erfc(math.sqrt(self.corrected_statistic / 2))

    @property
    def _differing(self) -> int:
        return self.first_only + self.second_only

    def _tail(self, most: int) -> float:
        """The chance of at most this many heads among the differing items."""
        ways = sum(math.comb(self._differing, k) for k in range(most + 1))
        return ways / (1 << self._differing)


def mcnemar(
    gold: Sequence[Hashable], first: Sequence[Hashable], second: Sequence[Hashable]
) -> McNemar:
    """The test of two systems' answers to the same items."""
    if not len(gold) == len(first) == len(second):
        raise BadInput(
            f"{len(gold)} items but {len(first)} and {len(second)} answers; give one for each"
        )
    right = [(a == g, b == g) for g, a, b in zip(gold, first, second, strict=True)]
    return McNemar(right.count((True, False)), right.count((False, True)), len(gold))
