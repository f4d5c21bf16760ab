"""Labels of an annotation project train and measure a system, without an export in between."""

import json
from pathlib import Path
from typing import Any

import pytest
from judged_projects import collect, tweets

from trope.cli.main import run

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (pip install 'trope[systems]')"
)


def command(*arguments: object) -> Any:
    with pytest.raises(SystemExit) as leave:
        run([str(argument) for argument in arguments])
    return leave.value.code


def test_a_project_is_what_a_system_is_trained_and_measured_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "p"
    collect(tweets(project, number=60, gold=0))
    asked = ("--on", project, "--question", "metaphorical")
    assert command("train", "metaphor", *asked, "--out", tmp_path / "system") == 0
    assert "a light system for metaphor" in capsys.readouterr().err
    trained = json.loads((tmp_path / "system/trope.json").read_text())["items"]
    measured = ("evaluate", "metaphor", *asked, "--system", tmp_path / "system", "--json")
    assert command(*measured, "--quiet") == 0
    figures = {f["name"]: f for f in json.loads(capsys.readouterr().out)["figures"]}
    assert 0 < figures["metaphor.own.system.accuracy"]["n"] <= 60 - trained
    assert command("train", "metaphor", "--on", project, "--out", tmp_path / "other") == 2
    assert "name one with --question" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()
