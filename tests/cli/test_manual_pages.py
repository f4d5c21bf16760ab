"""Manual pages and the reference are written from the commands, and `man` can read them."""

import shutil
import subprocess
from pathlib import Path

import click
import pytest

from trope.cli.commands import COMMANDS
from trope.cli.main import main, run
from trope.cli.manual import CommandEntry, file_name, page, read_entry, reference


def all_options(command: click.Command) -> set[str]:
    options = (p for p in command.params if isinstance(p, click.Option) and not p.hidden)
    return {name for option in options for name in option.opts}


@pytest.fixture(scope="module")
def whole() -> CommandEntry:
    return read_entry()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("man")
    with pytest.raises(SystemExit) as leave:
        run(["man", "--all", str(folder)])
    assert leave.value.code == 0
    return folder


def test_every_command_has_a_page(written: Path) -> None:
    names = {path.name for path in written.iterdir()}
    assert names == {"trope.1", *(f"trope-{name}.1" for name in COMMANDS)}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_page_and_reference_have_every_option(name: str) -> None:
    entry = read_entry((name,))
    command = main.get_command(click.Context(main), name)
    assert command is not None
    roff, markdown = page(entry).replace(r"\-", "-"), reference(entry)
    for option in all_options(command):
        assert option in roff
        assert option in markdown


def test_commands_under_a_command_are_on_its_page(whole: CommandEntry) -> None:
    (annotate,) = [entry for entry in whole.commands if entry.name == "trope annotate"]
    text = page(annotate).replace(r"\-", "-")
    assert len(list(annotate.walk())) > 10
    for entry in annotate.commands:
        assert f".SS {entry.usage}" in text


def test_page_has_the_parts_of_a_manual_page(whole: CommandEntry) -> None:
    for entry in (whole, *whole.commands):
        lines = page(entry).splitlines()
        assert lines[0].startswith('.TH "TROPE')
        heads = [line for line in lines if line.startswith(".SH")]
        assert heads[:3] == [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"]
        assert heads[-2:] == [".SH EXIT STATUS", ".SH SEE ALSO"]
        macros = {line.split()[0] for line in lines if line.startswith((".", "'"))}
        assert macros <= {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".BR"}
        assert "" not in lines, "an empty line is a fault in roff"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_finds_no_fault(written: Path) -> None:
    for path in sorted(written.iterdir()):
        done = subprocess.run(
            ["groff", "-man", "-Kutf8", "-ww", "-z", "-Tutf8", str(path)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == "", path.name


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_man_shows_a_page(written: Path) -> None:
    done = subprocess.run(
        ["man", "-l", str(written / "trope-detect.1")],
        env={"PATH": "/usr/bin:/bin", "MANPAGER": "cat", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "trope detect [OPTIONS] IN …" in done.stdout
    assert "--shard-rows INTEGER RANGE" in done.stdout


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_finds_no_error(written: Path) -> None:
    for path in sorted(written.iterdir()):
        command = ["mandoc", "-Tlint", "-Werror", str(path)]
        subprocess.run(command, check=True, capture_output=True)


def test_one_page_goes_to_standard_output(
    capsys: pytest.CaptureFixture[str], whole: CommandEntry
) -> None:
    with pytest.raises(SystemExit):
        run(["man"])
    assert capsys.readouterr().out == page(whole)
    with pytest.raises(SystemExit):
        run(["man", "score", "sentiment"])
    shown = capsys.readouterr().out
    assert shown.startswith(r'.TH "TROPE\-SCORE\-SENTIMENT"')


def test_no_page_for_no_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments in (
        ["man", "fly"],
        ["man", "score", "fly"],
        ["man", "x", "--all", str(tmp_path)],
    ):
        with pytest.raises(SystemExit) as leave:
            run(arguments)
        assert leave.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_what_roff_would_take_for_a_macro_is_text() -> None:
    entry = CommandEntry("trope x", "Sum.", "trope x", (".txt files \\ and - dashes",), (), ())
    assert "\\&.txt files \\e and \\- dashes" in page(entry)
    assert file_name(entry) == "trope-x.1"


def test_markdown_leaves_code_and_escapes_the_rest() -> None:
    entry = CommandEntry("trope x", "Sum.", "trope x", ("Files *.txt, and `a*b` as code.",), (), ())
    assert r"Files \*.txt, and `a*b` as code." in reference(entry)
