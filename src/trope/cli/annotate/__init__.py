"""`trope annotate`: a service where people judge items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trope.annotate.project import (
    BLANK,
    CONFIG,
    DEMO,
    SAMPLE,
    TEMPLATES,
    VARIANTS,
    new_project,
)
from trope.annotate.store.database import is_storage_error
from trope.cli.annotate.database import DIRECTORY, backup, move, restore
from trope.cli.annotate.files import draw, export, import_file, settle
from trope.cli.annotate.models import model
from trope.cli.annotate.people import (
    agreement,
    control_items,
    demo_task,
    link,
    rates,
    review,
    round_,
    tables,
)
from trope.cli.annotate.service import demo, doctor, serve
from trope.core.errors import BadInput, TropeError


class StoreGroup(click.Group):
    """Commands that read and write a project; errors of disk and database are one line, too."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors of the disk or the database become an error message."""
        try:
            return super().invoke(ctx)
        except (TropeError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if not is_storage_error(error):
                raise
            cause = (str(error).splitlines() or [type(error).__name__])[0]
            raise BadInput(
                f"the disk or the database is not available ({cause}); the command may not have "
                "finished: run it again when the disk or the database is available"
            ) from error


@click.group(cls=StoreGroup)
def annotate() -> None:
    """A service where a team or a crowd judges items.

    A project is a folder: what is asked (project.toml), what was answered (a database).
    """


@annotate.command(short_help="Make a project, with a plan to edit and sample items.")
@DIRECTORY
@click.option(
    "--template",
    required=True,
    metavar="NAME",
    help=f"One of {', '.join((*TEMPLATES, *VARIANTS, BLANK))}.",
)
def new(directory: Path, template: str) -> None:
    """Make a project in the folder DIR, with a plan to edit and sample items."""
    new_project(directory, template)
    click.echo(f"{directory / CONFIG}: what is asked; edit it to your needs")
    click.echo(f"then: trope annotate import {directory} {directory / SAMPLE}")
    if (directory / DEMO).exists():
        click.echo(f"then: trope annotate import {directory} {directory / DEMO} --demo")
    click.echo(f"then: trope annotate serve {directory}")


_ITEMS = (draw, import_file, export, demo_task, control_items, round_)
_PEOPLE = (link, settle, model, review, agreement, tables, rates)
_PROJECT = (serve, backup, restore, move, doctor, demo)
for command in (*_ITEMS, *_PEOPLE, *_PROJECT):
    annotate.add_command(command)
