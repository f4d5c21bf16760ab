"""What a stranger does wrong first, and whether the answer says what to do."""

import subprocess
import sys
from pathlib import Path

import pytest

from builders import FakePipeline
from trope.cli import analyze
from trope.cli.main import run
from trope.scale import executors

Capsys = pytest.CaptureFixture[str]


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as leave:
        run(arguments)
    assert leave.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return "table.csv"


def test_a_table_without_a_text_column(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = said(["analyze", table], capsys)
    assert "table.csv:2: no column is called 'text' (found: a, b)" in words
    assert "name it with --column" in words


def test_a_group_that_is_no_column(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(table).write_text("text\nRain fell.\n", encoding="utf-8")
    words = said(["analyze", table, "--summary", "--by", "source"], capsys)
    assert "no column 'source' to group by; it has no other than the text" in words


@pytest.mark.parametrize(
    ("arguments", "corpus"),
    [(["evaluate", "syntax", "--part", "ewt"], "ewt"), (["audit", "moh"], "moh")],
)
def test_data_that_is_not_there(
    arguments: list[str], corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (trope[systems])")
    words = said([*arguments, "--from", str(tmp_path)], capsys)
    assert f"'trope data info {corpus}' says how to get it" in words


def test_a_missing_choice_is_told_in_one_line(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = said(["score", "metonymy", table, table], capsys)
    assert "Choose from: coarse, medium, fine; try 'trope score metonymy --help'" in words


@pytest.mark.parametrize(
    ("out", "fault"),
    [
        ("folder", "folder: is a directory; give the name of a file"),
        ("table.csv/page.html", "table.csv: file exists; it is no folder; give another path"),
        (f"{'long' * 100}.html", "file name too long; give a shorter name"),
    ],
)
def test_a_file_that_cannot_be_written(
    out: str, fault: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("folder").mkdir()
    words = said(["analyze", "Rain fell.", "--only", "syntax", "--out", out], capsys)
    assert fault in words
    assert {path.name for path in Path().iterdir()} == {table, "folder"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", ["text", "json"])
def test_output_that_has_no_room(form: str) -> None:
    command = [sys.executable, "-m", "trope", "analyze", "Rain fell.", "--format", form]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    said = "trope: the output: no space left on device; free some space, or write elsewhere\n"
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.parametrize("command", [["analyze", "in.txt"], ["detect", "in.txt", "--out", "out"]])
def test_the_larger_model_is_asked_for_in_both_commands(
    command: list[str], table: str, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    Path("in.txt").write_text("Rain ate roads.\n", encoding="utf-8")
    seen: list[dict[str, object]] = []

    def load(threads: int | None, **further: object) -> FakePipeline:
        seen.append(further)
        return FakePipeline(metaphor=True)

    monkeypatch.setattr(analyze, "load_pipeline", load)
    monkeypatch.setattr(executors, "load_pipeline", load)
    weights = Path.cwd() / "weights"
    with pytest.raises(SystemExit) as leave:
        run([*command, "--tier", "base", "--base-weights", str(weights)])
    assert leave.value.code == 0
    assert seen == [{"tier": "base", "base_weights": weights}]
    capsys.readouterr()
    words = said([*command, "--base-weights", str(weights)], capsys)
    assert "--base-weights is for the larger model; add --tier base, or leave it out" in words
