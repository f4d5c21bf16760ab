"""Where records come from: files, packed files and streams, as numbered lines."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import decode

Source = str | Path | BinaryIO
"""A path, an open binary stream, or "-" for standard input."""

LINE_LIMIT = 64 * 1024 * 1024
"""The longest line, in bytes: nothing that people write comes near, so a longer one is no text."""

_GZIP_MAGIC = b"\x1f\x8b"


def source_name(source: Source) -> str:
    """The name of a source in errors."""
    name = str(source) if isinstance(source, str | Path) else getattr(source, "name", "input")
    if not isinstance(name, str):
        return "input"  # a stream that was opened by its number
    return "standard input" if name in ("-", "<stdin>") else name


@contextmanager
def open_source(source: Source) -> Iterator[BinaryIO]:
    """The bytes of a source, unpacked if they begin as gzip does, whatever its name.

    Files are closed again; a stream that was given stays open.
    """
    if isinstance(source, str | Path) and str(source) != "-":
        with _opened(Path(source)) as file:
            yield _unpacked(file)
        return
    stream = sys.stdin.buffer if isinstance(source, str | Path) else source
    yield _unpacked(stream)


def numbered_lines(
    source: Source,
    *,
    encoding: str = "utf-8",
    keep_ends: bool = False,
    limit: int = LINE_LIMIT,
) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, counted from 1, one at a time; only a line feed ends a line.

    Raises:
        BadRecord: for an empty source, bytes that are no text, a line of more bytes than
            `limit` and a damaged gzip file, with the line where it happened.
    """
    name = source_name(source)
    number = 0
    try:
        with open_source(source) as file:
            while raw := file.readline(limit + 1):
                number += 1
                if len(raw) > limit:
                    longest = f"{limit // 1024**2} MB"
                    raise BadRecord(name, number, f"is longer than {longest}; split it into lines")
                line = _decoded(raw, name, number, encoding)
                yield number, line if keep_ends else line.removesuffix("\n").removesuffix("\r")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        problem = f"is a damaged gzip file ({error}); get it again"
        raise BadRecord(name, number + 1, problem) from None
    if number == 0:
        raise BadRecord(name, 1, "is empty; give a file with content")


class NamedBytes(io.BytesIO):
    """Bytes in memory with the name of their file, for errors."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def read_bytes(source: Source) -> NamedBytes:
    """A whole source in memory, for files whose encoding is only known by looking at all of it."""
    with open_source(source) as stream:
        return NamedBytes(stream.read(), source_name(source))


def detect_encoding(content: bytes, otherwise: str) -> str:
    """ "utf-8" for bytes that are UTF-8 text, else the encoding that is left."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return otherwise
    return "utf-8"


def _opened(path: Path) -> BinaryIO:
    """The open file; pipes and devices are files too."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise MissingData(path, "check the file name") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a directory; give a file") from None
    except OSError as error:
        problem = f"cannot be opened ({error.strerror}); check its permissions"
        raise BadInput(f"{path}: {problem}") from None


def _unpacked(stream: BinaryIO) -> BinaryIO:
    buffered = stream if hasattr(stream, "peek") else _Peekable(stream)
    if buffered.peek(2)[:2] != _GZIP_MAGIC:
        return buffered
    return cast(BinaryIO, gzip.GzipFile(fileobj=buffered, mode="rb"))


class _Peekable(io.BufferedReader):
    """A buffered reader that does not close the stream beneath it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(cast(io.RawIOBase, stream))

    def __del__(self) -> None:
        if not self.closed:
            self.detach()


def _decoded(raw: bytes, name: str, number: int, encoding: str) -> str:
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        return decode(raw, name, number)
    if b"\0" in raw:
        return decode(raw, name, number)  # raises the usual error
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        bad = raw[error.start : error.start + 1].hex()
        raise BadRecord(name, number, f"is not {encoding} (byte 0x{bad})") from None
    except LookupError:
        raise BadInput(f"{name}: there is no encoding {encoding!r}; try utf-8, cp1252") from None
