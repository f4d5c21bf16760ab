"""A corpus ready for queries: its folder, its facts and its index."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec

from trope.core.errors import BadInput, UnknownName
from trope.core.options import FigureView
from trope.core.progress import MessageWriter
from trope.core.records import WordView
from trope.encoder.models import TierModel, known_models, model_folder
from trope.encoder.session import Labels
from trope.workbench.corpus.database import Database, duckdb
from trope.workbench.corpus.index import find_index, index_path, why_no_dates
from trope.workbench.corpus.source import CorpusSource, read_source
from trope.workbench.corpus.word_tables import (
    PERIODS,
    SUMMED,
    SUMS,
    CorpusColumn,
    CorpusFacts,
    postings,
    uses_of,
)


@dataclass(frozen=True, slots=True)
class ColumnCondition:
    """A condition on texts: a column has a value; a date begins with it."""

    column: CorpusColumn
    value: str

    @property
    def counted(self) -> bool:
        """Whether the lemmas of its texts are counted in advance."""
        if self.column.counted == "month":
            return 0 < len(self.value) <= PERIODS["month"]
        return bool(self.column.counted)

    def sql(self, key: str = "") -> str:
        """The condition with a parameter for its value; `key` is the column's name in the table."""
        key = key or self.column.key
        return f"starts_with({key}, ?)" if self.column.date and self.value else f"{key} = ?"


Conditions = tuple[ColumnCondition, ...]
NO_NOVELTY = "the model of this corpus does not say how novel a metaphor is"
_QUICK_WORDS = 2_000_000
"""Most words of a corpus whose index is built while a page waits."""

_TOTALS = ", ".join(f"sum({name})::BIGINT AS {name}" for name in SUMMED)


def all_hold(conditions: Conditions) -> tuple[str, list[str]]:
    """The SQL after WHERE for the table of documents, and its parameters."""
    held = " AND ".join(condition.sql() for condition in conditions)
    return held or "true", [condition.value for condition in conditions]


def lemma_counts(conditions: Conditions) -> tuple[str, list[str]]:
    """The SQL for the counts of lemmas in some texts, and its parameters.

    Uses the counts made in advance, if there are any.
    """
    if not conditions:
        return f"SELECT lemma, {', '.join(SUMMED)} FROM lemmas", []
    if len(conditions) == 1 and conditions[0].counted:
        (only,) = conditions
        question = f"FROM counts WHERE key = ? AND {only.sql('value')} GROUP BY lemma"
        return f"SELECT lemma, {_TOTALS} {question}", [only.column.key, only.value]
    held, values = all_hold(conditions)
    found = postings(f"doc IN (SELECT doc FROM documents WHERE {held})")
    sized = f"SELECT found.*, documents.words AS size FROM ({found}) AS found JOIN documents"
    return f"SELECT lemma, {SUMS} FROM ({sized} USING (doc)) GROUP BY lemma", values


def figure_counts(conditions: Conditions) -> tuple[str, list[str]]:
    """The SQL for the uses of lemmas that are metaphors by part of speech, and its parameters."""
    if not conditions:
        return "SELECT * FROM uses", []
    if len(conditions) == 1 and conditions[0].counted:
        (only,) = conditions
        sums = ", ".join(f"sum({one})::BIGINT AS {one}" for one in ("words", "metaphors", "texts"))
        means = ", ".join(f"sum({m}) / sum(metaphors) AS {m}" for m in ("novelty", "score"))
        question = f"FROM used WHERE key = ? AND {only.sql('value')} GROUP BY lemma, tag"
        return f"SELECT lemma, tag, {sums}, {means} {question}", [only.column.key, only.value]
    held, values = all_hold(conditions)
    return uses_of(f"doc IN (SELECT doc FROM documents WHERE {held})"), values


