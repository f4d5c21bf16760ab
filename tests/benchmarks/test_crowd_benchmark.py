"""The benchmark of the simulated crowd: its table, its bounds, its status."""

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trope.annotate.rules.simulation import SimulationOutcome

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
OUTCOME = SimulationOutcome("random", "binary", 10, 0.5, 0.9, 0.9, 0.99, 0.0)


@pytest.fixture
def crowd(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("crowd")
    sys.modules.pop("crowd", None)


def test_a_table_has_a_row_a_kind(crowd):
    lines = crowd.table([OUTCOME, replace(OUTCOME, kind="constant")], seed=3).splitlines()
    assert "10 workers a kind" in lines[0]
    assert "seed 3" in lines[0]
    assert lines[4] == "| binary | random | 50.0 | 90.0 | 90.0 | 99.0 | 0.0 | 99.0 |"
    assert len(lines) == 6


def test_missed_bounds_are_named(crowd):
    assert crowd.faults([OUTCOME]) == []
    assert "95 %" in crowd.faults([replace(OUTCOME, dismissed=0.9, reviewed=0.1)])[0]
    honest = replace(OUTCOME, kind=crowd.HONEST, dismissed=0.021)
    assert "2 % or less" in crowd.faults([honest])[0]
    assert crowd.faults([replace(honest, dismissed=0.02)]) == []


def test_every_kind_is_measured_at_both_tasks(crowd, monkeypatch, capsys):
    monkeypatch.setattr(crowd, "measure_kind", lambda kind, task, workers, seed: replace(
        OUTCOME, kind=kind, task=task.name, workers=workers, dismissed=0.5))  # fmt: skip
    assert crowd.main(["--workers", "7", "--json"]) == 1
    said = capsys.readouterr()
    outcomes = json.loads(said.out)["outcomes"]
    assert len({(one["kind"], one["task"]) for one in outcomes}) == 18
    assert {one["workers"] for one in outcomes} == {7}
    assert said.err.count("crowd: ") == 6
