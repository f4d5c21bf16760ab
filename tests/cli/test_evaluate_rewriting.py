"""`trope evaluate rewriting` on headlines of our own: the order of a file tells nothing."""

import csv
from pathlib import Path

import pytest

from trope import Pipeline
from trope.cli.evaluation.options import EvaluationOptions
from trope.cli.evaluation.rewriting import evaluate
from trope.metrics.figures import Evaluation

LITERAL = ("Union {} the offer of the airline", "criticizes")
METAPHOR = ("Heat wave {} the trains in three regions", "cripples")
CANDIDATES = {
    LITERAL: (["slams", "blasts"], ["buys", "eats", "paints", "sees"]),
    METAPHOR: (["stops"], ["sells", "greets", "counts", "sings", "names"]),
}


def write_split(path: Path, *, backwards: bool = False) -> None:
    """Two headlines with six candidates each; accepted ones have the opposite label."""
    rows = [[frame.format(verb), int(frame is METAPHOR[0]), "gold"] for frame, verb in CANDIDATES]
    for (frame, _), (accepted, rejected) in CANDIDATES.items():
        label = int(frame is METAPHOR[0])
        own = [[frame.format(verb), 1 - label, "gold_plus"] for verb in accepted]
        own += [[frame.format(verb), label, "gold_plus"] for verb in rejected]
        rows += own[::-1] if backwards else own
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Text", "label", "sample_type"])
        writer.writerows(rows)


def measured(folder: Path, pipeline: Pipeline, *parts: str, backwards: bool = False) -> Evaluation:
    for split in ("train", "val", "test"):
        write_split(folder / "newsmet" / f"{split}_goldplus.csv", backwards=backwards)
    return evaluate(EvaluationOptions(data=folder, parts=parts), pipeline)


def test_the_order_of_the_file_changes_no_figure(tmp_path: Path, shipped: Pipeline) -> None:
    here = measured(tmp_path / "a", shipped, "judged")
    there = measured(tmp_path / "b", shipped, "judged", backwards=True)
    values = {figure.name: figure.value for figure in here.figures}
    for figure in there.figures:
        assert figure.value == pytest.approx(values[figure.name], abs=1e-6), figure.name


def test_chance_is_what_a_random_order_gives(tmp_path: Path, shipped: Pipeline) -> None:
    figures = {f.name: f for f in measured(tmp_path, shipped, "judged").figures}
    assert figures["rewriting.newsmet.test.generation.first.chance"].value == pytest.approx(2 / 6)
    assert figures["rewriting.newsmet.test.interpretation.first.chance"].value == pytest.approx(
        1 / 6
    )
    pooled = figures["rewriting.newsmet.valtest.pooled.auc"]
    assert pooled.n == 24
    assert pooled.data.split == "val+test"


def test_open_search_stands_beside_a_constant_and_its_ceiling(
    tmp_path: Path, shipped: Pipeline
) -> None:
    figures = {f.name: f for f in measured(tmp_path, shipped, "open").figures}
    for direction in ("generation", "interpretation"):
        own = figures[f"rewriting.open.{direction}.top20"]
        best = figures[f"rewriting.open.{direction}.top20.inventory"]
        assert own.value is not None and best.value is not None
        assert own.value <= best.value
        assert (
            figures[f"rewriting.open.{direction}.top20.constant"].value == 1.0
        )  # train is the test


def test_metaphoricity_is_measured_and_drawn(tmp_path: Path, shipped: Pipeline) -> None:
    pytest.importorskip("matplotlib")
    write_split(tmp_path / "newsmet" / "train_goldplus.csv")
    plot = tmp_path / "spread.svg"
    options = EvaluationOptions(data=tmp_path, parts=("metaphoricity",), plot=plot)
    judged, accepted = evaluate(options, shipped).figures
    assert (judged.n, accepted.n) == (6, 2)  # generation alone
    assert judged.value is not None and -1 <= judged.value <= 1
    assert "share of candidates" in plot.read_text()
