"""Every command and every option says what it does, and a slip of the pen is answered kindly."""

import re
from collections.abc import Iterator

import click
import pytest

from trope.catalog import AUDITS, EVALUATIONS, RECIPES, REPRODUCTIONS
from trope.cli.commands import COMMANDS
from trope.cli.main import main, run


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def test_every_command_and_option_has_help() -> None:
    silent = [name for name, command in commands(main) if not command.help]
    silent += [
        f"{name} {parameter.opts[0]}"
        for name, command in commands(main)
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    assert silent == []


def test_line_in_the_list_of_commands_fits_a_terminal() -> None:
    for name, (_, line) in COMMANDS.items():
        assert line.endswith(".")
        assert len(line) + len(name) < 74, "does not fit on a line of 80"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_every_command_fits_a_terminal(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leave:
        run([name, "--help"])
    assert leave.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Usage: trope {name}")
    assert max(map(len, shown.splitlines())) <= 80


def test_lines_in_lists_of_commands_are_whole() -> None:
    cut = []
    for name, command in [("", main), *commands(main)]:
        if isinstance(command, click.Group):
            shown = command.get_help(click.Context(command, info_name=name, terminal_width=80))
            cut += [f"{name}: {line}" for line in shown.splitlines() if line.endswith("...")]
    assert [line for line in cut if "Usage:" not in line] == []


def test_defaults_are_told_in_one_way() -> None:
    odd = []
    for name, command in commands(main):
        for option in command.params:
            if isinstance(option, click.Option) and re.search(
                r"if not given|\(default|; default:|\. \[(?!default)", option.help or ""
            ):
                odd.append(f"{name} {option.opts[0]}")
    assert odd == []


def test_names_that_a_command_knows_are_in_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, names in (
        (["evaluate"], EVALUATIONS),
        (["reproduce"], REPRODUCTIONS),
        (["audit"], AUDITS),
        (["recipe", "run"], RECIPES),
    ):
        with pytest.raises(SystemExit):
            run([*arguments, "--help"])
        shown = capsys.readouterr().out
        assert [name for name in names if f"\n  {name} " not in shown] == []


def test_trope_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        run([])
    assert leave.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith("Usage: trope ")
    assert shown.rstrip().endswith(COMMANDS[max(COMMANDS)][1])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["analyse", "x"], "did you mean 'analyze'"),
        (["nonsense"], "No such command 'nonsense'; try 'trope --help'"),
        (["analyze", "--format", "xml", "x"], "'xml' is not one of"),
        (["evaluate", "syntax"], "Missing option '--from'; try"),
        (["completion"], "Choose from: bash, zsh, fish; try"),
        (["analyse", "x"], "did you mean 'analyze'? try 'trope --help'"),
    ],
)
def test_wrong_usage_is_one_line_and_status_two(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leave:
        run(arguments)
    assert leave.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith("trope: ")
    assert shown.count("\n") == 1
    assert words in shown
