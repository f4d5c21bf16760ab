"""`--quiet` and `--verbose` come before or after any command."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from trope.cli.commands import COMMANDS, add_common_options, given_arguments
from trope.cli.main import main


def _commands() -> Iterator[tuple[str, ...]]:
    context = click.Context(main, info_name="trope")
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        yield (name,)
        if isinstance(command, click.Group):
            yield from ((name, under) for under in command.commands)


def _options(path: tuple[str, ...]) -> dict[str, click.Option]:
    command: click.Command | None = main
    context = click.Context(main, info_name="trope")
    for name in path:
        assert isinstance(command, click.Group)
        command = command.get_command(context, name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option)]
    return {name: option for option in options for name in option.opts}


@pytest.mark.parametrize("path", list(_commands()), ids=" ".join)
def test_every_command_has_both_options_with_help(path: tuple[str, ...]) -> None:
    options = _options(path)
    for name in ("--quiet", "--verbose"):
        assert options[name].is_flag
        assert options[name].help


@pytest.mark.parametrize("arguments", [["--quiet", "probe"], ["probe", "--quiet"]])
def test_quiet_is_the_same_before_and_after_a_command(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    @click.command()
    @click.pass_context
    def probe(context: click.Context) -> None:
        seen.append(is_quiet(context))

    from trope.cli.output import is_quiet

    monkeypatch.setattr("trope.cli.main.import_module", lambda _: type("Module", (), {"p": probe}))
    monkeypatch.setitem(COMMANDS, "probe", ("module:p", "A probe."))
    main.main(args=arguments, prog_name="trope", standalone_mode=False)
    assert seen == [True]


def test_a_command_that_calls_itself_gives_its_options_on_and_no_common_ones() -> None:
    told: list[tuple[str, ...]] = []

    @click.command("own")
    @click.option("--data")
    @click.option("--without", multiple=True)
    @click.option("--jobs", type=int, default=1)
    def own(**options: object) -> None:
        told.append(given_arguments(click.get_current_context(), without=("jobs",)))

    given = ["--data", "D", "--without", "a", "--without", "b", "--jobs", "2"]
    command = add_common_options(own)
    command.main([*given, "--quiet", "--verbose"], "own", standalone_mode=False)
    assert told == [("own", "--data", "D", "--without", "a", "--without", "b")]
