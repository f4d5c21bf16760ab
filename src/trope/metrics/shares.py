"""Shares with intervals, from sums alone, so that they can be kept while a corpus passes by."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from trope.metrics.intervals import Interval

_NORMAL = 1.959963984540054  # 95 %


def wilson(part: float, whole: float) -> Interval:
    """The share of `whole` trials that succeeded, with Wilson's 95 % interval."""
    if whole <= 0:
        return Interval(None, None, None)
    share = part / whole
    square = _NORMAL**2
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    reach = sqrt(share * (1 - share) / whole + square / (4 * whole**2)) * _NORMAL
    reach /= 1 + square / whole
    # rounding must not put the share outside its own interval
    return Interval(
        share, min(share, max(0.0, middle - reach)), max(share, min(1.0, middle + reach))
    )


@dataclass(slots=True)
class ClusteredShare:
    """A share of things that come in clusters, such as the words of texts.

    Words of one text are alike, so they tell less than as many words of different texts. The
    interval is Wilson's for as many independent words as would vary as much as the clusters do
    (the ratio estimator's variance between clusters); never for more words than there are.
    """

    clusters: int = 0
    part: int = 0
    whole: int = 0
    _part_squares: int = 0
    _products: int = 0
    _whole_squares: int = 0

    @classmethod
    def from_sums(
        cls,
        clusters: int,
        part: int,
        whole: int,
        part_squares: int,
        products: int,
        whole_squares: int,
    ) -> ClusteredShare:
        """The share whose sums over clusters that are not empty someone else has made."""
        return cls(clusters, part, whole, part_squares, products, whole_squares)

    def add(self, part: int, whole: int) -> None:
        """Count one more cluster; one without anything in it says nothing."""
        if not whole:
            return
        self.clusters += 1
        self.part += part
        self.whole += whole
        self._part_squares += part * part
        self._products += part * whole
        self._whole_squares += whole * whole

    def merge(self, other: ClusteredShare) -> None:
        """Count the clusters of another share too."""
        self.clusters += other.clusters
        self.part += other.part
        self.whole += other.whole
        self._part_squares += other._part_squares
        self._products += other._products
        self._whole_squares += other._whole_squares

    @property
    def effective(self) -> float:
        """How many independent things would tell as much."""
        if self.clusters < 2 or not 0 < self.part < self.whole:
            return self.whole
        share = self.part / self.whole
        residuals = self._part_squares - 2 * share * self._products + share**2 * self._whole_squares
        variance = residuals / self.whole**2 * self.clusters / (self.clusters - 1)
        if variance <= 0:
            return self.whole
        return min(self.whole, max(1.0, share * (1 - share) / variance))

    def interval(self) -> Interval:
        """The share with its 95 % interval."""
        if not self.whole:
            return Interval(None, None, None)
        effective = self.effective
        return wilson(self.part / self.whole * effective, effective)
