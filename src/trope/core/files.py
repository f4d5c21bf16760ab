"""Files as users have them: checked encodings, atomic and durable writes, checksums."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, overload

from trope.core.errors import BadRecord, MissingData


def open_binary(path: str | Path) -> BinaryIO:
    """The bytes of a file, unpacked if its name ends in .gz."""
    path = Path(path)
    if not path.is_file():
        raise MissingData(path, "check the file name")
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def decode(data: bytes, path: str | Path, line: int | None = None) -> str:
    """The bytes as UTF-8 text (a byte-order mark is dropped).

    Raises:
        BadRecord: for bytes that are not UTF-8 text, with the line of the first bad byte.
    """
    if b"\0" in data:
        at = (line or 1) + data.count(b"\n", 0, data.index(b"\0"))
        raise BadRecord(path, at, "holds a NUL byte, so it is not text; give a UTF-8 text file")
    try:
        return data.decode("utf-8-sig" if line in (None, 1) else "utf-8")
    except UnicodeDecodeError as error:
        at = (line or 1) + data.count(b"\n", 0, error.start)
        bad = data[error.start : error.start + 1].hex()
        raise BadRecord(
            path, at, f"is not UTF-8 (byte 0x{bad}); convert it, for example with iconv -t UTF-8"
        ) from None


def read_text(path: str | Path) -> str:
    """A whole text file; for configuration and other files known to be small."""
    with open_binary(path) as file:
        return decode(file.read(), path)


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a UTF-8 file without their line ends, one at a time."""
    with open_binary(path) as file:
        for number, raw in enumerate(file, start=1):
            yield number, decode(raw, path, number).rstrip("\r\n")


def sha256(path: str | Path) -> str:
    """The checksum of a file, read in pieces."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@overload
def atomic_write(
    path: str | Path, mode: Literal["w"] = "w", *, private: bool = False
) -> AbstractContextManager[IO[str]]: ...


@overload
def atomic_write(
    path: str | Path, mode: Literal["wb"], *, private: bool = False
) -> AbstractContextManager[IO[bytes]]: ...


@contextmanager
def atomic_write(path: str | Path, mode: str = "w", *, private: bool = False) -> Iterator[IO[Any]]:
    """A file that appears under its name when it is complete, and survives a power cut.

    Only its owner can read a `private` one.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with os.fdopen(descriptor, mode, **text) as file:  # type: ignore[call-overload]
            yield file
        if not private:
            _allow_as_usual(Path(name))
        replace_durably(Path(name), path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        # nobody knows the temporary name; a full disk names no file at all
        if isinstance(error, OSError) and error.errno and error.filename in (None, name):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def replace_durably(source: Path, target: Path) -> None:
    """Give a finished file its final name; after this it survives a power cut."""
    with source.open("rb+") as file:
        os.fsync(file.fileno())
    source.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, where the system can."""
    if os.name == "nt":  # Windows opens no folders
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (
            errno.EINVAL,
            errno.ENOTSUP,
        ):  # some file systems do not support this call
            raise
    finally:
        os.close(descriptor)


def _allow_as_usual(path: Path) -> None:
    """Give a temporary file, which only its owner may read, the permissions of any new file."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
