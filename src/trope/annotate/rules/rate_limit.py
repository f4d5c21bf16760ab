"""How often someone may guess: failures within a time, from one address and from all together."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

ADDRESSES = 10_000
"""Addresses that are remembered; the one with the oldest failure is forgotten first."""


@dataclass(slots=True)
class GuessLimit:
    """Recorded failures, and whether one more try is allowed.

    Only failures count: people behind one address who open their own links never block each
    other.
    """

    each: int = 10
    together: int = 500
    within: timedelta = timedelta(minutes=5)
    _failures: OrderedDict[str, deque[datetime]] = field(default_factory=OrderedDict)
    _all: deque[datetime] = field(default_factory=deque)

    def wait(self, address: str, now: datetime) -> timedelta:
        """How long the address has to wait before it may try; nothing if it may."""
        mine = self._failures.get(address, deque())
        waits = [
            _recent(mine, now - self.within, now, self.each),
            _recent(self._all, now - self.within, now, self.together),
        ]
        return max((oldest + self.within - now for oldest in waits if oldest), default=timedelta())

    def note_failure(self, address: str, now: datetime) -> None:
        """Count a failure."""
        mine = self._failures.setdefault(address, deque(maxlen=self.each))
        mine.append(now)
        self._failures.move_to_end(address)
        self._all.append(now)
        while len(self._all) > self.together:
            self._all.popleft()
        while len(self._failures) > ADDRESSES:
            self._failures.popitem(last=False)


def _recent(
    failures: deque[datetime], since: datetime, now: datetime, most: int
) -> datetime | None:
    """The oldest of the failures that together are too many; None if they are not.

    A failure of the future is left over from a clock that went back, and is forgotten.
    """
    while failures and not since < failures[0] <= now:
        failures.popleft()
    return failures[0] if len(failures) >= most else None
