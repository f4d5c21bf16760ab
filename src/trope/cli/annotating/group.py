"""The group of commands, in which trouble with a disk or a database is one line, too."""

from __future__ import annotations

from typing import Any

import click

from trope.annotate.trouble import is_trouble
from trope.core.errors import BadInput, TropeError


class StoreGroup(click.Group):
    """Commands that read and write a project."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a full disk and the like become an error for people."""
        try:
            return super().invoke(ctx)
        except (TropeError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if not is_trouble(error):
                raise
            cause = (str(error).splitlines() or [type(error).__name__])[0]
            raise BadInput(
                f"the disk or the database cannot be used ({cause}); what was not told to be done "
                "was not done: run the command again when it can"
            ) from error
