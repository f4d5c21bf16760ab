"""The benchmark of the crowd rules' effect on the gold."""

import importlib
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("crowd_gold")
    sys.modules.pop("crowd_gold", None)


def test_rules_catch_the_careless_and_bring_the_gold_nearer(bench, capsys):
    assert bench.main(["--tweets", "300", "--json"]) == 0
    effects = json.loads(capsys.readouterr().out)["effects"]
    assert [effect["rule"] for effect in effects][:2] == ["no outlier rule", "loo"]
    for effect in effects:
        assert effect["dismissed"]["constant"] == effect["dismissed"]["random"] == 1
        assert effect["dismissed"]["honest, good"] == 0
        assert effect["weighted"] < effect["all_mean"]


def test_the_same_seed_makes_the_same_crowd(bench):
    assert bench.simulate(50, 1).judgments == bench.simulate(50, 1).judgments
    assert bench.simulate(50, 1).judgments != bench.simulate(50, 2).judgments


def test_the_table_has_a_row_a_rule(bench, capsys):
    bench.main(["--tweets", "100"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].startswith("| rule | honest, good |")
    assert len(lines) == 5 + 6
