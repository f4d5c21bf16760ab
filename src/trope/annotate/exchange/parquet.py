"""Parquet, in and out, some rows at a time (pyarrow)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import IO, Any

from trope.annotate.exchange.columns import as_cells, column_of, from_cells
from trope.annotate.exchange.records import Judged, as_json
from trope.annotate.questions import Question
from trope.core.errors import BadRecord, MissingData, MissingExtra

_GROUP = 5_000

_JUDGMENT_TYPES = {
    "judgment": "int64",
    "seconds": "float64",
    "current": "bool",
    "replaces": "int64",
    "gold_right": "bool",
    "weight": "float64",
}


def write_parquet(
    file: IO[bytes], types: Mapping[str, str], rows: Iterable[Mapping[str, Any]]
) -> int:
    """Write the rows with columns of these types (of Arrow); gives the number of rows."""
    arrow, parquet = _arrow()
    schema = arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in types.items()])
    number, source = 0, iter(rows)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while part := list(islice(source, _GROUP)):
            columns = {
                name: [_fitting(row.get(name), kind) for row in part]
                for name, kind in types.items()
            }
            writer.write_table(arrow.Table.from_pydict(columns, schema=schema))
            number += len(part)
    return number


def write_judgments(file: IO[bytes], rows: Iterable[Judged], questions: Sequence[Question]) -> int:
    """Write judgments, a column a question; gives their number."""
    types = judgment_types(questions)
    return write_parquet(file, types, (as_cells(row, questions) for row in rows))


def judgment_types(questions: Sequence[Question]) -> dict[str, str]:
    """The columns of judgments with their types."""
    from trope.annotate.exchange.columns import HEAD

    types = {name: _JUDGMENT_TYPES.get(name, "string") for name in HEAD}
    for question in questions:
        types[column_of(question.id)] = "int64" if question.kind == "scale" else "string"
    return types


def read_parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a file, counted from 1, with every value as text and lists as JSON."""
    if not path.is_file():
        raise MissingData(path, "check the file name")
    arrow, parquet = _arrow()
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=500):
                for row in batch.to_pylist():
                    number += 1
                    yield number, {name: _text(value) for name, value in row.items()}
    except (arrow.ArrowException, OSError) as error:
        problem = f"cannot be read as Parquet ({str(error).splitlines()[0]}); write it again"
        raise BadRecord(path, number + 1, problem) from None


def read_judgments(path: Path, questions: Sequence[Question]) -> Iterator[tuple[int, Judged]]:
    """The judgments of a file as `write_judgments` writes it, with their rows."""
    for number, row in read_parquet_rows(path):
        try:
            yield number, from_cells(row, questions)
        except ValueError as error:
            raise BadRecord(path, number, str(error)) from None


def _fitting(value: Any, kind: str) -> Any:
    """The value as the column wants it: what is no text becomes JSON in a column of text."""
    if kind != "string" or value is None or isinstance(value, str):
        return value
    return as_json(value)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, bool | int | float | list | dict):
        return as_json(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise MissingExtra("Parquet", "annotate", error.name or "pyarrow") from error
