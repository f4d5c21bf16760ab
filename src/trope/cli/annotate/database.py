"""`trope annotate`: backup, restore and move of a project; what its commands share."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
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


_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.command(short_help="Write the whole project to a file, while people work.")
@DIRECTORY
@click.argument("file", type=FILE, metavar="[FILE]", required=False)
@click.option("--to", "folder", type=FOLDER, metavar="FOLDER",
              help="Write a file named by project and time into FOLDER.")  # fmt: skip
@click.option("--keep", type=click.IntRange(min=1), metavar="N",
              help="With --to: remove all but the newest N backups of the project.")  # fmt: skip
@_JSON
def backup(
    directory: Path, file: Path | None, folder: Path | None, keep: int | None, as_json: bool
) -> None:
    """Write the whole project to FILE, or into a FOLDER of backups, while people work.

    The file appears when it is complete, and only its owner can read it: it holds the project's
    secret. For cron: one line of output, and exit status 2 if no backup was written, also because
    another one of the project is running.
    """
    if (file is None) == (folder is None):
        raise click.UsageError("give either FILE or --to FOLDER")
    if keep and folder is None:
        raise click.UsageError("--keep is for --to FOLDER")
    project = connected(directory)
    from trope.annotate.store import backup as backups

    if file is not None:
        counts = backups.backup(project, file)
        click.echo(json.dumps(counts) if as_json else f"{file}: {backups.describe(counts)}")
    elif folder is not None:
        kept = backups.backup_into(folder, project, now=datetime.now(UTC), keep=keep)
        if as_json:
            removed = [str(one) for one in kept.removed]
            document = {"file": str(kept.file), "rows": kept.rows, "removed": removed}
            click.echo(json.dumps(document))
        else:
            ending = f"; {len(kept.removed)} older removed" if keep else ""
            click.echo(f"{kept.file}: {backups.describe(kept.rows)}{ending}")


@click.command(short_help="Restore the project of a backup into a new folder.")
@click.argument("file", type=FILE, metavar="FILE")
@click.argument("directory", type=FOLDER, metavar="DIR")
@click.option("--database", metavar="ADDRESS",
              help="Database for the rows of a PostgreSQL backup, or sqlite.")  # fmt: skip
@_JSON
def restore(file: Path, directory: Path, database: str | None, as_json: bool) -> None:
    """Restore the project of a backup FILE into the new folder DIR. Nothing is overwritten."""
    from trope.annotate.store.database import set_up

    set_up()
    from trope.annotate.store.backup import describe
    from trope.annotate.store.backup import restore as read_backup

    counts = read_backup(file, directory, database="" if database == "sqlite" else database)
    click.echo(json.dumps(counts) if as_json else f"{directory}: {describe(counts)}")


@click.command()
@DIRECTORY
@click.option("--to", required=True, metavar="ADDRESS",
              help="postgresql://USER@HOST/NAME, or sqlite for the project's folder.")  # fmt: skip
@_JSON
def move(directory: Path, to: str, as_json: bool) -> None:
    """Move the project to another, empty database. Restart the service afterwards.

    Rows are counted and compared. The old database keeps its rows, and refuses changes.
    """
    project = connected(directory)
    from trope.annotate.store.backup import describe
    from trope.annotate.store.transfer import move as move_rows

    sums = move_rows(project, to)
    if as_json:
        click.echo(json.dumps({name: asdict(one) for name, one in sums.items()}))
    else:
        counts = {name: one.rows for name, one in sums.items()}
        click.echo(f"moved and compared: {describe(counts)}; restart the service")
