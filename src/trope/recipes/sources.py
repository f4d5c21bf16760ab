"""The sources of a run: the user's files and those of the catalogue, checked before work begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from shlex import quote

import msgspec

from trope.core.errors import BadInput, MissingData, UnknownName
from trope.core.files import sha256
from trope.corpora.files import Tell, tell_nobody
from trope.corpora.metadata import CorpusFile, CorpusMetadata, load_corpora
from trope.corpora.sources import numbered_lines
from trope.corpora.tables import read_texts
from trope.recipes.own_texts import (
    OwnSource,
    OwnText,
    SourceSetting,
    check_names,
    named_source,
    read_own_texts,
)
from trope.recipes.recipe import Context, Need, OwnNeed, SourceNeed
from trope.recipes.records import SUBSET, Drop, Fields, Outcome, Record

POLITICAL = "tweets-brexit", "brexit-tweets.tsv.gz"
EMOTIONAL = "tweets-emotion"


class SourceFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that a run reads; `path` is as given, or relative to the folder of the data.

    `texts` if it is a file of the user's own that items come from.
    """

    path: str
    bytes: int
    sha256: str
    dataset: str
    licence: str
    citation: str = ""
    texts: bool = False


def sources_of(
    setting: SourceSetting,
    *corpora: str,
    texts: bool = True,
    reader: Callable[[Path], Iterable[object]] | None = None,
    instead: str = "",
) -> list[SourceNeed]:
    """The sources that a setting names: files of these corpora of the catalogue, and own files.

    An empty string, an empty list and false name none, true the first file of the first corpus.
    `instead` is what to set for those who have no file of the catalogue.

    Raises:
        MissingData: a name is neither that of a file of the corpora nor of a file of the user's.
    """
    known = {file.name: name for name in corpora for file in load_corpora()[name].files}
    if setting is True:
        setting = next(iter(known))
    given = setting if isinstance(setting, tuple) else (setting,)
    found: list[SourceNeed] = []
    for one in given:
        if isinstance(one, str) and one in known:
            found.append(Need(known[one], one, texts, instead))
        elif one:
            own = OwnNeed(named_source(one), texts, reader)
            _check_there(own, known)
            found.append(own)
    return found


def required(found: list[SourceNeed], key: str) -> list[SourceNeed]:
    """The same sources.

    Raises:
        BadInput: there are none.
    """
    if not found:
        raise BadInput(f"{key} names no texts; name some, such as --set {key}=my.csv:text")
    return found


def _check_there(need: OwnNeed, known: Iterable[str]) -> None:
    try:
        need.files()
    except MissingData as error:
        near = get_close_matches(need.source.path, list(known), n=1)
        hint = f". Did you mean {near[0]!r}?" if near else ""
        raise MissingData(error.path, f"{error.remedy}{hint}") from None


def find_sources(
    needs: Sequence[SourceNeed], data: Path | None, tell: Tell = tell_nobody
) -> tuple[SourceFile, ...]:
    """Find every file that is needed, with its checksum; the user's own are read to their end.

    `tell` is told how own files are read, and which are left out.

    Raises:
        MissingData: files are missing; the message says what the first one is, under which licence
            and how to get it, and which others are missing.
        UnknownName: the corpus has no such file.
        BadInput: a file of the user's own cannot be used, or two sources have the same name.
    """
    catalogued = [need for need in needs if isinstance(need, Need)]
    own = [need for need in needs if isinstance(need, OwnNeed)]
    check_names([need.source for need in own], {need.corpus for need in catalogued})
    found = _find_catalogued(catalogued, data)
    for need in own:
        need.check(tell)
    return (*found, *(file for need in own for file in _own_files(need)))


def _own_files(need: OwnNeed) -> Iterator[SourceFile]:
    source = need.source
    about = (source.name, source.licence, source.citation, need.texts)
    for file in need.files():
        yield SourceFile(file.path, file.bytes, file.sha256(), *about)
    if source.ids:
        path = Path(source.ids)
        yield SourceFile(source.ids, path.stat().st_size, sha256(path), *about)


def _find_catalogued(needs: Sequence[Need], data: Path | None) -> list[SourceFile]:
    if needs and data is None:
        problem = f"{needs[0].file} is a file of {needs[0].corpus} in the catalogue"
        remedy = f"give the folder of the corpora with --from, or {_without(needs)}"
        raise BadInput(f"{problem}; {remedy}")
    found, missing = [], []
    for need in needs:
        assert data is not None
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
    if missing and data is not None:
        raise MissingData(data / missing[0][0].name / missing[0][1].name, _remedy(missing, data))
    return found


def _without(needs: Iterable[Need]) -> str:
    """What to add to the command of those who have no file of the catalogue."""
    settings = dict.fromkeys(need.instead for need in needs if need.instead)
    return " ".join(f"--set {quote(setting)}" for setting in settings)


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


def own_records(source: OwnSource, fields: Fields | None = None) -> Iterator[Outcome]:
    """The texts of a source as records; those without a text are dropped with the reason."""
    for text in read_own_texts(source):
        if text.reason:
            yield Drop(text.record_id, text.reason)
        else:
            yield Record(text.record_id, text.text, {**own_fields(text), **(fields or {})})


def own_fields(text: OwnText) -> Fields:
    """Where an own text is from: its source, its id there, its date, and the columns to keep."""
    return {**text.kept, "dataset": text.source, "source_id": text.id, "date": text.date}


def read_tweets(setting: SourceSetting, context: Context, subset: str = "") -> Iterator[Outcome]:
    """The tweets of a setting, source by source; own ones are of the given subset or their name."""
    for need in sources_of(setting, EMOTIONAL, POLITICAL[0]):
        if isinstance(need, OwnNeed):
            yield from own_records(need.source, {SUBSET: subset or need.source.name})
        elif need.corpus == EMOTIONAL:
            yield from _emotional(need.file, context)
        else:
            yield from _political(context)


def _political(context: Context) -> Iterator[Record]:
    """The Brexit tweets, with their dates."""
    for tweet in read_texts(context.find(*POLITICAL)):
        day = tweet.fields.get("date", "")
        found = {SUBSET: "political", "source_id": tweet.id, "date": day}
        yield Record(f"political-{tweet.id}", tweet.text, found)


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
