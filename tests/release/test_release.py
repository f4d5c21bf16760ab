"""A release can be read by others, leaks nothing, and says what it is."""

import csv
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from finished import LABELS, sentences, write_lines, write_run

from trope.cli.main import run
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.release.croissant import check_croissant
from trope.release.folder import ReleaseOptions, make_release
from trope.release.tables import hub_licence

parquet = pytest.importorskip(
    "pyarrow.parquet", reason="pyarrow is not installed (pip install 'trope[release]')"
)
pytest.importorskip(
    "mlcroissant", reason="mlcroissant is not installed (pip install 'trope[release]')"
)
PARTS = ("train", "validation", "test")


def rows(release: Path, name: str) -> list[dict[str, str]]:
    return parquet.read_table(release / name).to_pylist()


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_release(write_run(folder / "run"), folder / "release")
    return folder / "release"


def test_every_item_is_in_one_part_with_its_label(release: Path) -> None:
    found = [row for part in PARTS for row in rows(release, f"data/{part}.parquet")]
    assert sorted(row["id"] for row in found) == sorted(f"i{at}" for at in range(192) if at % 7)
    assert all(row["label"] for row in found)
    one = next(row for row in found if row["id"] == "i1")
    assert (one["label"], one["text"]) == (LABELS[1], sentences(192)[1])
    assert one["field_label"] == "old"  # a field that is called like a column of ours
    others = rows(release, "left_out/train.parquet")
    assert [row["id"] for row in others] == [f"i{at}" for at in range(0, 192, 7)]
    assert {row["reason"] for row in others} == {"no majority"}


