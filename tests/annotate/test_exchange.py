"""Files of our own: what goes out comes back, to the byte."""

import json
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from projects import START, add_items, make_project
from rich_project import add_rich_items, live, rich_project

from trope.annotate.project import Project, open_project
from trope.annotate.store import discipline, membership, people
from trope.annotate.store.database import connect
from trope.annotate.store.models import Event, Item, Person, Standing, StoredJudgment
from trope.annotate.store.reports import pay_sheet
from trope.cli.main import main
from trope.core.errors import BadInput


def run(*arguments: object) -> str:
    result = CliRunner().invoke(main, ["annotate", *map(str, arguments)])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def exported(project: Project, kind: str = "jsonl") -> dict[str, bytes]:
    """All files of a project."""
    connect(project)
    out = project.folder / "out"
    files = {}
    for what, options in (("items", ()), ("people", ()), ("judgments", ("--history",))):
        path = out / f"{what}.{kind if what == 'judgments' else 'jsonl'}"
        form = path.suffix.removeprefix(".")
        run("export", project.folder, "--what", what, "--format", form, *options, "--out", path)
        files[path.name] = path.read_bytes()
    return files


@settings(max_examples=8, derandomize=True, phases=[Phase.generate])
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(["jsonl", "csv", "parquet"]))
def test_export_imported_into_a_fresh_project_is_exported_the_same(seed: int, kind: str) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    with tempfile.TemporaryDirectory() as folder:
        old = rich_project(Path(folder) / "old")
        add_rich_items(old)
        live(old, seed)
        before, paid = exported(old, kind), pay_sheet(old.plan, now=START)
        new = rich_project(Path(folder) / "new")
        out = old.folder / "out"
        run("import", new.folder, out / "items.jsonl")
        run("import", new.folder, out / "people.jsonl", "--people")
        run("import", new.folder, out / f"judgments.{kind}", "--judgments")
        after = exported(new, kind)
        assert after["items.jsonl"] == before["items.jsonl"]
        assert after["people.jsonl"] == before["people.jsonl"]
        assert after[f"judgments.{kind}"] == before[f"judgments.{kind}"]
        check_books(new)
        for was, now in zip(paid, pay_sheet(new.plan, now=START), strict=True):
            assert now.hours == pytest.approx(was.hours)
            assert (now.judged, now.skipped, now.gold_seen, now.gold_right, now.earned) == (
                was.judged, was.skipped, was.gold_seen, was.gold_right, was.earned,
            )  # fmt: skip


ENDS = """
[withdrawal]
answers = "erase"
[doubt]
question = "metaphor"
values = ["no"]
more = 1
"""


