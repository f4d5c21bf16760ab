"""A hundred damaged files of each format: read, or refused in one sentence."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

for name in ("django", "docx", "openpyxl", "pyarrow", "pypdf"):
    pytest.importorskip(name, reason=f"{name} is not installed (pip install 'trope[all]')")

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import fuzz  # noqa: E402

OWN = ("csv", "tsv", "jsonl", "json", "txt", "html", "gz", "zip", "judgments", "plan", "conllu")
OWN += ("coinco", "swords", "xlsx", "docx", "epub", "parquet", "pdf", "backup")


@pytest.fixture(scope="module")
def samples(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, tuple[str, bytes, fuzz.Read]]]:
    logging.disable(logging.CRITICAL)  # pypdf comments on what it repairs
    yield fuzz.samples(tmp_path_factory.mktemp("samples"))
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", OWN)
def test_damaged_files_are_read_or_refused(
    name: str, samples: dict[str, tuple[str, bytes, fuzz.Read]], tmp_path: Path
) -> None:
    file, content, read = samples[name]
    (tmp_path / file).write_bytes(content)
    read(tmp_path / file)  # the sample is sound
    outcome = fuzz.try_out(file, content, read, tmp_path, 100, seed=2)
    assert outcome.inputs == 100
    assert outcome.read + outcome.refused == 100, outcome.faults


def test_readers_of_corpora_refuse_other_files(
    samples: dict[str, tuple[str, bytes, fuzz.Read]], tmp_path: Path
) -> None:
    readers = [one for name, one in samples.items() if name.startswith("reader ")]
    assert len(readers) > 20
    for file, content, read in readers:
        assert fuzz.try_out(file, content, read, tmp_path, 20, seed=3).faults == []
