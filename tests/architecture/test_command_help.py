"""Every command and every option says what it does, and a slip of the pen is answered kindly."""

from collections.abc import Iterator

import click
import pytest

from trope.cli.main import COMMANDS, main, run


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
