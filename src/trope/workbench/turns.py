"""One at a time at the model; few wait, and none for ever."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

from trope.workbench.refused import Refused

T = TypeVar("T")


class Turns:
    """A queue of so many places before one worker."""

    def __init__(self, waiting: int, seconds: float) -> None:
        self._places = waiting + 1
        self._seconds = seconds
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._lock = Lock()
        self._taken = 0

    def take(self, work: Callable[[], T]) -> T:
        """The result of the work, when its turn has come.

        Raises:
            Refused: where too many wait already, or the time is over.
        """
        with self._lock:
            if self._taken == self._places:
                message = f"{self._taken} requests are before this one; try again in a moment"
                raise Refused(503, "busy", message)
            self._taken += 1
        future = self._pool.submit(work)
        future.add_done_callback(self._leave)
        try:
            return future.result(timeout=self._seconds)
        except TimeoutError:
            if future.done():  # the work itself said so
                raise
            future.cancel()  # unless it has begun: then it keeps its place until it ends
            message = f"no answer within {self._seconds:g} seconds; give a shorter text"
            raise Refused(503, "timeout", message) from None

    def _leave(self, future: Future[Any]) -> None:
        with self._lock:
            self._taken -= 1
