"""`constant`: the same score for every tweet, the least that any system must beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trope.core.records import Analysis
from trope.tasks.sentiment.task import clipped


@dataclass(frozen=True, slots=True)
class Constant:
    """One score for all.

    Paper: its "Decision Tree" baseline has the figures of the constant −2 to the last digit.
    """

    value: float = -2.0

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """The same number for every tweet."""
        return [self.value] * len(tweets)


def build(*, value: float = -2.0) -> Constant:
    """A system that says one number."""
    return Constant(clipped(value))
