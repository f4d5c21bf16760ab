"""The `trope` command: a group whose commands are imported when they are called."""

from __future__ import annotations

import errno
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
        click.echo(f"trope: stopped{_continuing(arguments)}", err=True)
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
    except OSError as error:
        if "--verbose" in arguments:
            raise
        click.echo(f"trope: {_system_fault(error)}", err=True)
        _give_up_output()
        sys.exit(2)


_REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space, or write elsewhere"),
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS), "change its permissions, or give another path"
    ),
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR), "it is no folder; give another path"),
    errno.EISDIR: "give the name of a file",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.EMFILE: "close other programs, or allow more open files with ulimit -n",
}


def _system_fault(error: OSError) -> str:
    """What the system refused, in one line: the file, the cause, the remedy."""
    place = error.filename2 or error.filename or "the output"
    cause = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0, "check the path, or give another")
    return f"{place}: {cause[:1].lower()}{cause[1:]}; {remedy}"


def _give_up_output() -> None:
    """Forget what cannot be written to standard output, or Python complains about it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _continuing(arguments: list[str]) -> str:
    """How a command that was stopped goes on, where it can."""
    command = COMMANDS.get(arguments[0]) if arguments else None
    if command is None:
        return ""
    module, attribute = command[0].split(":")
    options = getattr(import_module(module), attribute).params
    resumes = any("--resume" in option.opts for option in options)
    return "; the same command with --resume goes on" if resumes else ""
