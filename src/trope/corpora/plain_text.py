"""Plain text: one text per line, or one document between blank lines."""

from __future__ import annotations

from collections.abc import Iterator

from trope.core.errors import BadRecord
from trope.corpora.records import TextRecord
from trope.corpora.sources import LINE_LIMIT, Source, numbered_lines, source_name


def read_line_texts(source: Source, *, encoding: str = "utf-8") -> Iterator[TextRecord]:
    """One text per line, as it is; lines without text are skipped, ids are line numbers."""
    found = False
    for number, line in numbered_lines(source, encoding=encoding):
        if line.strip():
            found = True
            yield TextRecord(str(number), line, number)
    if not found:
        raise _without_text(source)


def read_documents(source: Source, *, encoding: str = "utf-8") -> Iterator[TextRecord]:
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


def _without_text(source: Source) -> BadRecord:
    return BadRecord(source_name(source), 1, "has only blank lines; give a file with text")
