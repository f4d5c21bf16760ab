"""The reference of commands as Markdown, for the site."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trope.cli.manual.entries import Entry


def reference(entry: Entry, *, level: int = 2) -> str:
    """A section a command, with the commands under it in sections of their own."""
    return "\n".join(_section(entry, level))


def _section(entry: Entry, level: int) -> Iterator[str]:
    yield f"{'#' * level} {entry.name}\n"
    yield f"```text\n{entry.usage}\n```\n"
    for paragraph in entry.paragraphs:
        yield f"{_escape(paragraph)}\n"
    for names, text in entry.options:
        yield f"`{names}`\n: {_escape(text)}\n"
    for name, text in entry.names:
        yield f"`{name}`\n: {_escape(text)}\n"
    for command in entry.commands:
        yield from _section(command, level + 1)


def _escape(text: str) -> str:
    """Text as it is, but for what stands between backticks, which is code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        p if p.startswith("`") else re.sub(r"([\\*_<>\[\]#|~])", r"\\\1", p) for p in parts
    )
