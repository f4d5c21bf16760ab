"""`trope annotate backup`, `restore` and `move`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from trope.cli.annotate.options import DIRECTORY, FILE, FOLDER, connected

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.command()
@DIRECTORY
@click.argument("file", type=FILE, metavar="FILE")
@_JSON
def backup(directory: Path, file: Path, as_json: bool) -> None:
    """Write the whole project to FILE, while people work.

    FILE holds the project's secret; only its owner can read it.
    """
    project = connected(directory)
    from trope.annotate.store.backup import backup as write_backup
    from trope.annotate.store.backup import describe

    counts = write_backup(project, file)
    click.echo(json.dumps(counts) if as_json else f"{file}: {describe(counts)}")


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
