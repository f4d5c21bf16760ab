"""Bytes as lines of text: which encoding they are in, and where they are no text."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from trope.core.errors import BadInput

LINE_LIMIT = 64 * 1024 * 1024
"""The longest line, in bytes: nothing that people write comes near, so a longer one is no text."""

SAMPLE = 64 * 1024
"""Bytes that are looked at to find the encoding and the layout of a file."""

UTF_16 = ("utf-16", "utf-16-le", "utf-16-be")
_BEYOND_ASCII = re.compile(
    rb"([\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})|[\x80-\xff]"
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_ESCAPED = re.compile("[\udc80-\udcff]")


class Line(NamedTuple):
    """A line with its number and its end; `fault` says why it is no text, if it is none."""

    number: int
    text: str
    fault: str = ""


def decoded_lines(
    stream: io.BufferedReader, name: str, encoding: str | None, *, limit: int = LINE_LIMIT
) -> Iterator[Line]:
    """The lines of a stream; one that is no text has a fault, and the next ones are read.

    Without an encoding the bytes decide, see `find_encoding`; as long as they are ASCII, the
    decision is left to the first line that is not.
    """
    head = stream.peek(1)
    chosen = _known(encoding, name) if encoding else ""
    if not chosen and (found := find_encoding(head)) in UTF_16:
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
            found = find_encoding(raw + stream.peek(1))
            chosen = label = "utf-8" if found in UTF_16 else found  # which begins a file, if at all
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
        sample.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return "utf-8"
    if _CONTROL.search(sample):
        return "utf-8"
    good = sum(found.group(1) is not None for found in _BEYOND_ASCII.finditer(sample))
    bad = sum(found.group(1) is None for found in _BEYOND_ASCII.finditer(sample))
    return "utf-8" if good * 4 >= bad else "cp1252"


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
                self._decoder.reset()  # or it would find the same half for ever
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