@pytest.mark.parametrize("with_people", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_withdrawn_people_weights_and_doubt_go_along(
    seed: int, with_people: bool, tmp_path: Path
) -> None:
    old = rich_project(tmp_path / "old", more=ENDS)
    add_rich_items(old)
    live(old, seed, events=60)
    Standing.objects.filter(person__name="Ann").update(weight=2.5, profile={"native": "yes"})
    leaver = StoredJudgment.objects.exclude(person__name="Ann").filter(current=True).first()
    assert leaver is not None
    membership.withdraw(leaver.person_id, old.plan, now=START)
    assert Item.objects.filter(extra=1).exists()
    before, paid = exported(old), {row.name: row for row in pay_sheet(old.plan, now=START)}
    judged = set(StoredJudgment.objects.values_list("person__name", flat=True))
    new = rich_project(tmp_path / "new", more=ENDS)
    out = old.folder / "out"
    run("import", new.folder, out / "items.jsonl")
    if with_people:
        run("import", new.folder, out / "people.jsonl", "--people")
    run("import", new.folder, out / "judgments.jsonl", "--judgments")
    after = exported(new)
    assert after["judgments.jsonl"] == before["judgments.jsonl"]
    assert b'"erased"' in after["judgments.jsonl"]
    assert (after["people.jsonl"] == before["people.jsonl"]) == with_people
    now = {row.name: row for row in pay_sheet(new.plan, now=START)}
    for name in judged:
        assert (now[name].judged, now[name].skipped) == (paid[name].judged, paid[name].skipped)
        assert now[name].weight == paid[name].weight
    assert Person.objects.get(name=f"withdrawn-{leaver.person_id}").state == "withdrawn"
    check_books(new)


def test_import_of_judgments_alone_makes_the_people(tmp_path: Path) -> None:
    old = rich_project(tmp_path / "old")
    add_rich_items(old)
    live(old, 7, events=60)
    # someone who has judged and is dismissed, whatever the seed
    someone = StoredJudgment.objects.filter(current=True, state="counted").first()
    assert someone is not None
    discipline.dismiss(someone.person_id, "Enough.", now=START)
    states = dict(Person.objects.values_list("name", "state"))
    with_discarded = set(
        StoredJudgment.objects.filter(state="discarded").values_list("person__name", flat=True)
    )
    exported(old)
    new = rich_project(tmp_path / "new")
    run("import", new.folder, old.folder / "out" / "items.jsonl")
    run("import", new.folder, old.folder / "out" / "judgments.jsonl", "--judgments")
    connect(new)
    assert with_discarded
    for person in Person.objects.all():
        assert person.name in states
        assert (person.state == "dismissed") == (person.name in with_discarded)
    check_books(new)
    with pytest.raises(AssertionError, match="already has judgments"):
        run("import", new.folder, old.folder / "out" / "judgments.jsonl", "--judgments")


GOOD = {
    "judgment": 1, "item": "i1", "annotator": "Ann", "answers": {"metaphor": "yes"},
    "state": "counted", "seconds": 1.5, "at": "2026-03-02T09:00:00+00:00", "current": True,
    "replaces": None, "gold_right": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"item": "i9"}, "there is no item 'i9'"),
        ({"state": "fine"}, "has the state 'fine'"),
        ({"at": "yesterday"}, "'yesterday' for its time"),
        ({"seconds": -1}, "-1 for its seconds"),
        ({"judgment": "1"}, "number of a judgment"),
        ({"answers": "yes"}, "has no answers"),
        ({"judgment": 1}, "duplicate number"),
        ({"item": "i1"}, "duplicate number"),
        ({"annotator": ""}, "has no 'annotator'"),
        ({"annotator": "a\nb"}, "printable"),
        ({"colour": "red", "more": {"colour": "red"}}, "unknown field"),
        ({"replaces": 77}, "judgment 2 replaces one"),
    ],
)
def test_bad_judgment_is_named_by_its_line_and_nothing_is_kept(
    change: dict, words: str, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 3)
    bad = GOOD | {"judgment": 2, "item": "i2"} | change
    path = tmp_path / "judgments.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{json.dumps(bad)}\n", encoding="utf-8")
    result = CliRunner().invoke(
        main, ["annotate", "import", str(project.folder), str(path), "--judgments"]
    )
    assert isinstance(result.exception, BadInput)
    assert words in str(result.exception)
    assert "judgments.jsonl:2: " in str(result.exception) or "judgment 2" in words
    assert not StoredJudgment.objects.exists()
    assert not Person.objects.exists()


