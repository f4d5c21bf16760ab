"""The benchmarks of the service at a small size: what they count is true, and they still run."""

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip("gunicorn", reason="gunicorn is not installed (pip install 'trope[annotate]')")

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_service_that_is_killed_under_load_loses_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    import annotation_kills

    small = ["--cycles", "4", "--people", "6", "--items", "600", "--databases", "sqlite"]
    assert annotation_kills.main([*small, "--model", "--ready-within", "120", "--no-keep"]) == 0
    said = capsys.readouterr().out
    assert "4 kills" in said
    assert "lost 0, doubled 0" in said
    assert "model lost 0, model doubled 0, model asked again 0" in said
    assert " 0 acknowledged" not in said


def test_crowd_over_http_fills_every_item_and_no_more(capsys: pytest.CaptureFixture[str]) -> None:
    import annotation_load

    small = ["--databases", "sqlite", "--only", "rate", "--people", "8", "--items", "12"]
    assert annotation_load.main([*small, "--runs", "1", "--no-keep", "--model"]) == 0
    said = capsys.readouterr().out
    assert "n 60  errors 0  over the cap 0  unsound 0  by the model " in said


def test_history_that_does_not_fit_the_database_is_noticed(tmp_path: Path) -> None:
    import annotation_kills
    import annotation_service

    project = annotation_service.make_project(tmp_path / "p", items=3)
    history = annotation_kills.History(acknowledged=["never stored"])
    assert annotation_kills.check(project, history)["lost"] == 1


def test_potato_is_left_out_with_a_reason_where_it_is_not_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import argparse

    import potato_load

    nowhere = argparse.Namespace(potato=tmp_path / "python", people=1)
    assert potato_load.measure(tmp_path, nowhere) == []
    assert "has no potato-annotation" in capsys.readouterr().out


FLAT, DOUBLED = [10.0] * 6, [10.0] * 3 + [20.0] * 3


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 0),
        ({"memory": DOUBLED}, 1),
        ({"work": DOUBLED}, 1),
        ({"times": DOUBLED}, 1),
        ({"times": DOUBLED, "load": DOUBLED}, 0),
        ({"failed_backups": 1}, 1),
        ({"submits": []}, 1),
    ],
)
def test_half_an_hour_that_was_not_even_is_noticed(
    changes: dict[str, Any], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import annotation_service
    import annotation_soak
    from annotation_clients import Submit

    books = annotation_service.Books(judgments=1, over_the_cap=0, twice=0, unbalanced=0)
    monkeypatch.setattr(annotation_service, "books", lambda _: books)
    even = dict.fromkeys(("memory", "times", "work", "load"), FLAT)
    stored = {"submits": [Submit(at=0, seconds=0.1, token="t", ok=True)]}
    course = annotation_soak.Course(**{**even, **stored, **changes})
    assert annotation_soak._verdict(Mock(), course) == status
