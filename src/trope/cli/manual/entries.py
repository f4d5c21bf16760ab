"""What there is to say of every command, taken from the command itself.

The reference of the site and the manual pages are both written from these entries, and the
entries from what `--help` shows, so that the three cannot part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from trope.cli.listing import ListingCommand
from trope.cli.main import COMMANDS, main


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its usage, what it does in paragraphs, its options, the commands under it.

    `names` are what its argument can be, where that is one of a list.
    """

    name: str
    summary: str
    usage: str
    paragraphs: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    commands: tuple[Entry, ...]
    names: tuple[tuple[str, str], ...] = ()

    def walk(self) -> Iterator[Entry]:
        """This command and all under it."""
        yield self
        for command in self.commands:
            yield from command.walk()


def read_entry(names: tuple[str, ...] = ()) -> Entry:
    """The entry of the command with these names, that of `trope` itself without any.

    Raises:
        click.UsageError: where there is no such command.
    """
    context = click.Context(main, info_name="trope", **main.context_settings)
    command: click.Command = main
    for name in names:
        found = command.get_command(context, name) if isinstance(command, click.Group) else None
        if found is None:
            raise click.UsageError(f"No such command {' '.join(names)!r}")
        context = click.Context(found, info_name=name, parent=context)
        command = found
    return _entry(command, context)


def _entry(command: click.Command, context: click.Context) -> Entry:
    return Entry(
        name=context.command_path,
        summary=_summary(command, context),
        usage=" ".join([context.command_path, *command.collect_usage_pieces(context)]),
        paragraphs=tuple(_paragraphs(command)),
        options=tuple(_options(command, context)),
        commands=tuple(_under(command, context)),
        names=tuple(_names(command)),
    )


def _summary(command: click.Command, context: click.Context) -> str:
    """One line: that of the list of commands, or the first sentence of the help."""
    words = context.command_path.split()
    if len(words) == 2 and words[1] in COMMANDS:
        return COMMANDS[words[1]][1]
    return command.get_short_help_str(limit=1000)


def _paragraphs(command: click.Command) -> Iterator[str]:
    for part in (command.help or "").split("\n\n"):
        if words := part.split():
            yield " ".join(words)


def _names(command: click.Command) -> Iterator[tuple[str, str]]:
    if isinstance(command, ListingCommand):
        yield from ((name, entry.summary) for name, entry in command.names.items())


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):  # hidden ones have none
            names, text = record
            yield names, " ".join(text.split())


def _under(command: click.Command, context: click.Context) -> Iterator[Entry]:
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        under = command.get_command(context, name)
        if under is not None and not under.hidden:
            yield _entry(under, click.Context(under, info_name=name, parent=context))
