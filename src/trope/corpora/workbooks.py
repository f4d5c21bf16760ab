"""Tables that are no text: workbooks of spreadsheets, and Parquet."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

from trope.core.errors import BadInput, BadRecord, MissingExtra
from trope.corpora.dialects import SplitRow
from trope.corpora.sources import (
    DAMAGED,
    Source,
    check_unpacked,
    open_packed,
    open_source,
    source_name,
)

FILES_EXTRA = "files"
"""The extra that brings what reads documents and workbooks."""

_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
"""How old files of office programs begin, and new ones that a password protects."""

_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
"""What a file that a password protects has in its table of contents."""

_BATCH = 1024
_EXACT = 10**15
"""A spreadsheet keeps 15 digits of a number."""


def sheet_rows(source: Source, sheet: str | None = None) -> Iterator[SplitRow]:
    """The rows of a sheet that are not empty, with their numbers; every cell is a string.

    Raises:
        BadRecord: for a file that is not a workbook, or is protected by a password, and for an
            empty first sheet before others.
        BadInput: for a sheet that the workbook does not have.
    """
    name = source_name(source)
    with open_source(source) as stream:
        book = _opened_book(stream.read(), name)
        try:
            chosen = book[_sheet_name(book.sheetnames, sheet, name)]
            if hasattr(chosen, "reset_dimensions"):
                chosen.reset_dimensions()  # some programs write wrong ones
            width = 0
            for number, cells in enumerate(chosen.iter_rows(values_only=True), start=1):
                row = [_cell(value) for value in cells]
                while row and len(row) > width and not row[-1]:
                    row.pop()
                if any(row):
                    width = width or len(row)
                    yield number, row + [""] * (width - len(row))
            if not width and not sheet and len(book.sheetnames) > 1:
                problem = f"the first sheet, {chosen.title!r}, is empty"
                raise BadRecord(
                    name, None, f"{problem}; name another sheet: {', '.join(book.sheetnames[1:])}"
                )
        finally:
            book.close()


def sheet_names(source: Source) -> list[str]:
    """The sheets of a workbook."""
    name = source_name(source)
    with open_source(source) as stream:
        book = _opened_book(stream.read(), name)
        names = list(book.sheetnames)
        book.close()
        return names


def first_filled(source: Source, names: Sequence[str]) -> str:
    """The first of these sheets with rows below a header; the first one if none has any."""
    filled = (name for name in names if next(islice(sheet_rows(source, name), 1, None), None))
    return next(filled, names[0])


def check_office(content: bytes, name: str, what: str, suffix: str) -> None:
    """Raises BadRecord for a file of an office program that is old, protected or another."""
    if content.startswith(_OLD_OFFICE):
        protected = _ENCRYPTED in content
        problem = "is protected by a password" if protected else "has an old format"
        remedy = "save it without one" if protected else f"open it and save it as {suffix}"
        raise BadRecord(name, None, f"{problem}; {remedy}")
    if not content.startswith(b"PK"):
        raise BadRecord(
            name, None, f"is not a {what}; open it in its program and save it as {suffix}"
        )
    check_unpacked(content, name)


def _opened_book(content: bytes, name: str) -> Any:
    import io

    check_office(content, name, "workbook", ".xlsx")
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise MissingExtra("an .xlsx file", FILES_EXTRA, "openpyxl") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about colours and drop-down lists
            return openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    except (*DAMAGED, RuntimeError, LookupError, ValueError, TypeError, SyntaxError) as error:
        problem = f"is not a workbook ({error}); open it in a spreadsheet and save it as .xlsx"
        raise BadRecord(name, None, problem) from None


def _sheet_name(names: Sequence[str], wanted: str | None, name: str) -> str:
    if not names:
        raise BadRecord(name, None, "has no sheet; open it in a spreadsheet and save it again")
    if not wanted:
        return names[0]
    if wanted in names:
        return wanted
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return names[int(wanted) - 1]
    raise BadInput(f"{name}: has no sheet {wanted!r}; it has {', '.join(names)}")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)
    if isinstance(value, datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, datetime | date) else str(value)


def load_pyarrow() -> Any:
    """pyarrow with its Parquet module, or an error that names the install command."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingExtra("Parquet", "parquet", "pyarrow") from None
    return pyarrow


def parquet_rows(
    source: Source,
    choose: Callable[[Sequence[str]], Sequence[str]] = lambda names: names,
    moved: Callable[[float], None] = lambda share: None,
) -> Iterator[tuple[int, dict[str, str] | str]]:
    """The rows of a file, counted from 1, every value as text; the last says where it is damaged.

    Args:
        choose: which of the columns are read; the others stay on the disk.
        moved: is told which share of the rows is read.
    """
    arrow = load_pyarrow()
    number = 0
    try:
        with open_packed(source) as stream:
            in_memory = arrow.BufferReader(stream.read()) if _is_stream(source) else str(source)
            with arrow.parquet.ParquetFile(in_memory) as opened:
                total = opened.metadata.num_rows or 1
                columns = list(choose(opened.schema_arrow.names))
                for batch in opened.iter_batches(batch_size=_BATCH, columns=columns):
                    for row in batch.to_pylist():
                        number += 1
                        yield number, {key: _value(value) for key, value in row.items()}
                    moved(number / total)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        cause = str(error).strip().splitlines()[0].rstrip(".")
        yield number + 1, f"cannot be read as Parquet ({cause}); write the file again"


def _is_stream(source: Source) -> bool:
    from pathlib import Path

    return not isinstance(source, str | Path) or not Path(source).is_file()


def _value(value: Any) -> str:
    if value is None or value != value:  # nothing, or not a number
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return json.dumps(value, ensure_ascii=False, default=str)
