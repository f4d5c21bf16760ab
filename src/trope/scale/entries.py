"""The texts of a corpus, row by row: what cannot be used is refused with its place, and the rest
goes on. Nothing is held but the row itself; ids are remembered on the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from trope.core.errors import BadRecord
from trope.corpora.files import (
    STDIN,
    TEXT,
    FileOptions,
    InputFile,
    Tell,
    find_files,
    read_entries,
    tell_nobody,
)
from trope.corpora.tables import (
    ID_COLUMNS,
    TEXT_COLUMNS,
    ParsedRow,
    checked_id,
    find_column,
    is_missing,
)
from trope.text.language import OTHER_LANGUAGE, LanguageSample


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns are the text and the id (found by their usual names if empty), and which are
    kept."""

    text: str = ""
    id: str = ""
    kept: tuple[str, ...] = ()

    def needed(self, names: Sequence[str]) -> Sequence[str]:
        """The columns that are read; all of them if one is missing, so that it is reported."""
        text = self.text or find_column(names, TEXT_COLUMNS)
        kept = [name for name in self.kept if name not in (TEXT, self.text)]
        wanted = {text, *kept, *((self.id,) if self.id else ())}
        if not wanted <= {*names}:
            return names
        wanted.add(self.id or find_column(names, ID_COLUMNS))
        return [name for name in names if name in wanted]


@dataclass(frozen=True, slots=True)
class TextRow:
    """A text, where it stood, and the fields that are kept with it."""

    file: str
    line: int
    id: str
    text: str
    kept: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row, or the rest of a file, that cannot be used."""

    file: str
    line: int
    problem: str


Entry = TextRow | RefusedRow

FILE_COLUMNS = ("file", "filename", "file_name", "path", "document", "doc_id")
"""Column names that mean a file, in this order; case does not matter."""


class FileTable:
    """What a table says of files: a row per file, found by its name, with or without its folders
    and its ending."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[str, dict[str, str]] = {}
        for file in find_files([str(path)]):
            for line, row in read_entries(file, FileOptions()):
                if isinstance(row, str):
                    raise BadRecord(file.path, line, row)
                self._add(file, line, row)
        if not self._rows:
            raise BadRecord(str(path), 1, "has no rows; give a table with a row per file")
        (self.columns, *_) = (tuple(row) for row in self._rows.values())

    def _add(self, file: InputFile, line: int, row: dict[str, str]) -> None:
        key = find_column(row, FILE_COLUMNS)
        if not file.is_table or key is None:
            problem = f"has no column of file names ({', '.join(row)}); call it 'file'"
            raise BadRecord(file.path, line, problem)
        name = row[key].strip().replace("\\", "/")
        if name in self._rows:
            raise BadRecord(file.path, line, f"names {name!r} again; keep one row per file")
        self._rows[name] = {column: row[column] for column in row if column not in (key, "")}

    def row(self, file: str) -> dict[str, str]:
        """The fields of a file; none if the table does not name it."""
        return self._rows.get(self._name(file) or "", {})

    def _name(self, file: str) -> str | None:
        parts = PurePath(file).parts
        tails = [PurePath(*parts[at:]) for at in range(len(parts))]
        names = (name for one in tails for name in (one.as_posix(), one.with_suffix("").as_posix()))
        return next((name for name in names if name in self._rows), None)

    def check(self, files: Sequence[InputFile], tell: Tell = tell_nobody) -> None:
        """Tell which files have no row.

        Raises:
            BadRecord: no file has one, or two files have the same.
        """
        found: dict[str, str] = {}
        for file in files:
            if (name := self._name(file.path)) is None:
                tell(file.path, f"has no row in {self.path}; its columns are empty")
            elif name in found:
                problem = f"{name!r} may be {found[name]} or {file.path}; write the folder, too"
                raise BadRecord(str(self.path), None, problem)
            else:
                found[name] = file.path
        if not found:
            known, first = next(iter(self._rows)), files[0].path if files else "none"
            problem = f"names none of the files that are read: {known!r}, but not {first!r}"
            raise BadRecord(str(self.path), None, f"{problem}; write the names as they are there")


