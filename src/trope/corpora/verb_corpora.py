"""Verbs and expressions, metaphorical or not: MOH, MOH-X, TroFi, TSV, LCC.

MOH has senses of verbs in example sentences of WordNet; MOH-X is the part of it whose verbs have
a subject or an object. TroFi has fifty verbs in sentences of the Wall Street Journal. Its example
base has blocks of one verb each:

    ***verb***
    *nonliteral cluster*
    wsj02:2251<TAB>U<TAB>the words of a sentence ./.
    *literal cluster*
    …

The cluster is what a program decided, N (nonliteral), L (literal) or U (unannotated) is what a
person decided. Lines before the first verb that are not rows describe the file. A sentence that
has its verb twice may be listed twice; the second row is about the second verb.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Literal

from trope.corpora.records import LabelledExpression, LabelledSpan, LabelledTarget
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, detect_encoding, numbered_lines, read_bytes, source_name
from trope.corpora.tables import read_rows
from trope.lexicon.inflection import inflect


def _read_verb_table(source: Source, *, arguments: bool = False) -> Iterator[LabelledTarget]:
    """Verbs in their sentences; ids count the rows from 1.

    Args:
        arguments: whether there are columns `arg1` and `arg2`, the verb's subject and object,
            of which either may be empty.

    Raises:
        BadRecord: for empty columns, unknown labels, positions outside of the sentence.
    """
    content = read_bytes(source)
    encoding = detect_encoding(content.getvalue(), "cp1252")
    rows = read_rows(content, format="csv", encoding=encoding)
    for number, (line, fields) in enumerate(rows, start=1):
        row = CheckedRow(content.name, line, fields)
        words = row.words("sentence")
        yield LabelledTarget(
            str(number),
            words,
            row.position("verb_idx", len(words)),
            row.text("verb"),
            row.label(),
            line,
            subject=row.optional("arg1") if arguments else "",
            object=row.optional("arg2") if arguments else "",
        )


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
        row = CheckedRow(name, line, fields)
        marked = row.text("sentence")
        found = _BOLD.search(marked)
        if found is None or not found[1]:
            raise row.fault("marks no verb; put it between <b> and </b>")
        text = _BOLD.sub(r"\1", marked)
        start = found.start()
        yield VerbSense(
            row.text("term"),
            row.text("sense"),
            text,
            start,
            start + len(found[1]),
            row.choice("class", _CLASSES),
            _confidence(row, "confidence"),
            line,
        )


def read_moh_formatted(source: Source) -> Iterator[LabelledTarget]:
    """The tokenised files, `verb,sentence,verb_idx,label`."""
    return _read_verb_table(source)


def _confidence(row: CheckedRow, column: str) -> float:
    value = row.text(column)
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise row.fault(f"{column} {value!r} is not a number from 0 to 1")
    return number


def read_moh_x(source: Source) -> Iterator[LabelledTarget]:
    """Verbs with their arguments, `arg1,arg2,verb,sentence,verb_idx,label`."""
    return _read_verb_table(source, arguments=True)


Cluster = Literal["nonliteral", "literal"]

_VERB = re.compile(r"\*\*\*([^*]+)\*\*\*")
_CLUSTERS: dict[str, Cluster] = {
    "*nonliteral cluster*": "nonliteral",
    "*literal cluster*": "literal",
}
_TAGGED_END = re.compile(r"(\S+)/\.")  # the last word of a sentence has a tag, "./."
_MARKS = {"N": True, "L": False, "U": None}


@dataclass(frozen=True, slots=True)
class TrofiSentence:
    """A sentence with one of the verbs.

    `cluster` is the program's verdict, `metaphor` the person's (None: unannotated), `target` where
    the verb stands, None where no word is a form of it.
    """

    id: str
    verb: str
    words: tuple[str, ...]
    target: int | None
    cluster: Cluster
    metaphor: bool | None
    line: int

    @property
    def label(self) -> bool:
        """The person's verdict, the program's where there is none."""
        return self.cluster == "nonliteral" if self.metaphor is None else self.metaphor


def read_trofi(source: Source, *, annotated_only: bool = False) -> Iterator[TrofiSentence]:
    """The sentences of an example base.

    Args:
        annotated_only: leave out what no person has judged.

    Raises:
        BadRecord: for unknown marks, a sentence outside of a cluster, a row that comes twice.
    """
    content = read_bytes(source)
    encoding = detect_encoding(content.getvalue(), "cp1252")
    verb, cluster = "", None
    rows, times = UniqueIds(), Counter[tuple[str, str]]()
    for line, raw in numbered_lines(content, encoding=encoding):
        text = raw.strip()
        if not text.strip("*"):
            continue  # a blank line, or a line of asterisks between verbs
        if not verb and "\t" not in text and not text.startswith("*"):
            continue  # a heading
        if found := _VERB.fullmatch(text):
            verb, cluster = found[1].strip(), None
        elif text in _CLUSTERS:
            cluster = _CLUSTERS[text]
        else:
            row = _trofi_row(content.name, line, text)
            if not verb or cluster is None:
                raise row.fault("is not in a cluster; write ***verb*** and *literal cluster* first")
            earlier = times[verb, text]
            sentence = _trofi_sentence(row, verb, cluster, earlier)
            if not earlier or sentence.target is None:
                rows.add((verb, text), row, row.text("id"))
            times[verb, text] += 1
            if sentence.metaphor is not None or not annotated_only:
                yield sentence


def read_trofi_formatted(source: Source) -> Iterator[LabelledTarget]:
    """The tokenised file, `verb,sentence,verb_idx,label`."""
    return _read_verb_table(source)


def _trofi_row(path: str, line: int, text: str) -> CheckedRow:
    cells = text.split("\t")
    row = CheckedRow(path, line, dict(zip(("id", "mark", "sentence"), cells, strict=False)))
    if len(cells) != 3:
        raise row.fault(
            f"has {len(cells)} fields separated by tabs; it needs id, mark and sentence"
        )
    return row


def _trofi_sentence(row: CheckedRow, verb: str, cluster: Cluster, earlier: int) -> TrofiSentence:
    mark = row.text("mark")
    if mark not in _MARKS:
        raise row.fault(f"unknown mark {mark!r}; known: N, L, U")
    *words, last = row.words("sentence")
    ending = _TAGGED_END.fullmatch(last)
    words.append(ending[1] if ending else last)
    target = _position(words, verb, earlier)
    return TrofiSentence(
        row.text("id"), verb, tuple(words), target, cluster, _MARKS[mark], row.line
    )


def _position(words: Sequence[str], verb: str, earlier: int) -> int | None:
    """The first word that is a form of the verb, after so many that had rows of their own."""
    forms = _forms(verb)
    places = (at for at, word in enumerate(words) if word.lower() in forms)
    return next(islice(places, earlier, None), None)


@cache
def _forms(verb: str) -> frozenset[str]:
    return frozenset(inflect(verb, tag) for tag in ("VB", "VBZ", "VBG", "VBD", "VBN"))


_LCC_LABELS = {"Metaphor": True, "Non-metaphor": False}


def read_lcc(source: Source) -> Iterator[LabelledSpan]:
    """Spans of texts; `span1` is [first, last + 1) over the blank-separated words.

    Raises:
        BadRecord: for unknown labels and spans outside of the text.
    """
    name = source_name(source)
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        words = row.words("text")
        start, end = row.span("span1", len(words))
        yield LabelledSpan(words, start, end, row.choice("label", _LCC_LABELS), line)


_NONE = "*none"  # written where a verb has no object


def read_adjective_nouns(source: Source, *, metaphor: bool) -> Iterator[LabelledExpression]:
    """Pairs of an adjective and a noun, one per line."""
    return _read_expressions(source, 2, metaphor)


def read_svo(source: Source, *, metaphor: bool) -> Iterator[LabelledExpression]:
    """Triplets of subject, verb and object, one per line; a missing part is empty.

    A class such as "*person" for a subject is kept as it is.
    """
    return _read_expressions(source, 3, metaphor)


def read_svo_sentences(source: Source) -> Iterator[LabelledExpression]:
    """Triplets with their sentences, `arg1,arg2,verb,sentence,verb_stem,label`."""
    name = source_name(source)
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        words = (row.optional("arg1"), row.text("verb"), row.optional("arg2"))
        yield LabelledExpression(words, row.label(), line, sentence=row.text("sentence"))


def _read_expressions(source: Source, size: int, metaphor: bool) -> Iterator[LabelledExpression]:
    name = source_name(source)
    seen = UniqueIds()
    for line, text in numbered_lines(source):
        words = text.split()
        row = CheckedRow(name, line, {})
        if not words:
            continue
        if len(words) != size:
            raise row.fault(f"has {len(words)} words, but expressions of this list have {size}")
        seen.add(tuple(words), row, " ".join(words))
        parts = tuple("" if word == _NONE else word for word in words)
        yield LabelledExpression(parts, metaphor, line)
