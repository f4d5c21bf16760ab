"""Sentiment of figurative language: the scale, the interface of systems, rounding to integers.

A system reads tweets that have been analysed and gives each a real number from −5 to 5. The task
scores integers, the same ones for both of its measures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from trope.core.judgments import round_half_up
from trope.core.records import Analysis

LOWEST, HIGHEST = -5, 5
"""The ends of the scale."""


class SentimentSystem(Protocol):
    """What an entry of `SENTIMENT_SYSTEMS` makes."""

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """A real number from −5 to 5 per tweet."""


def to_integers(scores: Iterable[float]) -> list[int]:
    """Scores as the task wants them: rounded half up (−2.5 is −2), inside of the scale."""
    return [min(HIGHEST, max(LOWEST, round_half_up(score))) for score in scores]


def clipped(score: float) -> float:
    """The score, moved to the end of the scale where it lies beyond it."""
    return min(float(HIGHEST), max(float(LOWEST), score))
