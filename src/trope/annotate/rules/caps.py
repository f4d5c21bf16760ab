"""Limits on one person's work: items per day, per week, in total, and skipped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

FREE_SKIPS = 3
"""Items that may be skipped before the share of skipped items matters."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most items that one person may judge; 0 means no limit."""

    day: int = 0
    week: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """What one person has judged on a day, in the week of that day, and in total."""

    on: date
    day: int = 0
    week: int = 0
    total: int = 0

    def at(self, today: date) -> Tally:
        """The tally as of today. A clock that goes back opens no new day."""
        if today <= self.on:
            return self
        same_week = today.isocalendar()[:2] == self.on.isocalendar()[:2]
        return Tally(today, 0, self.week if same_week else 0, self.total)

    def plus_one(self) -> Tally:
        """The tally with one more."""
        return Tally(self.on, self.day + 1, self.week + 1, self.total + 1)


def room(tally: Tally, caps: Caps, wanted: int) -> tuple[int, str]:
    """How many of the wanted items may be given out, and if none, because of which limit ("day",
    "week", "total")."""
    left = {
        name: getattr(caps, name) - getattr(tally, name)
        for name in ("total", "week", "day")
        if getattr(caps, name)
    }
    if not left:
        return wanted, ""
    tightest = min(left, key=left.__getitem__)
    if left[tightest] <= 0:
        return 0, tightest
    return min(wanted, left[tightest]), ""


def may_skip(judged: int, skipped: int, limit: float) -> bool:
    """Whether one more skip stays within the allowed share."""
    return skipped < FREE_SKIPS or skipped + 1 <= limit * (judged + skipped + 1)
