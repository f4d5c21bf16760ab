"""One short transaction; on SQLite, writers wait in line for it instead of asking again and again.

SQLite lets a writer that finds the database taken sleep and try again, for longer each time, so
that some wait a second while others pass. A lock on a file beside it wakes the next one at once; it
ends with the process, however that ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, transaction

from trope.core.locks import wait_for_lock


@contextmanager
def writing() -> Iterator[None]:
    """A transaction that may write; nothing of it is kept if it ends in an error."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    with wait_for_lock(Path(f"{connection.settings_dict['NAME']}.line")), transaction.atomic():
        yield
