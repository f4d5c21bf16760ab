"""The texts that the command line names, and the options that say how files are read."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

import click

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.progress import counted
from trope.corpora.files import (
    NOT_READ,
    SKIPPED,
    STDIN,
    TEXT,
    FileOptions,
    InputFile,
    InputFormat,
    Tell,
    find_files,
    good_rows,
    shows_no_format,
    tell_nobody,
)
from trope.corpora.plain_text import Unit
from trope.corpora.records import TextRecord
from trope.corpora.rows import with_inner_fields
from trope.corpora.sources import source_name
from trope.corpora.tables import NoTextColumn, TableRow, is_missing, named_texts

if TYPE_CHECKING:
    from trope.text.language import LanguageSample

_FILE_NAME = re.compile(
    r"\S+\.(?:txt|text|md|csv|tsv|tab|jsonl|ndjson|json|conllu|html?|xml|pdf|docx?|xlsx?|epub|"
    r"odt|rtf|parquet|gz|zip)",
    re.I,
)
_NOTES_OF_A_KIND = 3
TABLE_OPTIONS = {
    "--encoding": "Encoding of the files, such as cp1252.  [default: detected]",
    "--delimiter": "What separates columns, such as ';' or tab.  [default: detected]",
    "--sheet": "Name or number of the sheet of a workbook.  [default: the first]",
}

F = TypeVar("F", bound=Callable[..., Any])


def table_reading_options(command: F) -> F:
    """The command with the options that say how any table is read."""
    for name, text in reversed(TABLE_OPTIONS.items()):
        command = click.option(name, default="", metavar=name[2:].upper(), help=text)(command)
    return command


def reading_options(command: F) -> F:
    """The command with the options that say how files of texts are read."""
    others = (
        click.option("--unit", type=click.Choice(get_args(Unit)[1:]), default=None,
                     help="What one text is.  [default: a document, a row, a line of a list]"),
        click.option("--input-format", type=click.Choice(get_args(InputFormat)),
                     help="Format of the input.  [default: by the file names]"),
        click.option("--any-language", is_flag=True,
                     help="Do not warn about texts that are not English."),
    )  # fmt: skip
    for option in reversed(others):
        command = option(command)
    return table_reading_options(command)


def file_options(options: dict[str, Any]) -> FileOptions:
    """The options of the command line that say how files are read."""
    return FileOptions(
        format=options.get("input_format"),
        encoding=options["encoding"],
        delimiter=options["delimiter"],
        sheet=options["sheet"],
        unit=options.get("unit") or "auto",
    )


class Notes:
    """Notes about how files were read, printed on standard error when the work is done.

    Of many notes alike the first few are printed, but every file that is left out is listed. A
    command that fails has one line on standard error, the error. `not_read` counts the files that
    should have been read and could not, in whole or in part.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.not_read = 0
        self._notes: list[tuple[str, str]] = []

    def __call__(self, name: str, note: str) -> None:
        """Take a note about a file."""
        self.not_read += note.startswith(NOT_READ)
        self._notes.append((name, note))

    def close(self) -> None:
        """Print the notes."""
        told: Counter[str] = Counter()
        for name, note in () if self.quiet else self._notes:
            kind = re.split(r"[;:(]|\d", note, maxsplit=1)[0].strip()
            told[kind] += 1
            if kind.startswith((SKIPPED, NOT_READ)) or told[kind] <= _NOTES_OF_A_KIND:
                click.echo(f"trope: {name}: {note}", err=True)
        for kind, times in told.items():
            more = 0 if kind.startswith((SKIPPED, NOT_READ)) else times - _NOTES_OF_A_KIND
            if more > 0:
                click.echo(f"trope: {counted(more, 'more file')}: {kind}", err=True)
        self._notes.clear()


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How the texts of a command are read.

    `column` is that of the text in a table; `by` that of the groups of a summary: without one,
    each file is a group.
    """

    column: str = ""
    by: str = ""
    files: FileOptions = field(default_factory=FileOptions)
    any_language: bool = False
    tell: Tell = tell_nobody


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
        arguments = [STDIN]
    alone = len(arguments) == 1
    texts = chain.from_iterable(_read_argument(argument, options, alone) for argument in arguments)
    found = False
    for text in texts:
        if text.text.strip():
            found = True
            yield text
    if not found:
        names = ", ".join("standard input" if a == STDIN else repr(a) for a in arguments[:3])
        raise BadInput(f"no text in {names}; give one that is not empty")


def _read_argument(argument: str, options: ReadingOptions, alone: bool) -> Iterable[NamedText]:
    if argument == STDIN or _exists(argument):
        return _read_files(argument, options, alone)
    if _FILE_NAME.fullmatch(argument):
        raise MissingData(argument, "check the file name, or give a text of more than one word")
    if options.by:
        raise BadInput(f"a text has no column {options.by!r} to group by; give a table")
    if not options.any_language:
        from trope.text.language import other_language

        _tell_language("the text", other_language(argument), options)
    return [NamedText("", argument, "")]


def is_file(argument: str) -> bool:
    """Whether an argument names a file that is there."""
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):  # a text too long for a file name, or with a NUL in it
        return False


def _exists(argument: str) -> bool:
    """Whether an argument names a file, a folder, or a file in an archive."""
    try:
        path = Path(argument)
        inside = any(p.suffix.lower() == ".zip" and p.is_file() for p in path.parents)
        return bool(argument) and (path.exists() or inside)
    except (OSError, ValueError):
        return False


def _read_files(argument: str, options: ReadingOptions, alone: bool) -> Iterator[NamedText]:
    files = options.files
    if argument != STDIN and shows_no_format(argument):
        files = replace(files, format=files.format or "txt")
    found = find_files([argument], files, tell=options.tell)
    unread: list[BadRecord] = []
    for file in found:
        name = source_name(file.path)
        if Path(argument).is_dir():
            name = Path(name).relative_to(argument).as_posix()
        texts = 0
        try:
            for text in _read_file(file, name, files, options):
                texts += 1
                if file.is_table and not (alone and len(found) == 1):  # ids are those of its rows
                    text = text._replace(name=f"{name}:{text.name}")
                yield text
        except BadRecord as error:
            if len(found) == 1:
                raise
            where = f" from line {error.line} on" if texts and error.line else ""
            options.tell(error.path, f"{NOT_READ}{where}: {error.problem}")
            if not texts:
                unread.append(error)
    if len(unread) == len(found):
        raise BadInput(f"{argument}: no file of {len(found)} can be read; {unread[0]}")


def _read_file(
    file: InputFile, place: str, files: FileOptions, options: ReadingOptions
) -> Iterator[NamedText]:
    name = source_name(file.path)
    rows = good_rows(file, files, tell=options.tell)
    if file.format == "txt" and file.path != STDIN:
        rows = chain([_first_row(rows, file)], rows)
    language = _language_sample(options)
    for record in _records(rows, name, file, options):
        if language is not None:
            language.add(record.text)
            if language.is_full:
                _tell_language(name, language.other_language(), options)
                language = None
        if file.is_table:
            yield NamedText(record.id, record.text, _group(record, file, options, place))
        else:
            if options.by:
                problem = f"has no column {options.by!r} to group by; give a table"
                raise BadRecord(name, None, problem)
            own = f"{place}:{record.line}" if record.line else place
            yield NamedText(own, record.text, place)
    if language is not None:
        _tell_language(name, language.other_language(), options)


def _first_row(rows: Iterator[TableRow], file: InputFile) -> TableRow:
    first = next(rows, None)
    if first is None:
        cause = "has only blank lines; give a file with text"
        raise BadRecord(file.path, 1, cause if file.bytes else "is empty; give a file with content")
    return first


def _records(
    rows: Iterator[TableRow], name: str, file: InputFile, options: ReadingOptions
) -> Iterator[TextRecord]:
    if not file.is_table:
        for line, row in rows:
            yield TextRecord(str(line), row[TEXT], line)
        return
    left_out = []
    try:
        rows = with_inner_fields(rows, [options.column, options.by])
        for record in named_texts(rows, name, text_column=options.column or None):
            if is_missing(record.text):
                left_out.append(record.line)
            else:
                yield record
    except NoTextColumn as error:
        problem = f"{error.problem}, or name it with --column"
        raise BadRecord(error.path, error.line, problem) from None
    if left_out:
        rows_left = "1 row" if len(left_out) == 1 else f"{len(left_out)} rows"
        options.tell(name, f"left out {rows_left} without a text (line {left_out[0]})")


def _language_sample(options: ReadingOptions) -> LanguageSample | None:
    if options.any_language:
        return None
    from trope.text.language import LanguageSample

    return LanguageSample()


def _tell_language(name: str, other: str, options: ReadingOptions) -> None:
    """Tells of another language than English, if there is one."""
    from trope.text.language import OTHER_LANGUAGE

    if other:
        options.tell(name, OTHER_LANGUAGE.format(other))


def _group(record: TextRecord, file: InputFile, options: ReadingOptions, place: str) -> str:
    """The group of a row: its file, or the value of the column for groups."""
    if not options.by:
        return place
    if options.by not in record.fields:
        known = ", ".join(record.fields) or "no other than the text"
        problem = f"has no column {options.by!r} to group by; it has {known}"
        raise BadRecord(file.path, record.line, problem)
    return record.fields[options.by]
