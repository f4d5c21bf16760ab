"""The index of a corpus: one DuckDB file, built once from the parts of `trope detect`.

documents   a row per text: columns, counts, the text, positions of tokens
words       a row per token, sorted by lemma, so that a word is found in few blocks
relations   a row per verb with an object, with the same columns as `words` for the verb
forms, lemmas, tags   the strings behind the numbers in the other tables, in alphabetical order
spellings   the forms in lower case, by the numbers that neighbours of a word have
ngrams      sequences of words that occur more than once
uses        lemmas by part of speech: words, metaphors, texts with one, mean novelty
used        the same by the values of a column, of those that are ever metaphors
tagged      the same with the squares that the variance of texts needs
figurative  figures besides metaphors, with the words that name them
domains     metaphors with the domain that they are drawn from
drawn       the same counted by text and domain
features    the sums of each text over its words and figures
counts      lemmas by the values of a column, if it does not have too many
facts       totals and columns, as JSON

The name of the file is the checksum of the corpus's manifest.
"""

from __future__ import annotations

import os
import re
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from trope.core.errors import BadInput, BadRecord
from trope.core.progress import MessageWriter
from trope.core.records import WordView, is_word
from trope.workbench.corpus.database import (
    connect,
    drawn_sums,
    duckdb,
    first_line,
    literal,
    quoted,
)
from trope.workbench.corpus.source import REBUILT_TEXT, CorpusSource
from trope.workbench.corpus.word_tables import (
    FILE,
    PERIODS,
    CorpusColumn,
    CorpusFacts,
    WordTables,
)

FORMAT = 12
"""Increased whenever the tables change, so that an older index is built again."""

OFFERED = 50
"""Most values of a column that a form offers."""

MOST_VALUES = 500
"""Most values of a column whose lemmas are counted in advance."""


_ISO = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2}.*)?", re.DOTALL)
_YEAR = re.compile(r"[0-9]{4}")
_NUMBERS = re.compile(r"([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4})")
_WRITTEN: tuple[str, ...] = (
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
)


