"""Commands whose argument is one of a list of names: the help and the tab key show the list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from trope.core.registry import Entry


class ListingCommand(click.Command):
    """A command that lists, below its options, the names that it knows."""

    def __init__(self, *args: Any, heading: str, names: Mapping[str, Entry], **more: Any) -> None:
        super().__init__(*args, **more)
        self.heading, self.names = heading, names

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names, each with its line, in a section of their own."""
        with formatter.section(self.heading):
            formatter.write_dl([(name, entry.summary) for name, entry in self.names.items()])
