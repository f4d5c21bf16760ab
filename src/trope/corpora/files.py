"""The door for a user's own files: found by name, folder, archive or pattern, read row by row.

Every command reads through here. A file becomes rows: those of a table, or texts in a column
`text`. Formats are told by suffixes; encoding, delimiter and layout by the content, unless
`FileOptions` say otherwise. What is found out is passed to `tell`, for the user to see.
"""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, cast, get_args

from trope.core.errors import BadInput, BadRecord, MissingData, MissingExtra
from trope.corpora.encodings import LINE_LIMIT, SAMPLE, find_encoding
from trope.corpora.plain_text import Unit, find_unit, is_wrapped, split_units, unit_note, unwrap
from trope.corpora.sources import (
    DAMAGED,
    PACKED_SUFFIXES,
    NamedBytes,
    archived_files,
    damage,
    is_archive,
    numbered_lines,
    open_packed,
    open_source,
    read_lines,
    source_name,
    unpack_archive,
    unpacked_suffix,
    unread_format,
)
from trope.corpora.tables import (
    ParsedRow,
    TableReading,
    TableRow,
    named_delimiter,
    parse_lines,
    parse_rows,
    read_texts,
)
from trope.corpora.workbooks import first_filled, parquet_rows, sheet_names

InputFormat = Literal[
    "txt", "csv", "tsv", "jsonl", "json", "xlsx", "parquet", "docx", "pdf", "html", "epub"
]

STDIN = "-"
SKIPPED = "skipped"
"""How a note on a file of another format begins."""

NOT_READ = "not read"
"""How a note on a file begins that should have been read and could not."""

TEXT = "text"
"""What the column of texts is called in files that have no columns."""

_FORMATS: dict[str, InputFormat] = {
    **dict.fromkeys((".txt", ".text", ".md"), "txt"),
    ".csv": "csv",
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
    **dict.fromkeys((".xlsx", ".xlsm"), "xlsx"),
    ".parquet": "parquet",
    ".docx": "docx",
    ".pdf": "pdf",
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    ".epub": "epub",
}
_UNKNOWN = "its name does not show its format; name it with --input-format"
_DOCUMENTS = ("docx", "pdf", "html", "epub")
_LINE_FORMATS = ("csv", "tsv", "jsonl", "json")

Tell = Callable[[str, str], None]
"""Is told the name of a file and what a user should know about it."""


def tell_nobody(name: str, note: str) -> None:
    """Take a note and do nothing."""


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How files are read; what is empty is found.

    Attributes:
        format: what the files are, if their suffixes do not tell.
        encoding, delimiter, sheet: of tables, and the encoding of plain text too.
        unit: what one text of a document is.
        limit: the most bytes of a line or row.
    """

    format: InputFormat | None = None
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    unit: Unit = "auto"
    limit: int = LINE_LIMIT


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read; `path` is spelt as it was given, since rows and errors name it."""

    path: str
    format: InputFormat
    bytes: int = 0

    @property
    def is_table(self) -> bool:
        """Whether its rows have columns of their own."""
        return self.format in (*_LINE_FORMATS, "xlsx", "parquet")

    def sha256(self) -> str:
        """The checksum of the bytes that are read; empty for standard input."""
        if self.path == STDIN:
            return ""
        digest = hashlib.sha256()
        with open_packed(self.path, size=self.bytes) as stream:
            while piece := stream.read(1 << 20):
                digest.update(piece)
        return digest.hexdigest()


def find_files(
    arguments: Sequence[str],
    options: FileOptions | None = None,
    *,
    leave_out: Path | None = None,
    tell: Tell = tell_nobody,
) -> list[InputFile]:
    """The files that the arguments name, in order; those of a folder in the order of their names.

    Args:
        arguments: files, folders, archives, patterns such as "news/*.csv", or "-".
        options: their `format` is that of all files, whatever their names.
        leave_out: a folder whose files are no input, wherever it lies.
        tell: is told each file of a folder or archive that is left out, and why.
    """
    form = options.format if options is not None else None
    found: dict[Path, InputFile] = {}
    skipped: list[tuple[str, str]] = []
    for argument in arguments:
        for path, size in _paths(argument):
            place = Path(path).resolve() if path != STDIN else Path(STDIN)
            if leave_out is not None and leave_out.resolve() in place.parents:
                continue
            if place in found:
                raise BadInput(f"{path}: is named more than once; name every file once")
            file = InputFile(path, form or _format_of(path) or "txt", size)
            if path != argument and (why := _why_not(file, form)):
                skipped.append((path, why))
                continue
            _check_named(file, form)
            found[place] = file
    for path, why in skipped:
        tell(path, why)
    if not found:
        names = ", ".join(map(repr, arguments[:3]))
        why = f" ({skipped[0][1]})" if skipped else ""
        known = ", ".join(f".{name}" for name in get_args(InputFormat))
        raise BadInput(f"no file of texts in {names}{why}; give {known}")
    return list(found.values())


