"""`trope detect FOLDER --metadata TABLE`: what a spreadsheet says of files becomes columns."""

import json
from pathlib import Path

import pytest
from detect_in_process import rows, trope

from builders import FakePipeline
from trope.core.errors import BadRecord
from trope.scale import executors

_TABLE = "File,party,date\na.txt,Red,2019-03-05\nb,Green,2020-01-02\n"


@pytest.fixture(autouse=True)
def speeches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder with three speeches and a table of two of them."""
    monkeypatch.setattr(executors, "load_pipeline", lambda threads: FakePipeline(metaphor=True))
    monkeypatch.chdir(tmp_path)
    Path("speeches").mkdir()
    for name in "abc":
        Path(f"speeches/{name}.txt").write_text(f"Rain hammers the roof of {name}.\n")
    Path("speeches/about.csv").write_text(_TABLE)


def _write(*lines: str) -> None:
    Path("speeches/about.csv").write_text("\n".join(lines) + "\n")


def test_files_get_the_columns_of_their_rows() -> None:
    done = trope("speeches", "--metadata", "speeches/about.csv", "--out", "out")
    assert done.exit_code == 0
    found = [(row["file"], row["party"], row["date"]) for row in rows()]
    assert found == [
        ("speeches/a.txt", "Red", "2019-03-05"),
        ("speeches/b.txt", "Green", "2020-01-02"),
        ("speeches/c.txt", None, None),
    ], "the table itself is no text"
    assert "speeches/c.txt: has no row in speeches/about.csv; its columns are empty" in done.stderr
    settings = json.loads(Path("out/manifest.json").read_text())["settings"]
    assert settings["metadata"] == "speeches/about.csv"
    assert settings["columns"] == ["text", "party", "date"]


def test_columns_can_be_chosen_and_folders_tell_files_apart() -> None:
    Path("speeches/old").mkdir()
    Path("speeches/old/a.txt").write_text("Time ate the walls.\n")
    _write("path,party", "speeches/a.txt,Red", "old/a.txt,Grey", "b.txt,Green", "c.txt,Blue")
    trope("speeches", "--metadata", "speeches/about.csv", "--columns", "party", "--out", "out")
    assert {row["file"]: row["party"] for row in rows()} == {
        "speeches/a.txt": "Red",
        "speeches/b.txt": "Green",
        "speeches/c.txt": "Blue",
        "speeches/old/a.txt": "Grey",
    }


def test_what_a_table_of_texts_says_itself_counts_more() -> None:
    Path("letters.csv").write_text("text,party\nTime ate the walls.,Own\n")
    _write("file,party,year", "letters.csv,Other,1920")
    trope("letters.csv", "--metadata", "speeches/about.csv", "--out", "out")
    assert [(row["party"], row["year"]) for row in rows()] == [("Own", "1920")]


def test_without_a_table_nothing_changes() -> None:
    Path("speeches/about.csv").unlink()
    assert trope("speeches", "--out", "out").exit_code == 0
    assert [row["file"] for row in rows()] == [f"speeches/{name}.txt" for name in "abc"]
    missing = trope("speeches", "--metadata", "none.csv", "--out", "other")
    assert missing.exit_code == 2 and "none.csv" in missing.stderr


def test_a_table_about_files_that_is_taken_for_texts_names_the_option() -> None:
    with pytest.raises(BadRecord, match=r"holds the text: File, party, date; .* with --metadata"):
        trope("speeches", "--out", "out")


def test_a_changed_table_is_another_run() -> None:
    command = ("speeches", "--metadata", "speeches/about.csv", "--out", "out")
    trope(*command)
    _write("file,party,date", "a.txt,Green,2019-03-05")
    with pytest.raises(Exception, match="metadata"):
        trope(*command, "--resume")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("name,party", "a.txt,Red"), r"about.csv:2: has no column of file names \(name, party\)"),
        (("file,party", "a.txt,Red", "a.txt,Blue"), r"about.csv:3: names 'a.txt' again"),
        (("file,party", "z.txt,Red"), r"names none of the files .*'z.txt', but not 'speeches/a"),
        (("file,party",), r"about.csv:1: has no rows"),
    ],
)
def test_tables_that_do_not_fit_are_refused(lines: tuple[str, ...], said: str) -> None:
    _write(*lines)
    with pytest.raises(BadRecord, match=said):
        trope("speeches", "--metadata", "speeches/about.csv", "--out", "out")
    assert not Path("out").exists()


def test_a_name_that_two_files_have_is_refused() -> None:
    Path("speeches/old").mkdir()
    Path("speeches/old/a.txt").write_text("Time ate the walls.\n")
    with pytest.raises(BadRecord, match=r"'a.txt' may be speeches/a.txt or speeches/old/a.txt"):
        trope("speeches", "--metadata", "speeches/about.csv", "--out", "out")
