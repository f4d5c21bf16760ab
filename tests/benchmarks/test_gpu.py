"""The benchmark of graphics processors, tried where there is none."""

import csv
import importlib
import json
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trope.encoder import device

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setattr(device, "find_card", device.find_card)  # which the benchmark replaces
    yield importlib.import_module("gpu")
    for name in ("gpu", "machine", "record", "scaling", "speed", "matrix_rate", "rivals"):
        sys.modules.pop(name, None)


def test_a_trial_measures_and_keeps_nothing(
    gpu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TROPE_BASE_WEIGHTS", str(tmp_path / "nowhere"))
    sentences = tmp_path / "test.csv"
    with sentences.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerows([["sentence"], ["Rain ate the road ."], ["Prices climb again ."]])
    more = tmp_path / "more.txt"
    more.write_text("Doubt crept in.\n\n")
    results = tmp_path / "results.json"
    arguments = [sentences, "--size", 5, "--workers", 1, "--pretend", "--texts", more]
    arguments += ["--parts", "base", "metaphor", "agreement", "--results", results]
    assert gpu.main([str(argument) for argument in arguments]) == 0
    said = capsys.readouterr()
    figures = {line.split()[0]: float(line.split()[1]) for line in said.out.splitlines()}
    assert figures["gpu.metaphor.sentences_per_s"] > 0
    assert figures["gpu.metaphor.billion_words_minutes"] > 0
    shares = [value for name, value in figures.items() if ".share." in name]
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    assert 0 <= figures["gpu.mean_difference"] <= figures["gpu.largest_difference"] < 0.2
    assert "against the processor, 3 texts" in said.out
    assert "\nbase: left out, " in said.err
    assert not results.exists()


def test_a_part_keeps_what_an_earlier_one_kept(
    gpu: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = SimpleNamespace(pretend=False, results=tmp_path / "results.json")
    data = gpu.DataRef(name="vua18", split="test", sha256="")
    for part in ("metaphor", "full"):
        figure = gpu.record.measured(f"gpu.{part}.card_use", [0.5], n=5, data=data, note="")
        gpu._keep([figure], options)
    kept = gpu.record.read_evaluation(options.results)
    assert [figure.name for figure in kept.figures] == [
        "gpu.metaphor.card_use",
        "gpu.full.card_use",
    ]
    assert capsys.readouterr().out.count("card_use") == 2


def test_without_a_card_it_says_so(gpu: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu.main(["nothing.csv"]) == 2
    assert capsys.readouterr().err.startswith("gpu: ")


def test_stages_are_summed_over_jobs_and_processes(gpu: Any, tmp_path: Path) -> None:
    pipeline = SimpleNamespace(timings={"text": 1.0, "encoder": 5.0})

    def work(_: Any, job: int) -> int:
        pipeline.timings["text"] += job
        return job * 2

    assert [gpu._timed(tmp_path, work, pipeline, job) for job in (3, 4)] == [6, 8]
    (tmp_path / "another.json").write_text(json.dumps({"text": 1.0, "encoder": 2.5}))
    executor = gpu.TimedExecutor(SimpleNamespace(model=None), tmp_path)
    found = executor.timings()
    assert {name: found[name] for name in ("text", "encoder")} == {"text": 8.0, "encoder": 2.5}
    assert isinstance(found, Counter)


def test_the_use_of_a_card_is_read_where_it_can_be(
    gpu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "_READ_USE", (str(tmp_path / "no-such-tool"),))
    with gpu.card_use() as readings:
        assert readings() == []
    tool = "import threading; print(40); print(60, flush=True); threading.Event().wait()"
    monkeypatch.setattr(gpu, "_READ_USE", (sys.executable, "-c", tool))
    with gpu.card_use() as readings:
        while len(readings()) < 2:
            pass
        assert readings() == [40.0, 60.0]
