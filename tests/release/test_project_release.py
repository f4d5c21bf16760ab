"""A judged project becomes a data set that others can load, from the shell."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from finished import sentences

from trope.annotate.project import Project, new_project, open_project
from trope.cli.main import run

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")
parquet = pytest.importorskip(
    "pyarrow.parquet", reason="pyarrow is not installed (pip install 'trope[release]')"
)
pytest.importorskip(
    "mlcroissant", reason="mlcroissant is not installed (pip install 'trope[release]')"
)

PLAN = """
title = "Figures in the harbour"
guidelines = "Read the whole sentence first."
judgments_per_item = 2
items_per_page = 50
order = "given"
[[questions]]
id = "figurative"
kind = "choice"
text = "Is it figurative?"
options = [{ value = "yes" }, { value = "no" }]
[[questions]]
id = "kinds"
kind = "multi"
text = "Which figures?"
options = [{ value = "metaphor" }, { value = "irony" }]
[[questions]]
id = "remark"
kind = "text"
text = "Remarks?"
required = false
"""
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PEOPLE = ("Ann Example", "Bob Example")


def answers(item: str, person: str) -> dict[str, Any]:
    """Ann and Bob differ on every tenth item, which gives it no majority."""
    number = int(item[1:])
    yes = number % 2 == 0 or (number % 10 == 1 and person == PEOPLE[1])
    given: dict[str, Any] = {"figurative": "yes" if yes else "no"}
    given |= {"kinds": ["metaphor", "irony"] if number % 4 == 0 else []}
    return given | {"remark": f"by {person}"}


def judged_project(
    folder: Path, number: int = 40, plan: str = PLAN, more: Mapping[str, str] | None = None
) -> Project:
    """A project with items i0, i1 …, two control items g0 and g1, judged by two people; items have
    `more` fields."""
    from trope.annotate.store.database import connect

    new_project(folder, "pairs")
    (folder / "project.toml").write_text(plan, encoding="utf-8")
    project = open_project(folder)
    connect(project)
    from trope.annotate.store import judgments, people, queue
    from trope.annotate.store.imports import import_items

    rows: list[Mapping[str, Any]] = [
        {"id": f"i{at}", "text": text, "page": at % 7, "label": "old", "tags": ["a", "b"],
         "highlight": "harbour", **(more or {})}
        for at, text in enumerate(sentences(number))
    ]  # fmt: skip
    rows += [
        {"id": f"g{at}", "text": f"Control {at} of the port", "gold": {"figurative": "yes"}}
        for at in range(2)
    ]
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=NOW)
    for person in PEOPLE:
        found = people.person_by_token(people.invite(person, now=NOW))
        assert found is not None
        while leases := queue.next_page(found.pk, project.plan, now=NOW, rng=Random(1)).leases:
            for lease in leases:
                given = answers(lease.item.external_id, person)
                judgments.submit(found.pk, lease.token, given, project.plan, now=NOW)
    return project


def rows(release: Path, name: str) -> list[dict[str, Any]]:
    return parquet.read_table(release / name).to_pylist()


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as leave:
        run(["release", *words])
    return int(leave.value.code or 0)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return judged_project(tmp_path_factory.mktemp("made") / "harbour")


@pytest.fixture(scope="module")
def release(project: Project) -> Path:
    out = project.folder.parent / "out"
    assert command(str(project.folder), "--licence", "CC-BY-4.0", "--out", str(out)) == 0
    return out


def everything(release: Path) -> list[dict[str, Any]]:
    parts = ("train", "validation", "test")
    return [row for part in parts for row in rows(release, f"data/{part}.parquet")]


@pytest.mark.filterwarnings("default")
def test_datasets_loads_items_and_judgments(release: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    loaded = datasets.load_dataset(str(release), cache_dir=str(tmp_path))
    assert sum(part.num_rows for part in loaded.values()) == 36
    assert {"id", "text", "label", "label_kinds", "page", "group"} <= set(
        loaded["train"].column_names
    )
    judged = datasets.load_dataset(str(release), "judgments", split="train", cache_dir=tmp_path)
    assert judged.num_rows == 40 * 2 * 2  # the free text is not released


def test_items_have_labels_texts_and_metadata(release: Path) -> None:
    found = {row["id"]: row for row in everything(release)}
    one = found["i4"]
    assert (one["text"], one["label"]) == (sentences(40)[4], "yes")
    assert (one["label_kinds"], one["page"], one["tags"]) == ("metaphor|irony", "4", '["a", "b"]')
    assert one["field_label"] == "old"  # a field that is called like a column of ours
    assert found["i2"]["label_kinds"] == ""
    assert (one["votes"], one["share"]) == (2, 1.0)
    left = {row["id"]: row["reason"] for row in rows(release, "left_out/train.parquet")}
    assert set(left) == {"i1", "i11", "i21", "i31", "g0", "g1"}
    assert left["g0"] == "a control item"
    assert "tie" in left["i1"]


def test_card_and_metadata_say_what_was_asked(release: Path) -> None:
    card = (release / "README.md").read_text("utf-8")
    assert "license: cc-by-4.0" in card
    assert "from the annotation project `harbour`" in card
    assert "- `figurative` (choice): Is it figurative? `yes`, `no`" in card
    assert "Read the whole sentence first." in card
    assert "recipe" not in card
    metadata = json.loads((release / "croissant.json").read_text("utf-8"))
    assert metadata["name"] == "harbour"
    agreement = json.loads((release / "agreement.json").read_text("utf-8"))
    first = agreement["overall"]["figurative (Krippendorff's alpha)"]
    assert first["low"] < first["value"] < first["high"]


def test_nothing_says_who_judged_or_where(release: Path, project: Project) -> None:
    text = "".join(p.read_text("utf-8", "replace") for p in release.rglob("*") if p.is_file())
    assert "Example" not in text
    assert str(project.folder.parent) not in text
    assert "Control 0" not in text


def test_splits_share_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    plan = PLAN.replace("judgments_per_item = 2", "judgments_per_item = 1")
    judged_project(folder, 30, plan)
    words = ("--licence", "CC0-1.0", "--group-by", "page", "--shares", "0.4,0.3,0.3")
    assert command(str(folder), *words) == 0
    found = everything(folder / "release")
    assert len(found) == 30
    parts = [
        {row["page"] for row in rows(folder / "release", f"data/{part}.parquet")}
        for part in ("train", "validation", "test")
    ]
    assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]


COLUMNS = ("Erhoben am", "Quelle / Source", "a b", "a_b", "a b ", "Größe", "海", "🌊", "%", "a,b",
           'say "x"', "it's", "<b>", "a\tb", "a:b", "train/id", "@id", "#", "x" * 200)  # fmt: skip
"""Names of columns as people give them, in spreadsheets too."""


@pytest.mark.filterwarnings("default")
def test_columns_may_have_any_name(tmp_path: Path) -> None:
    import mlcroissant

    folder = tmp_path / "p"
    judged_project(folder, 30, more={name: f"of {at}" for at, name in enumerate(COLUMNS)})
    assert command(str(folder), "--licence", "CC0-1.0") == 0
    train = rows(folder / "release", "data/train.parquet")
    described = mlcroissant.Dataset(jsonld=str(folder / "release/croissant.json"))
    (found,) = [one for one in described.metadata.record_sets if one.id == "train"]
    ids = {field.source.extract.column: field.id for field in found.fields}
    assert len(set(ids.values())) == len(train[0]), "no two columns have one id"
    records = list(described.records("train"))
    for at, name in enumerate(COLUMNS):
        assert train[0][name] == f"of {at}"
        assert records[0][ids[name]].decode() == f"of {at}", name


def test_another_question_gives_the_label(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--licence", "CC-BY-4.0", "--out", str(tmp_path / "out"), "--shares", "1,0,0"]
    assert command(str(project.folder), *out, "--question", "kinds", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["parts"], said["with_text"]) == ({"train": 40}, True)
    train = rows(tmp_path / "out", "data/train.parquet")
    assert {row["label"] for row in train} == {"", "metaphor|irony"}


def test_marked_words_are_labels_and_the_card_does_not_list_them(tmp_path: Path) -> None:
    from trope.annotate.store.database import connect

    folder = tmp_path / "spans"
    new_project(folder, "spans")
    plan = (folder / "project.toml").read_text("utf-8")
    lines = [line for line in plan.splitlines() if not line.startswith("judgments_per_item")]
    new = "judgments_per_item = 1\n" + "\n".join(lines)
    (folder / "project.toml").write_text(new, encoding="utf-8")
    project = open_project(folder)
    connect(project)
    from trope.annotate.store import judgments, people, queue
    from trope.annotate.store.imports import import_items

    path = folder / "made.jsonl"
    texts = sentences(40)
    path.write_text(
        "".join(json.dumps({"id": f"i{n}", "text": text}) + "\n" for n, text in enumerate(texts)),
        encoding="utf-8",
    )
    import_items(project, path, now=NOW)
    person = people.person_by_token(people.invite("Ann Example", now=NOW))
    assert person is not None
    asked = next(one.id for one in project.plan.questions if one.kind == "spans")
    while leases := queue.next_page(person.pk, project.plan, now=NOW, rng=Random(1)).leases:
        for lease in leases:
            number = int(lease.item.external_id[1:])
            answers = {one.id: "yes" for one in project.plan.questions if one.kind == "choice"}
            given = answers | {asked: [[0, 1 + number]]}
            judgments.submit(person.pk, lease.token, given, project.plan, now=NOW)
    assert command(str(folder), "--licence", "MIT", "--question", asked, "--shares", "1,0,0") == 0
    train = rows(folder / "release", "data/train.parquet")
    assert {row["id"]: row["label"] for row in train}["i3"] == "[[0, 4]]"
    assert "| train | 40 | 40 different ones |" in (folder / "release/README.md").read_text("utf-8")


def test_a_closed_licence_keeps_texts_out(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert command(str(project.folder), "--licence", "research only", "--out", str(out)) == 0
    assert all("text" not in row for row in everything(out))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "say under which licence"),
        (("--licence", "other=MIT"), "has no source 'other'"),
        (("--licence", "MIT", "--question", "remark"), "no question with labels"),
        (("--licence", "MIT", "--group-by", "colour"), "has no field 'colour'"),
        (("--licence", "MIT", "--method", "weighted-mean"), ""),
    ],
)
def test_what_cannot_be_released_is_one_line(
    project: Project,
    tmp_path: Path,
    words: tuple[str, ...],
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    status = command(str(project.folder), "--out", str(out), *words)
    if not told:  # a mean is for scales; other questions are decided by majority
        assert status == 0
        return
    error = capsys.readouterr().err
    assert (status, error.count("\n")) == (2, 1)
    assert told in error
    assert list(tmp_path.iterdir()) == []


def test_a_project_nobody_judged_and_one_of_a_recipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run" / "project"
    plan = PLAN.replace("judgments_per_item = 2", "judgments_per_item = 3")
    judged_project(folder, 4, plan)
    assert command(str(folder), "--licence", "MIT") == 2
    assert "4 × has fewer than 3 judgments" in capsys.readouterr().err
    words = (str(folder), "--licence", "MIT", "--drafts", "--shares", "1,0,0")
    assert command(*words) == 0  # with two judgments
    (tmp_path / "run" / "manifest.json").write_text("{}", encoding="utf-8")
    assert command(*words, "--out", str(tmp_path / "out")) == 2
    assert "belongs to the run of a recipe" in capsys.readouterr().err