def cache_folder() -> Path:
    """The default folder of indexes."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "trope" / "corpora"


def index_path(source: CorpusSource, view: WordView, place: Path | None) -> Path:
    """Where the index of a view is, once it is built."""
    return (place or cache_folder()) / f"{source.checksum[:32]}.{view}.{FORMAT}.duckdb"


def find_index(
    source: CorpusSource, view: WordView, place: Path | None, progress: MessageWriter
) -> Path:
    """The file of the index of a view, built if necessary; it appears whole or not at all."""
    path = index_path(source, view, place)
    folder = path.parent
    if folder.resolve().is_relative_to(source.folder.resolve()):
        problem = "is inside the folder of the corpus"
        raise BadInput(f"{folder}: {problem}; choose another folder with --index")
    if not path.is_file():
        progress("checking the parts")
        source.check_parts()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as work:
            made = Path(work) / "index.duckdb"
            build_index(source, view, made, progress)
            made.replace(path)
    return path


def build_index(source: CorpusSource, view: WordView, path: Path, progress: MessageWriter) -> None:
    """Write the index of a corpus into a new file; temporary files are left beside it.

    Raises:
        BadInput: the file cannot be written.
        BadRecord: the parts are not what their manifest says.
    """
    database = connect(path, read_only=False, memory=source.memory_for(source.parts))
    try:
        database.execute(f"SET temp_directory = {literal(path.with_name('spill'))}")
        database.execute(f"ATTACH {literal(path.with_name('staging.duckdb'))} AS staging")
        database.create_function("is_word", is_word, ["VARCHAR"], "BOOLEAN")
        database.create_function("lowered", str.lower, ["VARCHAR"], "VARCHAR")
        _Builder(source, view, database, progress).build()
        database.execute("CHECKPOINT")
    except (duckdb().IOException, duckdb().OutOfMemoryException) as error:
        problem = f"its index cannot be written to {path.parent.parent} ({first_line(error)})"
        remedy = "make room there, or choose another folder with --index"
        raise BadInput(f"{source.folder}: {problem}; {remedy}") from None
    except duckdb().Error as error:
        problem = f"cannot be indexed ({first_line(error)}); run trope detect again"
        raise BadRecord(source.folder, None, problem) from None
    finally:
        database.close()


def as_dates(values: list[str], *, years: bool) -> list[str]:
    """The values as YYYY-MM-DD, or none unless all are dates; `years`: a bare year is one.

    Numbers such as 5/3/2019 are read as the column allows: if one has a day above 12, its place is
    that of the day in all. If none has, they are not dates.
    """
    numbers = [found for one in values if (found := _NUMBERS.fullmatch(one.strip()))]
    day_first = any(int(found[1]) > 12 for found in numbers)
    month_first = any(int(found[2]) > 12 for found in numbers)
    if numbers and day_first == month_first:
        return []
    made = []
    for value in values:
        date = _as_date(value.strip(), years, "%d-%m-%Y" if day_first else "%m-%d-%Y")
        if date is None:
            return []
        made.append(date)
    return made


def why_no_dates(title: str, values: list[str]) -> str:
    """Why the values of a column are not read as dates, and what to write instead."""
    forms = ("%d-%m-%Y", "%m-%d-%Y")
    years = _has_years(title)
    others = [v for v in values if not any(_as_date(v.strip(), years, form) for form in forms)]
    remedy = "write all as YYYY-MM-DD"
    if len(others) == len(values):
        return f"column {title!r} has no dates; choose another, or {remedy}"
    if others:
        problem = f"column {title!r} has {others[0]!r} among its dates"
        return f"{problem}; {remedy}, and leave out what is unknown"
    numbers = next(value for value in values if _NUMBERS.fullmatch(value.strip()))
    problem = f"column {title!r} has dates such as {numbers!r}, which may begin with day or month"
    return f"{problem}; {remedy}"


def _has_years(title: str) -> bool:
    """Whether bare years in a column are dates, by its name."""
    return any(word in title.lower() for word in ("date", "year", "day", "time"))


def _as_date(value: str, years: bool, numbers: str) -> str | None:
    if _ISO.fullmatch(value) or (years and _YEAR.fullmatch(value)):
        return value
    forms = _WRITTEN
    if _NUMBERS.fullmatch(value):
        forms, value = (numbers,), re.sub("[/.]", "-", value)
    for form in forms:
        try:
            return datetime.strptime(value, form).strftime("%Y-%m-%d")
        except ValueError:
            continue
    return None


class _Builder:
    """Builds the tables one after the other."""

    def __init__(
        self, source: CorpusSource, view: WordView, database: Any, progress: MessageWriter
    ) -> None:
        self.source, self.view = source, view
        self.database, self.progress = database, progress

    def build(self) -> None:
        """Build all tables."""
        source = self.source
        self.progress("reading the texts")
        text = source.text_column if self._is_the_text(source.text_column) else None
        kept = tuple(one for one in source.manifest.settings.columns if one != text)
        self._documents(kept, text)
        columns = [self._column(FILE, FILE)]
        columns += [self._column(one, f"c{number}") for number, one in enumerate(kept)]
        threshold = None
        tables = WordTables(source, self.view, self._run)
        if source.tokens:
            self.progress("collecting words")
            threshold = tables.collect()
            self.progress("sorting words")
            tables.words(threshold)
            tables.recount()
            if source.relations:
                self.progress("sorting relations")
                tables.relations()
            if source.kinds:
                self._figurative()
            self.progress("counting words")
            tables.uses()
            tables.ngrams()
            tables.counts([column for column in columns if column.counted])
            self._used([column for column in columns if column.counted])
        tables.features()
        if source.domains:
            self._domains()
        self._facts(columns, threshold, bool(text))

    def _run(self, statement: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self.database.execute(statement).fetchall()
        return rows

    def _is_the_text(self, column: str | None) -> bool:
        """Whether a kept column is the analysed text: tokens are where they should be."""
        if column is None or not self.source.tokens:
            return column is not None
        stands = " AND ".join(
            f"substr({quoted(column)}, {t}.start + 1, {t}.end - {t}.start)"
            f" IS NOT DISTINCT FROM {t}.text"
            for t in ("tokens[1]", "tokens[-1]")
        )
        ((wrong,),) = self._run(
            f"SELECT count(*) FROM {self.source.scan} WHERE len(tokens) > 0 AND NOT ({stands})"
        )
        return not wrong

    def _documents(self, kept: tuple[str, ...], text: str | None) -> None:
        columns = "".join(
            f"coalesce({quoted(one)}, '') AS c{number}, " for number, one in enumerate(kept)
        )
        tokens = self.source.tokens
        places = [f"list_transform(tokens, lambda t: t.{x}) AS {x}s" for x in ("start", "end")]
        nothing = ["NULL::INTEGER[] AS starts", "NULL::INTEGER[] AS ends"]
        said = f"coalesce({quoted(text)}, '')" if text else REBUILT_TEXT if tokens else "''"
        self._run(
            f"""
            CREATE TABLE documents AS
            SELECT (row_number() OVER ())::INTEGER AS doc, id, file, line, {columns}
                words::INTEGER AS words, metaphors::INTEGER AS metaphors,
                len(figurative)::INTEGER AS sentences, {said} AS text,
                {", ".join(places if tokens else nothing)}
            FROM {self.source.scan}
            """
        )

    def _figurative(self) -> None:
        """Idioms, similes and names, each named by its lemmas; nouns of idioms and names as they
        are spelt: spill the beans, Downing Street."""
        self._run(
            f"""
            CREATE TABLE figurative AS
            SELECT any_value(kind) AS kind, string_agg(CASE
                    WHEN kind = 'metonymy' THEN forms.text
                    WHEN kind = 'idiom' AND tags.text = 'NOUN' THEN lower(forms.text)
                    ELSE lemmas.text END, ' ' ORDER BY words.pos) AS name,
                any_value(meaning) AS meaning, any_value(told.doc) AS doc,
                any_value(first)::INTEGER AS pos, any_value(told.score) AS score,
                any_value(told.novelty) AS novelty
            FROM (SELECT * EXCLUDE (places), unnest(places) AS pos
                FROM ({self.source.figure_places})) AS told
                JOIN words ON words.doc = told.doc AND words.pos = told.pos
                JOIN forms USING (form) JOIN lemmas USING (lemma) JOIN tags USING (tag)
            GROUP BY number ORDER BY kind, name, meaning, doc, pos
            """
        )

    def _used(self, columns: list[CorpusColumn]) -> None:
        """The uses of lemmas that are ever metaphors by the values of columns, for lists of figures
        in some of the texts."""
        self._run(
            """
            CREATE TABLE staging.used AS
            SELECT lemma, tag, doc, count(*) AS words, count(*) FILTER (metaphor) AS metaphors,
                sum(novelty) FILTER (metaphor) AS novelty, sum(score) FILTER (metaphor) AS score
            FROM words WHERE word
                AND (lemma, tag) IN (SELECT (lemma, tag) FROM uses WHERE metaphors > 0)
            GROUP BY lemma, tag, doc
            """
        )
        self._run(
            """
            CREATE TABLE used (key VARCHAR, value VARCHAR, lemma INTEGER, tag UTINYINT,
                words BIGINT, metaphors BIGINT, texts BIGINT, novelty DOUBLE, score DOUBLE)
            """
        )
        for column in columns:
            self._run(
                f"""
                INSERT INTO used
                SELECT '{column.key}', value, lemma, tag, sum(words), sum(metaphors),
                    count(*) FILTER (metaphors > 0), sum(novelty), sum(score)
                FROM staging.used
                    JOIN (SELECT doc, {column.counted_value} AS value FROM documents) USING (doc)
                GROUP BY value, lemma, tag ORDER BY value, lemma, tag
                """
            )

    def _domains(self) -> None:
        """The domains of metaphors, each at the first word of its metaphor."""
        words = "(SELECT NULL::INTEGER AS doc, NULL::INTEGER AS pos, NULL::INTEGER AS lemma)"
        self._run(
            f"""
            CREATE TABLE domains AS
            SELECT doc, pos, lemma, domain FROM ({self.source.domain_places})
                LEFT JOIN {"words" if self.source.tokens else words} USING (doc, pos)
            ORDER BY domain, doc, pos
            """
        )
        self._run(f"CREATE TABLE drawn AS {drawn_sums('FROM domains')} ORDER BY doc, domain")

    def _column(self, title: str, key: str) -> CorpusColumn:
        date = self._make_dates(key, years=_has_years(title))
        lengths = ", ".join(f"count(DISTINCT left(value, {n}))" for n in PERIODS.values())
        ((values, *periods),) = self._run(
            f"SELECT count(*), {lengths} FROM (SELECT DISTINCT {key} AS value FROM documents)"
        )
        by_period = dict(zip(PERIODS, periods, strict=True)) if date else {}
        counted: Literal["", "value", "month"] = "value" if values <= MOST_VALUES else ""
        if not counted and date and by_period["month"] <= MOST_VALUES:
            counted = "month"
        offered = self._offered(f"left({key}, {PERIODS['year']})" if date else key)
        return CorpusColumn(title, key, values, by_period, counted, offered)

    def _make_dates(self, key: str, *, years: bool) -> bool:
        """Whether all values of a column are dates; they are written as YYYY-MM-DD then."""
        found = self._run(f"SELECT DISTINCT {key} FROM documents WHERE {key} <> ''")
        values = [one for (one,) in found]
        dates = as_dates(values, years=years)
        if not dates:
            return False
        changed = [(old, new) for old, new in zip(values, dates, strict=True) if old != new]
        if changed:
            self.database.execute("CREATE TABLE staging.dates (old VARCHAR, new VARCHAR)")
            olds, news = (list(one) for one in zip(*changed, strict=True))
            self.database.execute(
                "INSERT INTO staging.dates SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
                [olds, news],
            )
            self._run(f"UPDATE documents SET {key} = new FROM staging.dates WHERE old = {key}")
            self._run("DROP TABLE staging.dates")
        return True

    def _offered(self, value: str) -> tuple[str, ...]:
        found = self._run(
            f"SELECT DISTINCT {value} AS value FROM documents WHERE value <> '' "
            f"ORDER BY value LIMIT {OFFERED + 1}"
        )
        return tuple(one for (one,) in found) if len(found) <= OFFERED else ()

    def _used_view(self) -> WordView:
        """The view of the index; content words where the model does not know the noticed ones."""
        if self.source.manifest.settings.words is None or self.view != "noticed":
            return self.view
        if self.view != self.source.words:
            ((known,),) = self._run("SELECT count(novelty) FROM words")
            return "noticed" if known else "content"
        ((used,),) = self._run(f"SELECT any_value(view) FROM {self.source.scan}")
        return next((view for view in get_args(WordView) if view == used), self.view)

    def _facts(self, columns: list[CorpusColumn], threshold: float | None, text: bool) -> None:
        ((texts, sentences, words, metaphors),) = self._run(
            "SELECT count(*), sum(sentences), sum(words), sum(metaphors) FROM documents"
        )
        facts = CorpusFacts(
            tuple(columns), texts, sentences, words, metaphors, text, threshold, self._used_view()
        )
        self.database.execute(
            "CREATE TABLE facts AS SELECT ? AS facts", [msgspec.json.encode(facts).decode()]
        )
