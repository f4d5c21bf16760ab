"""The index of a corpus, built once from the parts of `trope detect`.

documents   a row a text: its columns, its counts, the text and where its tokens stand
words       a row a token, in the order of lemmas, so that a word is found in few blocks
relations   a row a verb with an object, with the same columns as `words` for the verb
forms, lemmas, tags   what the numbers in the tables above mean, in alphabetical order
counts      lemmas by the values of a column, where it has not too many
facts       what is known without counting, as JSON
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from trope.core.errors import BadRecord
from trope.tasks.metaphor.corpus import is_word
from trope.workbench.corpus.database import BUILD_MEMORY, connect, duckdb, first_line
from trope.workbench.corpus.parts import Parts, literal, quoted
from trope.workbench.corpus.source import CorpusSource

FORMAT = 1
"""Raised whenever the tables change, so that an older index is built again."""

PERIODS = {"year": 4, "month": 7, "day": 10}
"""How long the beginning of a date is that names them."""

OFFERED = 50
"""Values of a column that are offered to choose from."""

MOST_VALUES = 500
"""Values of a column whose lemmas are counted beforehand."""

NEIGHBOURS = 3
"""Words to either side by which lines can be sorted."""

FILE = "file"
"""The column that every corpus has."""

Progress = Callable[[str], None]

_DATE = r"[0-9]{4}-[0-9]{2}(-[0-9]{2}.*)?"
_YEAR = r"[0-9]{4}"
_SIDES = [f"{side}{away}" for side in ("l", "r") for away in range(1, NEIGHBOURS + 1)]


class Column(msgspec.Struct, frozen=True):
    """A column of the texts, and the name that the index has for it."""

    name: str
    key: str
    values: int
    periods: dict[str, int]
    """Of dates, how many years, months and days there are; empty for what is no date."""
    counted: Literal["", "value", "month"]
    """By what the lemmas of its texts are counted beforehand, if they are."""
    offered: tuple[str, ...]
    """Its values where they are few, to choose from; of dates the years."""

    @property
    def date(self) -> bool:
        """Whether its values are dates."""
        return bool(self.periods)


class Facts(msgspec.Struct, frozen=True):
    """What is known of an index without asking it."""

    columns: tuple[Column, ...]
    texts: int
    sentences: int
    words: int
    metaphors: int
    text: bool
    """Whether the texts are the original ones, not put together from their tokens."""
    threshold: float | None
    """The lowest score of a word that counted as a metaphor, None where none did."""


def build_index(source: CorpusSource, path: Path, progress: Progress) -> None:
    """Writes the index of a corpus into a new file; other files beside it are left over.

    Raises:
        BadRecord: for parts that are not what their manifest says.
    """
    database = connect(path, read_only=False, memory=BUILD_MEMORY)
    try:
        database.execute(f"SET temp_directory = {literal(path.with_name('spill'))}")
        database.execute(f"ATTACH {literal(path.with_name('staging.duckdb'))} AS staging")
        database.create_function("is_word", is_word, ["VARCHAR"], "BOOLEAN")
        database.create_function("lowered", str.lower, ["VARCHAR"], "VARCHAR")
        _Builder(source, database, progress).build()
        database.execute("CHECKPOINT")
    except duckdb().Error as error:
        problem = f"cannot be indexed ({first_line(error)}); detect it again"
        raise BadRecord(source.folder, None, problem) from None
    finally:
        database.close()


class _Builder:
    """Makes one table after the other."""

    def __init__(self, source: CorpusSource, database: Any, progress: Progress) -> None:
        self.source, self.database, self.progress = source, database, progress
        self.parts = Parts(source)

    def build(self) -> None:
        """All tables."""
        source = self.source
        self.progress("reading the texts")
        text = source.text_column if self._is_the_text(source.text_column) else None
        kept = tuple(one for one in source.manifest.settings.columns if one != text)
        self._documents(kept, text)
        columns = [self._column(FILE, FILE)]
        columns += [self._column(one, f"c{number}") for number, one in enumerate(kept)]
        threshold = None
        if source.tokens:
            self.progress("collecting words")
            self._vocabulary()
            self._coded()
            threshold = self._threshold()
            self.progress("sorting words")
            self._words(threshold)
            if source.relations:
                self.progress("sorting relations")
                self._relations()
            self.progress("counting words")
            self._counts([column for column in columns if column.counted])
        self._facts(columns, threshold, bool(text))

    def _run(self, statement: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self.database.execute(statement).fetchall()
        return rows

    def _is_the_text(self, column: str | None) -> bool:
        """Whether a kept column is what was analysed: tokens stand where they say."""
        if column is None or not self.source.tokens:
            return column is not None
        stands = " AND ".join(
            f"substr({quoted(column)}, {t}.start + 1, {t}.end - {t}.start)"
            f" IS NOT DISTINCT FROM {t}.text"
            for t in ("tokens[1]", "tokens[-1]")
        )
        ((wrong,),) = self._run(
            f"SELECT count(*) FROM {self.parts.scan} WHERE len(tokens) > 0 AND NOT ({stands})"
        )
        return not wrong

    def _documents(self, kept: tuple[str, ...], text: str | None) -> None:
        columns = "".join(
            f"coalesce({quoted(one)}, '') AS c{number}, " for number, one in enumerate(kept)
        )
        tokens = self.source.tokens
        places = [f"list_transform(tokens, lambda t: t.{x}) AS {x}s" for x in ("start", "end")]
        nothing = ["NULL::INTEGER[] AS starts", "NULL::INTEGER[] AS ends"]
        said = f"coalesce({quoted(text)}, '')" if text else self.parts.rebuilt if tokens else "''"
        self._run(
            f"""
            CREATE TABLE documents AS
            SELECT (row_number() OVER ())::INTEGER AS doc, id, file, line, {columns}
                words::INTEGER AS words, metaphors::INTEGER AS metaphors,
                len(figurative)::INTEGER AS sentences, {said} AS text,
                {", ".join(places if tokens else nothing)}
            FROM {self.parts.scan}
            """
        )

    def _column(self, title: str, key: str) -> Column:
        years = any(word in title.lower() for word in ("date", "year", "day", "time"))
        pattern = f"{_DATE}|{_YEAR}" if years else _DATE
        lengths = ", ".join(f"count(DISTINCT left(value, {n}))" for n in PERIODS.values())
        ((values, filled, dates, *periods),) = self._run(
            f"""
            SELECT count(*), count(*) FILTER (value <> ''),
                count(*) FILTER (regexp_full_match(value, '{pattern}')), {lengths}
            FROM (SELECT DISTINCT {key} AS value FROM documents)
            """
        )
        date = bool(filled) and filled == dates
        by_period = dict(zip(PERIODS, periods, strict=True)) if date else {}
        counted: Literal["", "value", "month"] = "value" if values <= MOST_VALUES else ""
        if not counted and date and by_period["month"] <= MOST_VALUES:
            counted = "month"
        offered = self._offered(f"left({key}, {PERIODS['year']})" if date else key)
        return Column(title, key, values, by_period, counted, offered)

    def _offered(self, value: str) -> tuple[str, ...]:
        found = self._run(
            f"SELECT DISTINCT {value} AS value FROM documents WHERE value <> '' "
            f"ORDER BY value LIMIT {OFFERED + 1}"
        )
        return tuple(one for (one,) in found) if len(found) <= OFFERED else ()

    def _vocabulary(self) -> None:
        """Every form, lemma and tag once, numbered in alphabetical order."""
        self._run(
            f"""
            CREATE TABLE staging.vocabulary AS
            SELECT DISTINCT t.text AS form, {self.parts.raw_lemma} AS raw, t.upos AS tag
            FROM (SELECT unnest(tokens) AS t FROM {self.parts.scan})
            """
        )
        self._run(
            """
            CREATE TABLE forms AS
            SELECT (row_number() OVER (ORDER BY folded, text) - 1)::INTEGER AS form, text,
                is_word(text) AS word
            FROM (SELECT DISTINCT form AS text, lower(form) AS folded FROM staging.vocabulary)
            ORDER BY form
            """
        )
        self._run(
            """
            CREATE TABLE staging.raws AS
            SELECT (row_number() OVER (ORDER BY raw) - 1)::INTEGER AS code, raw,
                (dense_rank() OVER (ORDER BY lemma) - 1)::INTEGER AS lemma, lemma AS text
            FROM (SELECT raw, lowered(raw) AS lemma FROM
                (SELECT DISTINCT raw FROM staging.vocabulary))
            """
        )
        self._run(
            """
            CREATE TABLE tags AS
            SELECT (row_number() OVER (ORDER BY text) - 1)::INTEGER AS tag, text
            FROM (SELECT DISTINCT tag AS text FROM staging.vocabulary) ORDER BY tag
            """
        )
        for kind, values in (
            ("form", "SELECT text FROM forms ORDER BY form"),
            ("folded", "SELECT DISTINCT lower(text) AS one FROM forms ORDER BY one"),
            ("raw", "SELECT raw FROM staging.raws ORDER BY code"),
            ("tag", "SELECT text FROM tags ORDER BY tag"),
        ):
            self._run(f"CREATE TYPE a_{kind} AS ENUM ({values})")

    def _coded(self) -> None:
        """The tokens as numbers, in the order of the texts, each with its neighbours."""
        sides = []
        for side, function in (("l", "lag"), ("r", "lead")):
            for away in range(1, NEIGHBOURS + 1):
                there = f"{function}(doc, {away}) OVER () = doc"
                sides.append(
                    f"CASE WHEN {there} THEN {function}(folded, {away}) OVER () END AS {side}{away}"
                )
        self._run(
            f"""
            CREATE TABLE staging.coded AS
            SELECT *, {", ".join(sides)} FROM (
                SELECT doc, pos::INTEGER AS pos, enum_code(t.text::a_form)::INTEGER AS form,
                    enum_code(lower(t.text)::a_folded)::INTEGER AS folded,
                    enum_code(({self.parts.raw_lemma})::a_raw)::INTEGER AS raw,
                    enum_code(t.upos::a_tag)::UTINYINT AS tag, t.metaphor AS score,
                    t.start AS start, t.end AS stop
                FROM (
                    SELECT doc, unnest(tokens) AS t, unnest(range(len(tokens))) AS pos
                    FROM (SELECT (row_number() OVER ())::INTEGER AS doc, tokens
                        FROM {self.parts.scan})
                )
            )
            """
        )
        for kind in ("form", "folded", "raw", "tag"):
            self._run(f"DROP TYPE a_{kind}")

    def _threshold(self) -> float | None:
        """The lowest score that counted as a metaphor; scores and counts must agree on one."""
        ((metaphors,),) = self._run("SELECT sum(metaphors) FROM documents")
        if not metaphors:
            return None
        found = self._run(
            f"""
            SELECT score FROM (
                SELECT score, sum(count(*)) OVER (ORDER BY score DESC) AS above
                FROM staging.coded JOIN forms USING (form) WHERE word GROUP BY score
            ) WHERE above = {metaphors}
            """
        )
        if not found:
            problem = "has counts of metaphors that its scores do not give; detect it again"
            raise BadRecord(self.source.folder, None, problem)
        return float(found[0][0])

    def _words(self, threshold: float | None) -> None:
        metaphor = "false" if threshold is None else f"coalesce(score >= {threshold!r}, false)"
        self._run(
            f"""
            CREATE TABLE words AS
            SELECT lemma, doc, pos, form, tag, score, word, {metaphor} AS metaphor, start, stop,
                {", ".join(_SIDES)}
            FROM staging.coded JOIN forms USING (form)
                JOIN staging.raws ON raws.code = coded.raw
            ORDER BY lemma, doc, pos
            """
        )
        self._run(
            """
            CREATE TABLE lemmas AS
            SELECT lemma, any_value(text) AS text, any_value(words) AS words,
                any_value(metaphors) AS metaphors, any_value(verbs) AS verbs,
                any_value(verb_metaphors) AS verb_metaphors
            FROM staging.raws JOIN (
                SELECT lemma, count(*) FILTER (word) AS words,
                    count(*) FILTER (word AND metaphor) AS metaphors,
                    count(*) FILTER (text = 'VERB') AS verbs,
                    count(*) FILTER (text = 'VERB' AND metaphor) AS verb_metaphors
                FROM words JOIN tags USING (tag) GROUP BY lemma
            ) USING (lemma)
            GROUP BY lemma ORDER BY lemma
            """
        )

    def _relations(self) -> None:
        """Verbs and objects of kept relations, each pair once, with a subject if there is one."""
        self._run(
            f"""
            CREATE TABLE staging.pairs AS
            SELECT doc, r.verb AS pos, r.object AS object_pos, max(r.subject) AS subject_pos
            FROM (SELECT doc, unnest(relations) AS r
                FROM (SELECT (row_number() OVER ())::INTEGER AS doc, relations
                    FROM {self.parts.scan}))
            WHERE r.kept AND r.object IS NOT NULL GROUP BY ALL
            """
        )
        self._run(
            """
            CREATE TABLE relations AS
            SELECT words.*, object_pos, objects.lemma AS object, subject_pos,
                subjects.lemma AS subject
            FROM staging.pairs JOIN words USING (doc, pos)
                JOIN words AS objects ON objects.doc = pairs.doc AND objects.pos = object_pos
                LEFT JOIN words AS subjects
                    ON subjects.doc = pairs.doc AND subjects.pos = subject_pos
            ORDER BY words.lemma, words.doc, words.pos, object_pos
            """
        )

    def _counts(self, columns: list[Column]) -> None:
        self._run(
            """
            CREATE TABLE counts (key VARCHAR, value VARCHAR, lemma INTEGER, words BIGINT,
                metaphors BIGINT, verbs BIGINT, verb_metaphors BIGINT)
            """
        )
        # 255 is no tag's number
        ((verb,),) = self._run("SELECT coalesce(max(tag) FILTER (text = 'VERB'), 255) FROM tags")
        for column in columns:
            key = column.key
            value = f"left({key}, {PERIODS['month']})" if column.counted == "month" else key
            self._run(
                f"""
                INSERT INTO counts
                SELECT '{key}', value, lemma, count(*) FILTER (word),
                    count(*) FILTER (word AND metaphor), count(*) FILTER (tag = {verb}),
                    count(*) FILTER (tag = {verb} AND metaphor)
                FROM words JOIN (SELECT doc, {value} AS value FROM documents) USING (doc)
                GROUP BY value, lemma ORDER BY value, lemma
                """
            )

    def _facts(self, columns: list[Column], threshold: float | None, text: bool) -> None:
        ((texts, sentences, words, metaphors),) = self._run(
            "SELECT count(*), sum(sentences), sum(words), sum(metaphors) FROM documents"
        )
        facts = Facts(tuple(columns), texts, sentences, words, metaphors, text, threshold)
        self.database.execute(
            "CREATE TABLE facts AS SELECT ? AS facts", [msgspec.json.encode(facts).decode()]
        )
