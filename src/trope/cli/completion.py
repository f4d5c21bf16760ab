"""`trope completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that lets SHELL complete commands, options and files.

    For bash, put  source <(trope completion bash)  into ~/.bashrc; docs/completion.md has the rest.
    """
    from click.shell_completion import get_completion_class

    from trope.cli.main import main

    maker = get_completion_class(shell)
    assert maker is not None  # one of click's own
    click.echo(maker(main, {}, "trope", "_TROPE_COMPLETE").source())
