"""Helpers of the commands of `trope annotate`."""

from __future__ import annotations

from pathlib import Path

import click

from trope.annotate.exchange.records import Losses
from trope.annotate.project import Project, open_project

FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)
DIRECTORY = click.argument("directory", type=FOLDER, metavar="DIR")


def connected(directory: Path) -> Project:
    """The project in the folder, with its database open."""
    project = open_project(directory)
    from trope.annotate.store.database import connect

    connect(project)
    return project


def warn_losses(losses: Losses) -> None:
    """Warn on standard error of what a format could not hold, and how often."""
    for what, number in sorted(losses.items()):
        if number:
            click.echo(f"warning: {what} ({number})", err=True)
