"""DuckDB, held to two threads, so much memory, and so much time a question."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, MissingExtra

THREADS = 2
BUILD_MEMORY, MEMORY = "700MB", "600MB"
TIME_LIMIT = 30.0
"""Seconds after which a question is given up."""

_SETTINGS = {
    "threads": THREADS,
    "autoinstall_known_extensions": False,  # nothing is fetched from anywhere
    "autoload_known_extensions": False,
    "python_scan_all_frames": False,
    "python_enable_replacements": False,  # names in a question are tables, never our variables
}


def duckdb() -> Any:
    """The package, or the command that installs it."""
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
    """An index that is asked by many threads at a time; nobody can change it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root = connect(path)
        atexit.register(self._root.close)  # the package complains of those left open

    def ask(self, question: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of the answer; what users gave goes into the parameters, never the question.

        Raises:
            BadInput: for a value that cannot be used, and where the time is over.
        """
        with self._root.cursor() as cursor, _limited(cursor):
            try:
                rows: list[tuple[Any, ...]] = cursor.execute(question, list(parameters)).fetchall()
            except duckdb().InterruptException:
                problem = f"took longer than {TIME_LIMIT:.0f} s and was given up; ask for less"
                raise BadInput(f"the question {problem}") from None
            except duckdb().OutOfMemoryException:
                problem = f"needs more memory than {MEMORY}; ask for less"
                raise BadInput(f"the question {problem}") from None
            except duckdb().InvalidInputException as error:
                raise BadInput(f"{first_line(error)}; ask otherwise") from None
        return rows

    def one(self, question: str, parameters: Sequence[Any] = ()) -> tuple[Any, ...]:
        """The only row of the answer."""
        (row,) = self.ask(question, parameters)
        return row

    def close(self) -> None:
        """Let go of the file."""
        atexit.unregister(self._root.close)
        self._root.close()


def first_line(error: Exception) -> str:
    """What an error of the database says first, without its kind."""
    line = str(error).strip().splitlines()[0]
    return line.partition(": ")[2] or line


@contextmanager
def _limited(cursor: Any) -> Iterator[None]:
    timer = threading.Timer(TIME_LIMIT, cursor.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
