"""Features: a row per text with counts and rates, for statistics elsewhere.

Pages take them from the index. A file of all texts is written part by part from the corpus itself,
so that memory does not grow with it, and a run that was stopped goes on where it was.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from trope import __version__
from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.core.records import WordView, is_word
from trope.corpora.workbooks import load_pyarrow
from trope.workbench.corpus.corpus import NO_NOVELTY, IndexedCorpus, all_hold, open_corpus
from trope.workbench.corpus.database import (
    CLASSES,
    VIEWS_OF_WORDS,
    connect,
    in_view,
    literal,
    quoted,
    text_sums,
)
from trope.workbench.corpus.queries import FeaturesQuery, command_line
from trope.workbench.corpus.source import CorpusSource, read_source
from trope.workbench.corpus.table import CorpusTable, Row, spreadsheet_cell

SUFFIXES = (".csv", ".parquet")
_COUNTS = ("text", "line", "words", "sentences", "metaphors")
_PLACES = 6


def feature_columns(source: CorpusSource, view: WordView) -> dict[str, str]:
    """Each feature with its SQL over `d`, the texts, and `f`, their sums."""

    def share(part: str, whole: str = "d.words") -> str:
        return f"round({part} / nullif({whole}, 0), {_PLACES})"

    metaphors = "f.shown" if view != source.words else "d.metaphors"
    found = {"words": "d.words", "sentences": "d.sentences"}
    found["words_per_sentence"] = share("d.words", "d.sentences")
    if source.tokens:
        found |= {"letters_per_word": share("f.letters"), "long_words": share("f.long")}
        found["types_per_word"] = share("f.types")
    found |= {"metaphors": metaphors, "metaphor_rate": share(metaphors)}
    if len(source.views) > 1:
        found |= {f"metaphor_rate_{one}": share(f"f.in_{one}") for one in VIEWS_OF_WORDS}
    if len(source.views) > 1:
        found |= {
            f"metaphor_rate_{one.lower()}": share(f"f.{one}_metaphors", f"f.{one}")
            for one in CLASSES
        }
    found |= {f"{kind}_rate": share(f"f.{kind}") for kind in source.kinds}
    if len(source.views) > 1:
        found["novelty"] = f"round(f.novelty, {_PLACES})"
    return found | ({"sentiment": "f.sentiment"} if source.sentiment else {})


def features(corpus: IndexedCorpus, query: FeaturesQuery) -> CorpusTable:
    """The features of a page of texts, in the order of the corpus."""
    held, values = all_hold(corpus.conditions(query.where))
    wanted = feature_columns(corpus.source, corpus.view)
    own = [(column.name, f"d.{column.key}") for column in corpus.facts.columns]
    names, sql = _columns([("file", "d.file"), *(one for one in own if one[0] != "file")], wanted)
    found = corpus.database.ask(
        f"SELECT {sql}, f.domains FROM (SELECT * FROM documents WHERE {held} ORDER BY doc "
        f"LIMIT {query.rows} OFFSET {query.skipped}) AS d JOIN features AS f USING (doc) "
        "ORDER BY doc",
        values,
    )
    (total,) = corpus.database.one(f"SELECT count(*) FROM documents WHERE {held}", values)
    domains: list[str] = []
    if corpus.source.domains:
        told = corpus.database.ask(
            "SELECT DISTINCT unnest(domains) AS one FROM features ORDER BY 1"
        )
        domains = [one for (one,) in told]
    rows = [_with_domains(row, names, domains) for row in found]
    names = [*names, *map(_domain_column, domains)]
    about, command = query.paged(total), command_line(corpus.folder, query)
    return CorpusTable("features", tuple(names), rows, command, _notes(corpus), about)


def _notes(corpus: IndexedCorpus) -> tuple[str, ...]:
    if corpus.source.tokens:
        return () if corpus.knows_novelty else (NO_NOVELTY,)
    again = corpus.source.detect_again()
    return (f"more features need the column 'tokens'; add it with: {again}",)


def _columns(own: list[tuple[str, str]], wanted: dict[str, str]) -> tuple[list[str], str]:
    """The names of all columns, and their SQL; a column of the corpus gives way to a feature."""
    first = [("text", "d.doc"), ("id", "d.id"), ("line", "d.line")]
    taken = {name for name, _ in first} | set(wanted)
    kept = [(f"{name} (column)" if name in taken else name, key) for name, key in own]
    every = [*first, *kept, *wanted.items()]
    return [name for name, _ in every], ", ".join(key for _, key in every)


def _domain_column(domain: str) -> str:
    """A name that other programs can use as it is: FAMILY & LIFE is family_life."""
    return f"domain_rate_{re.sub(r'[^a-z0-9]+', '_', domain.lower())}"


def _with_domains(row: Row, names: Sequence[str], domains: Iterable[str]) -> Row:
    """A row with the rate of each domain instead of the list of its domains."""
    *values, told = row
    words, counts = values[names.index("words")], Counter(told or ())
    rates = (round(counts[one] / words, _PLACES) if words else None for one in domains)
    return (*values, *rates)


class _FeatureSettings(msgspec.Struct, frozen=True):
    """What a file of features depends on; chunks of other settings are not used."""

    trope: str
    corpus: str
    view: str
    where: tuple[str, ...]


def write_features(
    folder: Path,
    query: FeaturesQuery,
    out: Path,
    *,
    words: WordView | None = None,
    index: Path | None = None,
    resume: bool = False,
    progress: MessageWriter = lambda step: None,
) -> int:
    """Write the features of all texts into a CSV or Parquet file; the number of texts comes back.

    What is done lies beside the file until all is done.

    Raises:
        TropeError: the corpus cannot be used, or a run was not finished and `resume` is not set.
    """
    if out.suffix not in SUFFIXES:
        raise BadInput(f"{out}: features are written as .csv or .parquet; change the name")
    if out.suffix == ".parquet":
        load_pyarrow()
    source = read_source(folder)
    view = words or source.words
    if view not in source.views or query.where:
        corpus = open_corpus(folder, words=words, index=index, progress=progress)
        with closing(corpus):
            return _write(source, view, query, out, resume, progress, _chosen(corpus, query))
    return _write(source, view, query, out, resume, progress, None)


def _chosen(corpus: IndexedCorpus, query: FeaturesQuery) -> Callable[[int, int], set[int]]:
    held, values = all_hold(corpus.conditions(query.where))

    def texts(first: int, last: int) -> set[int]:
        found = corpus.database.ask(
            f"SELECT doc FROM documents WHERE {held} AND doc > ? AND doc <= ?",
            [*values, first, last],
        )
        return {doc for (doc,) in found}

    return texts


def _write(
    source: CorpusSource,
    view: WordView,
    query: FeaturesQuery,
    out: Path,
    resume: bool,
    progress: MessageWriter,
    chosen: Callable[[int, int], set[int]] | None,
) -> int:
    settings = _FeatureSettings(__version__, source.checksum, view, query.where)
    work = out.with_name(f"{out.name}.unfinished")
    _begin(work, settings, resume)
    own = [("file", "d.file"), *((one, f"d.{quoted(one)}") for one in source.columns)]
    names, sql = _columns(own, feature_columns(source, view))
    chunks: list[Path] = []
    first = 0
    for number, shard in enumerate(source.manifest.shards):
        chunks.append(work / f"{shard.name}.features.jsonl")
        if not chunks[-1].is_file():
            source.check_part(number)
            rows = _rows_of_part(source, view, number, first, sql)
            if chosen is not None:
                kept = chosen(first, first + shard.texts)
                rows = [row for row in rows if row[0] in kept]
            with atomic_write(chunks[-1], "wb") as file:
                file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
        first += shard.texts
        progress(f"{first:,} of {source.manifest.totals['texts']:,} texts")
    texts = _finish(chunks, names, [name for name, _ in own], out)
    shutil.rmtree(work)
    return texts


def _begin(work: Path, settings: _FeatureSettings, resume: bool) -> None:
    """Make the folder for chunks ready, which is empty unless a run goes on."""
    kept = work / "settings.json"
    if work.is_dir():
        if not resume:
            remedy = "go on with --resume, or delete it"
            raise BadInput(f"{work}: belongs to a run that was not finished; {remedy}")
        told = msgspec.json.encode(settings)
        if kept.is_file() and kept.read_bytes() != told:
            problem = "belongs to features of another corpus or with other settings"
            raise BadInput(f"{work}: {problem}; delete it, or give another --out")
    with atomic_write(kept, "wb") as file:
        file.write(msgspec.json.encode(settings))


def _rows_of_part(
    source: CorpusSource, view: WordView, number: int, first: int, columns: str
) -> list[Row]:
    """The features of the texts in a part, from a connection of its own, whose memory ends."""
    parts = source.parts[number : number + 1]
    memory = source.memory_for(parts)
    with (
        TemporaryDirectory() as folder,
        closing(connect(Path(":memory:"), read_only=False, memory=memory)) as database,
    ):
        database.execute(f"SET temp_directory = {literal(folder)}")
        database.create_function("is_word", is_word, ["VARCHAR"], "BOOLEAN")
        scan = source.scan_of(parts)
        if source.manifest.settings.format == "jsonl":  # it is read several times
            copy = literal(Path(folder) / "part.parquet")
            database.execute(f"COPY (SELECT * FROM {scan}) TO {copy} (FORMAT parquet)")
            scan = f"read_parquet({copy})"
        return _joined_rows(database, source, view, scan, first, columns)


def _joined_rows(
    database: Any, source: CorpusSource, view: WordView, scan: str, first: int, columns: str
) -> list[Row]:
    kept = "".join(f", {quoted(one)}" for one in source.columns)
    counted = f"(row_number() OVER () + {first})::INTEGER AS doc"
    texts = (
        f"SELECT {counted}, id, file, line{kept}, words, metaphors, len(figurative) AS sentences "
        f"FROM {scan}"
    )
    words = "SELECT NULL::INTEGER AS doc"
    if source.tokens:
        database.execute(_forms(scan))
        words = text_sums(_words_in(source, view, scan, counted))
    rows: list[Row] = database.execute(
        f"""
        SELECT {columns}, f.domains FROM ({texts}) AS d JOIN (
            SELECT * FROM ({source.figure_sums(scan, first)}) LEFT JOIN ({words})
            USING (doc)
        ) AS f USING (doc) ORDER BY doc
        """
    ).fetchall()
    return rows


def _forms(scan: str) -> str:
    """The SQL for a table of all spellings, and whether they are words."""
    return f"""
        CREATE TABLE forms AS SELECT form, is_word(form) AS word FROM
            (SELECT DISTINCT t.text AS form FROM (SELECT unnest(tokens) AS t FROM {scan}))
    """


def _words_in(source: CorpusSource, view: WordView, scan: str, counted: str) -> str:
    old = source.manifest.settings.words is None
    views = ", ".join(f"{in_view(one, old)} AS shown_{one}" for one in VIEWS_OF_WORDS)
    novelty = "NULL::DOUBLE" if old else "t.novelty"
    return f"""
        SELECT doc, lower(form) AS spelling, length(form) AS size, word, t.upos AS class,
            {novelty} AS novelty, {in_view(view, old)} AS shown, {views}
        FROM (SELECT doc, unnest(tokens) AS t FROM (SELECT {counted}, tokens FROM {scan}))
            JOIN forms ON form = t.text
    """


def _finish(chunks: Sequence[Path], names: list[str], own: list[str], out: Path) -> int:
    """Put the chunks together, one after the other; the number of texts comes back."""
    domains = sorted({one for chunk in chunks for row in _read(chunk) for one in row[-1] or ()})
    every = [*names, *map(_domain_column, domains)]

    def rows(chunk: Path) -> Iterator[Row]:
        return (_with_domains(tuple(row), names, domains) for row in _read(chunk))

    texts = 0
    if out.suffix == ".csv":
        with atomic_write(out) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(every)
            for chunk in chunks:
                for row in rows(chunk):
                    writer.writerow(map(spreadsheet_cell, row))
                    texts += 1
        return texts
    arrow = load_pyarrow()
    kinds = {name: arrow.string() for name in names if name == "id" or name in own}
    kinds |= {f"{name} (column)": arrow.string() for name in own}
    kinds |= dict.fromkeys(_COUNTS, arrow.int64())
    schema = arrow.schema([(name, kinds.get(name, arrow.float64())) for name in every])
    with atomic_write(out, "wb") as stream, arrow.parquet.ParquetWriter(stream, schema) as made:
        for chunk in chunks:
            columns = list(zip(*rows(chunk), strict=True)) or [()] * len(every)
            arrays = [arrow.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
            made.write_table(arrow.Table.from_arrays(arrays, schema=schema))
            texts += len(columns[0])
    return texts


def _read(chunk: Path) -> Iterator[list[Any]]:
    with chunk.open("rb") as file:
        yield from map(msgspec.json.decode, file)
