"""A user's own files as a source of a recipe: any file or folder that trope reads.

A source has a name, a licence and a citation, which provenance, release and data card carry, and
says which columns hold texts, ids and dates. Ids are those of the file; each occurs once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import msgspec

from trope.core.errors import BadConfig, BadInput, BadRecord
from trope.corpora.files import (
    STDIN,
    TEXT,
    FileOptions,
    InputFile,
    Tell,
    find_files,
    good_rows,
    shows_no_format,
    tell_nobody,
)
from trope.corpora.plain_text import Unit
from trope.corpora.records import TextRecord
from trope.corpora.rows import fields_shown, with_inner_fields
from trope.corpora.sources import numbered_lines, source_name
from trope.corpora.tables import (
    ID_COLUMNS,
    NoTextColumn,
    TableRow,
    find_column,
    is_missing,
    named_texts,
)

ROWS = "#"
"""As the column of ids: rows are counted, whatever columns there are."""

_ROUND_NUMBER = re.compile(r"\d+[.,]0+")
_ROUNDED = re.compile(r"[1-9]\d{14}0+")
_ENOUGH = 10  # ids, that all of them end in zeros by no chance
_MAYBE_ROUNDED = (
    "all ids have zeros after 15 digits, as where a spreadsheet rounds long numbers; if they had "
    "others, export the ids as text"
)
_DRIVE = re.compile(r"[A-Za-z]")
_OPTION = re.compile(r"--(unit) (\w+)|--(sheet)\b")
_NO_SETTING = "; name it with --input-format"
ID_REMEDY = f"name another column, or count the rows with columns.id = {ROWS!r}"
"""What settings can do about ids that are of no use."""


class SourceColumns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The columns of a table; what is empty is found by usual names, such as text and id."""

    text: str = ""
    id: str = ""
    date: str = ""


class OwnSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file, folder, archive or pattern of a user, with what provenance says of it.

    `keep` are further columns that items have. `ids` is a file with an id at the beginning of each
    line: the texts of these ids are taken, in this order.
    """

    path: str
    name: str = ""
    licence: str = ""
    citation: str = ""
    columns: SourceColumns = SourceColumns()
    keep: tuple[str, ...] = ()
    ids: str = ""
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    unit: Unit = "auto"

    def files(self, *, any_format: bool = False, tell: Tell = tell_nobody) -> list[InputFile]:
        """The files, in order; of any format if they are not read as texts.

        `tell` is told what of a folder is left out.
        """
        if self.path == STDIN:
            raise BadInput("a recipe reads its sources more than once; save the texts in a file")
        options = FileOptions("txt") if any_format else self.options()
        return find_files([self.path], options, tell=tell)

    def options(self) -> FileOptions:
        """How its files are read; one whose name shows no format (firms.lst) is a list of lines or,
        with a column of texts, a table.
        """
        unknown = shows_no_format(self.path)
        return FileOptions(
            ("csv" if self.columns.text else "txt") if unknown else None,
            encoding=self.encoding,
            delimiter=self.delimiter,
            sheet=self.sheet,
            unit="line" if unknown and self.unit == "auto" else self.unit,
        )


SourceSetting = bool | str | OwnSource | tuple[str | OwnSource, ...]
"""A source in the settings: files of the catalogue, own files ("my.csv:column"), tables; false for
none."""


@dataclass(frozen=True, slots=True)
class OwnText:
    """A text of a source; `perished` if only its id is there."""

    source: str
    id: str
    text: str
    date: str = ""
    kept: Mapping[str, str] = field(default_factory=dict)
    perished: bool = False

    @property
    def record_id(self) -> str:
        """Its id in a run, which has other sources too."""
        return f"{self.source}-{self.id}"

    @property
    def reason(self) -> str:
        """Why it cannot be used; empty if it can."""
        if self.perished:
            return "perished"
        return "empty" if is_missing(self.text) else ""


def named_source(given: str | OwnSource) -> OwnSource:
    """A source with its name; a string is a path, with the column of texts after a colon."""
    if isinstance(given, str):
        path, colon, column = given.rpartition(":")
        if not colon or _DRIVE.fullmatch(path) or Path(given).exists():
            path, column = given, ""
        given = OwnSource(path, columns=SourceColumns(text=column))
    if given.name:
        return given
    stem = re.sub(r"[^\w-]+", "-", Path(given.path).name.partition(".")[0]).strip("-")
    return msgspec.structs.replace(given, name=stem or Path(given.path).parent.name or "texts")


def read_own_texts(source: OwnSource, tell: Tell = tell_nobody) -> Iterator[OwnText]:
    """The texts of a source, also empty ones; `tell` is told how its files are read.

    Raises:
        BadRecord: a column is missing, an id is missing, damaged or there twice, or a line is no
            text.
    """

    def tell_of_settings(path: str, note: str) -> None:
        tell(path, _as_settings(note))

    yield from (_rejoined if source.ids else _read)(source, tell_of_settings)


def _as_settings(note: str) -> str:
    """What the reader of files tells, with keys of the settings in place of options."""
    return _OPTION.sub(
        lambda found: f'{found[1] or found[3]} = "{found[2] or "…"}"',
        note.removesuffix(_NO_SETTING),
    )


def check_own_texts(source: OwnSource, tell: Tell = tell_nobody) -> None:
    """Read a source to its end.

    Raises:
        BadInput: it cannot be used; the message has file, line, cause and remedy.
    """
    usable = False
    for text in read_own_texts(source, tell):
        usable = usable or not text.reason
    if not usable:
        raise BadRecord(source.path, None, "has no text; give a file with texts")


def _read(source: OwnSource, tell: Tell) -> Iterator[OwnText]:
    files = source.files(tell=tell)
    seen: dict[str, str] = {}
    named = bool(source.ids) or source.columns.id not in ("", ROWS)
    for file in files:
        name = source_name(file.path)
        # numbers of lines, and what is found to be ids, are told apart by their files
        place = f"{_within(file.path, source.path)}-" if len(files) > 1 and not named else ""
        for record in _records(file, source, tell):
            own = f"{place}{record.id}" if record.id else place.removesuffix("-") or source.name
            if before := seen.get(own):
                problem = f"the id {own!r} is also in {before}; give each text an id of its own"
                raise BadRecord(name, record.line or None, f"{problem}, {ID_REMEDY}")
            seen[own] = f"line {record.line}" if len(files) == 1 else f"{name}:{record.line}"
            yield _own_text(source, own, record, name)
    if len(seen) >= _ENOUGH and all(map(_ROUNDED.fullmatch, seen)):
        tell(source.path, _MAYBE_ROUNDED)


def _within(path: str, folder: str) -> str:
    """The path of a file in its folder, without suffixes."""
    try:
        inside = Path(path).relative_to(folder)
    except ValueError:
        inside = Path(Path(path).name)
    return inside.with_name(inside.name.partition(".")[0]).as_posix().replace("/", "-")


def _own_text(source: OwnSource, own: str, record: TextRecord, name: str) -> OwnText:
    column = source.columns.date
    _check_columns((*source.keep, *([column] if column else [])), record.fields, name, record.line)
    date = record.fields.get(column or "date", "").strip()
    return OwnText(source.name, own, record.text, date, {n: record.fields[n] for n in source.keep})


def _check_columns(wanted: Iterable[str], row: Mapping[str, str], name: str, line: int) -> None:
    for column in wanted:
        if column not in row:
            known = f"it has {fields_shown(row)}" if row else "it has no other"
            problem = f"has no column {column!r}; {known}: name one of these in the settings"
            raise BadRecord(name, line or None, problem)


def _records(file: InputFile, source: OwnSource, tell: Tell) -> Iterator[TextRecord]:
    """The texts of a file; the id of a whole document is empty."""
    try:
        yield from _unchecked_records(file, source, tell)
    except NoTextColumn as error:
        problem = error.problem.partition(";")[0]
        remedy = f"name it, such as {source.path}:COLUMN"
        raise BadRecord(error.path, error.line, f"{problem}; {remedy}") from None
    except BadRecord as error:
        # a recipe has settings in place of the option
        option = r", such as --encoding (\S+)"
        problem = re.sub(option, r' in the settings file: encoding = "\1"', error.problem)
        if problem.endswith("export the ids as text"):
            problem = f"{problem}, {ID_REMEDY}"
        raise BadRecord(error.path, error.line, problem) from None


def _unchecked_records(file: InputFile, source: OwnSource, tell: Tell) -> Iterator[TextRecord]:
    name, columns = source_name(file.path), source.columns
    rows = good_rows(file, source.options(), tell=tell)
    if not file.is_table:
        if asked := [column for column in (columns.text, columns.id, columns.date) if column]:
            problem = f"has no column {asked[0]!r}, because it is not a table"
            raise BadRecord(name, None, f"{problem}; leave the column out, or give a table")
        yield from (TextRecord(str(line or ""), row[TEXT], line) for line, row in rows)
        return
    first = next(rows, None)
    if first is None:
        return
    named = (columns.text, columns.id, columns.date, *source.keep)
    wanted = [column for column in named if column not in ("", ROWS)]
    rows = with_inner_fields(chain([first], rows), wanted)
    first = next(rows)
    _check_columns(wanted, first[1], name, first[0])
    rows = chain([first], rows)
    if columns.id == ROWS:
        counted = _with_row_numbers(rows)
    else:
        counted = _with_checked_ids(rows, columns.id, name)
    own_id = columns.id or None
    yield from named_texts(counted, name, text_column=columns.text or None, id_column=own_id)


def _with_row_numbers(rows: Iterable[TableRow]) -> Iterator[TableRow]:
    for number, (line, row) in enumerate(rows, start=1):
        yield line, {**row, ROWS: str(number)}


def _with_checked_ids(rows: Iterable[TableRow], column: str, name: str) -> Iterator[TableRow]:
    """The rows; BadRecord for an id that is blank or a round number with decimals, such as 12.0."""
    for line, row in rows:
        key = column or find_column(row, ID_COLUMNS)
        value = row.get(key, "-").strip() if key else "-"
        if not value:
            raise BadRecord(name, line, f"has no id in {key!r}; fill it in, {ID_REMEDY}")
        if _ROUND_NUMBER.fullmatch(value):
            problem = f"id {value!r} was turned into a number; export the ids as text"
            raise BadRecord(name, line, f"{problem}, {ID_REMEDY}")
        yield line, row


def _rejoined(source: OwnSource, tell: Tell) -> Iterator[OwnText]:
    """The texts of the listed ids, in the order of the list, which may have a header."""
    texts = {text.id: text for text in _read(source, tell)}
    lines: dict[str, int] = {}
    for line, row in numbered_lines(source.ids, encoding=None):
        identifier = re.split(r"[\t,; ]", row.strip(), maxsplit=1)[0].strip('"')
        if not identifier or (line == 1 and identifier.lower() in ID_COLUMNS):
            continue
        if identifier in lines:
            problem = f"id {identifier} is also in line {lines[identifier]}; give each id once"
            raise BadRecord(source.ids, line, problem)
        lines[identifier] = line
        yield texts.get(identifier) or OwnText(source.name, identifier, "", perished=True)


def check_names(sources: Iterable[OwnSource], others: Iterable[str]) -> None:
    """Refuse two sources of one name.

    Raises:
        BadConfig: two own sources have the same name, or one has that of a corpus of the run.
    """
    paths: dict[str, str] = dict.fromkeys(others, "a corpus of the catalogue")
    for source in sources:
        if source.name in paths:
            fault = (
                f"two sources are called {source.name!r} ({paths[source.name]} and {source.path}); "
                'give one of them another, such as name = "forum" in the settings file'
            )
            raise BadConfig("sources", [fault])
        paths[source.name] = source.path
