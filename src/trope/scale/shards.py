"""One shard: texts in, the bytes of one output file out, the same bytes every time.

Making a shard and storing it are two steps, so that a worker on another machine can make what this
one stores: no disk has to be shared, and a worker that was given up cannot write any more.
"""

from __future__ import annotations

import gc
import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, get_args

import msgspec

from trope.core.export import (
    figures_to_dicts,
    metonymies_to_dicts,
    relations_to_dicts,
    sentiment_to_dict,
)
from trope.core.files import atomic_write
from trope.core.options import FigureView
from trope.core.records import Analysis, WordView
from trope.corpora.workbooks import load_pyarrow
from trope.scale.entries import TextRow
from trope.scale.job import DetectSettings, Receipt, Shard
from trope.tasks.metaphor.corpus_rates import MetaphorCounts, count_metaphors

if TYPE_CHECKING:
    from trope.pipeline import Pipeline

FIGURES = (
    *("id", "file", "line", "words", "metaphors", "rate", "figurative", "tokens"),
    *("relations", "metonymies", "sentiment", "view", "figures"),
)
"""Names of the output that no kept column may have."""

_UNKNOWN = dict.fromkeys(("meaning", "stands_for", "topic", "vehicle", "ground"))
"""What not every figure has; all rows have the same fields."""

_PLACES = 4


@dataclass(frozen=True, slots=True)
class MadeShard:
    """The content of a file that is not stored yet, and what it holds."""

    receipt: Receipt
    content: bytes


def store(made: MadeShard, folder: Path) -> Receipt:
    """The receipt of a shard, whose file is in the folder then."""
    with atomic_write(folder / made.receipt.name, "wb") as file:
        file.write(made.content)
    return made.receipt


def make_shard(settings: DetectSettings, pipeline: Pipeline, shard: Shard) -> MadeShard:
    """The file of a shard."""
    with _uncollected():
        return ShardMaker(pipeline, settings)(shard)


