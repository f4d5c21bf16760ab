"""Sets annotated by hand: ids, checksums and offsets; their texts stay in the research data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

import trope.corpora
from trope.core.errors import BadRecord, MissingData
from trope.core.files import read_lines

Span = tuple[int, int]

GOLD = Path(trope.corpora.__file__).parent / "gold"


class HeadlineRow(msgspec.Struct, frozen=True):
    """A headline's root, its focus verb if it has one, and its subject–verb–object triplets."""

    id: str
    sha256: str
    root: Span
    focus: Span | None
    svo: tuple[tuple[Span, Span, Span], ...]

    @property
    def spans(self) -> list[Span]:
        """All stretches of text that the row names."""
        focus = [self.focus] if self.focus else []
        return [self.root, *focus, *(span for triplet in self.svo for span in triplet)]


class TweetRow(msgspec.Struct, frozen=True):
    """A tweet's pairs of a verb and its noun object."""

    id: str
    source: str
    sha256: str
    vo: tuple[tuple[Span, Span], ...]

    @property
    def spans(self) -> list[Span]:
        """All stretches of text that the row names."""
        return [span for pair in self.vo for span in pair]


Row = TypeVar("Row", HeadlineRow, TweetRow)

# source of a text → its files, and the columns of id and text
_SOURCES = {
    "headlines": (("headlines/headlines.tsv.gz",), 0, 1),
    "tweets-brexit": (("tweets-brexit/brexit-tweets.tsv.gz",), 0, 4),
    "semeval2018-ec": (
        tuple(
            f"tweets-emotion/semeval2018-ec/2018-E-c-En-{split}.txt"
            for split in ("train", "dev", "test")
        ),
        0,
        1,
    ),
}


def read_headlines(path: Path, data: Path) -> list[tuple[HeadlineRow, str]]:
    """The annotated headlines with their texts."""
    rows = _read_rows(path, HeadlineRow)
    texts = find_texts(data, "headlines", [row.id for _, row in rows])
    return [(row, _checked(row, texts.get(row.id), path, line)) for line, row in rows]


def read_tweets(path: Path, data: Path) -> list[tuple[TweetRow, str]]:
    """The annotated tweets with their texts."""
    rows = _read_rows(path, TweetRow)
    texts: dict[str, str] = {}
    for source in sorted({row.source for _, row in rows}):
        if source not in _SOURCES:
            line = next(line for line, row in rows if row.source == source)
            known = ", ".join(sorted(_SOURCES))
            raise BadRecord(path, line, f"source {source!r} is unknown; give one of {known}")
        texts |= find_texts(data, source, [row.id for _, row in rows if row.source == source])
    return [(row, _checked(row, texts.get(row.id), path, line)) for line, row in rows]


def find_texts(data: Path, source: str, ids: Iterable[str]) -> dict[str, str]:
    """Id → text of those ids that the source has."""
    files, id_column, text_column = _SOURCES[source]
    wanted = set(ids)
    found: dict[str, str] = {}
    for file in files:
        for number, line in read_lines(data / file):
            columns = line.split("\t")
            if len(columns) <= max(id_column, text_column):
                raise BadRecord(data / file, number, "has too few columns; get the file again")
            if columns[id_column] in wanted:
                found[columns[id_column]] = columns[text_column]
            if len(found) == len(wanted):
                return found
    return found


def _read_rows(path: Path, kind: type[Row]) -> list[tuple[int, Row]]:
    """Numbered rows of a JSON-lines file, each id once."""
    if not path.is_file():
        raise MissingData(path, "install trope again: the annotated sets are part of it")
    rows: list[tuple[int, Row]] = []
    seen: set[str] = set()
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line, type=kind)
        except msgspec.DecodeError as error:
            raise BadRecord(path, number, f"{error}; mend the row") from None
        if row.id in seen:
            raise BadRecord(path, number, f"id {row.id!r} is there twice; keep one of the rows")
        seen.add(row.id)
        rows.append((number, row))
    return rows


def _checked(row: HeadlineRow | TweetRow, text: str | None, path: Path, line: int) -> str:
    """The text, if it is the one that was annotated."""
    if text is None:
        raise BadRecord(path, line, f"no text has the id {row.id!r}; check the data with --from")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    if digest != row.sha256:
        problem = f"the text of {row.id!r} has the checksum {digest}, not {row.sha256}"
        raise BadRecord(path, line, f"{problem}; give the version of the data that was annotated")
    _check_spans(row.spans, text, path, line)
    return text


def _check_spans(spans: Sequence[Span], text: str, path: Path, line: int) -> None:
    for start, end in spans:
        if not 0 <= start < end <= len(text):
            problem = f"span [{start}, {end}] does not lie in a text of {len(text)} characters"
            raise BadRecord(path, line, f"{problem}; mend the offsets")
