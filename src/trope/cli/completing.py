"""What the shell offers when the tab key is pressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from trope.core.registry import Registry

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


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


def complete_names(names: Registry[Any]) -> Completer:
    """A completer that offers the names of a registry."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return offers({name: entry.summary for name, entry in names.items()}, incomplete)

    return complete


def complete_corpora(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of the catalogue's corpora."""
    from trope.corpora.metadata import load_corpora

    return offers({corpus.name: corpus.title for corpus in load_corpora()}, incomplete)


def offers(lines: Mapping[str, str], incomplete: str) -> list[CompletionItem]:
    """The names that begin so, each with its line of help."""
    return [
        CompletionItem(name, help=line)
        for name, line in sorted(lines.items())
        if name.startswith(incomplete)
    ]
