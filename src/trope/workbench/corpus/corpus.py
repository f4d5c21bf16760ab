"""A corpus that can be asked: the folder, what is known of it, and its index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from trope.core.errors import BadInput, UnknownName
from trope.core.progress import Say
from trope.workbench.corpus.database import Database, duckdb
from trope.workbench.corpus.facts import PERIODS, Column, Facts
from trope.workbench.corpus.index import find_index
from trope.workbench.corpus.source import CorpusSource, read_source


@dataclass(frozen=True, slots=True)
class Condition:
    """That a column of a text has a value; that a date begins so."""

    column: Column
    value: str

    @property
    def counted(self) -> bool:
        """Whether the lemmas of its texts are counted beforehand."""
        if self.column.counted == "month":
            return 0 < len(self.value) <= PERIODS["month"]
        return bool(self.column.counted)

    def sql(self, key: str = "") -> str:
        """The condition with a mark for its value; `key` is what the column is called there."""
        key = key or self.column.key
        return f"starts_with({key}, ?)" if self.column.date and self.value else f"{key} = ?"


Conditions = tuple[Condition, ...]


def all_hold(conditions: Conditions) -> tuple[str, list[str]]:
    """What stands after WHERE over the documents, and its values."""
    held = " AND ".join(condition.sql() for condition in conditions)
    return held or "true", [condition.value for condition in conditions]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What `trope detect` wrote, ready for questions; many threads may ask at a time."""

    source: CorpusSource
    facts: Facts
    database: Database

    @property
    def folder(self) -> Path:
        """The folder of the corpus."""
        return self.source.folder

    def column(self, title: str) -> Column:
        """The column of that name.

        Raises:
            UnknownName: with those that there are.
        """
        for column in self.facts.columns:
            if column.name == title:
                return column
        raise UnknownName("column", title, [column.name for column in self.facts.columns])

    def conditions(self, given: tuple[str, ...]) -> Conditions:
        """Conditions such as `source=Times`, checked.

        Raises:
            BadInput, UnknownName: for what is no condition, and for a column that there is not.
        """
        return tuple(self._condition(one) for one in given)

    def need_words(self, view: str) -> None:
        """Raises where there are no words with scores, with the command that makes them."""
        if not self.source.tokens:
            problem = f"has no words ({view} need the column 'tokens'); make them with"
            raise BadInput(f"{self.folder}: {problem}: {self.source.detect_again()}")

    def need_relations(self) -> None:
        """Raises where there are no verbs with objects, with the command that makes them."""
        if not self.source.relations:
            again = self.source.detect_again(relations=True)
            problem = "has no verbs with objects (columns 'tokens' and 'relations'); make them with"
            raise BadInput(f"{self.folder}: {problem}: {again}")

    def _condition(self, given: str) -> Condition:
        # a name may have an equals sign in it
        for column in sorted(self.facts.columns, key=lambda one: -len(one.name)):
            if given.startswith(f"{column.name}="):
                return Condition(column, given.removeprefix(f"{column.name}="))
        name, equals, value = given.partition("=")
        if not equals:
            raise BadInput(f"{given!r} is no condition; write COLUMN=VALUE, such as file=a.txt")
        return Condition(self.column(name), value)

    def close(self) -> None:
        """Let go of the index."""
        self.database.close()


def open_corpus(folder: Path, *, index: Path | None = None, progress: Say | None = None) -> Corpus:
    """The corpus in a folder that `trope detect` wrote; the first time, its index is built.

    Args:
        index: folder of the indexes, instead of the user's cache.
        progress: told in words what is being done.

    Raises:
        TropeError: for a folder that cannot be used, naming the file.
    """
    source = read_source(folder)
    path = find_index(source, index, progress or (lambda step: None))
    try:
        return _opened(source, path)
    except (duckdb().Error, msgspec.MsgspecError):  # damaged since: it is only a copy
        path.unlink()
        return _opened(source, find_index(source, index, progress or (lambda step: None)))


def _opened(source: CorpusSource, path: Path) -> Corpus:
    database = Database(path)
    try:
        ((facts,),) = database.ask("SELECT facts FROM facts")
        return Corpus(source, msgspec.json.decode(facts, type=Facts), database)
    except BaseException:
        database.close()
        raise
