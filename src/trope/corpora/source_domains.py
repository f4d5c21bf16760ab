"""Source and target concepts of metaphors, from the LCC data: labelled texts and their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows

_METAPHOR_LABELS = {"Metaphor": True, "Non-metaphor": False}
_CONFIDENCES = ("sure", "likely", "unsure")


@dataclass(frozen=True, slots=True)
class ConceptText:
    """A text with one concept: the source of its metaphor, or the target it speaks of.

    `span` is [start, end) of the metaphorical words, None where it is not known. `guess` is a
    span that was found with the label in view: use it for training only. `group` is given for
    source concepts, `metaphor` for target concepts whose span is known.
    """

    id: str
    words: tuple[str, ...]
    label: int
    name: str
    line: int
    span: tuple[int, int] | None = None
    guess: tuple[int, int] | None = None
    group: str = ""
    metaphor: bool | None = None


@dataclass(frozen=True, slots=True)
class ConceptName:
    """What a label of the texts is called, how sure that is, and which words are typical.

    `frequent` are words with their counts; `group` is empty for target concepts.
    """

    label: int
    name: str
    confidence: str
    group: str
    train: int
    dev: int
    frequent: tuple[tuple[str, int], ...]
    typical: tuple[str, ...]
    line: int


def read_concept_texts(source: Source) -> Iterator[ConceptText]:
    """Rows of `id,text,span1,words,label,name` with `guess,group` (source) or `metaphor` (target).

    Raises:
        BadRecord: for spans outside of the text or with other words, a guess beside a span, a
            metaphor label without a span, labels that are not numbers and ids that occur twice.
    """
    name = source_name(source)
    seen = UniqueIds()
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        identifier = row.text("id")
        seen.add(identifier, row, identifier)
        words = row.words("text")
        span = _marked_span(row, words)
        yield ConceptText(
            identifier,
            words,
            row.whole("label"),
            row.text("name"),
            line,
            span=span,
            guess=_guess(row, span, len(words)),
            group=row.text("group") if "group" in fields else "",
            metaphor=_metaphor(row, span),
        )


def read_concept_names(source: Source) -> Iterator[ConceptName]:
    """The table of names: one row per label, separated by tabs.

    Raises:
        BadRecord: for labels and counts that are not numbers, unknown confidences and labels or
            names that occur twice.
    """
    name = source_name(source)
    labels, names = UniqueIds(), UniqueIds()
    for line, fields in read_rows(source, format="tsv"):
        row = CheckedRow(name, line, fields)
        label, called, confidence = row.whole("id"), row.text("name"), row.text("confidence")
        labels.add(label, row, str(label))
        names.add(called, row, called)
        if confidence not in _CONFIDENCES:
            raise row.fault(f"unknown confidence {confidence!r}; known: {', '.join(_CONFIDENCES)}")
        yield ConceptName(
            label,
            called,
            confidence,
            row.text("group") if "group" in fields else "",
            row.whole("train"),
            row.whole("dev"),
            tuple(_counted(row, one) for one in _listed(row.optional("words_by_frequency"))),
            tuple(_listed(row.optional("words_by_log_odds"))),
            line,
        )


def _marked_span(row: CheckedRow, words: tuple[str, ...]) -> tuple[int, int] | None:
    marked = row.optional("words")
    if not row.optional("span1"):
        if marked:
            raise row.fault("has marked words but no span; fill 'span1' or empty 'words'")
        return None
    start, end = row.span("span1", len(words))
    if " ".join(words[start:end]) != marked:
        raise row.fault(f"the words at {start}-{end} are not {marked!r}; check the span")
    return start, end


def _guess(row: CheckedRow, span: tuple[int, int] | None, words: int) -> tuple[int, int] | None:
    if "guess" not in row.fields or not row.optional("guess"):
        return None
    if span:
        raise row.fault("has a guess beside a span; keep the span")
    return row.span("guess", words)


def _metaphor(row: CheckedRow, span: tuple[int, int] | None) -> bool | None:
    if "metaphor" not in row.fields or not row.optional("metaphor"):
        return None
    if not span:
        raise row.fault("has a metaphor label but no span; fill 'span1' or empty 'metaphor'")
    return row.choice("metaphor", _METAPHOR_LABELS)


def _listed(value: str) -> list[str]:
    return [one.strip() for one in value.split(",") if one.strip()]


def _counted(row: CheckedRow, value: str) -> tuple[str, int]:
    word, _, count = value.rpartition(" ")
    if not word or not count.isdecimal():
        raise row.fault(f"{value!r} is not a word and its count, such as 'tower 3'")
    return word, int(count)
