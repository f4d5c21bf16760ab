"""What the outputs of `trope detect` cost is measured beside each other."""

import importlib
import sys
from types import SimpleNamespace

from conftest import REPOSITORY
from trope.metrics.figures import read_evaluation

BENCHMARKS = REPOSITORY / "benchmarks"


def test_outputs_of_detect_are_compared_without_the_start(tmp_path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    outputs = importlib.import_module("detect_outputs")
    sentences_file = tmp_path / "test.csv"
    sentences_file.write_text("sentence\nRain ate roads .\nThe market bled .\n")
    asked = []

    def measure(words, checkout=None):
        asked.append((words, checkout))
        many = words[3].endswith("all.csv")
        return SimpleNamespace(cpu_s=(9.0 if "--counts-only" in words else 11.0) if many else 1.0)

    monkeypatch.setattr(outputs.startup, "measure", measure)
    results = tmp_path / "results.json"
    given = [str(sentences_file), "--runs", "2", "--results", str(results)]
    assert outputs.main([*given, "--before", str(tmp_path)]) == 0
    values = {figure.name: figure.value for figure in read_evaluation(results).figures}
    assert values == {
        "detect.default.cpu_s": 10,
        "detect.counts.cpu_s": 8,
        "detect.counts_of_all.cpu_s": 8,
        "detect.before.cpu_s": 10,
    }
    assert {checkout for _, checkout in asked} == {None, tmp_path}
    assert "0.80 of the default" in capsys.readouterr().out
    assert outputs.main([str(tmp_path / "none.csv")]) == 2
    for name in ("detect_outputs", "machine", "record", "speed", "startup"):
        sys.modules.pop(name, None)
