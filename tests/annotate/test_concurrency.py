"""Many people at once, in threads and in processes that are killed."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bookkeeping import check_books
from projects import START, add_items, make_project

from trope.annotate.project import Project
from trope.annotate.store import discipline, judgments, migrations, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.models import Item, StoredJudgment

YES = {"metaphor": "yes"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "project")


def at_once(work: Callable[[int], Any], times: int) -> list[Any]:
    """The results of so many threads that start together; an error is a result too."""
    from django.db import connections

    results: list[Any] = [None] * times
    gate = threading.Barrier(times)

    def run(number: int) -> None:
        gate.wait()
        try:
            results[number] = work(number)
        except Exception as error:  # noqa: BLE001 - the test looks at it
            results[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def work_until_finished(project: Project, person: int) -> int:
    done = 0
    while True:
        page = queue.next_page(person, project.plan, now=START, rng=Random(person))
        if not page.leases:
            return done
        for lease in page.leases:
            judgments.submit(person, lease.token, YES, project.plan, now=START)
            done += 1


def test_same_form_ten_times_at_once_is_one_judgment(project: Project) -> None:
    add_items(project, 1)
    people.invite("Ann", now=START)
    (lease,) = queue.next_page(1, project.plan, now=START, rng=Random(1)).leases
    results = at_once(
        lambda _: judgments.submit(1, lease.token, YES, project.plan, now=START).pk, times=10
    )
    assert len(set(results)) == 1
    assert StoredJudgment.objects.count() == 1
    check_books(project)


def test_ten_people_at_once_fill_every_item_and_no_item_twice(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=3, page=4)
    add_items(project, 20)
    for number in range(10):
        people.invite(f"Person {number}", now=START)
    results = at_once(lambda n: work_until_finished(project, n + 1), times=10)
    assert all(isinstance(done, int) for done in results), results
    assert sum(results) == 60
    assert set(Item.objects.values_list("open_slots", flat=True)) == {0}
    check_books(project)


def test_one_person_in_many_tabs_has_one_page(project: Project) -> None:
    add_items(project, 9)
    people.invite("Ann", now=START)
    pages = at_once(
        lambda n: sorted(
            lease.item_id
            for lease in queue.next_page(1, project.plan, now=START, rng=Random(n)).leases
        ),
        times=6,
    )
    assert all(page == pages[0] and len(page) == 3 for page in pages), pages
    check_books(project)


def test_dismissal_in_the_middle_of_work_keeps_the_books(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=2, page=2)
    add_items(project, 15)
    for number in range(4):
        people.invite(f"Person {number}", now=START)

    def work(number: int) -> Any:
        if number == 4:
            return discipline.dismiss(1, "test", now=START)
        try:
            return work_until_finished(project, number + 1)
        except people.ActionRefused as refused:
            return refused.code

    results = at_once(work, times=5)
    assert not [result for result in results if isinstance(result, Exception)]
    assert StoredJudgment.objects.filter(person_id=1, state="counted").count() == 0
    check_books(project)


WORKER = """
import os, sys
from datetime import datetime
from random import Random
from trope.annotate.project import open_project
from trope.annotate.store.database import connect

project = open_project(sys.argv[1])
connect(project)
from trope.annotate.store import judgments, queue

person, now = int(sys.argv[2]), datetime.fromisoformat(sys.argv[3])
while leases := queue.next_page(person, project.plan, now=now, rng=Random(1)).leases:
    for lease in leases:
        judgments.submit(person, lease.token, {"metaphor": "yes"}, project.plan, now=now)
        os.write(1, lease.token.encode() + b"\\n")
"""


def start_worker(project: Project, person: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(project.folder), str(person), START.isoformat()]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    from django.db import connection

    project = make_project(tmp_path / "p", k=2, page=3)
    add_items(project, 400)
    for name in ("Ann", "Bob"):
        people.invite(name, now=START)
    acknowledged: list[str] = []
    for wanted in (1, 7, 20, 33):
        workers = [start_worker(project, person) for person in (1, 2)]
        first = workers[0]
        assert first.stdout is not None
        acknowledged += [first.stdout.readline().strip() for _ in range(wanted)]
        for worker in workers:
            os.kill(worker.pid, signal.SIGKILL)
        for worker in workers:
            rest, _ = worker.communicate()
            acknowledged += [line for line in rest.split("\n") if len(line) == 32]
    stored = set(StoredJudgment.objects.values_list("token", flat=True))
    assert len(acknowledged) >= 61
    assert set(acknowledged) <= stored
    assert len(acknowledged) == len(set(acknowledged))
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        assert cursor.fetchone() == ("ok",)
        for pragma, value in (("journal_mode", "wal"), ("synchronous", 2)):
            cursor.execute(f"PRAGMA {pragma}")
            assert cursor.fetchone() == (value,)
    check_books(project)


def test_models_and_migrations_agree(project: Project) -> None:
    from django.core.management import call_command

    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_database_of_the_first_version_is_brought_up_to_date(project: Project) -> None:
    from django.core.management import call_command
    from django.db import connection

    add_items(project, 1)
    call_command("migrate", "store", "0001", verbosity=0)
    connect(project)
    assert Item.objects.count() == 1
    assert "store_judgment" in connection.introspection.table_names()


def test_files_and_tables_know_the_same_states() -> None:
    from trope.annotate.exchange.records import STATES
    from trope.annotate.store.models import JudgmentState

    assert set(JudgmentState.values) == set(STATES)


RELEASED = {
    "0001_initial.py": "077305ee07225db5",
    "0002_states.py": "1c5e1c2475789f1b",
}


def test_migrations_stay_as_they_were_released() -> None:
    """A change of the tables is a new migration: projects have run the old ones."""
    folder = Path(migrations.__file__).parent
    found = {
        path.name: hashlib.sha256(b"".join(path.read_bytes().split())).hexdigest()[:16]
        for path in folder.glob("0*.py")
    }
    assert found.items() >= RELEASED.items()