def test_judgments_come_only_into_a_project_where_nobody_has_begun(tmp_path: Path) -> None:
    from random import Random

    from trope.annotate.store import queue

    project = make_project(tmp_path / "p")
    add_items(project, 1)
    people.invite("Ann", now=START)
    queue.next_page(1, project.plan, now=START, rng=Random(1))
    path = tmp_path / "judgments.jsonl"
    path.write_text(json.dumps(GOOD) + "\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="people have already started to work"):
        run("import", project.folder, path, "--judgments")
    table = "WorkerId,Input.id,Input.text,Answer.metaphor\nAnn,i1,Sentence number 1.,yes\n"
    (tmp_path / "b.csv").write_text(table, encoding="utf-8")
    with pytest.raises(AssertionError, match="'Ann' also has item 'i1' in this project"):
        run("import", project.folder, tmp_path / "b.csv", "--format", "mturk")
    check_books(project)


def test_more_judgments_than_wanted_are_refused(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=1)
    add_items(project, 1)
    path = tmp_path / "judgments.jsonl"
    rows = [GOOD, GOOD | {"judgment": 2, "annotator": "Bob"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(AssertionError, match="2 judgments of item 'i1' count"):
        run("import", project.folder, path, "--judgments")
    assert not StoredJudgment.objects.exists()


def test_drafts_and_provisional_labels(tmp_path: Path) -> None:
    from random import Random

    from trope.annotate.store import judgments, queue

    project = make_project(tmp_path / "p", k=2, page=3)
    add_items(project, 3)
    for name in ("Ann", "Bob"):
        people.invite(name, now=START)
    for person, answers in ((1, ("yes", "yes")), (2, ("yes",))):
        leases = queue.next_page(person, project.plan, now=START, rng=Random(1)).leases
        for lease, answer in zip(leases, answers, strict=False):
            judgments.submit(person, lease.token, {"metaphor": answer}, project.plan, now=START)
        judgments.save_draft(person, leases[2].token, {"metaphor": ["no"], "seen": ["metaphor"]})
    drafts = [json.loads(line) for line in run("export", project.folder, "--drafts").splitlines()]
    assert [(row["annotator"], row["item"], row["form"]) for row in drafts] == [
        ("Ann", "i3", {"metaphor": ["no"]}),
        ("Bob", "i3", {"metaphor": ["no"]}),
    ]
    done = run("export", project.folder, "--what", "labels").splitlines()
    assert [(row["item"], row["label"], row["answers"]) for row in map(json.loads, done)] == [
        ("i1", "yes", 2)
    ]
    both = run("export", project.folder, "--what", "labels", "--drafts").splitlines()
    assert [(row["item"], row["complete"]) for row in map(json.loads, both)] == [
        ("i1", True),
        ("i2", False),
    ]


def test_labels_of_every_kind_of_question(tmp_path: Path) -> None:
    project = rich_project(tmp_path / "p")
    add_rich_items(project)
    path = tmp_path / "judgments.jsonl"
    given = [
        {"metaphor": "yes", "state": 2, "kept": ["one"], "words": [[0, 5]], "notes": "x"},
        {"metaphor": "yes", "state": -1, "kept": ["one", "=three"], "words": [[3, 9]]},
    ]
    rows = [
        GOOD | {"judgment": n, "item": "r0", "annotator": f"P{n}", "answers": answers}
        for n, answers in enumerate(given, start=1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run("import", project.folder, path, "--judgments")
    out = tmp_path / "labels.jsonl"
    run("export", project.folder, "--what", "labels", "--method", "mean", "--out", out)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    labels = {row["question"]: row["label"] for row in lines}
    assert labels == {
        "metaphor": "yes", "state": "1", "kept=one": "yes", "kept=two,2": "no",
        "kept==three": None, "words": "[[3, 5]]",
    }  # fmt: skip
    (score,) = [row["score"] for row in lines if row["question"] == "state"]
    assert score == 0.5


def test_items_go_out_and_come_back_as_csv_and_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    project = rich_project(tmp_path / "p")
    add_rich_items(project)
    wanted = list(Item.objects.order_by("pk").values_list("external_id", "text", "payload", "gold"))
    for kind, options in (("csv", ("--safe-cells",)), ("parquet", ())):
        connect(project)
        path = tmp_path / f"items.{kind}"
        run("export", project.folder, "--what", "items", "--format", kind, "--out", path)
        fresh = rich_project(tmp_path / kind)
        run("import", fresh.folder, path, *options)
        connect(fresh)
        rows = Item.objects.order_by("pk").values_list("external_id", "text", "payload", "gold")
        assert list(rows) == wanted


KILLED_IN_THE_MIDDLE = """
import os, signal, sys
from django.db.models import QuerySet
plain, parts = QuerySet.bulk_create, []

def bulk_create(self, rows, **options):
    parts.append(rows)
    if sum(map(len, parts)) > 2_000:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(self, rows, **options)

QuerySet.bulk_create = bulk_create
from trope.cli.main import main
main(["annotate", "import", *sys.argv[1:]])
"""


def test_import_killed_in_the_middle_is_simply_done_again(tmp_path: Path) -> None:
    import signal
    import subprocess
    import sys

    project = make_project(tmp_path / "p")
    path = tmp_path / "many.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(20_000):
            file.write(json.dumps({"id": f"n{number}", "text": f"Sentence {number}."}) + "\n")
    command = [sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(project.folder), str(path)]
    killed = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert 1_000 <= Item.objects.count() < 20_000
    assert not Event.objects.filter(what="import").exists()
    assert run("export", project.folder, "--what", "items") == ""
    assert run("import", project.folder, path) == "20000 items added\n"
    connect(open_project(project.folder))
    assert Item.objects.count() == 20_000
    assert Item.objects.filter(open_slots=2).count() == 20_000


def test_memory_of_an_export_does_not_grow_with_the_judgments(tmp_path: Path) -> None:
    from trope.annotate.exchange.records import Losses
    from trope.annotate.store.exports import ExportOptions, export_lines

    peaks = []
    for size in (5_000, 15_000):
        project = make_project(tmp_path / str(size), k=1)
        Item.objects.bulk_create(
            Item(external_id=f"i{n}", text="x", place=n, open_slots=0) for n in range(1, size + 1)
        )
        person = Person.objects.create(name="Ann", token_hash="x", joined=START, tally_on=START)
        StoredJudgment.objects.bulk_create(
            (
                StoredJudgment(
                    item_id=n, person=person, token=f"{n:032}", answers={"metaphor": "yes"},
                    seconds=1, at=START, state="counted",
                )
                for n in range(1, size + 1)
            ),
            batch_size=5_000,
        )  # fmt: skip
        tracemalloc.start()
        try:
            lines, cells = (
                sum(1 for _ in export_lines(project.plan, ExportOptions(format=kind), Losses()))
                for kind in ("jsonl", "csv")
            )
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        assert (lines, cells) == (size, size + 1)
    assert peaks[1] < peaks[0] * 1.3, peaks
