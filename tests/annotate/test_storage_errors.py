"""A full disk is told from a wrong query."""

import errno
import sqlite3
from pathlib import Path

import pytest

from trope.annotate.store.database import is_storage_error


def raised(database: sqlite3.Connection, query: str) -> sqlite3.Error:
    with pytest.raises(sqlite3.Error) as caught:
        database.execute(query)
    return caught.value


def test_a_wrong_query_is_no_trouble_of_the_disk(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "d.db")
    database.execute("CREATE TABLE a (b INTEGER UNIQUE)")
    database.execute("INSERT INTO a VALUES (1)")
    for query in ("SELECT", "SELECT SUM(SUM(b)) FROM a", "INSERT INTO a VALUES (1)"):
        assert not is_storage_error(raised(database, query)), query
    database.execute("PRAGMA query_only = ON")
    assert is_storage_error(raised(database, "DELETE FROM a"))


def test_what_a_library_wrapped_is_looked_into() -> None:
    full = OSError(errno.ENOSPC, "no space left")
    wrapped = RuntimeError("could not write")
    assert not is_storage_error(wrapped)
    wrapped.__cause__ = full
    assert is_storage_error(wrapped)
    assert not is_storage_error(OSError(errno.EPIPE, "broken pipe"))
