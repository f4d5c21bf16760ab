"""Scores of two kinds of processors, compared word by word."""

import csv
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from trope.core.errors import BadInput

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def processors(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("processors")
    for name in ("machine", "matrix_rate", "processors", "record", "rivals", "speed"):
        sys.modules.pop(name, None)


def scores(*sentences: list[float], model: str = "m", processor: str = "one") -> dict[str, Any]:
    return {"model": model, "processor": processor, "scores": list(sentences)}


def test_differences_are_counted_by_word(processors: Any) -> None:
    own, other = scores([0.1, 0.6], [0.49]), scores([0.1, 0.3], [0.5], processor="two")
    figures = {f.name: f for f in processors.differences(own, other, 0.5)}
    values = {name.removeprefix("processors."): f.value for name, f in figures.items()}
    assert values == pytest.approx(
        {"largest_difference": 0.3, "mean_difference": 0.31 / 3, "flipped": 2 / 3}
    )
    assert {f.n for f in figures.values()} == {3}
    assert {f.note for f in figures.values()} == {"one and two, 2 sentences"}


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (scores([0.1], model="n"), "of two models"),
        (scores([0.1], [0.2]), "different sentences"),
        (scores([0.1, 0.2]), "different sentences"),
    ],
)
def test_scores_that_do_not_belong_together_are_refused(
    processors: Any, other: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        processors.differences(scores([0.1]), other, 0.5)


def test_one_processor_differs_from_itself_by_nothing(
    processors: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, kept, results = (tmp_path / name for name in ("texts.csv", "kept.json", "results.json"))
    with texts.open("w", newline="") as file:
        csv.writer(file).writerows([["sentence"], ["Prices climbed ."], ["Taxes crushed shops ."]])
    assert processors.main([str(texts), "--keep", str(kept), "--processor", "another"]) == 0
    assert [len(s) for s in json.loads(kept.read_text())["scores"]] == [3, 4]
    assert processors.main([str(texts), "--against", str(kept), "--results", str(results)]) == 0
    assert capsys.readouterr().out.count(": 0 (") == 3
    figures = json.loads(results.read_text())["figures"]
    assert [figure["value"] for figure in figures] == [0, 0, 0]
    assert processors.main([str(tmp_path / "missing.csv")]) == 2
