"""One short transaction; on SQLite, writers wait in line for it instead of asking again and again.

SQLite lets a writer that finds the database taken sleep and try again, for longer each time, so
that some wait a second while others pass. A lock on a file beside it wakes the next one at once; it
ends with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

_in_line = threading.Lock()
_open_line: tuple[int, str, int] | None = None
"""Process, path and descriptor of the file on which processes wait, open since its first use."""


@contextmanager
def writing() -> Iterator[None]:
    """A transaction that may write; nothing of it is kept if it ends in an error."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    with _in_line:
        line = _line(f"{connection.settings_dict['NAME']}.line")
        fcntl.flock(line, fcntl.LOCK_EX)
        try:
            with transaction.atomic():
                yield
        finally:
            fcntl.flock(line, fcntl.LOCK_UN)


def _line(path: str) -> int:
    """The open file; only whoever holds the lock of this process may ask."""
    global _open_line
    if _open_line is None or _open_line[:2] != (os.getpid(), path):  # a forked one opens its own
        if _open_line is not None:
            os.close(_open_line[2])
        line = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _open_line = (os.getpid(), path, line)
    return _open_line[2]
