"""What the shell offers when the tab key is pressed."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def complete_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of files, which the shell knows better than we do."""
    return [CompletionItem(incomplete, type="file")]


def complete_commands(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of commands, with their lines of help."""
    from trope.cli.main import COMMANDS

    return offers({name: line for name, (_, line) in COMMANDS.items()}, incomplete)


def offers(lines: dict[str, str], incomplete: str) -> list[CompletionItem]:
    """The names that begin so, each with its line of help."""
    return [
        CompletionItem(name, help=line)
        for name, line in sorted(lines.items())
        if name.startswith(incomplete)
    ]
