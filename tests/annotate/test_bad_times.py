"""Full disks, read-only databases and clocks that go back: no false "saved", nothing lost."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from projects import START, Clock, add_items, make_project
from test_web import browser, form_token

from trope.annotate.project import Project, new_project, open_project
from trope.annotate.store import judgments, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.models import Lease, Person, StoredJudgment
from trope.annotate.web.middleware import HEADING
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadInput


def mounted(folder: Path, size: str) -> bool:
    """Whether a file system of that size could be made in the folder."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.geteuid() != 0:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@contextmanager
def disk(folder: Path, size: str) -> Iterator[Path]:
    if not mounted(folder, size):
        pytest.skip("making a file system needs root")
    try:
        yield folder
    finally:
        from django.db import connections

        connections.close_all()
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, to be filled or made read-only."""
    with disk(tmp_path / "disk", "4m") as folder:
        yield folder


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for a part of what is written onto it."""
    with disk(tmp_path / "tiny", "512k") as folder:
        yield folder


def add_large_items(project: Project, number: int = 1500) -> None:
    """Items that do not get much smaller when they are packed: two megabytes of them."""
    path, rng = project.folder.parent / "large.jsonl", Random(1)
    with path.open("w", encoding="utf-8") as file:
        for n in range(number):
            file.write(json.dumps({"id": f"large{n}", "text": rng.randbytes(700).hex()}) + "\n")
    import_items(project, path, now=START)


def served(folder: Path, items: int = 12) -> Project:
    project = make_project(folder, k=2, page=3)
    connect(project, **web_settings())
    add_items(project, items)
    return project


