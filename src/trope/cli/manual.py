"""`trope man` and the reference of commands, both written from the commands themselves.

Manual pages and the reference on the site say what `--help` shows, so that the three agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from trope import __version__
from trope.cli.commands import COMMANDS, ListingCommand
from trope.cli.completion import complete_commands
from trope.cli.main import main
from trope.cli.output import open_output

STATUS = (
    ("0", "Done."),
    ("1", "Done, with findings that were asked for: a check that failed, rows that were refused."),
    ("2", "Bad usage or bad input; one line on standard error says what and where."),
    ("130", "Interrupted."),
)


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command: its usage, what it does in paragraphs, its options, the commands under it.

    `names` are what its argument can be, where that is one of a list.
    """

    name: str
    summary: str
    usage: str
    paragraphs: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    commands: tuple[CommandEntry, ...]
    names: tuple[tuple[str, str], ...] = ()

    def walk(self) -> Iterator[CommandEntry]:
        """This command and all under it."""
        yield self
        for command in self.commands:
            yield from command.walk()


def read_entry(names: tuple[str, ...] = ()) -> CommandEntry:
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


def _entry(command: click.Command, context: click.Context) -> CommandEntry:
    return CommandEntry(
        name=context.command_path,
        summary=_summary(command, context),
        usage=" ".join([context.command_path, *command.collect_usage_pieces(context)]),
        paragraphs=tuple(_help_paragraphs(command)),
        options=tuple(_option_records(command, context)),
        commands=tuple(_under(command, context)),
        names=tuple(_names(command)),
    )


def _summary(command: click.Command, context: click.Context) -> str:
    """One line: that of the list of commands, or the first sentence of the help."""
    words = context.command_path.split()
    if len(words) == 2 and words[1] in COMMANDS:
        return COMMANDS[words[1]][1]
    return command.get_short_help_str(limit=1000)


def _help_paragraphs(command: click.Command) -> Iterator[str]:
    for part in (command.help or "").split("\n\n"):
        if words := part.split():
            yield " ".join(words)


def _names(command: click.Command) -> Iterator[tuple[str, str]]:
    if isinstance(command, ListingCommand):
        yield from ((name, entry.summary) for name, entry in command.names.items())


def _option_records(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):  # hidden ones have none
            names, text = record
            yield names, " ".join(text.split())


def _under(command: click.Command, context: click.Context) -> Iterator[CommandEntry]:
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        under = command.get_command(context, name)
        if under is not None and not under.hidden:
            yield _entry(under, click.Context(under, info_name=name, parent=context))


def reference(entry: CommandEntry, *, level: int = 2) -> str:
    """The reference as Markdown: a section per command, with its subcommands in sections below."""
    return "\n".join(_markdown(entry, level))


def _markdown(entry: CommandEntry, level: int) -> Iterator[str]:
    yield f"{'#' * level} {entry.name}\n"
    yield f"```text\n{entry.usage}\n```\n"
    for paragraph in entry.paragraphs:
        yield f"{_escape_markdown(paragraph)}\n"
    for names, text in entry.options:
        yield f"`{names}`\n: {_escape_markdown(text)}\n"
    for name, text in entry.names:
        yield f"`{name}`\n: {_escape_markdown(text)}\n"
    for command in entry.commands:
        yield from _markdown(command, level + 1)


def _escape_markdown(text: str) -> str:
    """Text as it is, but for what stands between backticks, which is code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        p if p.startswith("`") else re.sub(r"([\\*_<>\[\]#|~])", r"\\\1", p) for p in parts
    )


def file_name(entry: CommandEntry) -> str:
    """`trope-analyze.1` for `trope analyze`."""
    return f"{entry.name.replace(' ', '-')}.1"


def page(entry: CommandEntry) -> str:
    """The manual page of a command, with the commands under it as sections of their own.

    Of `trope` itself the commands are only listed: each has a page.
    """
    return "\n".join(_roff(entry)) + "\n"


def _roff(entry: CommandEntry) -> Iterator[str]:
    name = entry.name.replace(" ", "-")
    yield f'.TH {_quote(name.upper())} 1 "" {_quote(f"trope {__version__}")} "Figurative language"'
    yield ".SH NAME"
    yield f"{_text(name)} \\- {_text(_lower(entry.summary))}"
    yield ".SH SYNOPSIS"
    yield f".B {_text(entry.usage)}"
    yield ".SH DESCRIPTION"
    yield from _paragraphs(entry)
    yield from _options(entry, ".SH OPTIONS")
    if entry.names:
        yield ".SH NAMES"
        for name, text in entry.names:
            yield from _item(name, text)
    if entry.name == "trope":
        yield ".SH COMMANDS"
        for command in entry.commands:
            yield from _item(command.name, command.summary)
    elif entry.commands:
        yield ".SH COMMANDS"
        for command in entry.walk():
            if not command.commands:
                yield f".SS {_text(command.usage)}"
                yield from _paragraphs(command)
                yield from _options(command)
                for name, text in command.names:
                    yield from _item(name, text)
    yield ".SH EXIT STATUS"
    for status, text in STATUS:
        yield from _item(status, text)
    yield ".SH SEE ALSO"
    yield from _see_also(entry)


def _paragraphs(entry: CommandEntry) -> Iterator[str]:
    for number, paragraph in enumerate(entry.paragraphs):
        if number:
            yield ".PP"
        yield _text(paragraph.replace("`", ""))


def _options(entry: CommandEntry, heading: str = "") -> Iterator[str]:
    if entry.options and heading:
        yield heading
    for names, text in entry.options:
        yield from _item(names, text)


def _item(name: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield f".B {_text(name)}"
    yield _text(text.replace("`", ""))


def _see_also(entry: CommandEntry) -> Iterator[str]:
    if entry.name == "trope":
        pages = [command.name.replace(" ", "-") for command in entry.commands]
    else:
        pages = ["trope"]
    for name in pages[:-1]:
        yield f".BR {_text(name)} (1),"
    yield f".BR {_text(pages[-1])} (1)"


def _lower(summary: str) -> str:
    """A summary as lists of pages want it: no capital, no full stop."""
    summary = summary.rstrip(".")
    return summary if summary[1:2].isupper() else summary[:1].lower() + summary[1:]


def _text(text: str) -> str:
    """Text that roff leaves as it is: hyphens can be copied, no line is taken for a macro."""
    escaped = re.sub(r"[\\-]", lambda found: {"\\": r"\e", "-": r"\-"}[found[0]], text)
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _quote(text: str) -> str:
    return '"' + _text(text) + '"'


@click.command()
@click.argument("names", nargs=-1, metavar="[COMMAND …]", shell_complete=complete_commands)
@click.option("--all", "folder", metavar="FOLDER",
              type=click.Path(path_type=Path, file_okay=False),
              help="Write the pages of all commands into this folder.")  # fmt: skip
def man(names: tuple[str, ...], folder: Path | None) -> None:
    """The manual page of a command, or of trope itself, for `man -l -`.

    With --all ~/.local/share/man/man1 every page is where man looks for it: man trope-analyze.
    """
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
