"""`trope evaluate metaphor --part silver`: tables from predictions, controls, refusals."""

import hashlib
import json

import pytest

import hub_folder
from builders import FakePipeline
from newsmet_run import write_run
from trope.cli.main import run
from trope.evaluate.metaphor_silver import RUNS
from trope.release.newsmet_gold import read_newsmet_gold
from trope.tasks.metaphor.silver_sources import lines_to_predict

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (pip install 'trope[systems]')"
)

RIGHT = [0.1, 0.9, 0.8, 0.2, 0.3, 0.1, 0.2, 0.9]  # the labels of the toy split
WRONG = [1 - p for p in RIGHT]
PREFIX = "metaphor.newsmet.silver"


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    return hub_folder.write_corpora(tmp_path / "data")


def predictions(data, run, seed, values, *, score=0.5, changed=None):
    told = {
        "run": run,
        "seed": seed,
        "epoch": 2,
        "model": {"name": "toy", "sha256": "ab" * 32},
        "prepared_sha256": "cd" * 32,
        "tests_sha256": hashlib.sha256(lines_to_predict(data).encode()).hexdigest(),
        "validation_score": score,
        "predictions": {
            "test_1": [0.9, 0.1], "test_2": [0.9, 0.9], "newsmet_val": RIGHT,
            "newsmet_test": values},
    }  # fmt: skip
    folder = data.parent / "predictions"
    folder.mkdir(exist_ok=True)
    (folder / f"{run}-{seed}.json").write_text(json.dumps(told | (changed or {})))
    return folder


def evaluate(data, capsys, *options, status=0):
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "metaphor", "--part", "silver", "--from", str(data), "--json", *options])
    said = capsys.readouterr()
    assert leave.value.code == status, said.err
    if status:
        return said.err
    return {figure["name"]: figure for figure in json.loads(said.out)["figures"]}


def test_tables_stand_beside_the_printed_ones(data, capsys):
    for name in RUNS:
        folder = predictions(data, name, 42, WRONG if name == "d_imbal" else RIGHT)
    figures = evaluate(data, capsys, "--predictions", str(folder))
    assert figures[f"{PREFIX}.test_1.d_imbal.f1_metaphorical"]["value"] == 1
    assert figures[f"{PREFIX}.test_1.d_imbal.f1_metaphorical.published"]["value"] == 0.78
    assert figures[f"{PREFIX}.test_2.d_bal.f1_literal"]["value"] == 0
    assert figures[f"{PREFIX}.test_2.d_bal.f1_literal.published"]["value"] == 0.58
    run = "d_imbal_gold_plus_all_six"
    assert figures[f"{PREFIX}.test.{run}.accuracy"]["value"] == 1
    assert figures[f"{PREFIX}.test.{run}.f1.published"]["value"] == 0.62
    assert figures[f"{PREFIX}.gold.{run}.accuracy"]["n"] == 2
    assert figures[f"{PREFIX}.test.{run}.accuracy"]["chosen_on"] == "validation"
    assert "toy abababababab" in figures[f"{PREFIX}.test.{run}.accuracy"]["note"]
    assert figures[f"{PREFIX}.test.{run}.vs_d_imbal.mcnemar"]["value"] == 0
    assert figures[f"{PREFIX}.test.{run}.vs_d_imbal.mcnemar_p"]["value"] == pytest.approx(2 / 2**8)
    assert "exact binomial" in figures[f"{PREFIX}.test.{run}.vs_tfidf.mcnemar"]["note"]
    assert figures[f"{PREFIX}.test.constant.accuracy"]["value"] == pytest.approx(3 / 8)


def test_the_seed_is_chosen_on_validation_data_and_the_spread_is_shown(data, capsys):
    predictions(data, "d_imbal", 42, WRONG, score=0.7)
    folder = predictions(data, "d_imbal", 43, RIGHT, score=0.6)
    figures = evaluate(data, capsys, "--predictions", str(folder))
    name = f"{PREFIX}.test.d_imbal.accuracy"
    assert figures[name]["value"] == 0
    assert "seed 42" in figures[name]["note"]
    assert figures[f"{name}.mean"]["value"] == 0.5
    assert figures[f"{name}.sd"]["value"] == pytest.approx(0.5**0.5)
    assert "42, 43" in figures[f"{name}.mean"]["note"]


def test_counts_are_shown_beside_the_papers(data, capsys):
    folder = predictions(data, "d_imbal", 42, RIGHT)
    summary = {
        "counts": {"d_imbal": {"metaphorical": 7, "total": 9}},
        "paper": {"d_imbal": {"metaphorical": "52k"}},
        "missing": {"grothe": "none"},
        "stand_in": "plain ones",
    }
    (folder / "summary.json").write_text(json.dumps(summary))
    figures = evaluate(data, capsys, "--predictions", str(folder))
    assert figures[f"{PREFIX}.d_imbal.items.metaphorical"]["value"] == 7
    assert figures[f"{PREFIX}.d_imbal.items.metaphorical"]["note"] == "paper: 52k"
    assert figures[f"{PREFIX}.d_imbal.items.total"]["note"] == "missing: grothe"
    (folder / "summary.json").write_text("[]")
    assert "summary.json: is not a summary" in evaluate(
        data, capsys, "--predictions", str(folder), status=2
    )


