"""MOH: verb senses in example sentences of WordNet, metaphorical or literal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trope.corpora.fields import Row
from trope.corpora.records import LabelledTarget
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows
from trope.corpora.verbs_in_sentences import read_verb_table

_BOLD = re.compile(r"<b>(.*?)</b>")
_CLASSES = {"metaphorical": True, "literal": False}


@dataclass(frozen=True, slots=True)
class VerbSense:
    """A sense of a verb in a sentence: `text[start:end]` is the verb.

    `confidence` is the share of the annotators that agree with the class.
    """

    verb: str
    sense: str
    text: str
    start: int
    end: int
    metaphor: bool
    confidence: float
    line: int


def read_moh(source: Source) -> Iterator[VerbSense]:
    """The original file: two lines of numbers, then a row a sense, the verb between <b> and </b>.

    Raises:
        BadRecord: for unknown classes, confidences that are no share, a verb that is not marked.
    """
    name = source_name(source)
    for line, fields in read_rows(source, format="tsv", skip_lines=2):
        row = Row(name, line, fields)
        marked = row.text("sentence")
        found = _BOLD.search(marked)
        if found is None or not found[1]:
            raise row.fault("marks no verb; it stands between <b> and </b>")
        text = _BOLD.sub(r"\1", marked)
        start = found.start()
        yield VerbSense(
            row.text("term"),
            row.text("sense"),
            text,
            start,
            start + len(found[1]),
            row.choice("class", _CLASSES),
            _share(row, "confidence"),
            line,
        )


def read_moh_formatted(source: Source) -> Iterator[LabelledTarget]:
    """The tokenised files, `verb,sentence,verb_idx,label`."""
    return read_verb_table(source)


def _share(row: Row, column: str) -> float:
    value = row.text(column)
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise row.fault(f"{column} {value!r} is no number from 0 to 1")
    return number
