"""Gold and gold+ of a run: both readings, parts that share nothing, folders that are none."""

import json
import shutil

import pytest

from newsmet_run import write_run
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.release.folder import ReleaseOptions, make_release
from trope.release.newsmet_gold import read_newsmet_gold
from trope.tasks.metaphor.silver_sources import PARTS


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture
def copy(run, tmp_path):
    return shutil.copytree(run, tmp_path / "copy")


def rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_every_valid_headline_comes_with_what_became_of_it(run):
    own = read_newsmet_gold(run)
    every = {h.id: h for part in PARTS for h in own.read(part)}
    gold = {row["id"]: row for row in rows(run / "gold.jsonl") if row["label"] != "invalid"}
    plus = {row["id"]: row for row in rows(run / "gold_plus.jsonl")}
    assert {name for name, h in every.items() if h.gold} == set(gold)
    assert {name for name, h in every.items() if h.accepted} == set(plus)
    for name, row in plus.items():
        assert every[name].text == row["text"]
        assert every[name].metaphor != every[row["item"]].metaphor
    for name, row in gold.items():
        asked = row["label"] == row["verb"]
        candidates = [h for h in every.values() if h.group == name and not h.gold]
        assert len(candidates) == (6 if asked else 0)
        rejected = [h for h in candidates if h.accepted is False]
        assert all(h.metaphor == every[name].metaphor for h in rejected)
        assert len(rejected) == len(candidates) - len(row["accepted"])


def test_readings_differ_by_rejected_candidates_alone(run):
    own = read_newsmet_gold(run)
    for part in PARTS:
        fewer = own.read(part, "accepted_only")
        assert fewer == [h for h in own.read(part) if h.accepted is not False]


def test_a_headline_and_its_transformations_are_of_one_part(run):
    own = read_newsmet_gold(run)
    groups = [{h.group for h in own.read(part)} for part in PARTS]
    assert sum(map(len, groups)) == len(set.union(*groups))
    sizes = [len(found) for found in groups]
    total = sum(sizes)
    assert sizes[1:] == [round(total / 10)] * 2
    assert read_newsmet_gold(run).parts == own.parts


@pytest.mark.parametrize(("simulated", "name"), [(True, "simulated"), (False, "own")])
def test_names_tell_whose_labels_they_are(tmp_path, simulated, name):
    own = read_newsmet_gold(write_run(tmp_path / "run", simulated=simulated))
    assert own.crowd == name
    assert own.run("all_six") == f"d_imbal_gold_plus_all_six_{name}"
    lines = [json.loads(line) for line in own.lines_to_predict().splitlines()]
    assert {line["set"] for line in lines} == {f"{name}_test"}
    assert not any("label" in line for line in lines)


def test_folders_that_are_no_finished_run_are_named(copy, tmp_path):
    with pytest.raises(MissingData, match=r"manifest\.json: not found; give the folder of a run"):
        read_newsmet_gold(tmp_path)
    (copy / "gold_plus.jsonl").unlink()
    with pytest.raises(MissingData, match=r"gold_plus\.jsonl: not found.*--simulate"):
        read_newsmet_gold(copy)
    (copy / "labels.jsonl").unlink()
    with pytest.raises(MissingData, match=r"labels\.jsonl: not found; annotate the run's project"):
        read_newsmet_gold(copy)
    with pytest.raises(BadInput, match="the run is not finished; run the recipe again"):
        read_newsmet_gold(write_run(tmp_path / "begun", finished=False))
    with pytest.raises(BadInput, match=r"is a run of mean, which has no gold\+"):
        read_newsmet_gold(write_run(tmp_path / "other", recipe="mean"))
    with pytest.raises(BadInput, match="too few judged headlines"):
        read_newsmet_gold(write_run(tmp_path / "small", number=3))


@pytest.mark.parametrize(
    ("file", "line", "words"),
    [
        (
            "gold.jsonl",
            {"id": "h999", "label": "literal", "verb": "literal"},
            "not an item of the run",
        ),
        ("gold.jsonl", {"id": "h1"}, "is not a record of a run"),
        (
            "gold_plus.jsonl",
            {"id": "x", "item": "h999", "text": "x", "candidate": "x", "label": "literal"},
            "names the item 'h999'",
        ),
    ],
)
def test_lines_that_do_not_belong_are_named(copy, file, line, words):
    with (copy / file).open("a") as lines:
        lines.write(json.dumps(line) + "\n")
    number = len(rows(copy / file))
    with pytest.raises(BadRecord, match=words) as caught:
        read_newsmet_gold(copy)
    assert str(caught.value).startswith(f"{copy / file}:{number}: ")


def test_a_release_has_verb_labels_accepted_candidates_and_gold_plus(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    options = ReleaseOptions(shares=(1, 0, 0), with_text=True)
    make_release(run, tmp_path / "out", options)

    def table(name):
        return parquet.read_table(tmp_path / "out" / name).to_pylist()

    gold = {row["id"]: row for row in rows(run / "gold.jsonl")}
    items = {row["id"]: row for row in table("data/train.parquet")}
    assert set(items) == set(gold)
    for name, row in items.items():
        assert (row["label"], row["verb_label"]) == (gold[name]["label"], gold[name]["verb"])
        assert row["accepted"] == "|".join(gold[name]["accepted"])
    plus = table("gold_plus/train.parquet")
    accepted = {row["id"]: row for row in plus if row["accepted"]}
    for row in rows(run / "gold_plus.jsonl"):
        own = accepted.pop(row["id"])
        assert [own[name] for name in ("item", "text", "candidate", "label")] == [
            row[name] for name in ("item", "text", "candidate", "label")
        ]
    assert not accepted
    rejected = [row for row in plus if not row["accepted"]]
    assert rejected
    assert all(row["label"] == items[row["item"]]["label"] for row in rejected)
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "- config_name: gold_plus" in card
    assert f"{len(items)} items with labels" in card


def test_gold_plus_of_texts_that_stay_out_has_candidates_alone(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    make_release(run, tmp_path / "out", ReleaseOptions(shares=(1, 0, 0)))
    names = parquet.read_table(tmp_path / "out" / "gold_plus" / "train.parquet").column_names
    assert names == ["id", "item", "candidate", "label", "accepted"]
