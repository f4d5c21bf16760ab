"""IMPLI: figurative sentences and others that follow from them, or do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trope.core.errors import BadRecord
from trope.corpora.sources import Source, numbered_lines, source_name

_PAIR, _WITH_SCORE = 2, 3


@dataclass(frozen=True, slots=True)
class InferencePair:
    """A figurative sentence and a hypothesis; what follows is told by the name of the file."""

    line: int
    figurative: str
    hypothesis: str


def read_impli(source: Source, *, encoding: str = "utf-8") -> Iterator[InferencePair]:
    """The pairs of a file, without regard to quotes; `replacement_tsvetkov_e.tsv` is cp1252.

    Raises:
        BadRecord: for lines without two sentences.
    """
    name = source_name(source)
    for number, line in numbered_lines(source, encoding=encoding):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) not in (_PAIR, _WITH_SCORE) or not all(cells[:_PAIR]):
            raise BadRecord(
                name, number, "has no two sentences; give them between tabs, a score may follow"
            )
        yield InferencePair(number, cells[0], cells[1])
