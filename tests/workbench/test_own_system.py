"""The workbench with systems of one's own: a light one, and a folder of the Hub's form."""

from pathlib import Path

import pytest
from benches import start, stop

import hub_folder
from own_labels import verb_rows, write_table
from trope.cli.main import run

TEXT = "The coach had to plant the doubt."


def scores_of(folder: Path, system: Path) -> dict[str, float]:
    """What the served system says of the words of a text, over HTTP."""
    bench = start(folder, "--system", str(system))
    try:
        status, found = bench.call("analyze", text=TEXT)
    finally:
        stop(bench)
    assert status == 200
    return {token["text"]: token["metaphor"] for token in found["tokens"]}


def test_a_light_system_judges_what_is_served(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    table = write_table(tmp_path / "mine.csv", ("text", "verb", "label"), verb_rows())
    command = ["train", "metaphor", "--on", str(table), "--target", "verb", "--out"]
    with pytest.raises(SystemExit) as leave:
        run([*command, str(tmp_path / "system")])
    assert not leave.value.code
    scores = scores_of(tmp_path, tmp_path / "system")
    assert scores["plant"] > 0.5
    assert scores["coach"] == 0.0  # it judges verbs


def test_a_folder_of_the_hub_judges_what_is_served(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[hub]')")
    hub_folder.write_encoder(tmp_path / "encoder", head="words")
    scores = scores_of(tmp_path, tmp_path / "encoder")
    assert all(0 < score < 1 for score in scores.values())  # random weights are never sure
