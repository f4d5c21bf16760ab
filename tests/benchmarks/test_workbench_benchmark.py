"""The benchmark of the corpus view, on a corpus of a few hundred texts."""

import csv
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("duckdb", reason="DuckDB is not installed (pip install 'trope[web]')")
pytest.importorskip("django", reason="Django is not installed (pip install 'trope[web]')")

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SENTENCES = [
    "The new tax strangles small shops .",
    "Storms wreck old barns near the coast .",
    "She took the keys and opened the door .",
    "Doubt crept into the crowded room , and hope drained away .",
]


@pytest.fixture
def sentences_file(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.csv"
    with path.open("w", newline="") as file:
        rows = csv.DictWriter(file, ["txt_id", "sentence"])
        rows.writeheader()
        rows.writerows({"txt_id": str(at), "sentence": s} for at, s in enumerate(SENTENCES))
    return path


def test_recorded_rows_become_a_corpus_with_a_valid_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    making = importlib.import_module("workbench_corpus")
    recorded = making.analyse(SENTENCES, tmp_path)
    monkeypatch.setattr(making, "_ROWS", 100)
    making.enlarge(recorded, tmp_path / "large", 250, seed=3)
    from trope.workbench.corpus.corpus import open_corpus
    from trope.workbench.corpus.queries import make_query
    from trope.workbench.corpus.views import answer

    corpus = open_corpus(tmp_path / "large", index=tmp_path / "index")
    try:
        assert corpus.facts.texts == 250
        totals = json.loads((tmp_path / "large" / "manifest.json").read_text())["totals"]
        assert corpus.facts.words == totals["words"]
        found = answer(corpus, make_query("rates", {"by": "source"}))
        assert {row[0] for row in found.rows} == set(making.SOURCES)
        assert answer(corpus, make_query("rates", {"by": "date"})).about["date"]
    finally:
        corpus.close()
        sys.modules.pop("workbench_corpus")


def test_every_view_is_measured_and_kept(sentences_file: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    command = [sys.executable, str(BENCHMARKS / "workbench.py"), str(sentences_file)]
    command += ["--texts", "600", "--requests", "2", "--results", str(results)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode in (0, 1), done.stderr  # 1: this machine is slow
    assert "Traceback" not in done.stderr, done.stderr
    kept = {f["name"]: f for f in json.loads(results.read_text())["figures"]}
    assert {"workbench.p95_s", "workbench.peak_mb", "workbench.index.seconds"} <= set(kept)
    views = {"rates", "verbs", "keyness", "concordance.frequent", "concordance.regex", "text"}
    views |= {"trend", "sketch", "ngrams", "dispersion", "features"}
    assert {f"workbench.view.{view}.p95_s" for view in views} <= set(kept)
    assert all(figure["value"] > 0 for figure in kept.values())
    assert "600 texts" in kept["workbench.p95_s"]["note"]


def test_features_are_measured_and_a_killed_run_ends_alike(
    sentences_file: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results.json"
    command = [sys.executable, str(BENCHMARKS / "features.py"), str(sentences_file)]
    command += ["--texts", "40", "80", "--rows", "20", "--turns", "1", "--results", str(results)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout.endswith("resumed: the same bytes\n")
    kept = {f["name"]: f["value"] for f in json.loads(results.read_text())["figures"]}
    assert {"features.peak_mb.40", "features.peak_mb.80", "features.memory_growth"} <= set(kept)
    assert all(value > 0 for value in kept.values())