def shows_no_format(path: str | Path) -> bool:
    """Whether a path is a file whose name tells neither a format nor an archive."""
    known = _format_of(str(path)) or unread_format(path) or is_archive(path)
    return not known and Path(path).is_file()


def read_entries(
    file: InputFile,
    options: FileOptions,
    *,
    tell: Tell = tell_nobody,
    moved: Callable[[int], None] | None = None,
    choose: Callable[[Sequence[str]], Sequence[str]] = lambda names: names,
) -> Iterator[ParsedRow]:
    """The rows of a file with their lines; one that cannot be used says why, and the rest follows.

    The line of a text that is a whole file is 0.

    Args:
        tell: is told how a plain file or a workbook was read, and that a file has grown since.
        moved: is told how many bytes of the file are read.
        choose: which columns of Parquet are read.

    Raises:
        MissingExtra: for a format whose package is not installed.
    """
    try:
        if file.format == "parquet":
            share = (lambda part: moved(int(part * file.bytes))) if moved else lambda part: None
            yield from parquet_rows(file.path, choose, share)
        elif file.format == "xlsx":
            yield from _sheet_entries(file, options, tell)
        elif file.format in _DOCUMENTS:
            yield from _document_entries(file, options)
        elif file.format == "txt":
            yield from _plain_entries(file, options, tell, moved)
        else:
            lines = read_lines(
                file.path,
                encoding=options.encoding or None,
                size=file.bytes,
                moved=moved,
                limit=options.limit,
                unicode_only=file.format in ("json", "jsonl"),
            )
            reading = TableReading(
                cast(Literal["csv"], file.format),
                delimiter=named_delimiter(options.delimiter),
                limit=options.limit,
            )
            yield from parse_lines(lines, file.path, reading)
    except BadRecord as error:
        yield error.line or 0, error.problem
    yield from _check_length(file, tell)


def good_rows(
    file: InputFile, options: FileOptions, *, tell: Tell = tell_nobody
) -> Iterator[TableRow]:
    """The rows of a file with their lines.

    Raises:
        BadRecord: for the first one that cannot be used.
    """
    for line, row in read_entries(file, options, tell=tell):
        if isinstance(row, str):
            raise BadRecord(source_name(file.path), line or None, row)
        yield line, row


def _plain_entries(
    file: InputFile, options: FileOptions, tell: Tell, moved: Callable[[int], None] | None
) -> Iterator[ParsedRow]:
    unit, wrapped = options.unit, False

    def look(sample: bytes) -> None:
        nonlocal unit, wrapped
        encoding = options.encoding or find_encoding(sample)
        lines = sample.decode(encoding, "replace").splitlines()
        lines = lines[:-1] if len(sample) >= SAMPLE and len(lines) > 1 else lines
        wrapped = is_wrapped(lines)
        if unit == "auto":
            unit = find_unit("\n".join(lines))
            if note := unit_note(unit, sum(bool(line.strip()) for line in lines)):
                tell(file.path, note)
        elif unit == "paragraph" and not wrapped and all(line.strip() for line in lines):
            unit = "line"

    lines = read_lines(
        file.path, encoding=options.encoding or None, size=file.bytes, moved=moved, look=look
    )
    first = next(lines, None)  # now the unit is known
    if first is None:
        return
    chosen = cast(Literal["file", "paragraph", "line"], unit)
    for line, text, fault in split_units(chain([first], lines), chosen, wrapped=wrapped):
        if fault or text.strip():
            yield line, fault or {TEXT: text}


def _document_entries(file: InputFile, options: FileOptions) -> Iterator[ParsedRow]:
    try:
        with open_source(file.path, size=file.bytes) as stream:
            content = stream.read()
    except DAMAGED as error:
        raise BadRecord(file.path, None, damage("packed", error)) from None
    from trope.corpora.documents import DocumentFormat, read_paragraphs

    form = cast(DocumentFormat, file.format)
    paragraphs = read_paragraphs(content, file.path, form, options.encoding or None)
    if options.unit in ("auto", "file"):
        yield 0, {TEXT: "\n\n".join(paragraphs)}
    else:
        yield from ((at, {TEXT: text}) for at, text in enumerate(paragraphs, start=1))