@contextmanager
def _uncollected() -> Iterator[None]:
    """While it lasts, Python does not look for cycles of objects: records have none, and going
    through all of them again and again takes as long as making them."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class ShardMaker:
    """Holds a model and makes shards."""

    def __init__(self, pipeline: Pipeline, settings: DetectSettings) -> None:
        self.pipeline, self.settings = pipeline, settings

    def __call__(self, shard: Shard) -> MadeShard:
        """The file of a shard."""
        rows: list[dict[str, Any]] = []
        sentences = words = metaphors = 0
        for row, analysis in zip(shard.rows, self._analyses(shard), strict=True):
            counts = count_metaphors(analysis)
            rows.append(self._row(row, analysis, counts))
            sentences += counts.sentences
            words += counts.words
            metaphors += counts.metaphors
        file = io.BytesIO()
        self._write(rows, file)
        content = file.getvalue()
        name = shard.name(self.settings.format)
        checksum = hashlib.sha256(content).hexdigest()
        receipt = Receipt(shard.number, name, len(rows), sentences, words, metaphors, checksum)
        return MadeShard(receipt, content)

    def _analyses(self, shard: Shard) -> Iterator[Analysis]:
        settings = self.settings
        found = self.pipeline.analyze_many(
            (row.text for row in shard.rows),
            kind=settings.kind,
            tasks=settings.tasks,
            tags=settings.tokens,  # they cost time, and only tokens show them
            threshold=settings.threshold,
            words=settings.words or "all",
        )
        yield from found

    def _row(self, row: TextRow, analysis: Analysis, counts: MetaphorCounts) -> dict[str, Any]:
        data: dict[str, Any] = {"id": row.id, "file": row.file, "line": row.line}
        data |= zip(self.settings.columns, row.kept, strict=True)
        rate = round(counts.metaphors / counts.words, _PLACES) if counts.words else None
        data |= {"words": counts.words, "metaphors": counts.metaphors, "rate": rate}
        data["figurative"] = list(analysis.figurative)
        data["view"] = analysis.words
        unknown = _UNKNOWN | ({"domain": None} if "domains" in self.settings.tasks else {})
        data["figures"] = [{**own, **unknown, **own} for own in figures_to_dicts(analysis)]
        if self.settings.tokens:
            views = self._views(analysis)
            data["tokens"] = [
                {
                    "text": token.text,
                    "start": token.start,
                    "end": token.end,
                    "upos": token.upos,
                    "lemma": token.lemma,
                    "metaphor": token.metaphor,
                    "novelty": token.novelty,
                    "shown": [view for view, places in views.items() if place in places],
                }
                for place, token in enumerate(analysis.tokens)
            ]
        if "relations" in self.settings.tasks:
            data["relations"] = relations_to_dicts(analysis)
        if "metonymy" in self.settings.tasks:
            data["metonymies"] = metonymies_to_dicts(analysis)
        if "sentiment" in self.settings.tasks:
            data["sentiment"] = sentiment_to_dict(analysis)
        return data

    def _views(self, analysis: Analysis) -> dict[WordView, frozenset[int]]:
        """The positions of the metaphors of each view, so that queries can use any of them."""
        views: tuple[WordView, ...] = get_args(WordView)
        limit = self.settings.threshold
        return {
            view: self.pipeline.shown_places(analysis, FigureView(view, limit)) for view in views
        }

    def _write(self, rows: list[dict[str, Any]], file: BinaryIO) -> None:
        settings = self.settings
        if settings.format == "parquet":
            more = (*(["tokens"] if settings.tokens else []), *settings.tasks)
            _write_parquet(rows, settings.columns, file, more=more)
            return
        for row in rows:
            file.write(msgspec.json.encode(row) + b"\n")


def _write_parquet(
    rows: Sequence[dict[str, Any]],
    columns: Sequence[str],
    file: BinaryIO,
    *,
    more: Sequence[str],
) -> None:
    """Write rows as one row group; the columns have the same types in every shard.

    Args:
        columns: those of the input that were kept.
        more: "tokens", and the tasks besides metaphor whose results the rows have.
    """
    arrow = load_pyarrow()
    schema = _schema(arrow, columns, more)
    table = arrow.Table.from_pylist(list(rows), schema=schema)
    arrow.parquet.write_table(table, file, compression="zstd", row_group_size=max(1, len(rows)))


def _schema(arrow: Any, columns: Sequence[str], more: Sequence[str]) -> Any:
    text, number, score = arrow.string(), arrow.int32(), arrow.float64()
    fields = [("id", text), ("file", text), ("line", arrow.int64())]
    fields += [(name, text) for name in columns]
    fields += [("words", number), ("metaphors", number), ("rate", score)]
    fields += [("figurative", arrow.list_(score)), ("view", text)]
    places = arrow.list_(number)
    figure = {"kind": text, "start": number, "end": number, "tokens": places, "score": score}
    figure |= {"novelty": score, "meaning": text, "stands_for": text}
    figure |= dict.fromkeys(("topic", "vehicle", "ground"), places)
    figure |= {"domain": text} if "domains" in more else {}
    fields += [("figures", arrow.list_(arrow.struct(figure)))]
    if "tokens" in more:
        more_of_tokens = {"metaphor": score, "novelty": score, "shown": arrow.list_(text)}
        token = {"text": text, "start": number, "end": number, "upos": text, "lemma": text}
        fields += [("tokens", arrow.list_(arrow.struct({**token, **more_of_tokens})))]
    if "relations" in more:
        roles = dict.fromkeys(("verb", "subject", "object", "particle"), number)
        flags = dict.fromkeys(("root", "kept", "negated", "passive"), arrow.bool_())
        words = arrow.struct(dict.fromkeys(("verb", "subject", "object"), text))
        relation = {"kind": text, **roles, **flags, "reason": text, "verb_class": text}
        relation |= {"metaphor": score, "words": words, "start": number, "end": number}
        fields += [("relations", arrow.list_(arrow.struct({**relation, "expression": text})))]
    if "metonymy" in more:
        name = {"start": number, "end": number, "class": text, "reading": text}
        name |= {"score": score, "stands_for": text}
        fields += [("metonymies", arrow.list_(arrow.struct(name)))]
    if "sentiment" in more:
        fields += [("sentiment", arrow.struct({"score": score, "integer": number, "scale": text}))]
    return arrow.schema(fields)
