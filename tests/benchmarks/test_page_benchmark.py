"""The benchmark of the page, on a short text: it writes, opens, and keeps its figures."""

import csv
import importlib
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from trope.core.errors import MissingData
from trope.metrics.figures import read_evaluation

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SENTENCES = ["The tax strangles small shops .", "Prices , they say , climbed again ."]


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("page")
    for name in ("annotation_service", "machine", "page", "record", "speed", "workbench_text"):
        sys.modules.pop(name, None)


def test_text_is_prose_of_so_many_words(benchmark):
    text = benchmark.prose(SENTENCES * 4, 30)
    assert text.startswith("The tax strangles small shops. Prices, they say, climbed again. The")
    assert len(text.replace(".", " .").replace(",", " ,").split()) == 30
    assert benchmark.prose(SENTENCES * 7, 90).count("\n\n") == 2
    with pytest.raises(MissingData, match="a text of 30 words needs more"):
        benchmark.prose(SENTENCES, 30)


@pytest.mark.browser
def test_it_keeps_size_and_time(benchmark, tmp_path, capsys):
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    source, results = tmp_path / "test.csv", tmp_path / "results.json"
    with source.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["sentence"])
        rows.writerows([sentence] for sentence in SENTENCES * 4)
    options = ["--words", "20", "--rounds", "2", "--results", str(results)]
    assert benchmark.main([str(source), *options]) == 0
    figures = {figure.name: figure for figure in read_evaluation(results).figures}
    assert set(figures) == {"page.size_mb", "page.readable_s"}
    assert 0 < figures["page.size_mb"].value < 0.1
    assert figures["page.readable_s"].n == 2
    assert "page.readable_s: " in capsys.readouterr().out
