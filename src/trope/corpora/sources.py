"""Where records come from: files, packed files, files in a .zip, streams; as bytes and as lines.

A packed file is known by its first bytes, whatever its name. A file in an archive is named as if
the archive were a folder: "letters.zip/1920/may.txt". A file that grows while it is read is read as
far as it went when it was opened.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from trope.core.errors import BadInput, BadRecord, MissingData, MissingExtra

Source = str | Path | BinaryIO
"""A path, an open binary stream, or "-" for standard input."""

LINE_LIMIT = 64 * 1024 * 1024
"""The longest line, in bytes: nothing that people write comes near, so a longer one is no text."""

SAMPLE = 64 * 1024
"""Bytes that are looked at to find the encoding and the layout of a file."""

DAMAGED = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError)
"""What reading a damaged packed file may raise."""

_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_UTF_16 = ("utf-16", "utf-16-le", "utf-16-be")
_BEYOND_ASCII = re.compile(
    rb"([\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})|[\x80-\xff]"
)
_ESCAPED = re.compile("[\udc80-\udcff]")


class Line(NamedTuple):
    """A line with its number and its end; `fault` says why it is no text, if it is none."""

    number: int
    text: str
    fault: str = ""


def source_name(source: Source) -> str:
    """The name of a source in errors."""
    name = str(source) if isinstance(source, str | Path) else getattr(source, "name", "input")
    if not isinstance(name, str):
        return "input"  # a stream that was opened by its number
    return "standard input" if name in ("-", "<stdin>") else name


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
        kind = packing(raw)
        try:
            stream = unpack(raw)
            if look is not None:
                look(stream.peek(1))
            if unicode_only and not encoding and find_encoding(stream.peek(1)) not in _UTF_16:
                encoding = "utf-8"
            for line in decoded_lines(stream, source_name(source), encoding, limit=limit):
                number = line.number
                if moved is not None:
                    moved(raw.tell())
                yield line
        except DAMAGED as error:
            yield Line(number + 1, "", damage(kind, error))


def decoded_lines(
    stream: io.BufferedReader, name: str, encoding: str | None, *, limit: int = LINE_LIMIT
) -> Iterator[Line]:
    """The lines of a stream; one that is no text has a fault, and the next ones are read.

    Without an encoding the bytes decide, see `find_encoding`; as long as they are ASCII, the
    decision is left to the first line that is not.
    """
    head = stream.peek(1)
    chosen = _known(encoding, name) if encoding else ""
    if not chosen and (found := find_encoding(head)) in _UTF_16:
        chosen = found
    label = chosen or "utf-8"
    if chosen and "\n".encode(chosen) != b"\n":
        stream, chosen = _recoded(stream, chosen), "utf-8"
    elif b"\r" in head and b"\n" not in head:  # lines as old Macintosh programs end them
        label = chosen or find_encoding(head)
        stream, chosen = _recoded(stream, label, line_end="\r"), "utf-8"
    number = 0
    while raw := stream.readline(limit + 1):
        number += 1
        if len(raw) > limit:
            longest = f"{limit // 1024**2} MB"
            yield Line(number, "\n", f"is longer than {longest}; split it into lines")
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(limit)
            continue
        if not chosen and not raw.isascii():
            chosen = label = find_encoding(raw + stream.peek(1))
        text = raw.decode(chosen or "utf-8", "surrogateescape")
        text = text.removeprefix("\ufeff") if number == 1 else text
        yield Line(number, text, _fault(text, label))


def find_encoding(sample: bytes) -> str:
    """The encoding of a text whose first bytes these are.

    UTF-16 has a mark or zero bytes at every other place. What is not UTF-8 is cp1252, unless some
    of it can only be UTF-8: then it is UTF-8 with bad places, which reading reports.
    """
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for name, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(zeros) > 1 and zeros.count(0) * 2 > len(zeros) and sample.count(0) == zeros.count(0):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return "utf-8"
    good = sum(found.group(1) is not None for found in _BEYOND_ASCII.finditer(sample))
    bad = sum(found.group(1) is None for found in _BEYOND_ASCII.finditer(sample))
    return "utf-8" if good * 4 >= bad else "cp1252"


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
            found = [entry for entry in archive.infolist() if not entry.is_dir()]
    except (zipfile.BadZipFile, OSError) as error:
        raise BadInput(f"{path}: {damage('zip', error)}") from None
    return sorted((e for e in found if not _is_hidden(e.filename)), key=lambda e: e.filename)


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
    except RuntimeError:
        problem = "is protected by a password; unpack the archive first"
        raise BadInput(f"{path}: {problem}") from None
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise BadInput(f"{parent}: {damage('zip', error)}") from None
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


class _Recoder(io.RawIOBase):
    """A stream in any encoding as UTF-8, with line feeds at the ends of its lines."""

    def __init__(self, stream: BinaryIO, encoding: str, line_end: str) -> None:
        self._stream, self._line_end = stream, line_end
        self._decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            content = self._stream.read(SAMPLE)
            try:
                text = self._decoder.decode(content, final=not content)
            except UnicodeDecodeError:
                text = "\udcff"  # half a character at the end
            if self._line_end:
                text = text.replace(self._line_end, "\n")
            self._ready = text.encode("utf-8", "surrogatepass")
            if not content:
                break
        given, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(given)] = given
        return len(given)


def _recoded(stream: BinaryIO, encoding: str, line_end: str = "") -> io.BufferedReader:
    return io.BufferedReader(_Recoder(stream, encoding, line_end), SAMPLE)


def _zstandard(raw: BinaryIO) -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise MissingExtra("a .zst file", "parquet", "pyarrow") from None
    return pyarrow.CompressedInputStream(raw, "zstd")


def _known(encoding: str, name: str) -> str:
    """The encoding under its usual name."""
    try:
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except LookupError:
        raise BadInput(f"{name}: there is no encoding {encoding!r}; try utf-8, cp1252") from None


def _fault(text: str, encoding: str) -> str:
    """What keeps a line from being text, empty if nothing does."""
    if "\0" in text:
        return "holds a NUL byte, so it is not text; give a text file"
    if text.isascii() or not (found := _ESCAPED.search(text)):
        return ""
    other = "cp1252" if encoding == "utf-8" else "utf-8"
    label = encoding.upper() if encoding.startswith("utf") else encoding
    return (
        f"is not {label} (byte 0x{ord(found[0]) - 0xDC00:02x}) at character {found.start() + 1}; "
        f"save the file as UTF-8, or name its encoding, such as --encoding {other}"
    )
