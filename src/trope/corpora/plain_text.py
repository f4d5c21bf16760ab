"""Plain text: a document of paragraphs, or a list of one text per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from trope.core.errors import BadRecord
from trope.corpora.encodings import LINE_LIMIT, Line
from trope.corpora.records import TextRecord
from trope.corpora.sources import Source, numbered_lines, source_name

Unit = Literal["auto", "file", "paragraph", "line"]
"""What one text is; "auto": a file of prose, or a line of a list."""

_SENTENCE_END = re.compile(r"[.!?…:;][\"'”’»)\]]*$")
_SENTENCES = re.compile(r"[.!?…][\"'”’»)\]]*\s+\S")
_VERSE_END = re.compile(r"[,.!?…:;–—-][\"'”’»)\]]*$")
_VERSE_LINES = 4
"""Lines before another one that tell verse: two may end with a comma by chance."""

_WIDEST = 200
"""No program that breaks lines makes longer ones."""

_NARROW = 50
"""Two lines alone are a broken one only if the first is at least as long."""


def read_line_texts(source: Source, *, encoding: str | None = "utf-8") -> Iterator[TextRecord]:
    """One text per line, as it is; lines without text are skipped, ids are line numbers."""
    found = False
    for number, line in numbered_lines(source, encoding=encoding):
        if line.strip():
            found = True
            yield TextRecord(str(number), line, number)
    if not found:
        raise _without_text(source)


def read_documents(source: Source, *, encoding: str | None = "utf-8") -> Iterator[TextRecord]:
    """One text per block of lines; blocks end at blank lines, ids count the blocks from 1."""
    count = 0
    block: list[str] = []
    size = start = 0
    for number, line in numbered_lines(source, encoding=encoding):
        if line.strip():
            start = start if block else number
            block.append(line)
            size += len(line)
            if size > LINE_LIMIT:
                problem = "begins a document that is too long; put blank lines between documents"
                raise BadRecord(source_name(source), start, problem)
        elif block:
            count += 1
            yield TextRecord(str(count), "\n".join(block), start)
            block, size = [], 0
    if block:
        count += 1
        yield TextRecord(str(count), "\n".join(block), start)
    if not count:
        raise _without_text(source)


def find_unit(sample: str) -> Literal["file", "line"]:
    """Whether a text that begins so is one document, or a list of one text per line.

    A document has lines that a program broke at a width, or blank lines between blocks of several
    lines or sentences.
    """
    lines = [line.strip() for line in sample.splitlines()]
    blocks = _blocks(lines)
    if is_wrapped(lines):
        return "file"
    if len(blocks) < 2:
        return "line"
    open_ends = [line for block in blocks for line in block if not _SENTENCE_END.search(line)]
    several = sum(map(len, blocks)) >= 2 * len(blocks)
    if several and 2 * len(open_ends) >= sum(map(len, blocks)):
        return "file"  # verse, or lines that end with a phrase
    long = sorted(len(" ".join(block)) for block in blocks)[len(blocks) // 2] >= 120
    sentences = sum(bool(_SENTENCES.search(" ".join(block))) for block in blocks)
    return "file" if long and 2 * sentences >= len(blocks) else "line"


def unit_note(unit: Literal["file", "line"], lines: int) -> str:
    """What a user should know about a unit that was found; nothing if the file has one line."""
    if unit == "file":
        return "read as one document; --unit paragraph or --unit line takes it apart"
    listed = "read as a list, one text per line; --unit file reads it as one document"
    return listed if lines > 1 else ""


def is_wrapped(lines: Sequence[str]) -> bool:
    """Whether a program broke the lines at a width: the next word had no room in most of them.

    Lines that nearly all end with a phrase are verse, however long they are.
    """
    pairs = [
        pair for block in _blocks([line.strip() for line in lines]) for pair in pairwise(block)
    ]
    ends = sum(bool(_VERSE_END.search(one)) for one, _ in pairs)
    if len(pairs) >= _VERSE_LINES and 4 * ends >= 3 * len(pairs):
        return False
    breaks = [(one, other) for one, other in pairs if not _SENTENCE_END.search(one)]
    width = max((len(line.strip()) for line in lines), default=0)
    if not breaks or width > _WIDEST or (len(breaks) == 1 and width < _NARROW):
        return False
    full = sum(len(one) + 1 + len(other.split(maxsplit=1)[0]) > width for one, other in breaks)
    going_on = sum(other[0].islower() for _, other in breaks)
    return 2 * full >= len(breaks) and 5 * going_on >= 2 * len(breaks)


def unwrap(lines: Sequence[str], *, hyphens: bool = False) -> list[str]:
    """The paragraphs of lines that a program broke, each on one line.

    A paragraph ends at a blank line, or at a sentence end in a line with room to spare.

    Args:
        hyphens: whether a hyphen at the end of a line divides a word.
    """
    width = max((len(line.strip()) for line in lines), default=0)
    paragraphs: list[str] = []
    is_open = False
    for line in lines:
        text = line.strip()
        if not text:
            is_open = False
            continue
        if not is_open:
            paragraphs.append(text)
        elif hyphens and re.search(r"\w-$", paragraphs[-1]) and text[0].islower():
            paragraphs[-1] = paragraphs[-1][:-1] + text
        else:
            paragraphs[-1] += f" {text}"
        is_open = not (_SENTENCE_END.search(text) and len(text) < 0.8 * width)
    return paragraphs


def split_units(
    lines: Iterable[Line], unit: Literal["file", "paragraph", "line"], *, wrapped: bool
) -> Iterator[tuple[int, str, str]]:
    """The texts of a plain file: the line of each (0: all), the text, what is wrong with it.

    Args:
        wrapped: whether lines are joined to paragraphs; if not, a file stays as it is.
    """
    if unit == "file":
        yield _whole(lines, wrapped)
        return
    block: list[str] = []
    start = 0
    for number, text, fault in lines:
        text = text.removesuffix("\n").removesuffix("\r")
        if fault or (unit == "line" and text.strip()):
            yield number, "" if fault else text, fault
        elif text.strip():
            start = start if block else number
            block.append(text)
        elif block:
            yield start, _paragraph(block, wrapped), ""
            block = []
    if block:
        yield start, _paragraph(block, wrapped), ""


def _whole(lines: Iterable[Line], wrapped: bool) -> tuple[int, str, str]:
    held: list[str] = []
    size = 0
    for number, text, fault in lines:
        size += len(text)
        if fault:
            return number, "", fault
        if size > LINE_LIMIT:
            limit = f"is longer than {LINE_LIMIT // 1024**2} MB"
            return number, "", f"{limit}; read it with --unit paragraph"
        held.append(text)
    return 0, "\n\n".join(unwrap(held)) if wrapped else "".join(held), ""


def _paragraph(block: Sequence[str], wrapped: bool) -> str:
    return " ".join(line.strip() for line in block) if wrapped else "\n".join(block)


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    """The runs of lines between blank ones."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return blocks if blocks[-1] else blocks[:-1]


def _without_text(source: Source) -> BadRecord:
    return BadRecord(source_name(source), 1, "has only blank lines; give a file with text")
