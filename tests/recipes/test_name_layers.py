"""A run of semeval2007 on own texts: the review sheet, and the files of the task."""

import csv
from pathlib import Path

import pytest

from trope.cli.main import run
from trope.corpora.semeval2007 import read_samples
from trope.corpora.semeval2007_answers import read_name_key
from trope.corpora.semeval2007_layers import read_roles, read_standoff, read_tagged, roles_of

NOTES = (
    "It was late. Peru refused to sign. Nobody spoke.",
    "We slept in Kenya & woke early. It rained.",
    "The old road to Norway is closed.",
    "Canada's ships left. The end.",
    "Reading Peru aloud is fun.",
    "Toyota apologised to everybody.",
    "They bought Toyota for a pound.",
)


SURE = ("crowd.skill=1.0", "crowd.spread=0.0", "doubts.settled=1.0")  # all samples get a label


def go(*arguments: object) -> int:
    with pytest.raises(SystemExit) as leave:
        run([*map(str, arguments)])
    return int(leave.value.code or 0)


def run_recipe(folder: Path, *more: str) -> int:
    table = folder / "notes.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["nr", "note"], *enumerate(NOTES, 1)])
    settings = (f"sources.texts={table}:note", *SURE)
    changes = [word for one in settings for word in ("--set", one)]
    return go("recipe", "run", "semeval2007", "--out", folder / "run", *changes, "--quiet", *more)


def review(sheet: Path, decisions: dict[str, str]) -> None:
    with sheet.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["decision"] = next((d for part, d in decisions.items() if part in row["text"]), "")
    with sheet.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def test_reviewed_samples_are_left_out_and_the_task_files_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_recipe(tmp_path) == 0
    assert "to review: homonyms and unclear samples, in review.csv" in capsys.readouterr().out
    assert go("recipe", "layers", tmp_path / "run", "--out", tmp_path / "task") == 2
    assert "labels.jsonl: not found; run the recipe again" in capsys.readouterr().err
    assert not (tmp_path / "task").exists()
    review(tmp_path / "run" / "review.csv", {"Reading": "homonym"})
    assert run_recipe(tmp_path, "--simulate") == 0
    assert "− 1 homonym" in capsys.readouterr().out
    assert go("recipe", "layers", tmp_path / "run", "--out", tmp_path / "task") == 0
    task = tmp_path / "task"
    found = {}
    for path in sorted(task.glob("*.key")):
        subset = path.stem
        samples = list(read_samples(task / f"{subset}.xml"))
        name_class = samples[0].name_class
        key = read_name_key(path, name_class, "fine")
        assert key.labels == {sample.id: sample.reading for sample in samples}
        tagged = list(read_tagged(task / f"{subset}.tagged.xml"))
        for sample, words in zip(samples, tagged, strict=True):
            assert words.id == sample.id
            assert " ".join(word.text for word in words.name) == sample.name
            assert all(word.tag for sentence in words.sentences for word in sentence)
        assert [one.words for one in read_standoff(task / f"{subset}.standoff")] == [
            words.name for words in tagged
        ]
        roles = roles_of(samples, read_roles(task / f"{subset}.roles"))
        found |= {sample.sentence: roles[sample.id] for sample in samples}
    assert ("subj", "refuse") in found["Peru refused to sign."]
    assert ("pp", "to") in found["The old road to Norway is closed."]
    assert ("obj", "buy") in found["They bought Toyota for a pound."]
    assert len(found) == 6
    with (task / "samples.csv").open(newline="", encoding="utf-8") as file:
        items = [row["item"] for row in csv.DictReader(file)]
    assert len(items) == len(set(items)) == len(found)
    assert not any("-5-" in item for item in items)


def test_other_runs_and_bad_sheets_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_recipe(tmp_path) == 0
    review(tmp_path / "run" / "review.csv", {"Kenya": "perhaps"})
    assert run_recipe(tmp_path) == 2
    said = capsys.readouterr().err
    assert "review.csv:3: sample 'notes-2-1': unknown decision 'perhaps'" in said
    assert go("recipe", "layers", tmp_path, "--out", tmp_path / "task") == 2
    assert not (tmp_path / "task").exists()


def test_sheet_that_is_not_there_is_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_recipe(tmp_path, "--set", f"review={tmp_path / 'none.csv'}") == 2
    assert "none.csv: not found" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_sheet_that_a_spreadsheet_saved_with_semicolons_is_read(tmp_path: Path) -> None:
    assert run_recipe(tmp_path) == 0
    sheet = tmp_path / "run" / "review.csv"
    review(sheet, {"Reading": "homonym"})
    with sheet.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    with sheet.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    assert run_recipe(tmp_path) == 0
    dropped = (tmp_path / "run" / "dropped.jsonl").read_text(encoding="utf-8")
    assert '"homonym"' in dropped
