"""Which errors are the disk's or the database server's, and no fault of the program.

A query that is wrong must not pass for a full disk: SQLite and psycopg tell the two apart.
"""

from __future__ import annotations

import errno
import sqlite3
import sys

_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO})
_SQLITE = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)
_PRIMARY = 0xFF  # the part of SQLite's code that names the kind


def is_trouble(error: BaseException) -> bool:
    """Whether the error, or what Django wrapped in it, is of the disk or the database server."""
    cause = error.__cause__
    return _is_trouble(error) or (cause is not None and _is_trouble(cause))


def _is_trouble(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _DISK
    if isinstance(error, sqlite3.Error):
        code: int = getattr(error, "sqlite_errorcode", 0)
        # a trigger speaks where the project was moved to another database
        return code & _PRIMARY in _SQLITE or code == sqlite3.SQLITE_CONSTRAINT_TRIGGER
    psycopg = sys.modules.get("psycopg")  # no need to load it for what does not use it
    if psycopg is None:
        return False
    return isinstance(error, (psycopg.OperationalError, psycopg.errors.RaiseException))
