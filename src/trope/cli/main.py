"""The `trope` command: a group whose commands are imported when they are called."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

import click

from trope import __version__
from trope.cli.commands import COMMANDS, add_common_options
from trope.core.errors import TropeError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """A group that imports its commands on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in alphabetical order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name, or None."""
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name][0].split(":")
        return add_common_options(getattr(import_module(module), attribute))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What the tab key offers: commands, without importing one, and the group's options."""
        from trope.cli.completion import offers

        commands = offers({name: line for name, (_, line) in COMMANDS.items()}, incomplete)
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names; a misspelt one gets a suggestion."""
        near = get_close_matches(args[0], COMMANDS, n=1)
        if near and args[0] not in COMMANDS:
            ctx.fail(f"no command is called {args[0]!r}; did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing one."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trope")
@click.option("--verbose", is_flag=True, help="Show tracebacks of errors.")
@click.option("--quiet", is_flag=True, help="No progress and no notes on standard error.")
@click.pass_context
def main(ctx: click.Context, verbose: bool, quiet: bool) -> None:
    """Figurative language: read it, measure it, build data sets of it.

    For a start:  trope analyze "The new tax strangles small shops."
    """
    ctx.obj = {"verbose": verbose, "quiet": quiet}


def run(arguments: list[str] | None = None) -> None:
    """Entry point: one line for an error, exit status 2; 130 when interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    # numpy's threads otherwise wait busily for work that a short command never has
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    try:
        status = main.main(args=arguments, prog_name="trope", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:  # a group by itself: its help, as it is
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.UsageError as error:
        # click lists one choice per line; our errors have one line
        message = " ".join(error.format_message().split()).rstrip(".")
        if error.ctx:
            message += "" if message.endswith("?") else ";"
            message += f" try '{error.ctx.command_path} --help'"
        click.echo(f"trope: {message}", err=True)
        sys.exit(2)
    except TropeError as error:
        if "--verbose" in arguments:
            raise
        click.echo(f"trope: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # the reader of our output has gone (`trope … | head`): nothing is wrong
        sys.stderr.close()
        sys.exit(0)
