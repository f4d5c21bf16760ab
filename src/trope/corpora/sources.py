"""Where records come from: files, packed files, files in a .zip, streams; as bytes and as lines.

A packed file is known by its first bytes, whatever its name. A file in an archive is named as if
the archive were a folder: "letters.zip/1920/may.txt". A file that grows while it is read is read as
far as it went when it was opened.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from trope.core.errors import BadInput, BadRecord, MissingData, MissingExtra
from trope.corpora.encodings import (
    LINE_LIMIT,
    SAMPLE,
    UTF_16,
    Line,
    decoded_lines,
    find_encoding,
)

Source = str | Path | BinaryIO
"""A path, an open binary stream, or "-" for standard input."""

DAMAGED = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError)
BAD_ZIP = (*DAMAGED, NotImplementedError, ValueError)
"""What `zipfile` raises for archives whose places, flags or methods were altered."""

_RATIO, _ANY_SIZE = 100, 200_000_000
"""A document that is an archive unpacks to at most so many times its size, or to so many bytes."""
"""What reading a damaged packed file may raise."""

PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip")
"""Ends of names that say how a file is packed; the suffix before it says what it is."""

_SAVE_AS = {
    **dict.fromkeys((".doc", ".odt", ".rtf", ".pages"), ".docx"),
    **dict.fromkeys((".xls", ".ods", ".numbers"), ".xlsx"),
}
_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}


def source_name(source: Source) -> str:
    """The name of a source in errors."""
    name = str(source) if isinstance(source, str | Path) else getattr(source, "name", "input")
    if not isinstance(name, str):
        return "input"  # a stream that was opened by its number
    return "standard input" if name in ("-", "<stdin>") else name


def unpacked_suffix(path: str | Path) -> str:
    """The end of a file's name without those that say how it is packed."""
    path = Path(path)
    while path.suffix.lower() in PACKED_SUFFIXES:
        path = path.with_suffix("")
    return path.suffix.lower()


def unread_format(path: str | Path) -> str:
    """What is wrong with a file of an office program's format that is not read; empty if none."""
    suffix = unpacked_suffix(path)
    return f"{suffix} is not read; save it as {_SAVE_AS[suffix]}" if suffix in _SAVE_AS else ""


@contextmanager
def open_source(source: Source, *, size: int | None = None) -> Iterator[io.BufferedReader]:
    """The bytes of a source, unpacked if they are packed; at most `size` of a file, if given.

    Files are closed again; a stream that was given stays open.
    """
    with open_packed(source, size=size) as raw:
        yield unpack(raw)


@contextmanager
def open_packed(source: Source, *, size: int | None = None) -> Iterator[io.BufferedReader]:
    """The bytes of a source as they lie on the disk."""
    if isinstance(source, str | Path) and str(source) != "-":
        with _opened(Path(source), size) as file:
            yield file
        return
    stream = sys.stdin.buffer if isinstance(source, str | Path) else source
    yield _Peekable(stream)


def packing(raw: io.BufferedReader) -> str:
    """How a file is packed, as its first bytes tell; empty if it is not."""
    first = raw.peek(6)[:6]
    return next((kind for magic, kind in _PACKINGS.items() if first.startswith(magic)), "")


def unpack(raw: io.BufferedReader) -> io.BufferedReader:
    """The unpacked bytes of a file that may be packed."""
    kind = packing(raw)
    if not kind:
        return raw
    opened: Any
    if kind == "gzip":
        opened = gzip.GzipFile(fileobj=raw, mode="rb")
    elif kind == "bzip2":
        opened = bz2.BZ2File(raw)
    elif kind == "xz":
        opened = lzma.LZMAFile(raw)  # noqa: SIM115 - closed with what wraps it
    else:
        opened = _zstandard(raw)
    return io.BufferedReader(opened, SAMPLE)


def damage(kind: str, error: BaseException) -> str:
    """What is wrong with a file that cannot be read to its end."""
    cause = f"is a damaged {kind} file" if kind else "cannot be read further"
    return f"{cause} ({error}); get it again"


def numbered_lines(
    source: Source,
    *,
    encoding: str | None = "utf-8",
    keep_ends: bool = False,
    limit: int = LINE_LIMIT,
) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, counted from 1, one at a time; only a line feed ends a line.

    Args:
        encoding: found by looking at the bytes if it is None.

    Raises:
        BadRecord: for an empty source, bytes that are no text, a line of more bytes than
            `limit` and a damaged packed file, with the line where it happened.
    """
    name = source_name(source)
    number = 0
    for line in read_lines(source, encoding=encoding, limit=limit):
        number = line.number
        if line.fault:
            raise BadRecord(name, number, line.fault)
        yield number, line.text if keep_ends else line.text.removesuffix("\n").removesuffix("\r")
    if number == 0:
        raise BadRecord(name, 1, "is empty; give a file with content")


def read_lines(
    source: Source,
    *,
    encoding: str | None = None,
    limit: int = LINE_LIMIT,
    size: int | None = None,
    moved: Callable[[int], None] | None = None,
    look: Callable[[bytes], None] | None = None,
    unicode_only: bool = False,
) -> Iterator[Line]:
    """All lines of a source; those that are no text, and the place of a damage, say so.

    Args:
        size: the most bytes of a file that are read.
        moved: is told how many bytes of the packed file are read.
        look: is shown the first bytes before the first line comes.
        unicode_only: whether an encoding that is found is UTF-8 or UTF-16, as that of JSON.
    """
    number = 0
    with open_packed(source, size=size) as raw:
        kind = "zip"
        try:
            kind = packing(raw)
            stream = unpack(raw)
            if look is not None:
                look(stream.peek(1))
            if unicode_only and not encoding and find_encoding(stream.peek(1)) not in UTF_16:
                encoding = "utf-8"
            for line in decoded_lines(stream, source_name(source), encoding, limit=limit):
                number = line.number
                if moved is not None:
                    moved(raw.tell())
                yield line
        except DAMAGED as error:
            yield Line(number + 1, "", damage(kind, error))


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


def archived_files(path: str | Path) -> list[zipfile.ZipInfo]:
    """The files in a .zip, in the order of their names, without those that a Mac hides there.

    Raises:
        BadInput: for an archive that is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            found = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    except BAD_ZIP as error:
        raise BadInput(f"{path}: {damage('zip', error)}") from None
    return sorted((e for e in found if not _is_hidden(e.filename)), key=lambda e: e.filename)