def _sheet_entries(file: InputFile, options: FileOptions, tell: Tell) -> Iterator[ParsedRow]:
    sheet, names = options.sheet, [] if options.sheet else sheet_names(file.path)
    if len(names) > 1:
        sheet = first_filled(file.path, names)
        others = ", ".join(name for name in names if name != sheet)
        tell(file.path, f"read the sheet {sheet!r}; --sheet chooses another: {others}")
    yield from parse_rows(file.path, TableReading("xlsx", sheet=sheet or None))


def _check_length(file: InputFile, tell: Tell) -> Iterator[ParsedRow]:
    """Tell of a file that has grown since it was found; refuse one that has become shorter."""
    if not Path(file.path).is_file():
        return
    now = Path(file.path).stat().st_size
    if now > file.bytes:
        tell(file.path, f"grew while it was read; what came after byte {file.bytes:,} is left out")
    elif now < file.bytes:
        yield 0, "became shorter while it was read; run the command again"


def _paths(argument: str) -> Iterator[tuple[str, int]]:
    """The files that an argument names, with their sizes."""
    path = Path(argument)
    if argument == STDIN:
        yield argument, 0
    elif is_archive(path):
        for entry in archived_files(path):
            yield f"{argument}/{entry.filename}", entry.file_size
    elif path.is_dir():
        for inside in sorted(p for p in path.rglob("*") if p.is_file() and not _hidden(p, path)):
            yield from _paths(str(inside))
    elif path.exists() or any(is_archive(parent) for parent in path.parents):
        yield argument, path.stat().st_size if path.is_file() else 0
    elif glob.has_magic(argument):
        # Path.glob takes no absolute patterns
        matches = sorted(p for p in glob.glob(argument, recursive=True) if Path(p).is_file())  # noqa: PTH207
        if not matches:
            raise MissingData(argument, "no file matches; check the pattern")
        for match in matches:
            yield from _paths(match)
    else:
        raise MissingData(argument, "check the name of the file or folder")


def _hidden(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    return any(part.startswith((".", "~$")) for part in parts)  # ~$: an office program's lock


def _format_of(path: str) -> InputFormat | None:
    """The format as the suffixes tell it."""
    return _FORMATS.get(unpacked_suffix(path))


def _why_not(file: InputFile, form: InputFormat | None) -> str:
    """A note on a file of a folder that is left out; empty if it is read."""
    if form is None and _format_of(file.path) is None:
        return f"{SKIPPED}: {unread_format(file.path) or _UNKNOWN}"
    try:
        _check_package(file)
    except MissingExtra as error:
        return f"{NOT_READ}: {error}"
    return ""


def _check_named(file: InputFile, form: InputFormat | None) -> None:
    if file.path != STDIN and form is None and _format_of(file.path) is None:
        known = ", ".join(get_args(InputFormat))
        raise BadInput(f"{file.path}: {unread_format(file.path) or f'{_UNKNOWN}: {known}'}")
    if file.format == "parquet" and Path(file.path).suffix.lower() in PACKED_SUFFIXES:
        problem = "a packed Parquet file cannot be read in pieces; unpack it first"
        raise BadInput(f"{file.path}: {problem}")
    _check_package(file)


def _check_package(file: InputFile) -> None:
    if file.format in (*_DOCUMENTS, "xlsx"):
        from trope.corpora.documents import load_package

        load_package(file.format)


def read_document(content: bytes, name: str) -> str:
    """The text of a file in memory, such as one that was sent: paragraphs, or rows of a table.

    That of an archive is the texts of all its files.

    Raises:
        BadRecord: for content that cannot be read.
        MissingExtra: for a format whose package is not installed.
    """
    if name.lower().endswith(".zip"):
        return "\n\n".join(
            read_document(inside, path)
            for path, inside in unpack_archive(content, name)
            if _format_of(path) is not None
        )
    form = _format_of(name) or "txt"
    file = NamedBytes(content, name)
    if not content.strip():
        return ""
    if problem := unread_format(name):
        raise BadRecord(name, None, problem)
    if form in _DOCUMENTS:
        from trope.corpora.documents import DocumentFormat, read_paragraphs

        return "\n\n".join(read_paragraphs(content, name, cast(DocumentFormat, form)))
    if form != "txt":
        return "\n\n".join(record.text for record in read_texts(file) if record.text.strip())
    lines = [line for _, line in numbered_lines(file, encoding=None, keep_ends=True)]
    return "\n\n".join(unwrap(lines)) if is_wrapped(lines) else "".join(lines)
