"""How often something may happen from one address within a time."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

ADDRESSES = 10_000
"""Addresses that are remembered; the one that was quiet for longest is forgotten first."""


@dataclass(slots=True)
class RateLimit:
    """What happened from which address, and whether once more is too often."""

    each: int
    within: timedelta
    _times: OrderedDict[str, deque[datetime]] = field(default_factory=OrderedDict)

    def wait(self, address: str, now: datetime) -> timedelta:
        """How long the address has to wait; nothing if it may go on."""
        oldest = _recent(self._times.get(address, deque()), now - self.within, now, self.each)
        return oldest + self.within - now if oldest else timedelta()

    def note(self, address: str, now: datetime) -> None:
        """Count once more."""
        self._times.setdefault(address, deque(maxlen=self.each)).append(now)
        self._times.move_to_end(address)
        while len(self._times) > ADDRESSES:
            self._times.popitem(last=False)


def _recent(times: deque[datetime], since: datetime, now: datetime, most: int) -> datetime | None:
    """The oldest of the times that together are too many; None if they are not.

    A time of the future is left over from a clock that went back, and is forgotten.
    """
    while times and not since < times[0] <= now:
        times.popleft()
    return times[0] if len(times) >= most else None
