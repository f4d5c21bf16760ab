"""Manual pages, in the macros that every `man` knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trope import __version__
from trope.cli.manual.entries import Entry

STATUS = (
    ("0", "Done."),
    ("1", "Done, with findings that were asked for: a check that failed, rows that were refused."),
    ("2", "Bad usage or bad input; one line on standard error says what and where."),
    ("130", "Interrupted."),
)


def file_name(entry: Entry) -> str:
    """`trope-analyze.1` for `trope analyze`."""
    return f"{entry.name.replace(' ', '-')}.1"


def page(entry: Entry) -> str:
    """The manual page of a command, with the commands under it as sections of their own.

    Of `trope` itself the commands are only listed: each has a page.
    """
    return "\n".join(_lines(entry)) + "\n"


def _lines(entry: Entry) -> Iterator[str]:
    name = entry.name.replace(" ", "-")
    yield f'.TH {_quote(name.upper())} 1 "" {_quote(f"trope {__version__}")} "Figurative language"'
    yield ".SH NAME"
    yield f"{_text(name)} \\- {_text(_lower(entry.summary))}"
    yield ".SH SYNOPSIS"
    yield f".B {_text(entry.usage)}"
    yield ".SH DESCRIPTION"
    yield from _paragraphs(entry)
    yield from _options(entry, ".SH OPTIONS")
    if entry.names:
        yield ".SH NAMES"
        for name, text in entry.names:
            yield from _item(name, text)
    if entry.name == "trope":
        yield ".SH COMMANDS"
        for command in entry.commands:
            yield from _item(command.name, command.summary)
    elif entry.commands:
        yield ".SH COMMANDS"
        for command in entry.walk():
            if not command.commands:
                yield f".SS {_text(command.usage)}"
                yield from _paragraphs(command)
                yield from _options(command)
                for name, text in command.names:
                    yield from _item(name, text)
    yield ".SH EXIT STATUS"
    for status, text in STATUS:
        yield from _item(status, text)
    yield ".SH SEE ALSO"
    yield from _see_also(entry)


def _paragraphs(entry: Entry) -> Iterator[str]:
    for number, paragraph in enumerate(entry.paragraphs):
        if number:
            yield ".PP"
        yield _text(paragraph.replace("`", ""))


def _options(entry: Entry, heading: str = "") -> Iterator[str]:
    if entry.options and heading:
        yield heading
    for names, text in entry.options:
        yield from _item(names, text)


def _item(name: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield f".B {_text(name)}"
    yield _text(text.replace("`", ""))


def _see_also(entry: Entry) -> Iterator[str]:
    if entry.name == "trope":
        pages = [command.name.replace(" ", "-") for command in entry.commands]
    else:
        pages = ["trope"]
    for name in pages[:-1]:
        yield f".BR {_text(name)} (1),"
    yield f".BR {_text(pages[-1])} (1)"


def _lower(summary: str) -> str:
    """A summary as lists of pages want it: no capital, no full stop."""
    summary = summary.rstrip(".")
    return summary if summary[1:2].isupper() else summary[:1].lower() + summary[1:]


def _text(text: str) -> str:
    """Text that roff leaves as it is: hyphens can be copied, no line is taken for a macro."""
    escaped = re.sub(r"[\\-]", lambda found: {"\\": r"\e", "-": r"\-"}[found[0]], text)
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _quote(text: str) -> str:
    return '"' + _text(text) + '"'
