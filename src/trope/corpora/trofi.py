"""TroFi: fifty verbs in sentences of the Wall Street Journal, literal or not.

The example base has blocks of one verb each:

    ***verb***
    *nonliteral cluster*
    wsj02:2251<TAB>U<TAB>the words of a sentence ./.
    *literal cluster*
    …

The cluster is what a program decided, N (nonliteral), L (literal) or U (unannotated) what a person
did. Lines before the first verb that are no rows say what the file is. A sentence that has its verb
twice may be listed twice; the second row is about the second verb.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Literal

from trope.corpora.fields import Row, Unique, read_bytes, told_encoding
from trope.corpora.records import LabelledTarget
from trope.corpora.sources import Source, numbered_lines
from trope.corpora.verbs_in_sentences import read_verb_table
from trope.lexicon.inflection import inflect

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
    encoding = told_encoding(content.getvalue(), "cp1252")
    verb, cluster = "", None
    rows, times = Unique(), Counter[tuple[str, str]]()
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
            row = _row(content.name, line, text)
            if not verb or cluster is None:
                raise row.fault(
                    "stands in no cluster; write ***verb*** and *literal cluster* first"
                )
            earlier = times[verb, text]
            sentence = _sentence(row, verb, cluster, earlier)
            if not earlier or sentence.target is None:
                rows.add((verb, text), row, row.text("id"))
            times[verb, text] += 1
            if sentence.metaphor is not None or not annotated_only:
                yield sentence


def read_trofi_formatted(source: Source) -> Iterator[LabelledTarget]:
    """The tokenised file, `verb,sentence,verb_idx,label`."""
    return read_verb_table(source)


def _row(path: str, line: int, text: str) -> Row:
    cells = text.split("\t")
    row = Row(path, line, dict(zip(("id", "mark", "sentence"), cells, strict=False)))
    if len(cells) != 3:
        raise row.fault(f"has {len(cells)} fields parted by tabs; id, mark and sentence are wanted")
    return row


def _sentence(row: Row, verb: str, cluster: Cluster, earlier: int) -> TrofiSentence:
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
