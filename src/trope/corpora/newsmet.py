"""NewsMet: headlines, and what became of them when people judged other verbs.

A split file has three blocks: headlines with judged candidates, then six `gold_plus` rows for each
of them in the same order, then headlines without. A `gold_plus` row is its headline with one word
replaced. One whose label differs from its headline's is an accepted candidate; one with the same
label was rejected, and that label is noise, since nobody gave it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows

GoldPlusRows = Literal["all_six", "accepted_only"]
"""All rows as released, or without the rejected candidates."""

_CANDIDATES = 6


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline, original or rewritten.

    `group` is the id of the original, its own for an original. `target` is the focus verb's place
    among the blank-separated words, where a candidate shows it. `accepted` is None for originals.
    """

    id: str
    text: str
    metaphor: bool
    group: str
    target: int | None
    accepted: bool | None
    line: int

    @property
    def gold(self) -> bool:
        """Whether a newspaper wrote it."""
        return self.accepted is None


def read_newsmet(source: Source, *, reading: GoldPlusRows = "all_six") -> Iterator[Headline]:
    """The headlines of a split file in its order; ids count the rows from 1.

    Raises:
        BadRecord: for unknown labels and types, texts that come twice, candidates that belong to
            no headline.
    """
    name = source_name(source)
    gold: list[Headline] = []
    candidates: list[tuple[CheckedRow, Headline]] = []
    texts = UniqueIds()
    for number, (line, fields) in enumerate(read_rows(source, format="csv"), start=1):
        row = CheckedRow(name, line, fields)
        text = row.text("Text")
        texts.add(text, row, text)
        headline = Headline(str(number), text, row.label(), str(number), None, None, line)
        if row.choice("sample_type", {"gold": True, "gold_plus": False}):
            gold.append(headline)
        else:
            candidates.append((row, headline))
    for headline in sorted(_joined(gold, candidates), key=lambda headline: headline.line):
        if reading == "all_six" or headline.accepted is not False:
            yield headline


def read_newsmet_test(source: Source) -> Iterator[Headline]:
    """The texts of a custom test set; ids are those of the file's first column."""
    name = source_name(source)
    ids = UniqueIds()
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        identifier = row.text("id" if "id" in fields else "Unnamed: 0")
        ids.add(identifier, row, identifier)
        text = row.text("Text")
        yield Headline(identifier, text, row.label(), identifier, None, None, line)


def _joined(
    gold: Sequence[Headline], rows: Sequence[tuple[CheckedRow, Headline]]
) -> Iterator[Headline]:
    """All headlines, with what each candidate tells about itself and about its original."""
    places: dict[str, int] = {}
    for index, (row, candidate) in enumerate(rows):
        at = index // _CANDIDATES
        original = gold[at] if at < len(gold) else None
        place = None if original is None else _replaced_word(original.text, candidate.text)
        if original is None or place is None:
            raise row.fault(
                "is not a headline of this file with one word replaced; keep the six candidates of "
                "each headline together, in the order of the headlines"
            )
        places[original.id] = place
        accepted = candidate.metaphor != original.metaphor
        yield replace(candidate, group=original.id, target=place, accepted=accepted)
    for original in gold:
        yield replace(original, target=places.get(original.id))


def _replaced_word(original: str, candidate: str) -> int | None:
    """The only place where two headlines differ, None where there is no such place."""
    ours, theirs = original.split(), candidate.split()
    if len(ours) != len(theirs):
        return None
    places = [at for at, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
    return places[0] if len(places) == 1 else None
