"""A large corpus as `trope detect` would have written it, from some thousands of real sentences.

The sentences are analysed once; the recorded rows are then drawn again and again, in random order,
with new ids, sources and dates, into parts with a valid manifest.
"""

from __future__ import annotations

import csv
import datetime
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from trope.core.files import atomic_write, sha256
from trope.core.run_folder import MANIFEST
from trope.scale.folder import DetectManifest
from trope.scale.job import Receipt

SOURCES = ("Courier", "Gazette", "Herald", "Ledger", "Mercury", "Observer", "Times", "Tribune")
FIRST_DAY, DAYS = datetime.date(2015, 1, 1), 3_000
_ROWS = 20_000  # of a part


def analyse(sentences: Sequence[str], folder: Path) -> Path:
    """The recorded rows of the sentences with all tasks; the columns are filled later."""
    table, out = folder / "sentences.csv", folder / "recorded.parquet"
    if not (out / MANIFEST).is_file():
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["text", "source", "date"])
            writer.writerows([sentence, "", ""] for sentence in sentences)
        command = [sys.executable, "-m", "trope", "detect", str(table), "--out", str(out)]
        command += ["--columns", "text,source,date", "--tokens"]
        command += ["--with", "relations,metonymy,sentiment,domains"]
        subprocess.run(command, check=True)
    return out


def enlarge(recorded: Path, out: Path, texts: int, *, seed: int, rows_of_part: int = 0) -> None:
    """A corpus of this many texts, drawn from recorded ones."""
    rows_of_part = rows_of_part or _ROWS
    manifest = msgspec.json.decode((recorded / MANIFEST).read_bytes(), type=DetectManifest)
    rows = pa.concat_tables([pq.read_table(recorded / shard.name) for shard in manifest.shards])
    out.mkdir(parents=True)
    rng = random.Random(seed)
    shards = [
        _part(rows, out, first, min(rows_of_part, texts - first), first // rows_of_part, rng)
        for first in range(0, texts, rows_of_part)
    ]
    totals = {
        name: sum(getattr(shard, name) for shard in shards)
        for name in ("texts", "sentences", "words", "metaphors")
    }
    settings = msgspec.structs.replace(manifest.settings, shard_rows=rows_of_part)
    made = msgspec.structs.replace(
        manifest, settings=settings, shards=tuple(shards), totals=totals | {"refused": 0}
    )
    with atomic_write(out / MANIFEST) as file:
        file.write(msgspec.json.format(msgspec.json.encode(made), indent=1).decode() + "\n")


def _part(rows: Any, out: Path, first: int, size: int, number: int, rng: random.Random) -> Receipt:
    drawn = rows.take(pa.array([rng.randrange(rows.num_rows) for _ in range(size)]))
    days = [FIRST_DAY + datetime.timedelta(days=rng.randrange(DAYS)) for _ in range(size)]
    new = {
        "id": [f"s{first + at}" for at in range(size)],
        # sources of unlike size, the first one the largest
        "source": rng.choices(SOURCES, weights=range(len(SOURCES), 0, -1), k=size),
        "date": [day.isoformat() for day in days],
    }
    for name, values in new.items():
        place = drawn.schema.get_field_index(name)
        drawn = drawn.set_column(place, name, pa.array(values, pa.string()))
    name = f"part-{number:05d}.parquet"
    pq.write_table(drawn, out / name, compression="zstd", row_group_size=size)
    sums = [int(pc.sum(drawn[column]).as_py()) for column in ("words", "metaphors")]
    sentences = int(pc.sum(pc.list_value_length(drawn["figurative"])).as_py())
    return Receipt(number, name, size, sentences, *sums, sha256(out / name))  # type: ignore[call-arg]