def unpack_archive(content: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a .zip in memory, with their names.

    Raises:
        BadRecord: for an archive that is damaged, protected or too large to hold.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [
                e
                for e in archive.infolist()
                if not e.filename.endswith("/") and not _is_hidden(e.filename)
            ]
            if sum(entry.file_size for entry in entries) > LINE_LIMIT:
                problem = f"holds more than {LINE_LIMIT // 10**6} MB; unpack it"
                raise BadRecord(name, None, problem)
            for entry in sorted(entries, key=lambda entry: entry.filename):
                yield f"{name}/{entry.filename}", archive.read(entry)
    except BadRecord:
        raise
    except BAD_ZIP as error:
        raise BadRecord(name, None, damage("zip", error)) from None
    except RuntimeError:
        raise BadRecord(name, None, "is protected by a password; unpack it first") from None


def check_unpacked(content: bytes, name: str) -> None:
    """Refuse a document that would unpack to far more than any text needs.

    Raises:
        BadRecord: for one that would; whoever reads it says what else is wrong with it.
    """
    size = 0
    with suppress(*BAD_ZIP), zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > max(_ANY_SIZE, _RATIO * len(content)):
        raise BadRecord(name, None, f"unpacks to {size:,} bytes, more than a text needs; check it")


def inner_source(source: Source) -> Source:
    """The only file of an archive, if the source is an archive; else the source.

    Raises:
        BadInput: for an archive with several files.
    """
    if not isinstance(source, str | Path) or not is_archive(source):
        return source
    names = [entry.filename for entry in archived_files(source)]
    if len(names) != 1:
        listed = ", ".join(names[:3]) + (", …" if len(names) > 3 else "") or "none"
        problem = f"has {len(names)} files ({listed}); name one, such as {source}/FILE"
        raise BadInput(f"{source}: {problem}")
    return f"{source}/{names[0]}"


def is_archive(path: str | Path) -> bool:
    """Whether a path is a .zip file."""
    return Path(path).suffix.lower() == ".zip" and Path(path).is_file()


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _opened(path: Path, size: int | None) -> io.BufferedReader:
    """The open file, as long as it is now; pipes and devices are files too."""
    try:
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return _archived(path)
    except IsADirectoryError:
        raise BadInput(f"{path}: is a directory; give a file") from None
    except OSError as error:
        problem = f"cannot be opened ({error.strerror}); check its permissions"
        raise BadInput(f"{path}: {problem}") from None
    status = Path(path).stat()
    length = status.st_size if size is None else size
    if not stat.S_ISREG(status.st_mode) or not length:
        return file
    return io.BufferedReader(_Snapshot(file, length), SAMPLE)


def _archived(path: Path) -> io.BufferedReader:
    """A file in an archive, by a path through the archive."""
    for parent in path.parents:
        if parent.suffix.lower() == ".zip" and parent.is_file():
            break
    else:
        raise MissingData(path, "check the file name") from None
    try:
        archive = zipfile.ZipFile(parent)
        member = archive.open(path.relative_to(parent).as_posix())
    except KeyError:
        raise MissingData(path, f"{parent} has no such file") from None
    except BAD_ZIP as error:
        raise BadInput(f"{parent}: {damage('zip', error)}") from None
    except RuntimeError:
        problem = "is protected by a password; unpack the archive first"
        raise BadInput(f"{path}: {problem}") from None
    return io.BufferedReader(_Closing(member, archive), SAMPLE)


class _Snapshot(io.RawIOBase):
    """A file as long as it was: what is appended while it is read is not seen."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._left = file, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)[: self._left]
        number: int = self._file.readinto(view)  # type: ignore[attr-defined]
        self._left -= number
        return number

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()
        super().close()


class _Closing(io.RawIOBase):
    """A file in an archive that closes the archive with it."""

    def __init__(self, member: Any, archive: zipfile.ZipFile) -> None:
        self._member, self._archive = member, archive

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._member.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def tell(self) -> int:
        return cast(int, self._member.tell())

    def close(self) -> None:
        self._member.close()
        self._archive.close()
        super().close()


class _Peekable(io.BufferedReader):
    """A buffered reader that does not close the stream beneath it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(cast(io.RawIOBase, stream), SAMPLE)

    def __del__(self) -> None:
        if not self.closed:
            self.detach()


def _zstandard(raw: BinaryIO) -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise MissingExtra("a .zst file", "parquet", "pyarrow") from None
    return pyarrow.CompressedInputStream(raw, "zstd")
