"""Backup, restore and move, while someone is writing."""

# ruff: noqa: F811 - the fixture is taken by importing it

import hashlib
import json
import secrets
import stat
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from bookkeeping import check_books
from postgres_fixture import server  # noqa: F401
from projects import START, add_items, make_project
from rich_project import add_rich_items, live, rich_project
from test_concurrency import start_worker

from trope.annotate.project import Project, open_project
from trope.annotate.store import (
    adjudication,
    discipline,
    judgments,
    membership,
    people,
    practice,
    queue,
    rows,
)
from trope.annotate.store.backup import backup, restore
from trope.annotate.store.database import connect
from trope.annotate.store.model_answers import ModelAnswer, ModelRun
from trope.annotate.store.models import (
    Batch,
    Item,
    ItemVersion,
    Lease,
    Person,
    PlanVersion,
    StoredJudgment,
    Upload,
)
from trope.annotate.store.practice import import_demo
from trope.annotate.store.transfer import (
    TableChecksum,
    move,
    plan_with_database,
    table_checksum,
    tables,
    write_database,
)
from trope.core.errors import BadInput


@pytest.fixture
def database(server: str, tmp_path: Path) -> Iterator[str]:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    name = f"trope_test_{secrets.token_hex(6)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        yield f"{server}/{name}"
        make_project(tmp_path / "other")  # lets go of the database
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


EVERYTHING = """
consent = "Your answers are kept."
[demo]
items = 1
gold = 1
[[training.items]]
text = "Prices climb."
answers = { metaphor = "yes" }
message = "Prices have no feet."
"""


def full_project(folder: Path, seed: int) -> Project:
    """A project in which no table is empty."""
    project = rich_project(folder, more=EVERYTHING)
    add_rich_items(project)
    live(project, seed)
    plan = project.plan
    known = {"id": "k", "text": "Known", "gold": {"metaphor": "yes"}, "candidates": "one"}
    (folder / "demo.jsonl").write_text(json.dumps(known) + "\n", encoding="utf-8")
    import_demo(project, folder / "demo.jsonl", now=START)
    people.invite("Applicant", now=START)
    people.invite("Judy", role="adjudicator", now=START)
    applicant, judy = (Person.objects.get(name=name).pk for name in ("Applicant", "Judy"))
    membership.consent(applicant, plan, now=START)
    practice.answer_training(applicant, "1", {"metaphor": "no"}, plan, now=START)
    practice.answer_demo(applicant, "k", {"metaphor": "yes"}, plan, now=START)
    discipline.hold(applicant, "", "A question.", now=START, by="Olga")
    discipline.appeal(applicant, "Ask me.", now=START)
    item = Item.objects.filter(is_gold=False).first()
    assert item is not None
    for number, answer in enumerate(("yes", "no")):
        given = {"metaphor": answer}
        adjudication.decide(
            item.pk, judy, f"{number:032}", given, note="=so", excluded=False, now=START
        )
    Batch.objects.create(name="one", first=1, last=2, opened=START)
    PlanVersion.objects.create(number=1, at=START, who="Olga", text="=plan", changed=["pay.per"])
    ItemVersion.objects.create(item="r0", at=START, who="Olga", became="deleted", text="=so")
    Upload.objects.create(token="t", name="=a.csv", kind="csv", size=3, at=START, who="Olga")
    run = ModelRun.objects.create(name="m", kind="file", settings={"a": 1}, started=START)
    ModelAnswer.objects.create(run=run, item=item, answers={"metaphor": "yes"}, at=START)
    empty = [model.__name__ for model in tables() if not model.objects.exists()]
    assert not set(empty) - {"Returned", "Lease"}, "every table has rows"
    return project


def all_sums() -> dict[str, TableChecksum]:
    return {model.__name__: table_checksum(model, "default") for model in tables()}


def acknowledged_by(worker: "subprocess.Popen[str]", number: int) -> list[str]:
    assert worker.stdout is not None
    return [worker.stdout.readline().strip() for _ in range(number)]


def test_backup_restored_is_the_same_project(tmp_path: Path) -> None:
    project = full_project(tmp_path / "p", 3)
    wanted = all_sums()
    backup(project, tmp_path / "b.zip")
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o600
    restore(tmp_path / "b.zip", tmp_path / "again")
    again = open_project(tmp_path / "again")
    connect(again)
    assert all_sums() == wanted
    assert again.secret == project.secret
    assert again.plan == project.plan
    assert (again.folder / "demo.jsonl").read_bytes() == (tmp_path / "p/demo.jsonl").read_bytes()
    (decided,) = rows.decision_rows()
    assert (decided["answers"], decided["note"]) == ({"metaphor": "no"}, "=so")
    assert stat.S_IMODE((again.folder / "secret").stat().st_mode) == 0o600
    for person in Person.objects.filter(state="active"):  # and work goes on there
        for lease in queue.next_page(person.pk, again.plan, now=START, rng=Random(1)).leases[:1]:
            judgments.skip(person.pk, lease.token, again.plan, now=START)
    check_books(again)


