"""DuckDB with limits: two threads, memory, and time per query; SQL that several tables share."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from trope.core.errors import BadInput, MissingExtra
from trope.core.records import WordView

THREADS = 2
BUILD_MEMORY, MEMORY = 700, "600MB"
"""The most memory for building an index, in MB, and for queries."""

TIME_LIMIT = 30.0
"""Seconds after which a query is cancelled."""

CLASSES = ("NOUN", "VERB", "ADJ", "ADV")
"""Parts of speech with rates of their own."""

VIEWS_OF_WORDS: tuple[WordView, ...] = get_args(WordView)
_LONG = 6

_SETTINGS = {
    "threads": THREADS,
    "autoinstall_known_extensions": False,  # nothing is downloaded
    "autoload_known_extensions": False,
    "python_scan_all_frames": False,
    "python_enable_replacements": False,  # names in a query are tables, never Python variables
}


def duckdb() -> Any:
    """The package.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingExtra("the view of a corpus", "web", "duckdb") from None
    return duckdb


def connect(path: Path, *, read_only: bool = True, memory: str = MEMORY) -> Any:
    """A connection to the database in a file."""
    settings = {**_SETTINGS, "memory_limit": memory}
    return duckdb().connect(str(path), read_only=read_only, config=settings)


class Database:
    """A read-only index that several threads can query; its file is closed when nobody uses it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root = connect(path)
        # also at the end of the process: the package complains about open connections
        self._closing = weakref.finalize(self, self._root.close)

    def ask(self, question: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query's result; values from users go into the parameters.

        Raises:
            BadInput: a value cannot be used, or the query needs too much time or memory.
        """
        with self._root.cursor() as cursor, _limited(cursor):
            try:
                rows: list[tuple[Any, ...]] = cursor.execute(question, list(parameters)).fetchall()
            except duckdb().InterruptException:
                problem = f"took longer than {TIME_LIMIT:.0f} s and was cancelled; ask for less"
                raise BadInput(f"the query {problem}") from None
            except duckdb().OutOfMemoryException:
                problem = f"needs more memory than {MEMORY}; ask for less"
                raise BadInput(f"the query {problem}") from None
            except duckdb().InvalidInputException as error:
                raise BadInput(f"{first_line(error)}; change the query") from None
        return rows

    def one(self, question: str, parameters: Sequence[Any] = ()) -> tuple[Any, ...]:
        """The only row of a query's result."""
        (row,) = self.ask(question, parameters)
        return row

    def close(self) -> None:
        """Close the file."""
        self._closing()


def literal(value: str | Path) -> str:
    """A string as an SQL literal."""
    return "'" + str(value).replace("'", "''") + "'"


def quoted(column: str) -> str:
    """The name of a column as an SQL identifier."""
    return '"' + column.replace('"', '""') + '"'


def first_line(error: Exception) -> str:
    """The first line of a database error, without its type."""
    line = str(error).strip().splitlines()[0]
    return line.partition(": ")[2] or line


def in_view(view: str, old: bool = False) -> str:
    """The SQL for whether a token is shown as a metaphor in a view, where that is known."""
    return "NULL::BOOLEAN" if old else f"coalesce(list_contains(t.shown, '{view}'), false)"


def text_sums(words: str) -> str:
    """The SQL for the sums of each text over its words.

    `words` is a query with doc, spelling, size, word, class, novelty, shown and shown_VIEW.
    """
    views = ", ".join(f"count(*) FILTER (word AND shown_{v}) AS in_{v}" for v in VIEWS_OF_WORDS)
    classes = ", ".join(
        f"count(*) FILTER (word AND class = '{one}') AS {one}, "
        f"count(*) FILTER (word AND class = '{one}' AND shown) AS {one}_metaphors"
        for one in CLASSES
    )
    return f"""
        SELECT doc, coalesce(sum(size) FILTER (word), 0)::BIGINT AS letters,
            count(*) FILTER (word AND size > {_LONG}) AS long,
            count(DISTINCT spelling) FILTER (word) AS types,
            avg(novelty) FILTER (word AND shown) AS novelty,
            count(*) FILTER (word AND shown) AS shown, {views}, {classes}
        FROM ({words}) GROUP BY doc
    """


def drawn_sums(metaphors: str) -> str:
    """The SQL for the metaphors of each text by domain, `n` of `size` in all; `once` is true in one
    row of a text."""
    return f"""
        SELECT doc, domain, n, sum(n) OVER (PARTITION BY doc)::BIGINT AS size,
            row_number() OVER (PARTITION BY doc ORDER BY domain) = 1 AS once
        FROM (SELECT doc, domain, count(*) AS n FROM ({metaphors}) AS domains GROUP BY doc, domain)
    """


@contextmanager
def _limited(cursor: Any) -> Iterator[None]:
    timer = threading.Timer(TIME_LIMIT, cursor.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # at the end of the process a thread would still hold the cursor
