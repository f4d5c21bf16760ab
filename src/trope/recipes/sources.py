"""The sources of a run: files of the catalogue, checked before work begins, and their tweets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from trope.core.errors import MissingData, UnknownName
from trope.core.files import sha256
from trope.corpora.metadata import CorpusFile, CorpusMetadata, load_corpora
from trope.corpora.sources import numbered_lines
from trope.corpora.tables import read_texts
from trope.recipes.recipe import Context, Need
from trope.recipes.records import SUBSET, Record

POLITICAL = "tweets-brexit", "brexit-tweets.tsv.gz"
EMOTIONAL = "tweets-emotion"


class SourceFile(msgspec.Struct, frozen=True):
    """A file that a run reads; `path` is relative to the folder of the data."""

    path: str
    bytes: int
    sha256: str
    dataset: str
    licence: str


def find_sources(needs: Sequence[Need], data: Path) -> tuple[SourceFile, ...]:
    """Find every file that is needed, with its checksum.

    Raises:
        MissingData: files are missing; the message says what the first one is, under which licence
            and how to get it, and which others are missing.
        UnknownName: the corpus has no such file.
    """
    found, missing = [], []
    for need in needs:
        corpus = load_corpora()[need.corpus]
        known = {file.name: file for file in corpus.files}
        if need.file not in known:
            raise UnknownName(f"file of {corpus.name}", need.file, tuple(known))
        file = known[need.file]
        path = file.locate(data / corpus.name)
        if path is None:
            missing.append((corpus, file))
            continue
        relative = path.relative_to(data).as_posix()
        licence = file.licence or corpus.licence
        found.append(SourceFile(relative, path.stat().st_size, sha256(path), corpus.name, licence))
    if missing:
        raise MissingData(data / missing[0][0].name / missing[0][1].name, _remedy(missing, data))
    return tuple(found)


def _remedy(missing: Sequence[tuple[CorpusMetadata, CorpusFile]], data: Path) -> str:
    corpus, file = missing[0]
    others = sorted({other.name for other, _ in missing} - {corpus.name})
    way = corpus.remedy(file, data) if corpus.address(file) else corpus.obtain
    remedy = (
        f"it is a file of {corpus.title!r} ({corpus.source}), "
        f"licence {file.licence or corpus.licence}: "
        f"{corpus.terms.rstrip('.')}; to get it: {way}"
    )
    return f"{remedy}; also missing: files of {', '.join(others)}" if others else remedy


def political_tweets(context: Context) -> Iterator[Record]:
    """The Brexit tweets, with their dates."""
    for tweet in read_texts(context.find(*POLITICAL)):
        day = tweet.fields.get("date", "")
        found = {SUBSET: "political", "source_id": tweet.id, "date": day}
        yield Record(f"political-{tweet.id}", tweet.text, found)


def emotional_tweets(context: Context, names: Iterable[str]) -> Iterator[Record]:
    """The tweets of emotional sources, one file after the other."""
    for name in names:
        yield from _emotional(name, context)


def _emotional(name: str, context: Context) -> Iterator[Record]:
    """The tweets of one file: a table with ids, or a tweet per line with its number as id."""
    path = context.find(EMOTIONAL, name)
    part = name.removesuffix(".txt").removesuffix("_text").replace("/", "-")
    if name.startswith("semeval2018-ec/"):
        for tweet in read_texts(path, format="tsv"):
            found = {SUBSET: "emotional", "source_id": tweet.id, "date": ""}
            yield Record(f"emotional-{tweet.id}", tweet.text, found)
        return
    for line, text in numbered_lines(path, encoding=None):
        if text.strip():
            place = f"{part}-{line}"
            yield Record(
                f"emotional-{place}", text, {SUBSET: "emotional", "source_id": place, "date": ""}
            )
