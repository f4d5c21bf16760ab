"""The benchmark of exports, at a small size: it fills a real project and keeps its figures."""

import importlib
import sys
from pathlib import Path

import pytest

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from trope.metrics.figures import read_evaluation

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("annotation_export")
    for name in ("annotation_export", "machine", "record"):
        sys.modules.pop(name, None)


def test_it_keeps_speed_and_memory_of_exports_and_imports(benchmark, tmp_path, capsys):
    results = tmp_path / "results.json"
    benchmark.main(["--judgments", "2000", "--items", "500", "--results", str(results)])
    figures = {figure.name: figure for figure in read_evaluation(results).figures}
    assert figures["annotate.export.rows_per_s"].n == 2000
    assert figures["annotate.export.parquet.peak_mb"].value > 10
    assert figures["annotate.import.items_per_s"].n == 500
    assert "2,000 rows" in capsys.readouterr().out
