"""Runs the blocks of a page, one after the other, as a user would.

Every page has its own folder, with a copy of `examples/`, and its own Python namespace. A plain
`trope` command runs in this process, so that the model is loaded once. Commands that need a shell,
and the annotation service, whose database belongs to one process, run in their own.
"""

from __future__ import annotations

import csv
import doctest
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from command_lines import faults
from output_matching import difference, matches
from page_blocks import Block

from conftest import REPOSITORY
from trope.cli.main import run

COLUMNS = "100"
"""The width of the terminal."""

_SHELL = re.compile(r"[|<>&;`*]|\$\(")
_PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\[")
_OWN_PROCESS = {"annotate", "serve"}


class WrongBlock(AssertionError):
    """A block whose output differs from its page."""


@dataclass(slots=True)
class PageRunner:
    """The state of a page: its folder, its Python names, and the status of the last command."""

    folder: Path
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "__main__"})
    status: int = 0
    printed: str = ""

    def follow(self, blocks: list[Block]) -> None:
        """Run all blocks, and stop at the first that is wrong."""
        shutil.copytree(REPOSITORY / "examples", self.folder / "examples")
        for block in blocks:
            if not block.directive:
                self.do(block)

    def do(self, block: Block) -> None:
        """Run one block, or write it to its file, or check it."""
        if block.not_run:
            _check_names(block)
            return
        if block.language not in RUNNERS:
            known = ", ".join(sorted(RUNNERS))
            raise WrongBlock(f"{block.place}: {block.language!r} cannot be run; use one of {known}")
        try:
            RUNNERS[block.language](self, block)
        except (ValueError, csv.Error) as error:
            raise WrongBlock(f"{block.place}: {error}") from error
        if block.file:
            path = self.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.content, encoding="utf-8")


def run_console(runner: PageRunner, block: Block) -> None:
    """Commands after `$ `, each with what it prints, on either stream.

    A status other than 0 must be shown by `$ echo $?` as the next command.
    """
    commands = list(read_commands(block))
    for number, (line, command, expected) in enumerate(commands):
        place = f"{block.page.name}:{line}"
        got, runner.status = execute(runner, command)
        if not matches(expected, got):
            raise WrongBlock(f"{place}: $ {command}\n{difference(expected, got)}")
        shown = number + 1 < len(commands) and commands[number + 1][1] == "echo $?"
        if runner.status and not shown:
            raise WrongBlock(f"{place}: $ {command}\nended with status {runner.status}")


def read_commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """Line, command and expected output of every `$ ` in a block."""
    lines = block.content.splitlines()
    if not lines or not lines[0].startswith("$ "):
        raise WrongBlock(f"{block.place}: a console block begins with a command after '$ '")
    place = 0
    while place < len(lines):
        begin, command = place, lines[place].removeprefix("$ ")
        while command.endswith("\\"):
            place += 1
            command = command[:-1].rstrip() + " " + lines[place].strip().removeprefix("> ")
        place += 1
        output = []
        while place < len(lines) and not lines[place].startswith("$ "):
            output.append(lines[place])
            place += 1
        yield block.line + 1 + begin, command, "\n".join(output)


def execute(runner: PageRunner, command: str) -> tuple[str, int]:
    """What a command prints, both streams together, and the status that it ends with."""
    if command == "echo $?":
        return f"{runner.status}\n", 0
    words = shlex.split(command, comments=True)
    alone = words[0] == "trope" and not _SHELL.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", command))
    if alone and not _OWN_PROCESS & {*words[1:2]}:
        return run_here(words[1:])
    shell = f'trope() {{ "{sys.executable}" -m trope "$@"; }}\n{command}'
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=runner.folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode(), done.returncode


def run_here(arguments: list[str]) -> tuple[str, int]:
    """What `trope` prints with these arguments, both streams together, and its status."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    status: object = 0
    with redirect_stdout(stream), redirect_stderr(stream):
        try:
            run(arguments)
        except SystemExit as leave:
            status = leave.code
    return stream.buffer.getvalue().decode(), status if isinstance(status, int) else 0  # type: ignore[attr-defined]


def read_session(runner: PageRunner, block: Block) -> doctest.DocTest:
    """A session of Python, as doctest reads it, with the names of the page."""
    test = doctest.DocTestParser().get_doctest(
        block.content, runner.names, block.place, str(block.page), block.line
    )
    if not test.examples:
        raise WrongBlock(f"{block.place}: a pycon block begins with '>>> '")
    return test


def run_session(runner: PageRunner, block: Block) -> None:
    """Run a session and compare what it prints."""
    test = read_session(runner, block)
    printed: list[str] = []
    doctests = doctest.DocTestRunner(checker=Checker(), verbose=False)
    doctests.run(test, out=printed.append, clear_globs=False)
    runner.names.update(test.globs)
    if doctests.failures:
        raise WrongBlock("".join(printed))


class Checker(doctest.OutputChecker):
    """As in console blocks, `…` stands for what is left out."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Whether the page has what was printed."""
        return super().check_output(want, got, optionflags) or matches(want, got)


def run_python(runner: PageRunner, block: Block) -> None:
    """A piece of a program; what it prints is compared with the `output` block after it."""
    stream = io.StringIO()
    with redirect_stdout(stream):
        exec(compile(block.content, block.place, "exec"), runner.names)
    runner.printed = stream.getvalue()


def compare_output(runner: PageRunner, block: Block) -> None:
    """What the Python before this block printed."""
    if not matches(block.content, runner.printed):
        raise WrongBlock(f"{block.place}:\n{difference(block.content, runner.printed)}")


def parse_csv(runner: PageRunner, block: Block) -> None:
    """A table whose rows are as long as its head."""
    widths = {len(row) for row in csv.reader(block.content.splitlines(), strict=True)}
    if len(widths) != 1:
        raise WrongBlock(f"{block.place}: rows of different lengths")


def parse_lines(runner: PageRunner, block: Block) -> None:
    """A JSON document a line."""
    for line in block.content.splitlines():
        json.loads(line)


def read_text(runner: PageRunner, block: Block) -> None:
    """Text for people. A command in it must exist, and have a placeholder in capitals."""
    for line in block.content.splitlines():
        command = line.startswith("trope ") and not _PLACEHOLDER.search(line)
        if line.startswith("$ ") or command:
            raise WrongBlock(f"{block.place}: a command that can be run belongs in a console block")
    _check_names(block)


def _check_names(block: Block) -> None:
    """Every command of a block exists, with its options."""
    joined = re.sub(r"\\\n\s*", " ", block.content)
    for line in joined.splitlines():
        if found := faults(line.removeprefix("$ ").strip()):
            raise WrongBlock(f"{block.place}: {'; '.join(found)}")


RUNNERS: dict[str, Callable[[PageRunner, Block], None]] = {
    "console": run_console,
    "pycon": run_session,
    "python": run_python,
    "output": compare_output,
    "toml": lambda runner, block: tomllib.loads(block.content) and None,
    "json": lambda runner, block: json.loads(block.content) and None,
    "jsonl": parse_lines,
    "csv": parse_csv,
    "text": read_text,
}
"""What runs or checks a block of a language."""
