"""`trope man`: manual pages, written from the commands themselves."""

from __future__ import annotations

from pathlib import Path

import click

from trope.cli.completing import complete_commands
from trope.cli.output import open_output


@click.command()
@click.argument("names", nargs=-1, metavar="[COMMAND …]", shell_complete=complete_commands)
@click.option("--all", "folder", metavar="FOLDER",
              type=click.Path(path_type=Path, file_okay=False),
              help="Write the pages of all commands into this folder.")  # fmt: skip
def man(names: tuple[str, ...], folder: Path | None) -> None:
    """The manual page of a command, or of trope itself, for `man -l -`.

    With --all ~/.local/share/man/man1 every page is where man looks for it: man trope-analyze.
    """
    from trope.cli.manual.entries import read_entry
    from trope.cli.manual.roff import file_name, page

    if folder is None:
        with open_output(None) as file:
            file.write(page(read_entry(names)))
        return
    if names:
        raise click.UsageError("--all writes every page; leave the names out")
    whole = read_entry()
    folder.mkdir(parents=True, exist_ok=True)
    pages = (whole, *whole.commands)
    for entry in pages:
        with open_output(folder / file_name(entry)) as file:
            file.write(page(entry))
    click.echo(f"{folder}: {len(pages)} pages", err=True)
