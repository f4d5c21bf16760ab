"""Detection with a real network, if a tiny one: the same bytes from any number of threads."""

import json
from pathlib import Path

import pytest
from corpora_to_detect import contents

from metaphor_model import LOGITS, OTHERS, probability, write_model
from trope import Pipeline
from trope.scale import local
from trope.scale.inputs import find_inputs
from trope.scale.job import Settings
from trope.scale.run import Progress, detect

TEXTS = [
    f"Rain {verb} {thing} {'and more ' * (n % 7)}."
    for n, (verb, thing) in enumerate(
        (verb, thing)
        for verb in (*LOGITS, "saw")
        for thing in ("roads", "barns", "old trees", "us")
    )
] * 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


def run(folder: Path, out: Path, threads: int, monkeypatch: pytest.MonkeyPatch) -> list[Progress]:
    monkeypatch.setattr(
        local, "load_pipeline", lambda threads: Pipeline(folder=folder, threads=threads)
    )
    executor = local.LocalExecutor(threads=threads)
    model = executor.model
    settings = Settings(
        trope="0",
        tier=model.tier,
        model_sha256=model.sha256,
        tasks=("relations", "metaphor"),
        tokens=True,
        shard_rows=30,
    )
    told: list[Progress] = []
    files = find_inputs([str(folder / "texts.txt")])
    totals = detect(files, settings, out, executor, report=told.append)
    assert totals["texts"] == len(TEXTS)
    return told


def test_threads_change_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "texts.txt").write_text("\n".join(TEXTS))
    told = run(folder, tmp_path / "one", 1, monkeypatch)
    run(folder, tmp_path / "three", 3, monkeypatch)
    assert contents(tmp_path / "one") == contents(tmp_path / "three")
    assert [progress.texts for progress in told] == [30, 60, 80]
    assert told[-1].position == told[-1].size


def test_scores_are_those_of_the_network(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "texts.txt").write_text("\n".join(TEXTS))
    run(folder, tmp_path / "out", 2, monkeypatch)
    lines = (tmp_path / "out" / "part-00000.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    assert first["figurative"] == [probability(LOGITS["crushed"])]
    assert [token["metaphor"] for token in first["tokens"]] == [
        probability(OTHERS),
        probability(LOGITS["crushed"]),
        probability(OTHERS),
        probability(OTHERS),
    ]
    assert (first["words"], first["metaphors"]) == (3, 1)
