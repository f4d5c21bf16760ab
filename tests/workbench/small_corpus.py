"""A small corpus as `trope detect` writes it, read by rule, and what a look at all of it finds."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from builders import FakePipeline, with_metaphors
from trope.cli.main import main
from trope.core.records import Analysis
from trope.scale import executors
from trope.workbench.corpus.corpus import IndexedCorpus, open_corpus

pytest.importorskip("duckdb", reason="DuckDB is not installed (pip install 'trope[web]')")

SOURCES = ("Gazette", "Herald", "O'Neill's \"Daily\"", "")
NOUNS = ("Rain", "wind", "Time", "time", "é", "Straße", "roads", "prices", "trees", "so")
VERBS = ("ate", "Ate", "bent", "took", "take", "face", "break")


@dataclass(frozen=True)
class Row:
    """A text of the corpus, and its analysis."""

    id: str
    text: str
    source: str
    date: str

    @property
    def analysis(self) -> Analysis:
        return with_metaphors(FakePipeline(metaphor=True).analyze(self.text))


def make_rows(texts: int = 60, seed: int = 4) -> list[Row]:
    """Texts of one to three sentences; Herald has more metaphors than the others."""
    rng = random.Random(seed)
    rows = []
    for number in range(texts):
        source = rng.choice(SOURCES)
        sentences = []
        for _ in range(rng.randint(1, 3)):
            verb = "ate" if source == "Herald" and rng.random() < 0.5 else rng.choice(VERBS)
            words = [rng.choice(NOUNS), verb, *rng.choices(NOUNS, k=rng.randint(1, 4))]
            sentences.append(" ".join(words) + rng.choice(".!"))
        date = f"20{rng.randint(18, 20)}-{rng.randint(1, 3):02d}-{rng.randint(1, 9):02d}"
        rows.append(Row(f"n{number}", rng.choice([" ", "\n"]).join(sentences), source, date))
    return rows


def write_csv(rows: list[Row], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "source", "date"])
        writer.writerows([row.id, row.text, row.source, row.date] for row in rows)
    return path


@contextmanager
def read_by_rule() -> Iterator[None]:
    """`trope detect` and `analyze` with a pipeline that needs no model."""
    from trope.cli import analyze

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executors, "load_pipeline", lambda threads: FakePipeline(metaphor=True))
        patch.setattr(analyze, "load_pipeline", lambda threads: FakePipeline(metaphor=True))
        yield


def trope(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments], catch_exceptions=False)


ALL = ("--columns", "text,source,date", "--tokens", "--with", "relations")


def detect(table: Path, out: Path, *options: str, shard_rows: int = 7) -> Path:
    """The folder of `trope detect`, in parts of a few texts."""
    with read_by_rule():
        done = trope("detect", table, "--out", out, "--shard-rows", str(shard_rows), *options)
    assert done.exit_code == 0, done.output
    return out


@contextmanager
def opened(folder: Path, index: Path, **options: Any) -> Iterator[IndexedCorpus]:
    corpus = open_corpus(folder, index=index, **options)
    try:
        yield corpus
    finally:
        corpus.close()
