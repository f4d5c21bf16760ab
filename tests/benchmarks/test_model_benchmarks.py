"""The benchmarks of corrected rates and of rounds: what they measure, keep and draw."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope.metrics.figures import NO_DATA, read_evaluation

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in ("corrected_rates", "active_learning", "record"):
        sys.modules.pop(name, None)


def test_coverage_is_measured_and_kept(load, tmp_path, capsys):
    rates = load("corrected_rates")
    results = tmp_path / "results.json"
    rates.main(["--samples", "60", "--results", str(results)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(rates.SCENARIOS)
    kept = {figure.name: figure for figure in read_evaluation(results).figures}
    assert kept["rates.usual.coverage"].n == 60
    assert kept["rates.good_model.width_ratio"].value < kept["rates.poor_model.width_ratio"].value


def test_a_coverage_outside_the_bounds_ends_with_status_one(load, tmp_path, monkeypatch, capsys):
    rates = load("corrected_rates")
    missed = rates.Coverage(rates.SCENARIOS[0], 500, 0.91, 0.95, 0.8)
    monkeypatch.setattr(rates, "SCENARIOS", rates.SCENARIOS[:1])
    monkeypatch.setattr(rates, "measure", lambda *_: missed)
    assert rates.main(["--results", str(tmp_path / "results.json")]) == 1
    assert "the coverage of usual is not 93 to 97 %" in capsys.readouterr().err


def test_more_coverage_is_allowed_only_for_narrow_intervals_of_rare_labels(load):
    rates = load("corrected_rates")
    rare = rates.Scenario("rare", 0.05, 0.9, 50, hardly_any=True)
    assert not rates.Coverage(rare, 500, 0.99, 0.95, 0.9).missed
    assert rates.Coverage(rare, 500, 0.99, 0.95, 1.1).missed
    assert rates.Coverage(rare, 500, 0.91, 0.95, 0.9).missed
    assert rates.Coverage(rates.SCENARIOS[0], 500, 0.99, 0.95, 0.9).missed


def test_curves_begin_with_the_same_labels_and_are_repeatable(load):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    active = load("active_learning")
    texts = [(f"the debate caught fire on day {n}", "1") for n in range(90)]
    texts += [(f"she bought brown shoes in shop {n}", "0") for n in range(90)]
    curves = {by: active.learn(texts, by, 1, seed=4) for by in active.ROUND_ORDERS}
    assert len({curve[0] for curve in curves.values()}) == 1
    assert all(len(curve) == 2 and 0.9 < curve[1] <= 1 for curve in curves.values())
    assert curves["uncertainty"] == active.learn(texts, "uncertainty", 1, seed=4)


def test_gains_compare_equal_seeds(load, tmp_path):
    active = load("active_learning")
    flat = np.full((3, 4), 0.6)
    curves = {"random": flat, "novelty": flat + np.array([[0.01], [0.02], [-0.03]])}
    corpus = active.CORPORA[0]
    found = {one.name: one for one in active.curve_figures(corpus, "novelty", curves, NO_DATA)}
    gain = found["active.moh.novelty.gain"]
    assert (gain.value, gain.low, gain.high) == pytest.approx((0.01, -0.03, 0.02))
    assert "active.moh.random.gain" not in found


def test_labels_of_lines_and_of_columns_are_read(load, tmp_path):
    active = load("active_learning")
    (tmp_path / "t_text.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "t_labels.txt").write_text("1\n0\n7\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("Text,label\none,1\ntwo,0\n", encoding="utf-8")
    lines = active.read_texts(tmp_path / "t_text.txt", active.Corpus("t", "t_text.txt"))
    table = active.read_texts(tmp_path / "t.csv", active.Corpus("t", "t.csv", "Text", "label"))
    assert sorted(lines) == sorted(table) == [("one", "1"), ("two", "0")]