class InputCorpus:
    """The entries of all files in order; `position` says how many bytes are read."""

    def __init__(
        self,
        files: Sequence[InputFile],
        columns: Columns,
        options: FileOptions | None = None,
        *,
        tell: Tell = tell_nobody,
        any_language: bool = False,
        about: FileTable | None = None,
    ) -> None:
        self.files, self.columns, self.about = files, columns, about
        self.options, self.tell = options or FileOptions(), tell
        self.any_language = any_language
        self.position = 0
        self.size = sum(file.bytes for file in files)

    def check(self, *, strict: bool = True) -> None:
        """Raises BadRecord if a table lacks a column: better before the work than after it.

        `strict` asks for the kept ones too.
        """
        for file, line, row in self._first_rows():
            self._keys(row, file, line, strict=strict and file.format != "jsonl")

    def found_columns(self) -> tuple[str, ...]:
        """The text under the name `text`, and all other columns of the tables but ids."""
        found: dict[str, None] = {self.columns.text or TEXT: None}
        for file, line, row in self._first_rows():
            text, identifier = self._keys(row, file, line, strict=False)
            found |= dict.fromkeys(name for name in row if name not in (text, identifier, ""))
        return tuple(found | dict.fromkeys(self.about.columns if self.about else ()))

    def _first_rows(self) -> Iterator[tuple[InputFile, int, dict[str, str]]]:
        for file in self.files:
            if file.path != STDIN and (file.is_table or self.columns.kept):
                options = self.options if file.is_table else replace(self.options, unit="line")
                rows = read_entries(file, options)
                line, row = next(rows, (1, ""))
                if isinstance(row, dict):
                    yield file, line, row

    def __iter__(self) -> Iterator[Entry]:
        done = 0
        for file in self.files:
            seen = _SeenIds()  # files are often numbered from 1, each by itself
            language = None if self.any_language else LanguageSample()
            rows = 0
            for line, parsed in self._rows(file, done):
                rows += 1
                try:
                    entry = self._entry(file, line, parsed, seen)
                except BadRecord as error:
                    entry = RefusedRow(file.path, line, error.problem)
                if language is not None and isinstance(entry, TextRow):
                    language.add(entry.text)
                    if language.is_full:
                        self._tell_language(file, language)
                        language = None
                yield entry
            if not rows:
                yield RefusedRow(file.path, 1, "holds no text; leave it out")
            if language is not None:
                self._tell_language(file, language)
            seen.close()
            done += file.bytes
            self.position = done

    def _tell_language(self, file: InputFile, language: LanguageSample) -> None:
        if other := language.other_language():
            self.tell(file.path, OTHER_LANGUAGE.format(other))

    def _rows(self, file: InputFile, done: int) -> Iterator[ParsedRow]:
        def moved(at: int) -> None:
            self.position = done + at

        return read_entries(
            file,
            self.options,
            tell=self.tell,
            moved=None if file.path == STDIN else moved,
            choose=self.columns.needed,
        )

    def _entry(
        self, file: InputFile, line: int, parsed: dict[str, str] | str, seen: _SeenIds
    ) -> Entry:
        if isinstance(parsed, str):
            return RefusedRow(file.path, line or 1, parsed)
        text_key, id_key = self._keys(parsed, file, line, strict=False)
        text = parsed[text_key]
        if not text.strip() or (file.is_table and is_missing(text)):
            problem = f"column {text_key!r} is empty; every row needs a text"
            if text.strip():
                problem = (
                    f"column {text_key!r} has {text.strip()!r}, which is not a text; fill it in"
                )
            return RefusedRow(file.path, line, problem)
        identifier = f"{file.path}:{line}" if line else file.path
        if id_key is not None and parsed[id_key].strip():
            identifier = checked_id(parsed[id_key], file.path, line)
            before = seen.add(identifier, line)
            if before is not None:
                problem = f"id {identifier!r} is also in line {before}; every row needs its own id"
                return RefusedRow(file.path, line, problem)
        own = {self.columns.text or TEXT: text} | parsed
        if self.about is not None:
            own = self.about.row(file.path) | own
        kept = tuple(own.get(name) for name in self.columns.kept)
        return TextRow(file.path, line or 1, identifier, text, kept)

    def _keys(
        self, row: dict[str, str], file: InputFile, line: int, *, strict: bool
    ) -> tuple[str, str | None]:
        """The columns of text and id of a row; `strict` asks for the kept ones too."""
        columns = self.columns
        # what is no table has no column names: any name means its text
        text, identifier = (columns.text, columns.id) if file.is_table else (TEXT, "")
        others = (TEXT, columns.text, *(self.about.columns if self.about else ()))
        kept = [name for name in columns.kept if name not in others] if strict else []
        for name in filter(None, (identifier, text, *kept)):
            if name not in row:
                problem = f"has no column {name!r}; it has {', '.join(row)}"
                raise BadRecord(file.path, line, problem)
        text_key = text or find_column(row, TEXT_COLUMNS)
        if text_key is None:
            problem = f"none of the columns holds the text: {', '.join(row)}"
            remedy = "name it with --text-column"
            if len(self.files) > 1 and find_column(row, FILE_COLUMNS):
                remedy += ", or give the table with --metadata if it is about the other files"
            raise BadRecord(file.path, line, f"{problem}; {remedy}")
        id_key = columns.id or find_column(row, ID_COLUMNS)
        return text_key, id_key if id_key in row else None


class _SeenIds:
    """The ids of a file and their lines, in a database that goes with it: memory stays flat."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")  # a temporary file, used beyond a small cache
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("CREATE TABLE ids (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID")

    def add(self, identifier: str, line: int) -> int | None:
        """Remember an id; the line where it stood before, if it did."""
        try:
            self._database.execute("INSERT INTO ids VALUES (?, ?)", (identifier, line))
        except sqlite3.IntegrityError:
            found = self._database.execute("SELECT line FROM ids WHERE id = ?", (identifier,))
            before: int = found.fetchone()[0]
            return before
        return None

    def close(self) -> None:
        """Forget all ids."""
        self._database.close()