def test_a_field_of_several_values_is_one_cell(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    path = folder / "items.jsonl"
    items = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for item in items:
        item["fields"]["literal"] = ["grows", "swells"]
    write_lines(path, items)
    make_release(folder, tmp_path / "out")
    train = rows(tmp_path / "out", "data/train.parquet")
    assert {row["literal"] for row in train} == {"grows|swells"}


def test_groups_are_in_one_part(release: Path) -> None:
    groups = [{row["group"] for row in rows(release, f"data/{p}.parquet")} for p in PARTS]
    verbs = [{row["verb"] for row in rows(release, f"data/{p}.parquet")} for p in PARTS]
    for found in (groups, verbs):
        assert not found[0] & found[1]
        assert not found[0] & found[2]
        assert not found[1] & found[2]


def test_csv_says_the_same(release: Path) -> None:
    for part in PARTS:
        with (release / f"csv/{part}.csv").open(encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        assert [row["id"] for row in table] == [
            row["id"] for row in rows(release, f"data/{part}.parquet")
        ]


def test_annotators_are_pseudonyms_and_notes_stay_out(release: Path) -> None:
    found = rows(release, "judgments/judgments.parquet")
    assert len(found) == 3 * 192
    assert {row["question"] for row in found} == {"figure"}
    assert {row["annotator"] for row in found} == {f"annotator-{n}" for n in (1, 2, 3)}
    everything = "".join(
        path.read_text("utf-8", "replace") for path in release.rglob("*") if path.is_file()
    )
    assert "example.org" not in everything
    assert "by ann" not in everything
    assert "/srv/somebody" not in everything


def test_checksums_are_of_all_files(release: Path) -> None:
    lines = (release / "SHA256SUMS").read_text("utf-8").splitlines()
    listed = dict(reversed(line.split("  ")) for line in lines)
    there = {p.relative_to(release).as_posix() for p in release.rglob("*") if p.is_file()}
    assert set(listed) == there - {"SHA256SUMS"}
    for name, checksum in listed.items():
        assert hashlib.sha256((release / name).read_bytes()).hexdigest() == checksum


def test_the_same_run_gives_the_same_bytes(release: Path, tmp_path: Path) -> None:
    make_release(release.parent / "run", tmp_path / "again")
    sums = [(folder / "SHA256SUMS").read_text() for folder in (release, tmp_path / "again")]
    assert sums[0] == sums[1]


def test_a_simulated_crowd_is_named_everywhere(release: Path) -> None:
    card = (release / "README.md").read_text("utf-8")
    assert 'pretty_name: "toy-simulated"' in card
    assert "- machine-generated" in card
    assert "> **Simulated.**" in card
    assert "3.00 of them per item" in card
    assert "Agreement: Fleiss' kappa: overall 0.500, first half 0.250." in card
    metadata = json.loads((release / "croissant.json").read_text("utf-8"))
    assert metadata["name"] == "toy-simulated"
    assert "simulated crowd" in metadata["description"]


@pytest.mark.filterwarnings("default")
def test_croissant_is_valid_and_leads_to_the_rows(release: Path) -> None:
    import mlcroissant

    check_croissant(release / "croissant.json")
    metadata = json.loads((release / "croissant.json").read_text("utf-8"))
    responsible = {name for name in metadata if name.startswith("rai:")}
    assert {
        "rai:dataCollection",
        "rai:dataAnnotationProtocol",
        "rai:annotationsPerItem",
        "rai:dataLimitations",
        "rai:personalSensitiveInformation",
    } <= responsible
    dataset = mlcroissant.Dataset(jsonld=str(release / "croissant.json"))
    found = list(dataset.records("test"))
    assert len(found) == len(rows(release, "data/test.parquet"))
    assert found[0]["test/id"].decode() == rows(release, "data/test.parquet")[0]["id"]


@pytest.mark.filterwarnings("default")
def test_hugging_face_reads_it(release: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    loaded = datasets.load_dataset(str(release), cache_dir=str(tmp_path / "cache"))
    assert {part: loaded[part].num_rows for part in PARTS} == {
        part: len(rows(release, f"data/{part}.parquet")) for part in PARTS
    }
    judgments = datasets.load_dataset(
        str(release), "judgments", split="train", cache_dir=str(tmp_path / "cache")
    )
    assert judgments.num_rows == 3 * 192


@pytest.mark.filterwarnings("default")
def test_releases_of_one_name_are_told_apart_by_hugging_face(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    found = {}
    for number in (128, 192):
        folder = tmp_path / f"of {number}" / "release"
        make_release(write_run(tmp_path / f"run {number}", number), folder)
        # where the library keeps what it has read, by the name of the folder
        loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
        found[number] = sum(loaded.num_rows.values())
    assert found == {n: sum(1 for at in range(n) if at % 7) for n in (128, 192)}


@pytest.mark.parametrize("kind", ["tweets", "headlines", "bnc"])
def test_texts_that_may_not_be_passed_on_are_left_out(kind: str, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", text_is=kind)
    summary = make_release(folder, tmp_path / "out")
    assert not summary.permission.with_text
    assert summary.permission.withheld == ("quoted",)
    found = rows(tmp_path / "out", "data/train.parquet")
    assert {"text", "quoted"} & set(found[0]) == set()
    assert found[0]["source_id"]
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert b"harbour" not in path.read_bytes()
    told = make_release(folder, tmp_path / "told", ReleaseOptions(with_text=True))
    assert "on the word of whoever made it" in (tmp_path / "told/README.md").read_text("utf-8")
    assert "text" in told.types


@pytest.mark.parametrize(
    ("licence", "spelt"),
    [("CC BY 4.0", "cc-by-4.0"), ("CC-BY-SA-4.0", "cc-by-sa-4.0"), ("research use", "other")],
)
def test_licences_as_the_hub_spells_them(licence: str, spelt: str) -> None:
    assert hub_licence(licence) == spelt


def test_the_command_says_what_it_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    folder = write_run(tmp_path / "run")
    with pytest.raises(SystemExit) as leave:
        run(["release", str(folder), "--json", "--published", "2026-11-15", "--creator", "A. B."])
    assert leave.value.code == 0
    said = json.loads(capsys.readouterr().out)
    assert sum(said["parts"].values()) == 164
    assert said["further"] == {"left_out": {"train": 28}}
    assert said["simulated"] is True
    audit = json.loads((folder / "release/audit.json").read_text("utf-8"))
    names = [figure["name"] for figure in audit["figures"]]
    assert any("constant" in name for name in names)
    with pytest.raises(SystemExit) as leave:
        run(["release", str(folder)])
    assert leave.value.code == 2
    assert "exists already" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(["release", str(folder), "--out", str(tmp_path / "other")])
    said = capsys.readouterr().out
    assert "\nleft out: 28 items\n" in said
    assert "has no other label" not in said
    with pytest.raises(SystemExit):
        run(["release", str(folder), "--out", str(tmp_path / "few"), "--shares", ".98,.01,.01"])
    said = capsys.readouterr().out
    assert re.search(r"\n(validation|test) has no other label than \w+, as alike items", said)


def spoil(folder: Path, name: str, line: str) -> None:
    with (folder / name).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("items.jsonl", "no json", "items.jsonl:193: is not a record"),
        ("items.jsonl", '{"id": "i3", "text": "again"}', "the id 'i3' of line 4 again"),
        ("items.jsonl", '{"id": "new", "text": "x", "odd": 1}', "unknown field `odd`"),
        ("items.jsonl", '{"id": "new", "text": "x"}', "no line for item 'new'"),
        ("labels.jsonl", '{"item": "zz", "label": "literal"}', "names the item 'zz'"),
        ("judgments.jsonl", '{"item": "i1", "annotator": "x"}', "missing required field"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, name: str, line: str, words: str) -> None:
    folder = write_run(tmp_path / "run")
    spoil(folder, name, line)
    with pytest.raises(BadRecord) as told:
        make_release(folder, tmp_path / "out")
    assert words in str(told.value)
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"finished": False}, "is not finished"),
        ({"labels": ["yes", "no"]}, "has the label 'literal'; known: yes, no"),
        ({"group_by": "colour"}, "has no field 'colour'"),
        ({"outputs": [{"path": "items.jsonl", "bytes": 1, "sha256": "0"}]}, "was altered"),
        ({"seed": "x"}, "is not the manifest of a run"),
    ],
)
def test_runs_that_cannot_be_released(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    folder = write_run(tmp_path / "run", **changes)
    with pytest.raises(BadInput) as told:
        make_release(folder, tmp_path / "out")
    assert words in str(told.value)


def test_missing_files_and_impossible_parts(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="trope recipe"):
        make_release(tmp_path / "nowhere", tmp_path / "out")
    folder = write_run(tmp_path / "run")
    (folder / "labels.jsonl").unlink()
    with pytest.raises(MissingData, match="--simulate"):
        make_release(folder, tmp_path / "out")
    same = write_run(tmp_path / "same", texts=["The same words again and again"] * 20)
    with pytest.raises(BadInput, match="give other shares"):
        make_release(same, tmp_path / "out")
    whole = make_release(same, tmp_path / "out", ReleaseOptions(shares=(1.0, 0.0, 0.0)))
    assert list(whole.parts) == ["train"]


@pytest.mark.parametrize(
    ("option", "value"), [("--shares", "a,b"), ("--shares", "1,1,1"), ("--published", "soon")]
)
def test_bad_options_are_one_line(
    tmp_path: Path, option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leave:
        run(["release", str(write_run(tmp_path / "run")), option, value])
    assert leave.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_parts_that_a_recipe_drew_are_kept_unless_shares_are_given(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", group_by="")
    path = folder / "items.jsonl"
    items = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for at, item in enumerate(items):
        item["fields"]["subset"] = f"location-{'test' if at % 3 else 'train'}"
    write_lines(path, items)
    make_release(folder, tmp_path / "kept")
    assert not (tmp_path / "kept/data/validation.parquet").exists()
    for part in ("train", "test"):
        subsets = {row["subset"] for row in rows(tmp_path / "kept", f"data/{part}.parquet")}
        assert subsets == {f"location-{part}"}
    assert "The parts are those that the recipe drew" in (tmp_path / "kept/README.md").read_text()
    make_release(folder, tmp_path / "new", ReleaseOptions(shares=(0.5, 0.25, 0.25)))
    assert (tmp_path / "new/data/validation.parquet").exists()
