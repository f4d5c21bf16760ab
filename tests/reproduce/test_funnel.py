"""The funnel of a run stands beside the report, never in its rows."""

import json
from pathlib import Path

import pytest

from trope.cli.main import run
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.reproduce.report import funnel_table

FUNNEL = {
    "recipe": "newsmet",
    "steps": [
        {"name": "length", "in": 9, "out": 5, "dropped": {"short": 4}, "groups": {}},
        {"name": "silver", "in": 5, "out": 5, "groups": {"literal": 2}, "facts": {"share": "40 %"}},
    ],
    "published": [
        {"step": "length", "printed": "100k", "section": "3.1", "note": "a part"},
        {"step": "silver", "group": "literal", "printed": "4,939"},
        {"step": "silver", "group": "share", "printed": "about 33 %"},
        {"step": "lost", "printed": "7"},
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "funnel.json").write_text(json.dumps(FUNNEL), encoding="utf-8")
    return tmp_path


def test_counts_by_step_and_group(folder: Path) -> None:
    assert funnel_table(folder, "newsmet").rows == (
        ("length", "3.1", "100k", "5", "a part"),
        ("silver, literal", "", "4,939", "2", ""),
        ("silver, share", "", "about 33 %", "40 %", ""),
        ("lost", "", "7", "", ""),
    )


def test_rows_are_the_same_with_a_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = []
    for more in ([], ["--run", str(folder)]):
        with pytest.raises(SystemExit) as leave:
            run(["reproduce", "newsmet", "--json", *more])
        assert leave.value.code == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0]["rows"] == documents[1]["rows"]
    assert documents[1]["tables"][-1]["title"].startswith("Funnel")


def test_runs_that_do_not_fit(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(BadInput, match="is a run of newsmet; give one of mean"):
        funnel_table(folder, "mean")
    with pytest.raises(MissingData, match="trope recipe"):
        funnel_table(tmp_path_factory.mktemp("empty"), "mean")
    (folder / "funnel.json").write_text("[]", encoding="utf-8")
    with pytest.raises(BadRecord, match="not the funnel"):
        funnel_table(folder, "newsmet")
