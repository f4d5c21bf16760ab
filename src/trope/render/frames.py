"""Analyses as tables for pandas and Arrow: a row per text, per figure, or per token."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from trope.core.errors import BadInput, MissingExtra, UnknownName
from trope.core.records import Analysis

if TYPE_CHECKING:
    import pandas
    import pyarrow

Rows = Literal["texts", "figures", "tokens"]

_TEXT, _NUMBER, _SCORE = "string", "int64", "float64"
_COLUMNS: dict[str, dict[str, str]] = {
    "texts": {
        "text": _TEXT,
        **dict.fromkeys(("sentences", "words", "metaphors"), _NUMBER),
        "metaphor_rate": _SCORE,
        **dict.fromkeys(("idioms", "similes", "metonymies"), _NUMBER),
        "view": _TEXT,
        "sentiment": _SCORE,
        "scale": _TEXT,
    },
    "figures": {
        **dict.fromkeys(("doc", "sentence"), _NUMBER),
        **dict.fromkeys(("kind", "words"), _TEXT),
        **dict.fromkeys(("start", "end"), _NUMBER),
        **dict.fromkeys(("score", "novelty"), _SCORE),
        **dict.fromkeys(("meaning", "stands_for"), _TEXT),
    },
    "tokens": {
        **dict.fromkeys(("doc", "sentence", "token", "start", "end"), _NUMBER),
        **dict.fromkeys(("text", "lemma", "upos", "xpos"), _TEXT),
        "head": _NUMBER,
        "deprel": _TEXT,
        **dict.fromkeys(("metaphor", "noticed", "novelty"), _SCORE),
        "shown": _TEXT,
    },
}
"""The columns of each kind of row, with their types in Arrow."""


def to_frame(docs: Iterable[Analysis] | Analysis, *, rows: Rows = "texts") -> pandas.DataFrame:
    """A pandas data frame with a row per text, per figure or per token.

    Args:
        docs: analyses, such as `trope.analyze_many` gives.
        rows: "texts", "figures" or "tokens"; the last two have the number of the text as `doc`.

    Raises:
        MissingExtra: pandas is not installed.
    """
    columns = _columns(docs, rows)
    try:
        frames: Any = import_module("pandas")
    except ModuleNotFoundError:
        raise MissingExtra("a data frame", "pandas", "pandas") from None
    types = {_TEXT: "object", _NUMBER: "int64", _SCORE: "float64"}
    series = {
        name: frames.Series(values, dtype=types[_COLUMNS[rows][name]])
        for name, values in columns.items()
    }
    made: pandas.DataFrame = frames.DataFrame(series)
    return made


def to_table(docs: Iterable[Analysis] | Analysis, *, rows: Rows = "texts") -> pyarrow.Table:
    """The same as an Arrow table.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    columns = _columns(docs, rows)
    try:
        arrow = import_module("pyarrow")
    except ModuleNotFoundError:
        raise MissingExtra("an Arrow table", "parquet", "pyarrow") from None
    types = {_TEXT: arrow.string(), _NUMBER: arrow.int64(), _SCORE: arrow.float64()}
    schema = arrow.schema([(name, types[kind]) for name, kind in _COLUMNS[rows].items()])
    return arrow.table(columns, schema=schema)


def _columns(docs: Iterable[Analysis] | Analysis, rows: str) -> dict[str, list[Any]]:
    if rows not in _COLUMNS:
        raise UnknownName("kind of row", str(rows), tuple(_COLUMNS))
    found: dict[str, list[Any]] = {name: [] for name in _COLUMNS[rows]}
    given: Iterable[object] = [docs] if isinstance(docs, Analysis) else docs
    for number, doc in enumerate(given):
        if not isinstance(doc, Analysis):
            problem = f"number {number} is a {type(doc).__name__}, not an analysis"
            raise BadInput(f"{problem}; give what trope.analyze_many gives")
        for row in _ROWS[rows](number, doc):
            for values, value in zip(found.values(), row, strict=True):
                values.append(value)
    return found


def _text_row(number: int, doc: Analysis) -> Iterator[tuple[Any, ...]]:
    words = sum(token.is_word for token in doc.tokens)
    metaphors = sum(token.is_word for token in doc.metaphors)
    kinds = [figure.kind for figure in doc.figures]
    sentiment = doc.sentiment
    ran = "metaphor" in doc.tasks
    yield (
        doc.text,
        len(doc.sentences),
        words,
        metaphors,
        metaphors / words if words and ran else None,
        kinds.count("idiom"),
        kinds.count("simile"),
        kinds.count("metonymy"),
        doc.words if ran else None,
        None if sentiment is None else sentiment.score,
        None if sentiment is None else sentiment.scale,
    )


def _figure_rows(number: int, doc: Analysis) -> Iterator[tuple[Any, ...]]:
    for figure in doc.figures:
        words = " ".join(doc.tokens[place].text for place in figure.tokens)
        sentence = bisect_right(doc.sentences, figure.start, key=lambda own: own.end)
        yield (
            *(number, sentence, figure.kind, words, figure.start, figure.end),
            *(figure.score, figure.novelty, figure.meaning or None, figure.stands_for or None),
        )


def _token_rows(number: int, doc: Analysis) -> Iterator[tuple[Any, ...]]:
    shown = {place: figure.kind for figure in reversed(doc.figures) for place in figure.tokens}
    for at, sentence in enumerate(doc.sentences):
        for place, token in enumerate(doc.tokens_in(sentence), start=sentence.first):
            yield (
                *(number, at, place, token.start, token.end),
                *(token.text, token.lemma, token.upos, token.xpos, token.head, token.deprel),
                *(token.metaphor, token.noticed, token.novelty, shown.get(place)),
            )


_ROWS: dict[str, Callable[[int, Analysis], Iterator[tuple[Any, ...]]]] = {
    "texts": _text_row,
    "figures": _figure_rows,
    "tokens": _token_rows,
}
