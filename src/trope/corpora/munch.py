"""MUNCH: what metaphorical words of the VU Amsterdam corpus mean, in other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trope.corpora.fields import Row
from trope.corpora.sources import Source, source_name
from trope.corpora.substitution import Substitute, SubstitutionTarget
from trope.corpora.tables import read_rows

_BOLD = re.compile(r"<b>(.*?)</b>")


@dataclass(frozen=True, slots=True)
class AptPair:
    """Two rewritings of a sentence, one apt and one not; `item` is the id of the sentence's word.

    The files always have the apt one first.
    """

    id: str
    item: str
    apt: str
    inapt: str


def read_munch(source: Source) -> Iterator[SubstitutionTarget]:
    """The metaphorical words with people's paraphrases; `document` is the VUA fragment.

    Raises:
        BadRecord: for rows that mark no word.
    """
    name = source_name(source)
    for line, fields in read_rows(source, format="csv"):
        row = Row(name, line, fields)
        marked = row.text("s0")
        found = _BOLD.search(marked)
        if found is None or not found[1]:
            raise row.fault("marks no word; it stands between <b> and </b>")
        yield SubstitutionTarget(
            id=row.text("idx"),
            text=_BOLD.sub(r"\1", marked),
            start=found.start(),
            end=found.start() + len(found[1]),
            lemma="",
            upos="",
            substitutes=tuple(Substitute(word, 1.0) for word in row.words("human_ans")),
            document=row.text("sid").rpartition("-")[0],
        )


def read_munch_pairs(source: Source) -> Iterator[AptPair]:
    """The pairs of which one is apt and the other is not; others are no choice and left out."""
    name = source_name(source)
    for line, fields in read_rows(source, format="csv"):
        row = Row(name, line, fields)
        options = {row.text("s1_label"): row.text("s1"), row.text("s2_label"): row.text("s2")}
        if unknown := options.keys() - {"apt", "inapt"}:
            raise row.fault(f"unknown label {min(unknown)!r}; known: apt, inapt")
        if len(options) == 2:
            item = row.text("s0_idx")
            yield AptPair(row.text("i0"), item, options["apt"], options["inapt"])
