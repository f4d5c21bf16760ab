"""`trope completion`, and what the shell offers when the tab key is pressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from trope.cli.commands import COMMANDS

if TYPE_CHECKING:
    from trope.core.registry import Registry

SHELLS = ("bash", "zsh", "fish")
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def complete_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of files, which the shell completes itself."""
    return [CompletionItem(incomplete, type="file")]


def complete_commands(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of commands, with their lines of help."""
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


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that lets SHELL complete commands, options and files.

    For bash, put  source <(trope completion bash)  into ~/.bashrc; docs/completion.md has the rest.
    """
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    assert maker is not None  # one of click's own
    root = click.get_current_context().find_root().command
    click.echo(maker(root, {}, "trope", "_TROPE_COMPLETE").source())