def test_backup_while_someone_writes_is_whole_and_has_all_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path / "p", k=1, page=5)
    add_items(project, 3_000)
    people.invite("Ann", now=START)
    worker = start_worker(project, 1)
    before = acknowledged_by(worker, 20)
    backup(project, tmp_path / "b.zip")
    done = StoredJudgment.objects.count()
    after = acknowledged_by(worker, done - len(before) + 1)  # the last came after the backup
    assert after[-1], "the worker was done before the backup"
    worker.kill()
    worker.communicate()
    restore(tmp_path / "b.zip", tmp_path / "again")
    again = open_project(tmp_path / "again")
    connect(again)
    stored = set(StoredJudgment.objects.values_list("token", flat=True))
    assert set(before) <= stored
    assert not set(after[-1:]) & stored
    check_books(again)


def test_backup_and_restore_write_over_nothing(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    backup(project, tmp_path / "b.zip")
    with pytest.raises(BadInput, match="already exists"):
        backup(project, tmp_path / "b.zip")
    with pytest.raises(BadInput, match="is not empty"):
        restore(tmp_path / "b.zip", project.folder)


def test_damaged_or_strange_backup_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    backup(project, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as good:
        parts = {name: good.read(name) for name in good.namelist()}
    for name, content, words in (
        ("project.toml", b"title = 'other'", "project.toml is damaged"),
        ("../evil", b"x", "unexpected file"),
        ("manifest.json", b"{}", "is not a backup"),
    ):
        with zipfile.ZipFile(tmp_path / "bad.zip", "w") as bad:
            for each, data in (parts | {name: content}).items():
                bad.writestr(each, data)
        with pytest.raises(BadInput, match=words):
            restore(tmp_path / "bad.zip", tmp_path / "new")
    (tmp_path / "bad.zip").write_bytes((tmp_path / "b.zip").read_bytes()[:400])
    with pytest.raises(BadInput, match="not a backup of trope, or is damaged"):
        restore(tmp_path / "bad.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "evil").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_database_of_a_plan_is_changed_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "project.toml"
    path.write_text('title = "x" # mine\ndatabase = "postgresql://old"\n\n[pay]\namount = "1"\n')
    assert plan_with_database(path, "") == 'title = "x" # mine\n\n[pay]\namount = "1"\n'
    new = plan_with_database(path, "postgresql://a:b@c/d")
    assert new.splitlines()[:2] == ['database = "postgresql://a:b@c/d"', 'title = "x" # mine']
    path.write_text('guidelines = """\ndatabase = x\n"""\n')
    with pytest.raises(BadInput, match="cannot be changed"):
        plan_with_database(path, "postgresql://a")


def test_move_to_postgres_and_back_keeps_every_row(tmp_path: Path, database: str) -> None:
    project = full_project(tmp_path / "p", 5)
    wanted = all_sums()
    sums = move(project, database)
    assert {name: one.rows for name, one in sums.items()}["store_judgment"] > 0
    moved = open_project(project.folder)
    assert moved.plan.database == database
    connect(moved)
    assert all_sums() == wanted
    people.invite("New one", now=START)  # numbers go on after those that came
    check_books(moved)
    with pytest.raises(BadInput, match="already exists"):
        move(moved, "sqlite")
    project.database.rename(tmp_path / "old.db")
    wanted = all_sums()
    move(moved, "sqlite")
    back = open_project(project.folder)
    assert back.plan.database == ""
    connect(back)
    assert all_sums() == wanted
    with pytest.raises(BadInput, match="already holds a project"):
        move(back, database)
    connect(back)
    assert all_sums() == wanted
    people.invite("Another", now=START)


def test_move_while_someone_writes_loses_nothing_that_was_acknowledged(
    tmp_path: Path, database: str
) -> None:
    project = make_project(tmp_path / "p", k=1, page=5)
    add_items(project, 2_000)
    people.invite("Ann", now=START)
    worker = start_worker(project, 1)
    acknowledged = acknowledged_by(worker, 30)
    move(project, database)
    rest, _ = worker.communicate()  # the old database refuses it from now on, and it ends
    assert worker.returncode != 0
    acknowledged += [line for line in rest.split("\n") if len(line) == 32]
    moved = open_project(project.folder)
    connect(moved)
    assert set(acknowledged) <= set(StoredJudgment.objects.values_list("token", flat=True))
    assert len(acknowledged) < 2_000
    check_books(moved)


def test_postgres_is_backed_up_in_one_snapshot_and_restored(tmp_path: Path, database: str) -> None:
    project = make_project(tmp_path / "p", k=1, page=5, more=f'database = "{database}"')
    add_items(project, 400, gold=3)
    people.invite("Ann", now=START)
    worker = start_worker(project, 1)
    before = acknowledged_by(worker, 20)
    counts = backup(project, tmp_path / "b.zip")
    acknowledged_by(worker, 10)
    worker.kill()
    worker.communicate()
    assert counts["store_item"] == 403
    with pytest.raises(BadInput, match="already holds a project"):
        restore(tmp_path / "b.zip", tmp_path / "again")
    restore(tmp_path / "b.zip", tmp_path / "again", database="")
    again = open_project(tmp_path / "again")
    connect(again)
    assert again.plan.database == ""
    assert StoredJudgment.objects.count() == counts["store_judgment"]
    assert set(before) <= set(StoredJudgment.objects.values_list("token", flat=True))
    assert Lease.objects.count() == counts["store_lease"]
    check_books(again)


def test_move_to_a_database_that_is_not_there_changes_nothing(tmp_path: Path, server: str) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 2)
    with pytest.raises(BadInput, match="is not available"):
        move(project, f"{server}/nowhere")
    with pytest.raises(BadInput, match="is not a database"):
        move(project, "mysql://x/y")
    connect(open_project(project.folder))
    assert Item.objects.count() == 2
    people.invite("Ann", now=START)


def test_manifest_has_a_checksum_for_every_part(tmp_path: Path) -> None:
    backup(make_project(tmp_path / "p"), tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert {*manifest["files"], "manifest.json"} == set(archive.namelist())
        assert {"project.toml", "secret", "project.db"} <= set(manifest["files"])


def test_postgres_gives_the_same_files_as_sqlite(tmp_path: Path, database: str) -> None:
    from test_exchange import exported, run

    old = rich_project(tmp_path / "old")
    add_rich_items(old)
    live(old, 9, events=50)
    wanted = exported(old)
    new = rich_project(tmp_path / "new", more=f'database = "{database}"')
    for name, options in (
        ("items", ()),
        ("people", ("--people",)),
        ("judgments", ("--judgments",)),
    ):
        run("import", new.folder, old.folder / "out" / f"{name}.jsonl", *options)
    assert exported(new) == wanted
    check_books(new)
    people.invite("After", now=START)
    newest = Person.objects.get(name="After").pk
    for lease in queue.next_page(newest, new.plan, now=START, rng=Random(1)).leases[:1]:
        judgments.skip(newest, lease.token, new.plan, now=START)  # numbered after those that came


def test_postgres_takes_files_of_other_tools(tmp_path: Path, database: str) -> None:
    from test_exchange import run
    from test_tool_files import MTURK

    project = rich_project(tmp_path / "p", more=f'database = "{database}"')
    (tmp_path / "batch.csv").write_text(MTURK, encoding="utf-8")
    run("import", project.folder, tmp_path / "batch.csv", "--format", "mturk")
    connect(open_project(project.folder))
    assert sorted(StoredJudgment.objects.values_list("state", flat=True)) == [
        "counted",
        "discarded",
    ]
    check_books(project)


def test_database_that_is_gone_is_no_new_project(tmp_path: Path) -> None:
    from django.db import connections

    project = make_project(tmp_path / "p")
    connections.close_all()
    for path in project.folder.glob("project.db*"):
        path.unlink()
    for _ in range(2):  # the first try leaves an empty file
        with pytest.raises(BadInput, match="is missing or empty, but this project had a database"):
            connect(project)
    (project.folder / "last-judgment").unlink()
    connect(project)


def test_database_of_another_version_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from django.core.management import call_command
    from django.db import connection

    project = make_project(tmp_path / "p")
    call_command("migrate", "store", "0001", verbosity=0)
    connect(project)
    assert "was made by an older version of trope; it is brought up to date" in caplog.text
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE store_person DROP COLUMN unread")
    with pytest.raises(BadInput, match=r"has no column store_person\.unread"):
        connect(project)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('store', '0099_future', '2026-01-01')"
        )
    with pytest.raises(BadInput, match=r"newer version of trope \(0099_future\)"):
        connect(project)


def test_project_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    backup(project, tmp_path / "b.zip")
    restore(tmp_path / "b.zip", tmp_path / "q")
    write_database(tmp_path / "q", "postgresql://localhost/trope")
    for path in (tmp_path / "b.zip", *project.folder.iterdir(), *(tmp_path / "q").iterdir()):
        assert path.stat().st_mode & 0o077 == 0, path


def test_backup_that_would_fill_the_disk_is_refused(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    backup(project, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as sound:
        parts = {name: sound.read(name) for name in sound.namelist()}
    parts["items.jsonl"] = bytes(150_000_000)  # a few hundred kilobytes when packed
    manifest = json.loads(parts["manifest.json"])
    manifest["files"]["items.jsonl"] = hashlib.sha256(parts["items.jsonl"]).hexdigest()
    parts["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
        for name, content in parts.items():
            bomb.writestr(name, content)
    with pytest.raises(BadInput, match="far more than a backup does"):
        restore(tmp_path / "bomb.zip", tmp_path / "q")
    assert not (tmp_path / "q").exists()