def not_saved(answer: Any) -> None:
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    page = answer.content.decode()
    assert HEADING in page
    assert "Traceback" not in page
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_full_disk_is_told_and_the_same_form_is_saved_later(small_disk: Path) -> None:
    project = served(small_disk / "p")
    ann = browser(people.invite("Ann", now=START))
    token = form_token(ann)
    form = {"token": token, "metaphor": "yes", "note": "x"}
    with (small_disk / "filling").open("wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"0" * 4096)
    filled = 0
    for _ in range(200):  # the log has some room left in its last page
        answer = ann.post("/judge", form)
        if answer.status_code == 503:
            break
        filled += 1
        form["token"] = form_token(ann)
    not_saved(answer)
    assert StoredJudgment.objects.count() == filled
    not_saved(ann.post("/judge/draft", form))
    assert ann.post("/judge", form, HTTP_ACCEPT="application/json").json()["ok"] is False
    (small_disk / "filling").unlink()
    assert ann.post("/judge", form).status_code == 302
    assert StoredJudgment.objects.count() == filled + 1
    check_books(project)


def test_import_and_export_onto_a_full_disk_are_one_line_and_leave_nothing(
    small_disk: Path, tmp_path: Path
) -> None:
    project = served(small_disk / "p")
    path = tmp_path / "many.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(20_000):
            file.write(json.dumps({"id": f"n{number}", "text": f"A long {'x' * 300}."}) + "\n")
    run = CliRunner().invoke
    result = run(main, ["annotate", "import", str(project.folder), str(path)])
    assert isinstance(result.exception, BadInput)
    assert "is not available" in str(result.exception)
    lines = run(main, ["annotate", "export", str(project.folder), "--what", "items"]).output
    assert len(lines.splitlines()) == 12  # what was there before, and nothing of the file
    with (small_disk / "filling").open("wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"0" * 4096)
    out = small_disk / "out.jsonl"
    for command in (["export", "--what", "items", "--out", out], ["backup", small_disk / "b.zip"]):
        arguments = ["annotate", command[0], str(project.folder), *map(str, command[1:])]
        result = run(main, arguments)
        assert isinstance(result.exception, BadInput), result.output
    assert not out.exists()
    assert not (small_disk / "b.zip").exists()


OUTPUTS = {
    "backup": ["backup", "DIR", "OUT/backup.zip"],
    "kept backup": ["backup", "DIR", "--to", "OUT", "--keep", "3"],
    "items": ["export", "DIR", "--what", "items", "--out", "OUT/items.jsonl"],
    "table": ["export", "DIR", "--what", "items", "--out", "OUT/items.csv"],
    "parquet": ["export", "DIR", "--what", "items", "--out", "OUT/items.parquet"],
}


def check_full_outputs(project: Project, out: Path, room: Path) -> None:
    """What fills a disk in the middle is one line and leaves nothing; elsewhere it is whole."""
    for command in OUTPUTS.values():
        words = [part.replace("DIR", str(project.folder)) for part in command]
        onto = [word.replace("OUT", str(out)) for word in words]
        result = CliRunner().invoke(main, ["annotate", *onto])
        assert isinstance(result.exception, BadInput), (onto, result.output, result.exception)
        assert "No space left" in str(result.exception) or "full" in str(result.exception)
        assert not list(out.iterdir()), "nothing half-written is left"
        elsewhere = [word.replace("OUT", str(room)) for word in words]
        assert CliRunner().invoke(main, ["annotate", *elsewhere]).exit_code == 0


def test_disk_that_fills_in_the_middle_of_a_backup_or_an_export(
    tiny_disk: Path, tmp_path: Path
) -> None:
    project = served(tmp_path / "p")
    add_large_items(project)
    check_full_outputs(project, tiny_disk, tmp_path / "room")
    check_books(project)


def test_database_that_may_not_grow_is_told_without_root(tmp_path: Path) -> None:
    from django.db import connection

    project = served(tmp_path / "p", items=400)
    people.invite("Ann", now=START)
    ann = browser(people.invite("Bob", now=START))
    with connection.cursor() as cursor:
        (pages,) = cursor.execute("PRAGMA page_count").fetchone()
        cursor.execute(f"PRAGMA max_page_count={pages}")
    saved, answer = 0, None
    for _ in range(400):
        token = form_token(ann) if ann.get("/judge").status_code == 200 else "x"
        answer = ann.post("/judge", {"token": token, "metaphor": "yes"})
        if answer.status_code == 503:
            break
        saved += 1
    not_saved(answer)
    assert StoredJudgment.objects.count() == saved > 0
    check_books(project)


def test_read_only_file_system_is_told(small_disk: Path) -> None:
    from django.db import connections

    project = served(small_disk / "p")
    ann = browser(people.invite("Ann", now=START))
    token = form_token(ann)
    connections.close_all()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    try:
        not_saved(ann.post("/judge", {"token": token, "metaphor": "yes"}))
        with pytest.raises(BadInput, match="cannot be opened"):
            connect(open_project(project.folder))
    finally:
        connections.close_all()
        subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    assert not StoredJudgment.objects.exists()
    assert ann.post("/judge", {"token": token, "metaphor": "yes"}).status_code == 302
    assert StoredJudgment.objects.count() == 1


def test_database_that_refuses_writes_is_told_without_root(tmp_path: Path) -> None:
    from django.db import connection

    served(tmp_path / "p")
    ann = browser(people.invite("Ann", now=START))
    olga = browser(people.invite("Olga", role="owner", now=START))
    token = form_token(ann)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only=ON")
    not_saved(ann.post("/judge", {"token": token, "metaphor": "yes"}))
    not_saved(olga.post("/project/invite", {"name": "Bob"}))
    answer = ann.post(
        "/judge", {"token": token, "metaphor": "yes"}, headers={"Accept": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert ann.get("/guidelines").status_code == 200  # what needs no writing goes on
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only=OFF")
    assert not StoredJudgment.objects.exists()
    assert ann.post("/judge", {"token": token, "metaphor": "yes"}).status_code == 302


def test_database_that_is_gone_is_told_even_to_those_who_sign_in(tmp_path: Path) -> None:
    from django.db import connections

    project = served(tmp_path / "p")
    ann = browser(people.invite("Ann", now=START))
    connections.close_all()
    for path in project.folder.glob("project.db*"):
        path.unlink()
    project.database.write_bytes(b"not a database" * 100)
    not_saved(ann.get("/judge"))
    connections.close_all()


def test_project_that_was_moved_away_saves_nothing(tmp_path: Path) -> None:
    from trope.annotate.store.database import write_transaction
    from trope.annotate.store.transfer import _close_for_good

    served(tmp_path / "p")
    ann = browser(people.invite("Ann", now=START))
    token = form_token(ann)
    with write_transaction():
        _close_for_good("postgresql://new.example/project")
    not_saved(ann.post("/judge", {"token": token, "metaphor": "yes"}))
    assert not StoredJudgment.objects.exists()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "p", k=1, page=2, more="[caps]\nday = 3")


def test_clock_that_goes_back_holds_no_item_longer_than_a_lease(project: Project) -> None:
    add_items(project, 2)
    for name in ("Ann", "Bob"):
        people.invite(name, now=START)
    clock = Clock()
    assert len(queue.next_page(1, project.plan, now=clock.now, rng=Random(1)).leases) == 2
    clock.forward(days=-3)
    assert queue.next_page(2, project.plan, now=clock.now, rng=Random(1)).reason == "finished"
    latest = max(Lease.objects.values_list("expires", flat=True))
    assert latest == clock.now + timedelta(minutes=30)
    clock.forward(minutes=31)
    assert len(queue.next_page(2, project.plan, now=clock.now, rng=Random(1)).leases) == 2
    check_books(project)


def test_clock_that_goes_back_makes_no_negative_time_and_opens_no_new_day(
    project: Project,
) -> None:
    add_items(project, 9)
    people.invite("Ann", now=START)
    clock = Clock()
    for hours in (0, -5, -30):
        clock.now = START + timedelta(hours=hours)
        for lease in queue.next_page(1, project.plan, now=clock.now, rng=Random(1)).leases[:1]:
            clock.forward(seconds=-7)
            judgments.submit(1, lease.token, {"metaphor": "yes"}, project.plan, now=clock.now)
    assert [seconds for (seconds,) in StoredJudgment.objects.values_list("seconds")] == [0, 0, 0]
    ann = Person.objects.get()
    assert (ann.judged, ann.judged_day, ann.seconds) == (3, 3, 0)
    assert queue.next_page(1, project.plan, now=clock.now, rng=Random(1)).leases == ()
    assert queue.next_page(1, project.plan, now=clock.now, rng=Random(1)).reason == "day"
    check_books(project)


def test_form_of_before_the_clock_went_back_is_still_one_judgment(project: Project) -> None:
    add_items(project, 2)
    people.invite("Ann", now=START)
    lease = queue.next_page(1, project.plan, now=START, rng=Random(1)).leases[0]
    back = START - timedelta(days=400)
    first = judgments.submit(1, lease.token, {"metaphor": "yes"}, project.plan, now=back)
    again = judgments.submit(1, lease.token, {"metaphor": "yes"}, project.plan, now=START)
    assert first.pk == again.pk
    assert json.loads(json.dumps(StoredJudgment.objects.get().answers)) == {"metaphor": "yes"}
    check_books(project)


def test_clock_that_jumps_a_day_and_back_keeps_the_books(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=2, page=3, more="[caps]\nday = 4")
    add_items(project, 9)
    people.invite("Ann", now=START)
    plan, there = project.plan, START + timedelta(days=1)
    page = queue.next_page(1, plan, now=START, rng=Random(1))
    judgments.submit(1, page.leases[0].token, {"metaphor": "yes"}, plan, now=START)
    for lease in page.leases[1:]:
        judgments.submit(1, lease.token, {"metaphor": "yes"}, plan, now=there)
    back = START + timedelta(minutes=5)
    while leases := queue.next_page(1, plan, now=back, rng=Random(1)).leases:
        judgments.submit(1, leases[0].token, {"metaphor": "yes"}, plan, now=back)
    ann = Person.objects.get(pk=1)
    assert ann.judged <= 1 + 4, "one on the first day, and no more than a day's limit since"
    assert min(StoredJudgment.objects.values_list("seconds", flat=True)) >= 0
    check_books(project)


def test_migration_onto_a_full_disk_is_told_and_done_later(small_disk: Path) -> None:
    from django.core.management import call_command
    from django.db import connections

    project = served(small_disk / "p")
    call_command("migrate", "store", "0001", verbosity=0)
    connections.close_all()
    with (small_disk / "filling").open("wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"0" * 512)
    with pytest.raises(BadInput, match="cannot be opened"):
        connect(project)
    connections.close_all()
    (small_disk / "filling").unlink()
    connect(project)
    assert StoredJudgment.objects.count() == 0
    check_books(project)


def test_disk_that_fills_in_the_middle_of_a_migration_keeps_what_is_whole(
    small_disk: Path,
) -> None:
    from django.db import connections

    new_project(small_disk / "p", "newsmet")
    project = open_project(small_disk / "p")
    filling, told = small_disk / "filling", []
    for pages in range(4, 400, 8):  # tables and indexes need more than a hundred
        connections.close_all()
        free = os.statvfs(small_disk)
        with filling.open("wb") as file:
            file.write(b"0" * (free.f_bavail * free.f_frsize - pages * 4096))
        try:
            connect(project)
        except BadInput as error:
            assert "cannot be opened" in str(error)
            told.append(pages)
        else:
            break
        connections.close_all()
        filling.unlink()
        with closing(sqlite3.connect(project.database)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(told) > 3, "it had room to begin, and stopped in the middle"
    assert pages > told[-1], "with a little more room it is done"
    filling.unlink()
    connect(project, **web_settings())
    add_items(project, 2)
    people.invite("Ann", now=START)
    assert queue.next_page(1, project.plan, now=START, rng=Random(1)).leases
    check_books(project)
