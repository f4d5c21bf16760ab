"""Scores in tables of a spreadsheet that writes decimal commas and typographic minus signs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from own_labels import score_rows, write_table
from trope.cli.main import main


def trope(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def test_labels_of_ones_own(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (trope[systems])")
    rows = [(text, f"{float(score):.1f}".replace(".", ",")) for text, score in score_rows()]
    lowest = min(range(len(rows)), key=lambda at: float(score_rows()[at][1]))
    rows[lowest] = (rows[lowest][0], rows[lowest][1].replace("-", "−"))
    assert any("−" in score for _, score in rows)
    comma = write_table(tmp_path / "comma.csv", ("Satz", "score"), rows, delimiter=";")
    point = write_table(tmp_path / "point.csv", ("Satz", "score"), score_rows())
    options = ("--column", "Satz", "--folds", "3", "--json", "--quiet")
    first, second = (
        json.loads(trope("evaluate", "sentiment", "--on", table, *options).stdout)["figures"]
        for table in (comma, point)
    )
    assert [figure["value"] for figure in first] == [figure["value"] for figure in second]


def test_what_is_still_no_number_is_refused_with_its_line(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (trope[systems])")
    bad = write_table(tmp_path / "bad.csv", ("Satz", "score"), [("So it goes", "1,234,5")])
    refused = trope("train", "sentiment", "--on", bad, "--column", "Satz", "--out", tmp_path / "s")
    assert "bad.csv:2: the score '1,234,5' is not a number from -5 to 5" in str(refused.exception)


def test_delivered_scores(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("id;score\n9001;2,5\n9002;-2,5\n")
    given = ("data", "deliver", tmp_path / "s.csv", "--integer", "--out", tmp_path / "d")
    assert trope(*given).exit_code == 0
    assert (tmp_path / "d").read_text() == "9001\t3\n9002\t-2\n"  # halves go up
