"""Idioms in sentences: EPIE, MAGPIE, PIE, and the noun compounds of SemEval-2022 task 2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import find_column, read_rows
from trope.corpora.tagged_tokens import tag_spans

_EPIE_TAGS = {"O", "B-IDIOM", "I-IDIOM"}
_MAGPIE_LABELS = {"idiomatic": True, "literal": False}
_SPAN = re.compile(r"(\d+):(\d+)")
_NO_MEANING = "None"

PIE_CLASSES = (
    "Euphemism",
    "Hyperbole",
    "Irony",
    "Literal",
    "Metaphor",
    "Oxymoron",
    "Paradox",
    "Parallelism",
    "Personification",
    "Simile",
)
"""The classes of PIE; all but `Literal` are figures."""


@dataclass(frozen=True, slots=True)
class IdiomSentence:
    """A sentence with a possible idiom, whose words are at `spans`, each [start, end).

    `idiom` is its dictionary form; `idiomatic` is None where nobody judged the use.
    """

    id: str
    idiom: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    idiomatic: bool | None
    line: int


@dataclass(frozen=True, slots=True)
class ClassedSentence:
    """A sentence of PIE with its class and a part of speech for every word.

    `meaning` and `idiom_or_literal` are filled in few rows, mostly the first of an idiom.
    """

    id: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    figure: str
    line: int
    meaning: str = ""
    idiom_or_literal: str = ""


@dataclass(frozen=True, slots=True)
class CompoundText:
    """A noun compound in a sentence, with the sentences before and after it.

    `idiomatic` is None where the label is not given.
    """

    id: str
    compound: str
    target: str
    idiomatic: bool | None
    line: int
    split: str = ""
    previous: str = ""
    next: str = ""
    language: str = "EN"


@dataclass(frozen=True, slots=True)
class CompoundSenses:
    """A noun compound with its literal meaning and the others that it has."""

    compound: str
    literal: str
    others: tuple[str, ...]
    line: int
    split: str = ""


def read_epie(source: Source) -> Iterator[IdiomSentence]:
    """Rows of `id idiom label words tags`; the label is 1, 0 or empty.

    Raises:
        BadRecord: for other labels and tags, tags that do not fit the words, sentences without
            a span and ids that occur twice.
    """
    for row in _unique_rows(source):
        words, tags = row.words("words"), row.words("tags")
        if len(tags) != len(words):
            raise row.fault(f"has {len(words)} words and {len(tags)} tags; each word needs one")
        _refuse_unknown(row, tags, _EPIE_TAGS)
        spans = tuple((span.start, span.end) for span in tag_spans(tags))
        if not spans or tags.count("B-IDIOM") != len(spans):
            raise row.fault("has no idiom that begins with B-IDIOM; check the tags")
        label = row.label() if row.optional("label") else None
        yield IdiomSentence(row.text("id"), row.text("idiom"), words, spans, label, row.line)


def read_magpie(source: Source) -> Iterator[IdiomSentence]:
    """Rows of `id idiom label span words`; a span is `3:6`, first word to one after the last.

    Raises:
        BadRecord: for unknown labels, spans outside of the sentence and ids that occur twice.
    """
    for row in _unique_rows(source):
        words = row.words("words")
        label = row.choice("label", _MAGPIE_LABELS)
        span = _magpie_span(row, len(words))
        yield IdiomSentence(row.text("id"), row.text("idiom"), words, (span,), label, row.line)


def read_pie(source: Source) -> Iterator[ClassedSentence]:
    """Rows of `id class meaning idiom_or_literal words pos`.

    Raises:
        BadRecord: for unknown classes, parts of speech that do not fit the words and ids that
            occur twice.
    """
    for row in _unique_rows(source):
        words, tags = row.words("words"), row.words("pos")
        if len(tags) != len(words):
            raise row.fault(f"has {len(words)} words and {len(tags)} tags; each word needs one")
        figure = row.text("class")
        _refuse_unknown(row, [figure], set(PIE_CLASSES))
        meaning, said = row.optional("meaning"), row.optional("idiom_or_literal")
        yield ClassedSentence(row.text("id"), words, tags, figure, row.line, meaning, said)


_COMPOUND_COLUMNS = {
    "id": ("id", "dataid"),
    "compound": ("compound", "mwe"),
    "split": ("split", "setting"),
    "label": ("label",),
    "previous": ("previous",),
    "target": ("target",),
    "next": ("next",),
    "language": ("language",),
}


def read_compounds(source: Source) -> Iterator[CompoundText]:
    """Rows of `id,compound,split,label,previous,target,next`, or the task's own columns.

    The task writes 0 for idiomatic. Its files without labels can be read too.

    Raises:
        BadRecord: for other labels, missing compounds and sentences, and ids that occur twice.
    """
    name = source_name(source)
    seen = UniqueIds()
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, _renamed(fields))
        identifier = row.text("id")
        seen.add(identifier, row, identifier)
        given = {
            key: row.optional(key) for key in ("split", "label", "language") if key in row.fields
        }
        yield CompoundText(
            identifier,
            row.text("compound"),
            row.text("target"),
            not row.label() if given.get("label") else None,
            line,
            split=given.get("split", ""),
            previous=row.optional("previous"),
            next=row.optional("next"),
            language=given.get("language") or "EN",
        )


def read_compound_senses(source: Source) -> Iterator[CompoundSenses]:
    """Noun compounds with up to three meanings besides the literal one; `None` stands for none.

    Raises:
        BadRecord: for rows without a literal meaning and compounds that occur twice.
    """
    name = source_name(source)
    seen = UniqueIds()
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        compound, literal = row.text("Multiword Expression"), row.text("Literal Meaning")
        seen.add(compound, row, compound)
        others = [row.optional(key) for key in fields if key.startswith("Non-Literal Meaning")]
        split = row.optional("Data Split") if "Data Split" in fields else ""
        found = tuple(one for one in others if one and one != _NO_MEANING)
        yield CompoundSenses(compound, literal, found, line, split)


def _unique_rows(source: Source) -> Iterator[CheckedRow]:
    """The rows of a tab-separated table without quoting, each with an id of its own."""
    name = source_name(source)
    seen = UniqueIds()
    for line, fields in read_rows(source, format="tsv"):
        row = CheckedRow(name, line, fields)
        identifier = row.text("id")
        seen.add(identifier, row, identifier)
        yield row


def _refuse_unknown(row: CheckedRow, values: Sequence[str], known: set[str]) -> None:
    for value in values:
        if value not in known:
            raise row.fault(f"unknown label {value!r}; known: {', '.join(sorted(known))}")


def _magpie_span(row: CheckedRow, words: int) -> tuple[int, int]:
    value = row.text("span")
    found = _SPAN.fullmatch(value)
    start, end = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 0 <= start < end <= words:
        raise row.fault(f"span {value!r} is not start:end in a sentence of {words} words")
    return start, end


def _renamed(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields under our names for the columns."""
    columns = {key: find_column(fields, known) for key, known in _COMPOUND_COLUMNS.items()}
    return {key: fields[column] for key, column in columns.items() if column is not None}
