"""The index of a corpus, built once from the parts of `trope detect`.

documents   a row a text: its columns, its counts, the text and where its tokens stand
words       a row a token, in the order of lemmas, so that a word is found in few blocks
relations   a row a verb with an object, with the same columns as `words` for the verb
forms, lemmas, tags   what the numbers in the tables above mean, in alphabetical order
counts      lemmas by the values of a column, where it has not too many
facts       what is known without counting, as JSON
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from trope.core.errors import BadInput, BadRecord
from trope.core.progress import Say
from trope.core.records import is_word
from trope.workbench.corpus.building_words import WordTables
from trope.workbench.corpus.database import BUILD_MEMORY, connect, duckdb, first_line
from trope.workbench.corpus.facts import FILE, PERIODS, Column, Facts
from trope.workbench.corpus.parts import Parts, literal, quoted
from trope.workbench.corpus.source import CorpusSource

FORMAT = 1
"""Raised whenever the tables change, so that an older index is built again."""

OFFERED = 50
"""Values of a column that are offered to choose from."""

MOST_VALUES = 500
"""Values of a column whose lemmas are counted beforehand."""


_DATE = r"[0-9]{4}-[0-9]{2}(-[0-9]{2}.*)?"
_YEAR = r"[0-9]{4}"


def build_index(source: CorpusSource, path: Path, progress: Say) -> None:
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
    except (duckdb().IOException, duckdb().OutOfMemoryException) as error:
        problem = f"its index cannot be written into {path.parent.parent} ({first_line(error)})"
        remedy = "make room there, or name another place: --index"
        raise BadInput(f"{source.folder}: {problem}; {remedy}") from None
    except duckdb().Error as error:
        problem = f"cannot be indexed ({first_line(error)}); detect it again"
        raise BadRecord(source.folder, None, problem) from None
    finally:
        database.close()


class _Builder:
    """Makes one table after the other."""

    def __init__(self, source: CorpusSource, database: Any, progress: Say) -> None:
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
            tables = WordTables(source, self._run)
            self.progress("collecting words")
            threshold = tables.collect()
            self.progress("sorting words")
            tables.words(threshold)
            if source.relations:
                self.progress("sorting relations")
                tables.relations()
            self.progress("counting words")
            tables.counts([column for column in columns if column.counted])
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

    def _facts(self, columns: list[Column], threshold: float | None, text: bool) -> None:
        ((texts, sentences, words, metaphors),) = self._run(
            "SELECT count(*), sum(sentences), sum(words), sum(metaphors) FROM documents"
        )
        facts = Facts(tuple(columns), texts, sentences, words, metaphors, text, threshold)
        self.database.execute(
            "CREATE TABLE facts AS SELECT ? AS facts", [msgspec.json.encode(facts).decode()]
        )
