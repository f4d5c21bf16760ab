"""Output of results (a file, written atomically, or standard output) and of messages (stderr)."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, get_args

import click

from trope.core.files import atomic_write
from trope.core.options import DEFAULT_WORDS
from trope.core.progress import MessageWriter
from trope.core.records import WordView

words_option = click.option(
    "--words",
    type=click.Choice(get_args(WordView)),
    default=DEFAULT_WORDS,
    show_default=True,
    help="Words that are shown as metaphors: noticed by readers, all content words, or all words.",
)

systems_option = click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="FOLDER",
    help="Your own system from `trope train metaphor`, `sentiment` or `metonymy`, or the name "
    "seed-neighbours, instead of what ships; repeat for several tasks.",
)


@contextmanager
def open_output(path: Path | None) -> Iterator[IO[str]]:
    """The file to write to, standard output if there is no path.

    If the reader of standard output goes (`trope … | head`), writing ends and nothing is wrong.
    """
    if path is not None:
        with atomic_write(path) as file:
            yield file
        return
    if isinstance(sys.stdout, io.TextIOWrapper):  # results are UTF-8 in any locale
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        # what is still in the buffer must go somewhere, or Python complains at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_quiet(ctx: click.Context) -> bool:
    """Whether `--quiet` was given, before or after the command."""
    return bool(ctx.obj and ctx.obj.get("quiet"))


def message_writer(ctx: click.Context) -> MessageWriter:
    """Writes messages to standard error, or nothing with `--quiet`."""
    if is_quiet(ctx):
        return lambda message: None
    return lambda message: click.echo(message, err=True)