@dataclass(frozen=True, slots=True)
class IndexedCorpus:
    """A folder that `trope detect` wrote, ready for queries from several threads."""

    source: CorpusSource
    facts: CorpusFacts
    database: Database
    view: WordView
    """The view of words that was asked for."""

    @property
    def folder(self) -> Path:
        """The folder of the corpus."""
        return self.source.folder

    @property
    def threshold(self) -> float | None:
        """The lowest score that counts in the view; None where it is not known."""
        settings = self.source.manifest.settings
        if settings.threshold is not None or self.facts.threshold is not None:
            return self.facts.threshold if settings.threshold is None else settings.threshold
        if settings.words is None:
            return None
        return own_threshold(settings.tier, settings.model_sha256, self.view)

    @property
    def counted(self) -> dict[str, Any]:
        """What a table says of the words that count: the view that was asked for, the one that is
        shown, which is another where the model does not know the first, and the threshold."""
        view = {"word_view": self.facts.word_view, "asked_view": self.view}
        return {**view, "threshold": self.threshold}

    @property
    def knows_novelty(self) -> bool:
        """Whether its model says how novel a metaphor is."""
        (known,) = self.database.one("SELECT count(novelty) > 0 FROM uses")
        return bool(known)

    def column(self, title: str) -> CorpusColumn:
        """The column with a name.

        Raises:
            UnknownName: there is no such column.
        """
        for column in self.facts.columns:
            if column.name == title:
                return column
        raise UnknownName("column", title, [column.name for column in self.facts.columns])

    def conditions(self, given: tuple[str, ...]) -> Conditions:
        """Conditions such as `source=Times`, checked.

        Raises:
            BadInput: this is not a condition.
            UnknownName: there is no such column.
        """
        return tuple(self._condition(one) for one in given)

    def lemma(self, text: str) -> int:
        """The number of a lemma.

        Raises:
            BadInput: no word of the corpus has it.
        """
        known = self.database.ask("SELECT lemma FROM lemmas WHERE text = ?", [text.lower()])
        if not known:
            raise BadInput(f"{text!r} is not a lemma of this corpus; check its spelling")
        number: int = known[0][0]
        return number

    def within(self, where: tuple[str, ...]) -> tuple[str, list[str]]:
        """The SQL that a word is in the texts that meet conditions, and its parameters."""
        held, values = all_hold(self.conditions(where))
        return (f"doc IN (SELECT doc FROM documents WHERE {held})" if where else "true"), values

    def counted_by(self, words: str, *, index: Path | None, quickly: bool) -> IndexedCorpus:
        """The same corpus with its metaphors counted by another view of words.

        Raises:
            BadInput: its index is to be built `quickly`, and the corpus is too large for that.
            TropeError: as `open_corpus`.
        """
        view = next((one for one in get_args(WordView) if one == words), None)
        if view is None:
            raise UnknownName("view of words", words, get_args(WordView))
        large = self.facts.words > _QUICK_WORDS and view in self.source.views
        if quickly and large and not index_path(self.source, view, index).is_file():
            command = shlex.join(["trope", "query", str(self.folder), "rates", "--words", view])
            problem = f"has no index for --words {view} yet; build it in a terminal"
            raise BadInput(f"{self.folder}: {problem}: {command}")
        return open_corpus(self.folder, words=view, index=index)

    def need_words(self, view: str) -> None:
        """Raises BadInput, with the command that adds words, if the corpus has none."""
        if not self.source.tokens:
            problem = f"has no words (the column 'tokens', needed for {view}); add them with"
            raise BadInput(f"{self.folder}: {problem}: {self.source.detect_again()}")

    def need_dates(self, column: CorpusColumn) -> None:
        """Raises BadInput, with the value that is none, if a column is not one of dates."""
        if not column.date:
            key = column.key
            found = self.database.ask(
                f"SELECT DISTINCT {key} FROM documents WHERE {key} <> '' ORDER BY {key}"
            )
            raise BadInput(why_no_dates(column.name, [value for (value,) in found]))

    def need_relations(self) -> None:
        """Raises BadInput, with the command that adds relations, if the corpus has none."""
        if not self.source.relations:
            again = self.source.detect_again(relations=True)
            problem = "has no verbs with objects (columns 'tokens' and 'relations'); add them with"
            raise BadInput(f"{self.folder}: {problem}: {again}")

    def _condition(self, given: str) -> ColumnCondition:
        # a name may contain an equals sign
        for column in sorted(self.facts.columns, key=lambda one: -len(one.name)):
            if given.startswith(f"{column.name}="):
                return ColumnCondition(column, given.removeprefix(f"{column.name}="))
        name, equals, value = given.partition("=")
        if not equals:
            raise BadInput(f"{given!r} is not a condition; write COLUMN=VALUE, such as file=a.txt")
        return ColumnCondition(self.column(name), value)

    def close(self) -> None:
        """Close the index."""
        self.database.close()


def shipped_model(tier: str, checksum: str) -> TierModel | None:
    """The model with a checksum, if it is one that ships with trope."""
    model = known_models().get(tier)
    return model if model and checksum in {file.sha256 for file in model.files} else None


@cache
def own_threshold(tier: str, checksum: str, words: WordView) -> float | None:
    """The threshold of a model that ships with trope, in a view of words; None for others."""
    labels = model_folder(tier) / "labels.json"
    if not shipped_model(tier, checksum) or not labels.is_file():
        return None
    known = msgspec.json.decode(labels.read_bytes(), type=Labels)
    if known.metaphor is None:
        return None
    noticed = None if known.figures is None else known.figures.noticed
    return FigureView(words).lowest(known.metaphor.threshold, noticed)[1]


def open_corpus(
    folder: Path,
    *,
    words: WordView | None = None,
    index: Path | None = None,
    progress: MessageWriter | None = None,
) -> IndexedCorpus:
    """Open the corpus in a folder that `trope detect` wrote; the first time, build its index.

    Args:
        words: the view by which metaphors are counted, instead of the corpus's.
        index: folder of the indexes, instead of the user's cache.
        progress: called with a description of each step.

    Raises:
        TropeError: the folder cannot be used; the message names the file.
    """
    source = read_source(folder)
    view = words or source.words
    if view not in source.views:
        problem = f"counts metaphors by --words {source.words} and cannot by {view}"
        raise BadInput(f"{folder}: {problem}; write it again: {source.detect_again(view=view)}")
    tell = progress or (lambda step: None)
    path = find_index(source, view, index, tell)
    try:
        return _opened(source, view, path)
    except (duckdb().Error, msgspec.MsgspecError):  # a damaged index can be built again
        path.unlink()
        return _opened(source, view, find_index(source, view, index, tell))


def _opened(source: CorpusSource, view: WordView, path: Path) -> IndexedCorpus:
    database = Database(path)
    try:
        ((facts,),) = database.ask("SELECT facts FROM facts")
        known = msgspec.json.decode(facts, type=CorpusFacts)
        return IndexedCorpus(source, known, database, view)
    except BaseException:
        database.close()
        raise
