"""Locks on files that end with the process, however that ends.

The file of a lock stays when the lock is released: removing it would let two processes hold two
files of the same name.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock


def lock_file(path: Path) -> BaseFileLock:
    """Lock a file now; the lock lasts until its `release`.

    Raises:
        BlockingIOError: somebody else holds the lock.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BlockingIOError(f"{path}: is locked") from None
    return lock


_threads = threading.Lock()
_given_up: _FileWait | None = None
"""A wait for the file that nobody is interested in any more, and that has not ended."""

_queue: tuple[int, Path, int] | None = None
"""Process, path and descriptor of the file on which processes wait, open since its first use."""


@contextmanager
def wait_for_lock(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of a file as soon as no other thread or process does.

    Where the system can, it wakes the next process in the queue at once; there is no polling.

    Raises:
        TimeoutError: it takes longer than that.
    """
    until = time.monotonic() + seconds
    if not _threads.acquire(timeout=max(seconds, 0)):
        raise TimeoutError(f"{path}: is locked")
    try:
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows
            from filelock import FileLock

            # its Timeout is a TimeoutError
            with FileLock(path, timeout=max(seconds, 0), poll_interval=0.005):
                yield
            return
        descriptor = _descriptor(path)
        _lock_until(descriptor, until)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        _threads.release()


class _FileWait:
    """A wait for the lock of a file in a thread of its own, since the system has no limit for it.

    Nobody may wait for the same file before one that was given up has ended.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._deciding = threading.Lock()
        self._locked = self._given_up = False
        self._ended = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        import fcntl

        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        with self._deciding:
            self._locked = not self._given_up
            if self._given_up:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._ended.set()

    def has_ended(self, seconds: float) -> bool:
        """Whether the wait has ended within so many seconds."""
        return self._ended.wait(timeout=max(seconds, 0))

    def has_locked(self, seconds: float) -> bool:
        """Whether the file is locked within so many seconds; the wait is given up if not."""
        self.has_ended(seconds)
        with self._deciding:
            self._given_up = not self._locked
            return self._locked


def _lock_until(descriptor: int, until: float) -> None:
    """Lock the file; only the thread that holds `_threads` may ask."""
    global _given_up
    import fcntl

    if _given_up is None or _given_up.has_ended(until - time.monotonic()):
        _given_up = None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        wait = _FileWait(descriptor)
        if wait.has_locked(until - time.monotonic()):
            return
        _given_up = wait
    raise TimeoutError("the queue for the database is locked")


def _descriptor(path: Path) -> int:
    """The open file; only the thread that holds `_threads` may ask."""
    global _queue
    if _queue is None or _queue[:2] != (os.getpid(), path):  # a forked process opens its own
        if _queue is not None:
            # forgotten first: should the next file not open, this number belongs to somebody else
            (*_, old), _queue = _queue, None
            os.close(old)
        _queue = (os.getpid(), path, os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    return _queue[2]


def _forget_threads() -> None:
    """A forked process has none of the threads that might hold the lock."""
    global _threads, _given_up
    _threads, _given_up = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
