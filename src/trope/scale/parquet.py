"""Parquet in and out, with pyarrow, which is an optional part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from trope.core.errors import MissingExtra
from trope.scale.inputs import InputFile

_BATCH = 1024


def pyarrow() -> Any:
    """The package with its part for Parquet, or the command that installs it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingExtra("Parquet", "parquet", "pyarrow") from None
    return pyarrow


def parquet_rows(
    file: InputFile,
    moved: Callable[[int], None],
    choose: Callable[[Sequence[str]], Sequence[str]] = lambda names: names,
) -> Iterator[tuple[int, dict[str, str] | str]]:
    """The rows of a file, counted from 1, every value as text; the last says where it is broken.

    Args:
        choose: which of the columns are read; the others stay on the disk.
    """
    arrow = pyarrow()
    number = 0
    try:
        with arrow.parquet.ParquetFile(file.path) as opened:
            total = opened.metadata.num_rows or 1
            columns = list(choose(opened.schema_arrow.names))
            for batch in opened.iter_batches(batch_size=_BATCH, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield number, {name: _text(value) for name, value in row.items()}
                moved(file.bytes * number // total)
    except (arrow.ArrowException, OSError) as error:
        cause = str(error).strip().splitlines()[0].rstrip(".")
        yield number + 1, f"cannot be read as Parquet ({cause}); write the file again"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def write_parquet(
    rows: Sequence[dict[str, Any]],
    columns: Sequence[str],
    file: BinaryIO,
    *,
    more: Sequence[str],
) -> None:
    """Writes rows as one row group; the columns have the same types in every shard.

    Args:
        columns: those of the input that were kept.
        more: "tokens", and the tasks besides metaphor whose findings the rows have.
    """
    arrow = pyarrow()
    schema = _schema(arrow, columns, more)
    table = arrow.Table.from_pylist(list(rows), schema=schema)
    arrow.parquet.write_table(table, file, compression="zstd", row_group_size=max(1, len(rows)))


def _schema(arrow: Any, columns: Sequence[str], more: Sequence[str]) -> Any:
    text, number, score = arrow.string(), arrow.int32(), arrow.float64()
    fields = [("id", text), ("file", text), ("line", arrow.int64())]
    fields += [(name, text) for name in columns]
    fields += [("words", number), ("metaphors", number), ("rate", score)]
    fields += [("figurative", arrow.list_(score))]
    if "tokens" in more:
        token = {"text": text, "start": number, "end": number, "upos": text, "lemma": text}
        fields += [("tokens", arrow.list_(arrow.struct({**token, "metaphor": score})))]
    if "relations" in more:
        places = dict.fromkeys(("verb", "subject", "object", "particle"), number)
        flags = dict.fromkeys(("root", "kept", "negated", "passive"), arrow.bool_())
        words = arrow.struct(dict.fromkeys(("verb", "subject", "object"), text))
        relation = {"kind": text, **places, **flags, "reason": text, "verb_class": text}
        relation |= {"metaphor": score, "words": words, "start": number, "end": number}
        fields += [("relations", arrow.list_(arrow.struct({**relation, "expression": text})))]
    if "metonymy" in more:
        name = {"start": number, "end": number, "class": text, "reading": text}
        name |= {"score": score, "stands_for": text}
        fields += [("metonymies", arrow.list_(arrow.struct(name)))]
    if "sentiment" in more:
        fields += [("sentiment", arrow.struct({"score": score, "integer": number}))]
    return arrow.schema(fields)
