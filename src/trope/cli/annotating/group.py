"""The group of commands, in which trouble with a disk or a database is one line, too."""

from __future__ import annotations

import errno
import sqlite3
import sys
from typing import Any

import click

from trope.core.errors import BadInput, TropeError

_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO})


class StoreGroup(click.Group):
    """Commands that read and write a project."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a full disk and the like become an error for people."""
        try:
            return super().invoke(ctx)
        except (TropeError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if not _is_trouble(error):
                raise
            cause = (str(error).splitlines() or [type(error).__name__])[0]
            raise BadInput(
                f"the disk or the database cannot be used ({cause}); what was not told to be done "
                "was not done: run the command again when it can"
            ) from error


def _is_trouble(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in _DISK
    if isinstance(error, sqlite3.Error):
        return True
    database = sys.modules.get("django.db")  # no need to load it for a command that did not
    return database is not None and isinstance(error, database.DatabaseError)
