"""Figures other than metaphor, and paraphrases of figurative sentences.

Similes (MSD23), hyperbole (HYPO), sarcasm (iSarcasmEval); graded paraphrases (Bizzoni and Lappin)
and inferences (IMPLI).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trope.core.errors import BadRecord
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, numbered_lines, source_name
from trope.corpora.tables import TableFormat, find_column, read_rows

SARCASM_CLASSES = (
    "sarcasm",
    "irony",
    "satire",
    "understatement",
    "overstatement",
    "rhetorical_question",
)
"""The finer labels of iSarcasmEval; a tweet may have several."""

_SIMILE_LABELS = {"simile": True, "literal": False}

_NUMBERS = (4, 8)
"""Candidates of a set: four, or those of two sets for the same sentence."""

_GRADED = re.compile(r"^(?P<text>.*)#\s*(?P<grade>[1-4])\s*$")
_PAIR, _WITH_SCORE = 2, 3


@dataclass(frozen=True, slots=True)
class SimileText:
    """A turn of a dialogue, with a simile or literal, and the turns before and after it."""

    id: str
    text: str
    simile: bool
    line: int
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class HyperboleTriple:
    """A hyperbole, the same without exaggeration, and a plain sentence with its words.

    `literal_use` is empty where there is none.
    """

    id: str
    hyperbole: str
    paraphrase: str
    literal_use: str
    line: int


@dataclass(frozen=True, slots=True)
class HyperboleText:
    """A text that is a hyperbole or not; `metaphor` is None where the label is missing."""

    id: str
    text: str
    hyperbole: bool
    metaphor: bool | None
    line: int


@dataclass(frozen=True, slots=True)
class SarcasmText:
    """A tweet that its author meant sarcastically or not.

    `rephrase` says it plainly and `classes` are the finer labels; both are empty where the file
    does not give them. `sarcastic` is None in files with finer labels only.
    """

    id: str
    text: str
    sarcastic: bool | None
    line: int
    rephrase: str = ""
    classes: tuple[str, ...] = ()


def read_msd23(source: Source) -> Iterator[SimileText]:
    """JSON lines with `id`, `text`, `before`, `after` and the label `simile` or `literal`.

    Raises:
        BadRecord: for other labels, empty texts and ids that occur twice.
    """
    for row in _unique_rows(source, "jsonl"):
        simile = row.choice("label", _SIMILE_LABELS)
        before, after = row.optional("before"), row.optional("after")
        yield SimileText(row.text("id"), row.text("text"), simile, row.line, before, after)


def read_hypo(source: Source) -> Iterator[HyperboleTriple]:
    """Rows of `id hyperbole paraphrase minimal_units_sentence`, separated by tabs.

    Raises:
        BadRecord: for rows without a hyperbole or paraphrase and ids that occur twice.
    """
    for row in _unique_rows(source, "tsv"):
        hyperbole, paraphrase = row.text("hyperbole"), row.text("paraphrase")
        literal_use = row.optional("minimal_units_sentence")
        yield HyperboleTriple(row.text("id"), hyperbole, paraphrase, literal_use, row.line)


def read_hyperboles(source: Source) -> Iterator[HyperboleText]:
    """Rows of `id,text,hyperbole,metaphor`; the metaphor label may be empty.

    Raises:
        BadRecord: for labels other than 1 and 0, empty texts and ids that occur twice.
    """
    for row in _unique_rows(source, "csv"):
        metaphor = row.label("metaphor") if row.optional("metaphor") else None
        hyperbole = row.label("hyperbole")
        yield HyperboleText(row.text("id"), row.text("text"), hyperbole, metaphor, row.line)


def read_isarcasm(source: Source) -> Iterator[SarcasmText]:
    """Tweets in the columns of the shared task, with or without ids and finer labels.

    Rows without an id are counted from 1.

    Raises:
        BadRecord: for labels other than 1 and 0, empty tweets, ids that occur twice, and tables
            with neither `sarcastic` nor finer labels.
    """
    name = source_name(source)
    seen = UniqueIds()
    for number, (line, fields) in enumerate(read_rows(source, format="csv"), start=1):
        row = CheckedRow(name, line, fields)
        text = row.text(find_column(fields, ("tweet", "text")) or "tweet")
        id_column = next((key for key in ("id", "") if key in fields), None)
        identifier = str(number) if id_column is None else row.text(id_column)
        seen.add(identifier, row, identifier)
        finer = [key for key in SARCASM_CLASSES if key in fields]
        if not finer or "sarcastic" in fields:
            sarcastic: bool | None = row.label("sarcastic")
        else:
            sarcastic = None
        classes = tuple(key for key in finer if row.optional(key) and row.label(key))
        rephrase = row.optional("rephrase") if "rephrase" in fields else ""
        yield SarcasmText(identifier, text, sarcastic, line, rephrase, classes)


def _unique_rows(source: Source, table_format: TableFormat) -> Iterator[CheckedRow]:
    name = source_name(source)
    seen = UniqueIds()
    for line, fields in read_rows(source, format=table_format):
        row = CheckedRow(name, line, fields)
        identifier = row.text("id")
        seen.add(identifier, row, identifier)
        yield row


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
