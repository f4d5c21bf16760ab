"""`trope evaluate rewriting` on headlines of our own: the order of a file tells nothing."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from trope import Pipeline
from trope.evaluate.options import EvaluationOptions
from trope.evaluate.rewriting import evaluate
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


def write_swords(folder: Path) -> None:
    """One target with two judged substitutes, in the form of the release."""
    text = "The mayor swallows the old plan ."
    labels = {"s1": ["TRUE"] * 10, "s2": ["FALSE"] * 10}
    document = {
        "contexts": {"c1": {"context": text, "extra": {"coinco_ids": ["f.txt:s1"]}}},
        "targets": {
            "t1": {
                "context_id": "c1", "target": "swallows", "offset": text.index("swallows"),
                "pos": "VERB", "extra": {"coinco_ids": ["7"], "coinco_lemma": "swallow"},
            }
        },
        "substitutes": {
            name: {"target_id": "t1", "substitute": word, "extra": {"sources": []}}
            for name, word in (("s1", "accept"), ("s2", "melt"))
        },
        "substitute_labels": labels,
    }  # fmt: skip
    folder.mkdir(parents=True)
    with gzip.open(folder / "swords-v1.1_test.json.gz", "wt") as file:
        json.dump(document, file)


def test_a_masked_language_model_is_measured_beside_us_on_swords(
    tmp_path: Path, shipped: Pipeline
) -> None:
    transformers = pytest.importorskip("transformers")
    from hub_folder import write_encoder

    folder = write_encoder(tmp_path / "model")
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    write_swords(tmp_path / "data" / "swords")
    options = EvaluationOptions(data=tmp_path / "data", parts=("swords",), detector=folder)
    figures = {f.name: f for f in evaluate(options, shipped).figures}
    prefix = "rewriting.swords.test.f10_lenient"
    assert {f"{prefix}{name}" for name in ("", ".neighbours", ".masked_lm")} <= figures.keys()
    # of the judged words its vocabulary has "melt" alone, which nobody accepted
    assert figures[f"{prefix}.masked_lm"].value == 0
