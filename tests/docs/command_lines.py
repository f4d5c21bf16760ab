"""Whether a command that a page names exists, with every option that it is given."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from conftest import REPOSITORY
from trope.cli.main import main

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
_NAME = re.compile(r"[a-z][a-z0-9|-]*")
_TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def faults(line: str) -> list[str]:
    """What is wrong with a line of the form `trope COMMAND …` or `make TARGET …`."""
    plain = _QUOTED.sub("TEXT", line)
    found = []
    for part in re.split(r"&&|;|\||>|,? `", _without_alternatives(plain)):
        words = part.split("#")[0].split()
        if words[:1] == ["trope"]:
            found += _command_faults(words[1:])
        elif words[:1] == ["make"]:
            targets = _TARGET.findall((REPOSITORY / "Makefile").read_text(encoding="utf-8"))
            wanted = [word for word in words[1:] if "=" not in word and word != "…"]
            found += [f"make has no target {word!r}" for word in wanted if word not in targets]
    return found


def _without_alternatives(line: str) -> str:
    """`new|serve` is one word, and `a | b` a pipe: blanks tell them apart."""
    return re.sub(r"(?<=\S)\\?\|(?=\S)", "/", line)


def _command_faults(words: list[str]) -> list[str]:
    found = []
    for path, command, rest in _commands(main, words):
        if command is None:
            found.append(f"no command {path!r}")
            continue
        known = {*_options(main), *_options(command), "--help"}
        given = _OPTION.findall(" ".join(rest))
        found += [f"{path} has no option {name}" for name in given if name not in known]
    return found


def _commands(
    group: click.Group, words: list[str], path: str = "trope"
) -> Iterator[tuple[str, click.Command | None, list[str]]]:
    """The commands that the words name; `list/run` names two."""
    while words and words[0].startswith("--"):
        words = words[1:]
    words = words[sum(isinstance(one, click.Argument) for one in group.params) :]
    if words and words[0].strip("[]").isupper():
        return  # COMMAND stands for any, and so do its options
    if not words or not _NAME.fullmatch(words[0].replace("/", "|")):
        yield path, group, words
        return
    context = click.Context(group)
    for name in words[0].split("/"):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, words[1:], f"{path} {name}")
        else:
            yield f"{path} {name}", command, words[1:]


def _options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (*parameter.opts, *parameter.secondary_opts)