def test_without_predictions_there_are_the_controls(data, capsys):
    names = evaluate(data, capsys)
    assert {name.split(".")[4] for name in names} == {"constant", "tfidf"}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"tests_sha256": "00"}, "other test sets"),
        ({"predictions": {"test_1": [0.5]}}, "one prediction per item"),
        ({"run": "d_huge"}, "the run 'd_huge'"),
        ({"seed": "x"}, "is not a file of predictions"),
        ({"prepared_sha256": "ef"}, "another preparation"),
    ],
)
def test_predictions_that_do_not_belong_are_named_by_file(data, capsys, changed, words):
    folder = predictions(data, "d_bal", 1, RIGHT)
    told = predictions(data, "d_imbal", 42, RIGHT, changed=changed)
    assert told == folder
    error = evaluate(data, capsys, "--predictions", str(folder), status=2)
    assert "d_imbal-42.json" in error
    assert words in error


@pytest.mark.parametrize("simulated", [True, False])
def test_own_gold_judges_what_was_trained_with_it(data, capsys, tmp_path, simulated):
    gold = write_run(tmp_path / "run", simulated=simulated)
    own = read_newsmet_gold(gold)
    right = [0.9 if headline.metaphor else 0.1 for headline in own.read("test")]
    changed = {
        "tests_sha256": hashlib.sha256(own.lines_to_predict().encode()).hexdigest(),
        "predictions": {own.test_set: right},
    }
    for name in ("d_imbal", own.run("all_six"), own.run("accepted_only")):
        folder = predictions(data, name, 1, RIGHT, changed=changed)
    (folder / "summary.json").write_text("{}")
    options = ("--predictions", str(folder), "--gold", str(gold))
    figures = evaluate(data, capsys, *options)
    crowd = "simulated" if simulated else "own"
    assert {name.removeprefix(f"{PREFIX}.").split(".")[0] for name in figures} == {
        f"{crowd}_test",
        f"{crowd}_gold",
    }
    run = own.run("accepted_only")
    assert figures[f"{PREFIX}.{crowd}_test.{run}.accuracy"]["value"] == 1
    assert figures[f"{PREFIX}.{crowd}_test.{run}.vs_d_imbal.mcnemar_p"]["value"] == 1
    assert figures[f"{PREFIX}.{crowd}_gold.{run}.accuracy"]["n"] == sum(
        headline.gold for headline in own.read("test")
    )
    assert not [name for name in figures if "published" in name]
    without = evaluate(data, capsys, "--predictions", str(folder), status=2)
    assert "was predicted for other test sets; give the data and the --gold" in without


def test_figures_of_a_simulated_crowd_are_never_ours(data, capsys, tmp_path):
    gold = write_run(tmp_path / "run")
    with pytest.raises(SystemExit):
        run(["evaluate", "metaphor", "--part", "silver", "--from", str(data), "--json",
             "--gold", str(gold)])  # fmt: skip
    (tmp_path / "figures.json").write_text(capsys.readouterr().out)
    with pytest.raises(SystemExit) as leave:
        run(["reproduce", "newsmet", "--ours", str(tmp_path / "figures.json")])
    assert leave.value.code == 2
    assert "which a simulated crowd made; give figures of labels that people gave" in (
        capsys.readouterr().err
    )


def test_a_folder_without_predictions_and_a_seed_twice(data, capsys):
    (data.parent / "empty").mkdir()
    error = evaluate(data, capsys, "--predictions", str(data.parent / "empty"), status=2)
    assert "trope train metaphor --silver" in error
    folder = predictions(data, "d_imbal", 42, RIGHT)
    (folder / "again-42.json").write_bytes((folder / "d_imbal-42.json").read_bytes())
    assert "has a seed twice" in evaluate(data, capsys, "--predictions", str(folder), status=2)


def test_a_detector_is_measured_at_its_own_threshold(data, capsys):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    model = hub_folder.write_encoder(data.parent / "model", head="sentences")
    notes = {"level": "sentences", "threshold": 0.0, "chosen_on": "toys", "max_length": 20}
    (model / "trope.json").write_text(json.dumps(notes))
    figures = evaluate(data, capsys, "--model-folder", str(model))
    assert figures[f"{PREFIX}.test.model.recall"]["value"] == 1  # everything is at or above 0
    assert figures[f"{PREFIX}.test.model.recall"]["chosen_on"] == "toys"
    notes["threshold"] = 1.1
    (model / "trope.json").write_text(json.dumps(notes))
    figures = evaluate(data, capsys, "--model-folder", str(model))
    assert figures[f"{PREFIX}.test.model.recall"]["value"] == 0
