"""The small corpus in its stages.

A test module takes the fixtures by importing them; each stands on the one above it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("duckdb", reason="DuckDB is not installed (pip install 'trope[web]')")

from small_corpus import ALL, Row, detect, make_rows, opened, write_csv

from trope.workbench.corpus.corpus import IndexedCorpus


@pytest.fixture(scope="session")
def corpus_rows() -> list[Row]:
    """The texts of the small corpus."""
    return make_rows()


@pytest.fixture(scope="session")
def corpus_table(corpus_rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small corpus before it was analysed."""
    return write_csv(corpus_rows, tmp_path_factory.mktemp("texts") / "news.csv")


@pytest.fixture(scope="session")
def corpus_folder(corpus_table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small corpus as `trope detect` wrote it."""
    return detect(corpus_table, tmp_path_factory.mktemp("detected") / "news.parquet", *ALL)


@pytest.fixture(scope="session")
def small_corpus(
    corpus_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedCorpus]:
    """The small corpus, open."""
    with opened(corpus_folder, tmp_path_factory.mktemp("index")) as corpus:
        yield corpus
