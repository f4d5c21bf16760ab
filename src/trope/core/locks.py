"""Locks on files that end with the process, however that ends.

The file of a lock stays when the lock is released: removing it would let two processes hold two
files of the same name.
"""

from __future__ import annotations

import os
import threading
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
_queue: tuple[int, Path, int] | None = None
"""Process, path and descriptor of the file on which processes wait, open since its first use."""


@contextmanager
def wait_for_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a file as soon as no other thread or process does.

    Where the system can, it wakes the next process in the queue at once; there is no polling.
    """
    with _threads:
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows
            from filelock import FileLock

            with FileLock(path, poll_interval=0.005):
                yield
            return
        descriptor = _descriptor(path)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


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
    global _threads
    _threads = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
