"""Labels of a user's own fine-tune an encoder: sentences, verbs, scores, names; then it is used."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[hub]')")
pytest.importorskip("transformers")

import hub_folder
from own_labels import write_table
from trope.cli.main import run as run_command
from trope.core.records import Analysis
from trope.tasks.own_systems import open_system

pytestmark = pytest.mark.usefixtures("one_thread")

WHO = ("the town", "the mayor", "the old mayor", "we", "they", "the old town")
WHEN = ("early", "of the storm", "of the rain", "of the frost")
TEXTS = [
    (f"{who} grasp the {noun} {when} .", "grasp", label)
    for who, (noun, label), when in product(WHO, (("idea", "fig"), ("rope", "lit")), WHEN)
]
SETTINGS = """
level = "{level}"
model = "toy"
epochs = 15
rate = 1e-2
dropout = 0.0
batch = 4
max_length = 30
clip = 1.0
seed = 42
best_by = "{best_by}"
"""


class Result(NamedTuple):
    """What a command printed, and how it ended."""

    exit_code: int
    stdout: str
    stderr: str


def run(*arguments: object) -> Result:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as leave:
        run_command([str(argument) for argument in arguments])
    return Result(int(leave.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    for level, best_by in (("sentences", "accuracy"), ("words", "f1"), ("sentiment", "cosine")):
        text = SETTINGS.format(level=level.replace("sentiment", "sentences"), best_by=best_by)
        (tmp_path / f"{level}.toml").write_text(text)
    return hub_folder.write_encoder(tmp_path / "encoder")


def train(folder: Path, task: str, table: Path, config: str, *more: str) -> Result:
    return run(
        "train", task, "--on", table, "--model", folder / "encoder", "--out", folder / "system",
        "--config", folder / f"{config}.toml", "--device", "cpu", *more,
    )  # fmt: skip


@pytest.mark.parametrize(("level", "options"), [("sentences", []), ("words", ["--target", "verb"])])
def test_an_encoder_learns_labels_of_ones_own_and_is_measured_on_other_texts(
    encoder: Path, tmp_path: Path, level: str, options: list[str]
) -> None:
    table = write_table(tmp_path / "my table.csv", ("text", "verb", "label"), TEXTS)
    options = [*options, "--positive", "fig"]
    done = train(tmp_path, "metaphor", table, level, *options)
    assert done.exit_code == 0, done.stderr
    assert "a fine-tuned system for metaphor" in done.stderr
    system = tmp_path / "system"
    assert json.loads((system / "trope.json").read_text())["level"] == level
    assert "Trained on my table.csv" in (system / "README.md").read_text()
    trained = len(json.loads((system / "seen.json").read_text()))
    measured = run(
        "evaluate", "metaphor", "--on", table, *options, "--system", system, "--json", "--quiet"
    )
    figures = {f["name"]: f for f in json.loads(measured.stdout)["figures"]}
    assert 0 < figures["metaphor.own.system.accuracy"]["n"] == len(TEXTS) - trained
    assert figures["metaphor.own.system.accuracy"]["value"] == 1.0


def test_scores_of_ones_own(encoder: Path, tmp_path: Path) -> None:
    rows = [(text, "4" if label == "fig" else "-4") for text, _, label in TEXTS]
    table = write_table(tmp_path / "days.csv", ("text", "score"), rows)
    done = train(tmp_path, "sentiment", table, "sentiment")
    assert done.exit_code == 0, done.stderr
    system = open_system(tmp_path / "system", "sentiment").system
    texts = ("we grasp the idea early .", "we grasp the rope early .")
    good, bad = system.score([Analysis(text, (), (), ()) for text in texts])
    assert good > bad + 1


def test_names_of_ones_own(encoder: Path, tmp_path: Path) -> None:
    # the toy encoder knows few words, so that nouns stand for names
    rows = [
        (text, name, "place-for-people" if label == "fig" else "literal")
        for text, _, label in TEXTS
        for name in ("town", "mayor")
        if name in text
    ]
    table = write_table(tmp_path / "names.csv", ("text", "name", "reading"), rows)
    done = train(tmp_path, "metonymy", table, "sentences")
    assert done.exit_code == 0, done.stderr
    system = tmp_path / "system"
    measured = run("evaluate", "metonymy", "--on", table, "--system", system, "--json", "--quiet")
    figures = {f["name"]: f for f in json.loads(measured.stdout)["figures"]}
    trained = set(json.loads((system / "seen.json").read_text()))
    assert trained
    assert 0 < figures["metonymy.own.system.accuracy.fine"]["n"] < len(rows)
    assert figures["metonymy.own.system.accuracy.fine"]["value"] >= 0.5


def test_what_cannot_be_trained_is_refused_and_nothing_is_written(
    encoder: Path, tmp_path: Path
) -> None:
    table = write_table(tmp_path / "my.csv", ("text", "verb", "label"), TEXTS)
    for options, message in (
        (["--positive", "fig", "--target", "verb"], "of verbs, but the settings have level"),
        ([], "my.csv:2: the label 'fig' is not one of metaphors"),
    ):
        refused = train(tmp_path, "metaphor", table, "sentences", *options)
        assert refused.exit_code == 2
        assert message in refused.stderr
        assert not (tmp_path / "system").exists()
    missing = run("train", "metaphor", "--on", table, "--positive", "fig", "--model",
                  tmp_path / "none", "--out", tmp_path / "system")  # fmt: skip
    assert missing.exit_code == 2
    assert "give a folder, or a model of the Hub" in missing.stderr
