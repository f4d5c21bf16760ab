"""The files of a corpus: found by name, folder or pattern, told apart by their suffixes."""

from __future__ import annotations

import bz2
import glob
import gzip
import json
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast, get_args

from trope.core.errors import BadInput, MissingData, MissingExtra
from trope.core.files import sha256

InputFormat = Literal["txt", "csv", "tsv", "jsonl", "parquet"]

STDIN = "-"
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, OSError)
"""What reading a damaged packed file may raise."""

_FORMATS: dict[str, InputFormat] = {
    ".txt": "txt",
    ".text": "txt",
    ".md": "txt",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_BATCH = 1024
_PACKINGS = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst"}


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of the corpus; `path` is spelt as it was given, since rows and errors name it."""

    path: str
    format: InputFormat
    packing: str = ""
    bytes: int = 0

    def sha256(self) -> str:
        """The checksum of the file as it lies on the disk; empty for standard input."""
        return "" if self.path == STDIN else sha256(self.path)


def find_inputs(
    arguments: Sequence[str], *, form: InputFormat | None = None, leave_out: Path | None = None
) -> list[InputFile]:
    """The files that the arguments name, in order; those of a folder in the order of their names.

    Args:
        arguments: files, folders, patterns such as "news/*.csv", or "-".
        form: what the files are, if their suffixes do not tell.
        leave_out: a folder whose files are no input, wherever it lies.
    """
    found: dict[Path, InputFile] = {}
    for argument in arguments:
        for path in _paths(argument, form):
            place = Path(path).resolve() if path != STDIN else Path(STDIN)
            if leave_out is not None and leave_out.resolve() in place.parents:
                continue
            if place in found:
                raise BadInput(f"{path}: is named more than once; name every file once")
            found[place] = _input_file(path, form)
    if not found:
        names = ", ".join(map(repr, arguments[:3]))
        raise BadInput(f"no file of texts in {names}; give .txt, .csv, .tsv, .jsonl or .parquet")
    return list(found.values())


def _paths(argument: str, form: InputFormat | None) -> list[str]:
    path = Path(argument)
    if argument == STDIN or path.is_file():
        return [argument]
    if path.is_dir():
        inside = sorted(p for p in path.rglob("*") if p.is_file() and not _hidden(p, path))
        return [str(p) for p in inside if form is not None or _format_of(p)[0] is not None]
    if glob.has_magic(argument):
        # Path.glob takes no absolute patterns
        matches = sorted(p for p in glob.glob(argument, recursive=True) if Path(p).is_file())  # noqa: PTH207
        if matches:
            return matches
        raise MissingData(argument, "no file matches; check the pattern")
    raise MissingData(argument, "check the name of the file or folder")


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _format_of(path: Path) -> tuple[InputFormat | None, str]:
    """Format and packing as the suffixes tell them."""
    packing = _PACKINGS.get(path.suffix.lower(), "")
    suffix = path.with_suffix("").suffix if packing else path.suffix
    return _FORMATS.get(suffix.lower()), packing


def _input_file(path: str, form: InputFormat | None) -> InputFile:
    if path == STDIN:
        return InputFile(STDIN, form or "txt")
    by_name, packing = _format_of(Path(path))
    chosen = form or by_name
    if chosen is None:
        known = ", ".join(get_args(InputFormat))
        raise BadInput(
            f"{path}: its name does not show its format; name it with --input-format: {known}"
        )
    if chosen == "parquet" and packing:
        raise BadInput(f"{path}: a packed Parquet file cannot be read in pieces; unpack it first")
    return InputFile(path, chosen, packing, Path(path).stat().st_size)


@contextmanager
def open_input(file: InputFile) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The unpacked bytes of a file, and the packed ones, whose position tells how far it is."""
    if file.path == STDIN:
        yield sys.stdin.buffer, sys.stdin.buffer
        return
    try:
        raw = Path(file.path).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        problem = f"cannot be opened ({error.strerror}); check its permissions"
        raise BadInput(f"{file.path}: {problem}") from None
    with raw:
        yield _unpacked(raw, file.packing), raw


def _unpacked(raw: BinaryIO, packing: str) -> BinaryIO:
    if packing == "gz":
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw, mode="rb"))
    if packing == "bz2":
        return cast(BinaryIO, bz2.BZ2File(raw))
    if packing == "xz":
        return cast(BinaryIO, lzma.LZMAFile(raw))
    if packing == "zst":
        return _zstandard(raw)
    return raw


def _zstandard(raw: BinaryIO) -> BinaryIO:
    import io

    try:
        import pyarrow
    except ModuleNotFoundError:
        raise MissingExtra("a .zst file", "parquet", "pyarrow") from None
    return io.BufferedReader(pyarrow.CompressedInputStream(raw, "zstd"))


def load_pyarrow() -> Any:
    """pyarrow with its Parquet module, or an error that names the install command."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingExtra("Parquet", "parquet", "pyarrow") from None
    return pyarrow


def parquet_rows(
    file: InputFile,
    moved: Callable[[int], None],
    choose: Callable[[Sequence[str]], Sequence[str]] = lambda names: names,
) -> Iterator[tuple[int, dict[str, str] | str]]:
    """The rows of a file, counted from 1, every value as text; the last says where it is damaged.

    Args:
        choose: which of the columns are read; the others stay on the disk.
    """
    arrow = load_pyarrow()
    number = 0
    try:
        with arrow.parquet.ParquetFile(file.path) as opened:
            total = opened.metadata.num_rows or 1
            columns = list(choose(opened.schema_arrow.names))
            for batch in opened.iter_batches(batch_size=_BATCH, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield number, {name: _text(value) for name, value in row.items()}
                moved(file.bytes * number // total)
    except (arrow.ArrowException, OSError) as error:
        cause = str(error).strip().splitlines()[0].rstrip(".")
        yield number + 1, f"cannot be read as Parquet ({cause}); write the file again"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
