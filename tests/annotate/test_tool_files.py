"""Files of other tools, in and out: MTurk, CrowdFlower, Label Studio."""

import csv
import json
from pathlib import Path

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from projects import START
from rich_project import add_rich_items, live, rich_project

from trope.annotate.exchange.label_studio import from_utf16, to_utf16
from trope.annotate.exchange.mturk import read_time
from trope.annotate.project import Project
from trope.annotate.store import discipline
from trope.annotate.store.database import connect
from trope.annotate.store.models import Item, Person, StoredJudgment
from trope.cli.main import main
from trope.core.errors import BadRecord

SUFFIX = {"mturk": "csv", "crowdflower": "csv", "label-studio": "json"}
KEPT = ("item__external_id", "person__name", "answers", "state")


def invoke(*arguments: object) -> str:
    result = CliRunner().invoke(main, ["annotate", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout + result.stderr


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_offsets_in_utf16_are_exact(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    units = to_utf16(text, offset)
    assert units == len(text[:offset].encode("utf-16-le")) // 2
    assert from_utf16(text, units) == offset


@pytest.mark.parametrize("offset", [1, -1, 4])
def test_offset_within_a_character_or_outside_is_refused(offset: int) -> None:
    with pytest.raises(ValueError, match=r"within a character|before the text|beyond the text"):
        from_utf16("🌊a", offset)


@pytest.fixture
def lively(tmp_path: Path) -> Project:
    project = rich_project(tmp_path / "old")
    add_rich_items(project)
    live(project, 11, events=70)
    last = StoredJudgment.objects.filter(current=True, state="counted").order_by("pk").last()
    assert last is not None
    discipline.dismiss(last.person_id, "the last one", now=START)
    return project


def rows(**which: object) -> list[tuple]:
    found = StoredJudgment.objects.filter(current=True, **which).order_by("item_id", "person__name")
    return list(found.values_list(*KEPT))


@pytest.mark.parametrize("tool", SUFFIX)
def test_what_goes_to_a_tool_comes_back(tool: str, lively: Project, tmp_path: Path) -> None:
    path = tmp_path / f"out.{SUFFIX[tool]}"
    told = invoke("export", lively.folder, "--format", tool, "--out", path)
    left_out = {"mturk": {"skipped"}, "crowdflower": {"skipped"}, "label-studio": {"discarded"}}
    wanted = [row for row in rows() if row[3] not in left_out[tool]]
    lost = len(rows()) - len(wanted)
    assert lost
    assert f"({lost})" in told
    texts = dict(Item.objects.values_list("external_id", "text"))
    new = rich_project(tmp_path / "new")
    invoke("import", new.folder, path, "--format", tool)
    connect(new)
    back = rows()
    assert [row[:3] for row in back] == [row[:3] for row in wanted]
    for (*_, was), (*_, now) in zip(wanted, back, strict=True):
        changes = {("counted", "surplus"), ("surplus", "counted")}
        if tool == "label-studio":  # its ground truth holds one right answer, ours here several
            changes |= {("gold", "counted"), ("gold", "surplus")}
        assert now == was or (was, now) in changes
    assert dict(Item.objects.values_list("external_id", "text")).items() <= texts.items()
    check_books(new)


def test_crowdflower_columns_are_those_of_its_full_report(lively: Project, tmp_path: Path) -> None:
    path = tmp_path / "full.csv"
    invoke("export", lively.folder, "--format", "crowdflower", "--out", path)
    with path.open(encoding="utf-8", newline="") as file:
        units = list(csv.DictReader(file))
    assert {"_unit_id", "_golden", "_trust", "_worker_id", "_created_at", "_tainted"} <= set(
        units[0]
    )
    golden = [unit for unit in units if unit["_golden"] == "true"]
    assert golden
    assert golden[0]["metaphor_gold"] == "yes\nno"
    assert golden[0]["state_gold"] == "-1\n0\n1\n2\n3\n4"
    assert all(unit["_trust"] == "" or 0 <= float(unit["_trust"]) <= 1 for unit in units)


def test_crowdflower_aggregated_report_has_confidences(lively: Project, tmp_path: Path) -> None:
    path = tmp_path / "aggregated.csv"
    options = ("--what", "labels", "--drafts", "--format", "crowdflower", "--out", path)
    invoke("export", lively.folder, *options)
    with path.open(encoding="utf-8", newline="") as file:
        units = list(csv.DictReader(file))
    assert units
    assert all(0 < float(unit["state:confidence"] or 1) <= 1 for unit in units)
    new = rich_project(tmp_path / "new")
    told = invoke("import", new.folder, path, "--format", "crowdflower")
    assert f"{len(units)} items, 0 people, 0 judgments added" in told
    assert f"add their items, and no judgments ({len(units)})" in told


MTURK = """HITId,AssignmentId,WorkerId,AssignmentStatus,SubmitTime,WorkTimeInSeconds,Input.text,\
Input.candidates,Answer.metaphor,Answer.state,Answer.kept.one,Answer.kept.two,Answer.words,\
Answer.age
H1,A1,W1,Approved,Mon Mar 02 01:00:00 PST 2026,17,A tide of words rose.,one; two,yes,-3,true,\
false,2-6|7-9,44
H1,A2,W2,Rejected,Mon Mar 02 01:00:00 PST 2026,3,A tide of words rose.,one; two,no,0,false,false,,
"""


def test_mturk_results_as_mturk_writes_them(tmp_path: Path) -> None:
    project = rich_project(tmp_path / "p")
    (tmp_path / "batch.csv").write_text(MTURK, encoding="utf-8")
    told = invoke("import", project.folder, tmp_path / "batch.csv", "--format", "mturk")
    assert "1 item, 2 people, 2 judgments added" in told
    assert "'Answer.age', which the plan does not ask, are left out (1)" in told
    connect(project)
    first, second = StoredJudgment.objects.order_by("pk")
    assert first.answers == {"metaphor": "yes", "state": -3, "kept": ["one"], "words": [[2, 9]]}
    assert (first.state, first.seconds, first.at) == ("counted", 17, START)
    assert second.state == "discarded"
    assert Person.objects.get(name="W2").state == "dismissed"
    check_books(project)
    before = StoredJudgment.objects.count()
    with pytest.raises(BadRecord, match=r"batch.csv:2: .*another judgment of its item"):
        invoke("import", project.folder, tmp_path / "batch.csv", "--format", "mturk")
    assert StoredJudgment.objects.count() == before


def test_mturk_file_of_inputs_brings_items_alone(tmp_path: Path) -> None:
    project = rich_project(tmp_path / "p")
    table = "Input.text,Input.candidates\nA tide rose.,one\nIt fell.,two\n"
    (tmp_path / "b.csv").write_text(table, encoding="utf-8")
    told = invoke("import", project.folder, tmp_path / "b.csv", "--format", "mturk")
    assert "2 items, 0 people, 0 judgments added" in told
    connect(project)
    assert [item.external_id for item in Item.objects.order_by("pk")] == ["2", "3"]


def test_mturk_task_answers_of_crowd_forms(tmp_path: Path) -> None:
    project = rich_project(tmp_path / "p")
    answers = [{"metaphor": {"yes": True, "no": False}, "state": 2, "kept": {"one": True}}]
    with (tmp_path / "b.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["WorkerId", "Input.id", "Input.text", "Input.candidates", "Answer.taskAnswers"]
        )
        writer.writerow(["W1", "x1", "A tide rose.", "one; two", json.dumps(answers)])
    invoke("import", project.folder, tmp_path / "b.csv", "--format", "mturk")
    connect(project)
    assert StoredJudgment.objects.get().answers == {
        "metaphor": "yes", "state": 2, "kept": ["one"], "words": [],
    }  # fmt: skip


def test_mturk_times_have_their_zone() -> None:
    assert read_time("Mon Mar 02 02:00:00 PDT 2026") == START
    assert read_time("2026-03-02T09:00:00Z") == START
    with pytest.raises(ValueError, match="is not a time"):
        read_time("Mon Mär 02 02:00:00 PDT 2026")


def label_studio_task(start: int, end: int) -> dict:
    region = {"start": start, "end": end, "text": "of", "labels": ["Metaphor"]}
    return {
        "id": 5,
        "data": {"text": "The 🌊 of words rose.", "candidates": ["one"]},
        "annotations": [
            {
                "completed_by": {"id": 3, "email": "ann@example.org"},
                "lead_time": 4.25,
                "created_at": "2026-03-02T09:00:00.000000Z",
                "was_cancelled": False,
                "result": [
                    {"from_name": "words", "type": "labels", "value": region},
                    {"from_name": "metaphor", "type": "choices", "value": {"choices": ["yes"]}},
                    {"from_name": "state", "type": "rating", "value": {"rating": 4}},
                    {"from_name": "notes", "type": "textarea", "value": {"text": ["fine"]}},
                    {"from_name": "box", "type": "rectanglelabels", "value": {}},
                ],
            }
        ],
        "predictions": [{"result": []}],
    }


def test_label_studio_spans_are_counted_as_javascript_does(tmp_path: Path) -> None:
    project = rich_project(tmp_path / "p")
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([label_studio_task(7, 9)]), encoding="utf-8")
    told = invoke("import", project.folder, path, "--format", "label-studio")
    assert "results of 'box', which the plan does not ask, are left out (1)" in told
    assert "predictions are left out (1)" in told
    connect(project)
    judgment = StoredJudgment.objects.select_related("item", "person").get()
    assert judgment.answers == {
        "metaphor": "yes", "state": 4, "kept": [], "words": [[6, 8]], "notes": "fine",
    }  # fmt: skip
    assert judgment.item.text[6:8] == "of"
    assert (judgment.person.name, judgment.seconds) == ("ann@example.org", 4.25)


@pytest.mark.parametrize(("start", "words"), [(5, "within a character"), (70, "beyond the text")])
def test_label_studio_offset_that_cannot_be_is_refused(
    start: int, words: str, tmp_path: Path
) -> None:
    project = rich_project(tmp_path / "p")
    path = tmp_path / "tasks.json"
    tasks = [{"id": 1, "data": {"text": "Fine.", "candidates": "a"}}, label_studio_task(start, 71)]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    with pytest.raises(BadRecord, match=rf"tasks.json:2: .*{words}"):
        invoke("import", project.folder, path, "--format", "label-studio")
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("tool", "name", "content", "words"),
    [
        ("mturk", "x.csv", "a,b\n1,2\n", "no Input"),
        ("mturk", "x.csv", "WorkerId,Input.text,Input.candidates,Answer.metaphor\nW,Hm.,a,maybe\n",
         "x.csv:2: the answer to 'metaphor' is not one"),
        ("mturk", "x.csv", "WorkerId,SubmitTime,Input.text\nW,soon,Hm.\n", "x.csv:2: is not valid"),
        ("crowdflower", "x.csv", "_unit_id,text\n,Hm.\n", "has no _unit_id"),
        ("crowdflower", "x.csv", "_unit_id,_golden,text\n1,true,Hm.\n", "is golden, but"),
        ("crowdflower", "x.csv", "_unit_id,text,candidates\n1,Hm.,a\n1,Ha.,a\n", "different texts"),
        ("label-studio", "x.json", '[{"id": 1}]', "x.json:1: is not a valid task"),
        ("label-studio", "x.json", '[{"id": 1, "data": {"image": "u"}}]',
         "no column is called 'text'"),
    ],
)  # fmt: skip
def test_bad_file_of_a_tool_is_refused_whole(
    tool: str, name: str, content: str, words: str, tmp_path: Path
) -> None:
    project = rich_project(tmp_path / "p")
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(BadRecord, match=words):
        invoke("import", project.folder, tmp_path / name, "--format", tool)
    assert not Item.objects.exists()
    assert not Person.objects.exists()
