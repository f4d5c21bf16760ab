"""Paraphrases of figurative sentences: Bizzoni and Lappin's graded ones, IMPLI's inferences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trope.core.errors import BadRecord
from trope.corpora.sources import Source, numbered_lines, source_name

_NUMBERS = (4, 8)
"""Candidates of a set: four, or those of two sets for the same sentence."""

_GRADED = re.compile(r"^(?P<text>.*)#\s*(?P<grade>[1-4])\s*$")


@dataclass(frozen=True, slots=True)
class GradedParaphrases:
    """A sentence and candidates with grades: 4 says the same, 1 something else."""

    line: int
    text: str
    candidates: tuple[tuple[str, int], ...]


def read_bizzoni_lappin(source: Source) -> Iterator[GradedParaphrases]:
    """The sets between blank lines; a block without four graded candidates, or eight, is no set."""
    block: list[tuple[int, str]] = []
    for number, line in numbered_lines(source):
        if line.strip():
            block.append((number, line.strip()))
            continue
        yield from _set(block)
        block = []
    yield from _set(block)


def _set(block: Sequence[tuple[int, str]]) -> Iterator[GradedParaphrases]:
    """The set of a block, if it is one."""
    if not block:
        return
    (line, text), *rest = block
    found = [_GRADED.match(candidate) for _, candidate in rest]
    graded = tuple((f["text"].strip(), int(f["grade"])) for f in found if f is not None)
    if len(graded) == len(rest) and len(graded) in _NUMBERS:
        yield GradedParaphrases(line, text, graded)


_PAIR, _WITH_SCORE = 2, 3


@dataclass(frozen=True, slots=True)
class InferencePair:
    """A figurative sentence and a hypothesis; the name of the file says whether it follows."""

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
                name,
                number,
                "does not have two sentences; separate them with a tab, a score may follow",
            )
        yield InferencePair(number, cells[0], cells[1])
