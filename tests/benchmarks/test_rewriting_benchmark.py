"""The benchmark of rewriting: what is divided by what, and that each text is named its own verb."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("rewriting")
    for name in ("machine", "record", "rewriting"):
        sys.modules.pop(name, None)


def test_ratios_are_of_one_sentence_in_one_direction(benchmark: Any) -> None:
    rows = [{"analysed": 1.0, "alone": 40.0, "batch": 10.0}]
    values = {figure.name: figure.value for figure in benchmark.ratios(rows, 20, "a machine")}
    assert values["speed.rewriting.ratio"] == 20
    assert values["speed.rewriting.batch_ratio"] == 5
    assert values["speed.rewriting.batch_gain"] == 4
    assert values["speed.rewriting.alone_ms"] == 1000


class Recorder:
    """Writes down what it is asked; every text has its second word for a verb."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []

    def analyze(self, text: str, **_: Any) -> Any:
        tokens = [SimpleNamespace(text=word) for word in text.split()]
        return SimpleNamespace(tokens=tokens, relations=[SimpleNamespace(kind="svo", verb=1)])

    def rewrite(self, text: str, *, to: str, verb: str, **_: Any) -> None:
        self.asked.append((to, text, verb))

    def rewrite_many(self, texts: list[str], *, to: str, verbs: list[str], **_: Any) -> Any:
        self.asked += [(to, *pair) for pair in zip(texts, verbs, strict=True)]
        return iter(())


def test_alone_and_in_a_batch_the_same_is_asked(benchmark: Any) -> None:
    pipeline = Recorder()
    ways = benchmark.ways_of(pipeline, ["cats eat fish", "dogs chase cats"])
    ways["alone"]()
    alone, pipeline.asked = pipeline.asked, []
    ways["batch"]()
    assert alone == pipeline.asked
    assert ("literal", "cats eat fish", "eat") in alone
    assert len(alone) == 4
