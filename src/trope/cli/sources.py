"""The texts that the command line names: texts, files, or standard input."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.corpora.plain_text import read_line_texts
from trope.corpora.records import TextRecord
from trope.corpora.sources import numbered_lines, source_name
from trope.corpora.tables import NoTextColumn, read_texts

_FILE_NAME = re.compile(
    r"\S+\.(?:txt|text|md|csv|tsv|jsonl|ndjson|json|conllu|html?|xml|pdf|docx?|gz|zip)", re.I
)
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How files are read: the column of a table, a whole file as one text.

    `by` is the column of the groups of a summary; without one, each file is a group.
    """

    column: str = ""
    whole: bool = False
    by: str = ""


class NamedText(NamedTuple):
    """Where a text comes from ("" for the command line itself), the text, and its group."""

    name: str
    text: str
    group: str


def read_sources(arguments: Sequence[str], options: ReadingOptions) -> Iterator[NamedText]:
    """The texts that the arguments name, in order; blank ones are passed over.

    Raises:
        BadInput: where there is no text, or an argument that cannot be read.
    """
    if not arguments:
        if sys.stdin is None or sys.stdin.isatty():
            raise BadInput("no text given; give a text, a file, or - for standard input")
        arguments = ["-"]
    texts = chain.from_iterable(_read_argument(argument, options) for argument in arguments)
    found = False
    for text in texts:
        if text.text.strip():
            found = True
            yield text
    if not found:
        names = ", ".join("standard input" if a == "-" else repr(a) for a in arguments[:3])
        raise BadInput(f"no text in {names}; give one that is not empty")


def _read_argument(argument: str, options: ReadingOptions) -> Iterable[NamedText]:
    if argument == "-":
        return _read_plain("-", options)
    if _is_folder(argument):
        raise BadInput(f"{argument}: is a folder; name its files, such as {argument}/*.txt")
    if is_file(argument):
        return read_file(Path(argument), options)
    if _FILE_NAME.fullmatch(argument):
        raise MissingData(argument, "check the file name, or give a text of more than one word")
    return [NamedText("", argument, "")]


def is_file(argument: str) -> bool:
    """Whether an argument names a file that is there."""
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):  # a text too long for a file name, or with a NUL in it
        return False


def _is_folder(argument: str) -> bool:
    try:
        return bool(argument) and Path(argument).is_dir()
    except (OSError, ValueError):
        return False


def read_file(path: Path, options: ReadingOptions) -> Iterator[NamedText]:
    """The texts of one file, read as its suffix says; rows of tables are named by their ids."""
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if suffix.lower() in _TABLES:
        try:
            for record in read_texts(path, text_column=options.column or None):
                yield NamedText(record.id, record.text, _group(record, path, options))
        except NoTextColumn as error:
            problem = f"{error.problem}, or name it with --column"
            raise BadRecord(error.path, error.line, problem) from None
    else:
        yield from _read_plain(str(path), options)


def _read_plain(source: str, options: ReadingOptions) -> Iterator[NamedText]:
    name = source_name(source)
    if options.whole:
        text = "".join(line for _, line in numbered_lines(source, keep_ends=True))
        yield NamedText(name, text, name)
        return
    for record in read_line_texts(source):
        yield NamedText(f"{name}:{record.line}", record.text, name)


def _group(record: TextRecord, path: Path, options: ReadingOptions) -> str:
    """The group of a row: its file, or the value of the column for groups."""
    if not options.by:
        return str(path)
    if options.by not in record.fields:
        known = ", ".join(record.fields) or "no other than the text"
        problem = f"has no column {options.by!r} to group by; it has {known}"
        raise BadRecord(path, record.line, problem)
    return record.fields[options.by]
