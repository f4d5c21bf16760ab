"""`trope evaluate analogy`: figures with their controls, predictions read back, bad input named."""

import json

import numpy as np
import pytest

from analogies import write_data
from metaphor_model import write_model
from trope.cli.main import run
from trope.core.errors import BadRecord, MissingData
from trope.core.files import sha256
from trope.corpora.mean import read_mean
from trope.evaluate import analogy
from trope.evaluate.analogy import evaluate
from trope.evaluate.analogy_figures import fold_interval
from trope.evaluate.options import EvaluationOptions
from trope.tasks.analogy import controls
from trope.tasks.analogy.cross_validation import KINDS, make_folds

CONTROLS = ("overlap", "surface", "static", "answer_only", "question_only")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Controls with few features and folds of two seeds: what is measured here is the wiring."""
    monkeypatch.setattr(controls, "_BUCKETS", 8)
    monkeypatch.setattr(controls, "_QUESTION_BUCKETS", 2)
    monkeypatch.setattr(analogy, "SEEDS", (0, 1))


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data")


def write_predictions(folder, data, *, seeds=(0,), spoil=None, repaired=True):
    """Predictions that are right for every item but the first."""
    mean = data / "mean" / "MEAN_datasetV1.csv"
    items = list(read_mean(mean))
    head = {"prepared_sha256": "p", "model": {"name": "toy", "sha256": {"m": "abc"}}}
    lines = [{**head, "data": {"mean": sha256(mean)}}]
    for kind in KINDS:
        for seed in seeds:
            for at, fold in enumerate(make_folds(items, kind, seed)):
                rows = [[0.0, 1.0, 0, 0] if n == 0 else [1.0, 0, 0, 0] for n in fold]
                line = {"job": f"two_stages/t1/{kind}/{seed}/{at}", "items": fold, "scores": rows}
                lines.append({**line, **({"repaired": rows} if repaired else {})})
    lines.append(
        {"job": "first/t1/all", "items": list(range(len(items))), "scores": [[1.0, 0, 0, 0]] * 24}
    )
    lines.append({"job": "choose/t1/paper/0", "items": [900], "scores": [[0.5, 0.5, 0, 0]]})
    if spoil:
        spoil(lines)
    folder.mkdir(exist_ok=True)
    (folder / "predictions.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return folder


def figures(evaluation):
    return {f.name.removeprefix("analogy.mean."): f for f in evaluation.figures}


def base(data, folder, **options):
    return evaluate(EvaluationOptions(data=data, tier="base", predictions=folder, **options))


def test_predictions_become_figures_with_controls_beside_them(data, tmp_path):
    evaluation = base(data, write_predictions(tmp_path / "pred", data, seeds=(0, 1)))
    found = figures(evaluation)
    for kind in KINDS:
        assert found[f"t1.{kind}.accuracy"].value == pytest.approx(23 / 24)
        assert found[f"t1.{kind}.repaired.accuracy"].value == pytest.approx(23 / 24)
        assert found[f"t1.{kind}.folds.accuracy"].low <= 23 / 24
    assert found["t1.proposed_only.accuracy"].value == 1.0
    assert found["choosing.paper.accuracy"].value == 0.5  # a tie is shared
    assert found["errors.t1.sDdA"].value == 1.0
    assert found["errors.all.dDdA"].value == 0.0
    assert {f"{name}.accuracy" for name in CONTROLS} <= set(found)
    assert evaluation.model_sha256 == "abc"
    assert not [name for name in found if name.startswith("wrong.")]


def test_controls_stand_beside_any_part(data, tmp_path):
    folder = write_predictions(tmp_path / "pred", data)
    found = figures(base(data, folder, parts=("domains",)))
    assert {f"{name}.accuracy" for name in CONTROLS} <= set(found)
    assert found["wrong.seed"].value == pytest.approx(1 / 4)
    assert "t1.grouped.accuracy" not in found


def test_a_round_with_a_fold_missing_is_left_out(data, tmp_path):
    folder = write_predictions(tmp_path / "pred", data, spoil=lambda lines: lines.pop(1))
    found = figures(base(data, folder))
    assert "t1.grouped.accuracy" not in found
    assert found["t1.random.accuracy"].value == pytest.approx(23 / 24)


@pytest.mark.parametrize(
    ("spoil", "line", "says"),
    [
        (lambda lines: lines[0]["data"].update(mean="other"), 1, "for other items"),
        (lambda lines: lines[2].pop("scores"), 3, "is not a prediction"),
        (lambda lines: lines[2]["scores"].pop(), 3, "one row of scores per item"),
        (lambda lines: lines[2]["scores"][0].append(1), 3, "without 4 scores"),
        (lambda lines: lines[2]["items"].__setitem__(0, 99), 3, "beyond the 24"),
    ],
)
def test_bad_predictions_are_named(data, tmp_path, spoil, line, says):
    folder = write_predictions(tmp_path / "pred", data, spoil=spoil)
    with pytest.raises(BadRecord, match=says) as caught:
        base(data, folder)
    assert caught.value.line == line


def test_tier_base_without_predictions_says_what_to_do(data, tmp_path):
    with pytest.raises(MissingData, match="trope train analogy"):
        evaluate(EvaluationOptions(data=data, tier="base"))
    with pytest.raises(MissingData, match=r"predictions\.jsonl"):
        base(data, tmp_path)


def test_the_light_ranker_is_measured_with_what_it_stood_on(data, tmp_path):
    without = write_model(tmp_path / "model")
    parts = ("choice", "static")
    found = figures(evaluate(EvaluationOptions(data=data, parts=parts, model=without)))
    assert 0 <= found["t2.grouped.accuracy"].value <= 1
    assert "static vectors alone" in found["t2.grouped.accuracy"].note
    shipped = figures(evaluate(EvaluationOptions(data=data, parts=("choice",))))
    assert "static vectors alone" not in shipped["t2.grouped.accuracy"].note
    assert found["t2.grouped.accuracy"].chosen_on == "inner folds of each training part"
    assert found["static.shipped.unit.accuracy"].value == found["static.accuracy"].value
    assert "unknown" in found["static.shipped.unit.accuracy"].note
    assert "t3.random.vs_overlap.mcnemar_p" in found


def test_static_answers_with_vectors_of_ones_own(data, tmp_path):
    vectors = tmp_path / "mine.txt"
    vectors.write_text("idea 1 0\nseed 1 0\nthinker 0 1\nsower 0 1\n")
    options = EvaluationOptions(data=data, parts=("static",), vectors=vectors)
    found = {f.name.removeprefix("analogy.mean."): f for f in evaluate(options).figures}
    assert found["static.own.unit.accuracy"].n == found["static.shipped.unit.accuracy"].n
    assert "are unknown" in found["static.own.unit.accuracy"].note


def test_same_seed_same_figures(data):
    def meaning(texts):
        rng = np.random.default_rng(0)
        return rng.normal(size=(len(texts), 8)).astype(np.float32)

    options = EvaluationOptions(data=data, parts=("choice",))
    assert evaluate(options, meaning) == evaluate(options, meaning)


def test_vectors_of_meaning_that_tell_are_used(data):
    golds = {item.gold.replace("_", " ") for item in read_mean(data / "mean/MEAN_datasetV1.csv")}

    def meaning(texts):
        """Right choices lie apart from all else."""
        return np.array(
            [[1.0, 0.1] if any(gold in text for gold in golds) else [0.1, 1.0] for text in texts],
            dtype=np.float32,
        )

    found = figures(evaluate(EvaluationOptions(data=data, parts=("choice",)), meaning))
    assert found["t1.grouped.accuracy"].value > 0.9
    assert "alone" not in found["t1.grouped.accuracy"].note


def test_interval_over_folds_is_the_paper_s():
    value, low, high = fold_interval([0.8] * 5 + [1.0] * 5, seed=0)
    assert value == pytest.approx(0.9)
    assert low == pytest.approx(0.84)
    assert high == pytest.approx(0.96)


def test_interval_over_items_agrees_with_scipy(data, tmp_path):
    stats = pytest.importorskip("scipy.stats")
    from trope.metrics.intervals import bootstrap_ratios

    shares = np.array([1.0] * 18 + [0.0] * 6)
    theirs = stats.bootstrap((shares,), np.mean, method="percentile", rng=0).confidence_interval
    ours = bootstrap_ratios(shares, np.ones(24), seed=0)[0]
    assert ours.low == pytest.approx(theirs.low, abs=0.05)
    assert ours.high == pytest.approx(theirs.high, abs=0.05)


def test_errors_are_drawn(data, tmp_path):
    pytest.importorskip("matplotlib")
    folder, plot = write_predictions(tmp_path / "pred", data), tmp_path / "errors.svg"
    base(data, folder, parts=("errors",), plot=plot)
    assert "same domain, other attribute" in plot.read_text()


def test_the_command_prints_one_document(data, tmp_path, capsys):
    folder = write_predictions(tmp_path / "pred", data)
    arguments = ["evaluate", "analogy", "--from", str(data), "--tier", "base"]
    with pytest.raises(SystemExit) as leave:
        run([*arguments, "--predictions", str(folder), "--part", "errors", "--json"])
    assert leave.value.code == 0
    assert json.loads(capsys.readouterr().out)["task"] == "analogy"
    with pytest.raises(SystemExit) as leave:
        run([*arguments[:-1], "huge"])
    assert leave.value.code == 2
    assert "no tier 'huge' for analogies" in capsys.readouterr().err
