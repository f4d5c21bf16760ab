"""The benchmark of the text view, on a short text: it serves, shows, and keeps its figures."""

import csv
import importlib
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[web]')")
pytest.importorskip("playwright", reason="playwright is not installed")

from trope.core.errors import MissingData
from trope.metrics.figures import read_evaluation

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SENTENCES = ["The tax strangles small shops .", "Prices climbed again .", "Dogs bark at night ."]


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("workbench_text")
    for name in ("annotation_service", "machine", "record", "speed", "workbench_text"):
        sys.modules.pop(name, None)


def test_texts_have_as_many_words_as_asked_for_and_share_no_sentence(benchmark):
    texts = benchmark.texts_of([f"word{n} of a line" for n in range(30)], 10, 3)
    assert [len(text.split()) for text in texts] == [10, 10, 10]
    assert len({word for text in texts for word in text.split() if word != "of"}) > 3
    with pytest.raises(MissingData, match="3 texts of 10 words need more"):
        benchmark.texts_of(["one two"], 10, 3)


@pytest.mark.browser
def test_it_keeps_the_ratio_with_what_it_is_made_of(benchmark, tmp_path, capsys):
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    source, results = tmp_path / "test.csv", tmp_path / "results.json"
    with source.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["sentence"])
        rows.writerows([sentence] for sentence in SENTENCES * 10)
    options = ["--words", "20", "--rounds", "2", "--results", str(results)]
    assert benchmark.main([str(source), *options]) == 0
    figures = {figure.name: figure for figure in read_evaluation(results).figures}
    assert set(figures) == {
        f"workbench.text.{name}"
        for name in ("ratio", "command_ratio", "shown_s", "analyze_s", "command_s")
    }
    assert all(figure.n == 2 and figure.value > 0 for figure in figures.values())
    assert "model loaded" in figures["workbench.text.ratio"].note
    assert "workbench.text.ratio: " in capsys.readouterr().out
