"""What stands on the command line, as texts: words of its own, files, or standard input."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import decode, open_binary

NamedText = tuple[str, str]
"""Where a text comes from ("" for the command line itself), and the text."""

_FILE_NAME = re.compile(
    r"\S+\.(?:txt|text|md|csv|tsv|jsonl|ndjson|json|conllu|html?|xml|pdf|docx?|gz|zip)", re.I
)
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How files are taken apart: the column of a table, a whole file as one text."""

    column: str = ""
    whole: bool = False


def read_sources(arguments: Sequence[str], options: ReadingOptions) -> Iterator[NamedText]:
    """The texts that the arguments name, in order; blank ones are passed over.

    Raises:
        BadInput: where there is no text at all, or an argument that cannot be read.
    """
    if not arguments:
        if sys.stdin is None or sys.stdin.isatty():
            raise BadInput("no text given; give a text, a file, or - for standard input")
        arguments = ["-"]
    texts = chain.from_iterable(_read_argument(argument, options) for argument in arguments)
    found = False
    for name, text in texts:
        if text.strip():
            found = True
            yield name, text
    if not found:
        names = ", ".join("standard input" if a == "-" else repr(a) for a in arguments[:3])
        raise BadInput(f"no text in {names}; give one that is not empty")


def _read_argument(argument: str, options: ReadingOptions) -> Iterable[NamedText]:
    if argument == "-":
        return _read_plain(sys.stdin.buffer, "standard input", options)
    if _is_folder(argument):
        raise BadInput(f"{argument}: is a folder; name its files, such as {argument}/*.txt")
    if is_file(argument):
        return read_file(Path(argument), options)
    if _FILE_NAME.fullmatch(argument):
        raise MissingData(argument, "check the file name, or give a text of more than one word")
    return [("", argument)]


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
    """The texts of one file, read as its suffix says."""
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    with open_binary(path) as file:
        if suffix.lower() in _DELIMITERS:
            yield from _read_table(file, path, _DELIMITERS[suffix.lower()], options.column)
        elif suffix.lower() in (".jsonl", ".ndjson"):
            yield from _read_jsonl(file, path, options.column or "text")
        else:
            yield from _read_plain(file, str(path), options)


def _read_plain(file: BinaryIO, name: str, options: ReadingOptions) -> Iterator[NamedText]:
    if options.whole:
        yield name, decode(file.read(), name)
        return
    for number, raw in enumerate(file, start=1):
        yield f"{name}:{number}", decode(raw, name, number).rstrip("\r\n")


def _read_table(file: BinaryIO, path: Path, delimiter: str, column: str) -> Iterator[NamedText]:
    lines = (decode(raw, path, number) for number, raw in enumerate(file, start=1))
    rows = csv.reader(lines, delimiter=delimiter)
    header = next(rows, [])
    place = _column(header, column, path)
    for row in rows:
        if place < len(row):
            yield f"{path}:{rows.line_num}", row[place]
        elif row:
            raise BadRecord(path, rows.line_num, f"has no column {header[place]!r}")


def _column(header: list[str], column: str, path: Path) -> int:
    wanted = column or ("text" if "text" in header or len(header) != 1 else header[0])
    if wanted not in header:
        known = ", ".join(header) or "none"
        raise BadRecord(path, 1, f"has no column {wanted!r}; choose with --column from: {known}")
    return header.index(wanted)


def _read_jsonl(file: BinaryIO, path: Path, column: str) -> Iterator[NamedText]:
    for number, raw in enumerate(file, start=1):
        line = decode(raw, path, number)
        if not line.strip():
            continue
        try:
            text = json.loads(line)[column]
        except ValueError as error:
            raise BadRecord(path, number, f"is not JSON ({error})") from None
        except (KeyError, TypeError):
            raise BadRecord(path, number, f"has no {column!r}; choose with --column") from None
        if not isinstance(text, str):
            raise BadRecord(path, number, f"{column!r} is no text")
        yield f"{path}:{number}", text
