"""Detection with a real network, if a tiny one: the same bytes from any number of threads."""

import json
from pathlib import Path

import pytest
from corpora_to_detect import contents

from metaphor_model import ALL_LABELS, LOGITS, OTHERS, probability, write_model
from trope import Pipeline
from trope.corpora.files import find_files
from trope.scale import executors
from trope.scale.job import DetectSettings
from trope.scale.run import DetectProgress, detect

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


def run(
    folder: Path, out: Path, threads: int, monkeypatch: pytest.MonkeyPatch
) -> list[DetectProgress]:
    monkeypatch.setattr(
        executors, "load_pipeline", lambda threads: Pipeline(folder=folder, threads=threads)
    )
    executor = executors.LocalExecutor(threads=threads)
    model = executor.model
    settings = DetectSettings(
        trope="0",
        tier=model.tier,
        model_sha256=model.sha256,
        tasks=("relations", "metaphor"),
        tokens=True,
        shard_rows=30,
    )
    told: list[DetectProgress] = []
    files = find_files([str(folder / "texts.txt")])
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


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_names_and_sentiment_are_columns(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = write_model(tmp_path / "model", ALL_LABELS)
    monkeypatch.setattr(
        executors, "load_pipeline", lambda threads: Pipeline(folder=model, threads=threads)
    )
    (tmp_path / "texts.txt").write_text("Lovely France slept.\n…\nRain fell.\n")
    executor = executors.LocalExecutor(threads=1)
    told = executor.model
    assert {"metonymy", "sentiment"} <= {*told.tasks}
    settings = DetectSettings(
        trope="0",
        tier=told.tier,
        model_sha256=told.sha256,
        tasks=("metonymy", "sentiment", "metaphor"),
        format=form,  # type: ignore[arg-type]
    )
    files = find_files([str(tmp_path / "texts.txt")])
    detect(files, settings, tmp_path / "out", executor, report=lambda progress: None)
    part = tmp_path / "out" / f"part-00000.{form}"
    if form == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        rows = parquet.read_table(part).to_pylist()
    else:
        rows = [json.loads(line) for line in part.read_text().splitlines()]
    assert rows[0]["sentiment"] == {"score": 0.75, "integer": 1, "scale": "tweet"}
    (name,) = rows[0]["metonymies"]
    assert (name["start"], name["end"], name["class"]) == (7, 13, "location")
    assert (rows[-1]["metonymies"], rows[-1]["sentiment"]["score"]) == ([], 0)
