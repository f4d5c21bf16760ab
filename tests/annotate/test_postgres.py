"""The same promises on PostgreSQL: a server of the tests' own, or the one TROPE_POSTGRES names."""

# ruff: noqa: F811 - the fixture is taken by importing it

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from bookkeeping import check_books
from django.db import connection
from postgres_fixture import server  # noqa: F401
from projects import START, add_items, make_project
from test_bad_times import add_large_items, check_full_outputs, tiny_disk  # noqa: F401
from test_concurrency import YES, at_once, work_until_finished
from test_discipline import reinstated_while_others_work
from test_people_at_once import CHECKS
from test_web import browser, form_token

from trope.annotate.plan import Doubt
from trope.annotate.project import Project
from trope.annotate.store import database, discipline, judgments, people, queue, setup
from trope.annotate.store.models import Item, StoredJudgment
from trope.annotate.web.service import web_settings
from trope.core.errors import BadConfig


@contextmanager
def database_on(server: str) -> Iterator[str]:
    """The address of a new database; it is dropped with the block."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    name = f"trope_test_{secrets.token_hex(6)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        admin.execute(f"ALTER DATABASE {name} SET lock_timeout = '20s'")  # fail, do not hang
        admin.execute(f"ALTER DATABASE {name} SET deadlock_timeout = '50ms'")
        yield f"{server}/{name}"
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def on_postgres(tmp_path: Path, server: str) -> Iterator[Project]:
    with database_on(server) as address:
        yield make_project(tmp_path / "p", k=3, page=4, more=f'database = "{address}"')
        make_project(tmp_path / "other")  # lets go of the database


def test_postgres_ten_people_at_once_fill_every_item(on_postgres: Project) -> None:
    add_items(on_postgres, 20)
    for number in range(10):
        people.invite(f"Person {number}", now=START)
    results = at_once(lambda n: work_until_finished(on_postgres, n + 1), times=10)
    assert all(isinstance(done, int) for done in results), results
    assert sum(results) == 60
    assert set(Item.objects.values_list("open_slots", flat=True)) == {0}
    check_books(on_postgres)


@contextmanager
def taken_by_another(project: Project, names: list[str]) -> Iterator[Any]:
    """A transaction elsewhere that has these items locked; it ends with the block."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    with psycopg.connect(project.plan.database) as other:
        query = "SELECT id FROM store_item WHERE external_id = ANY(%s) FOR NO KEY UPDATE"
        other.execute(query, [names])
        yield other


def names_of(page: queue.Page) -> list[str]:
    return sorted(lease.item.external_id for lease in page.leases)


def test_postgres_items_that_others_are_taking_are_passed_over_and_come_later(
    on_postgres: Project,
) -> None:
    add_items(on_postgres, 8)
    people.invite("Ann", now=START)
    with taken_by_another(on_postgres, ["i1", "i3"]):
        page = queue.next_page(1, on_postgres.plan, now=START, rng=Random(1))
    assert names_of(page) == ["i2", "i4", "i5", "i6"]
    for lease in page.leases:
        judgments.submit(1, lease.token, YES, on_postgres.plan, now=START)
    page = queue.next_page(1, on_postgres.plan, now=START, rng=Random(1))
    assert names_of(page) == ["i1", "i3", "i7", "i8"]
    check_books(on_postgres)


def test_postgres_who_finds_only_items_that_others_are_taking_waits(on_postgres: Project) -> None:
    add_items(on_postgres, 2)
    people.invite("Ann", now=START)
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    watch = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = %s"
    with taken_by_another(on_postgres, ["i1", "i2"]) as other:
        came_back = Event()

        def work(number: int) -> object:
            if number == 0:
                page = queue.next_page(1, on_postgres.plan, now=START, rng=Random(1))
                came_back.set()
                return names_of(page) or page.reason
            # elsewhere: within a transaction, who waits is looked up once
            with psycopg.connect(on_postgres.plan.database, autocommit=True) as watcher:
                while not watcher.execute(watch, [other.info.dbname]).fetchone():
                    if came_back.is_set():
                        return "nobody waits"
            other.execute("UPDATE store_item SET open_slots = 0 WHERE external_id = 'i1'")
            other.commit()
            return "let go"

        assert at_once(work, times=2) == [["i2"], "let go"]


def test_postgres_form_is_stored_while_someone_takes_its_item(on_postgres: Project) -> None:
    add_items(on_postgres, 1)
    people.invite("Ann", now=START)
    (lease,) = queue.next_page(1, on_postgres.plan, now=START, rng=Random(1)).leases
    with taken_by_another(on_postgres, ["i1"]) as other:
        other.execute("UPDATE store_item SET open_slots = open_slots - 1")
        stored = judgments.submit(1, lease.token, YES, on_postgres.plan, now=START)
        other.rollback()
    assert stored.state == "counted"
    check_books(on_postgres)


def test_postgres_all_waits_of_a_request_end_together(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.setattr(database, "REQUEST_S", 0.5)
    with database_on(server) as address:
        project = make_project(tmp_path / "p", more=f'database = "{address}"')
        database.connect(project, **web_settings())
        add_items(project, 3)
        ann = browser(people.invite("Ann", now=START))
        form = {"token": form_token(ann), "metaphor": "yes"}
        for table in ("store_person", "store_item", "store_lease"):  # early and late in a request
            with psycopg.connect(address) as other:
                other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                answer = ann.post("/judge", form)
                assert answer.status_code == 503, table
                assert answer.headers["Retry-After"]
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("450ms",), "the next request may wait again"
        assert ann.post("/judge", form).status_code == 302
        assert StoredJudgment.objects.count() == 1
        make_project(tmp_path / "other")  # lets go of the database


def test_postgres_backup_and_export_onto_a_disk_that_fills(
    on_postgres: Project, tiny_disk: Path, tmp_path: Path
) -> None:
    add_large_items(on_postgres)
    check_full_outputs(on_postgres, tiny_disk, tmp_path / "room")


def test_postgres_same_form_ten_times_at_once_is_one_judgment(on_postgres: Project) -> None:
    add_items(on_postgres, 1)
    people.invite("Ann", now=START)
    (lease,) = queue.next_page(1, on_postgres.plan, now=START, rng=Random(1)).leases
    results = at_once(
        lambda _: judgments.submit(1, lease.token, YES, on_postgres.plan, now=START).pk, times=10
    )
    assert len(set(results)) == 1, results
    assert StoredJudgment.objects.count() == 1
    check_books(on_postgres)


def test_postgres_dismissal_in_the_middle_of_work(on_postgres: Project) -> None:
    add_items(on_postgres, 30)
    for number in range(6):
        people.invite(f"Person {number}", now=START)

    def work(number: int) -> object:
        if number == 6:
            return discipline.dismiss(1, "test", now=START)
        try:
            return work_until_finished(on_postgres, number + 1)
        except people.ActionRefused as refused:
            return refused.code

    results = at_once(work, times=7)
    assert not [result for result in results if isinstance(result, Exception)], results
    check_books(on_postgres)


def test_postgres_reinstatement_in_the_middle_of_work(on_postgres: Project) -> None:
    reinstated_while_others_work(on_postgres)
    check_books(on_postgres)


def test_postgres_disputed_items_are_found(on_postgres: Project) -> None:
    from trope.annotate.store.adjudication import next_disputes
    from trope.annotate.store.overview import project_overview
    from trope.annotate.store.reports import by_day

    add_items(on_postgres, 2)
    for number, answer in enumerate(("yes", "yes", "no")):
        people.invite(f"Person {number}", now=START)
        page = queue.next_page(number + 1, on_postgres.plan, now=START, rng=Random(1))
        for lease in page.leases:
            given = {"metaphor": answer if lease.item.external_id == "i2" else "yes"}
            judgments.submit(number + 1, lease.token, given, on_postgres.plan, now=START)
    (found,) = next_disputes(on_postgres.plan)
    assert found.answers == {"metaphor": {"yes": 2, "no": 1}}
    in_doubt = replace(on_postgres.plan, doubt=Doubt("metaphor", ("yes",)))
    assert len(next_disputes(in_doubt)) == 2
    assert by_day() == [(START.date(), 6)]
    seen = project_overview(on_postgres)
    assert (seen.waiting.disputes, seen.is_done, seen.stuck) == (1, True, False)
    assert seen.agreement is not None


@pytest.mark.parametrize("check", CHECKS)
def test_postgres_way_in_and_out_at_once(check: object, on_postgres: Project) -> None:
    check(on_postgres)  # type: ignore[operator]


def test_postgres_owner_changes_a_project_that_runs(on_postgres: Project) -> None:
    add_items(on_postgres, 6)
    for name in ("Ann", "Bob", "Cy"):
        people.invite(name, now=START)
    work_until_finished(on_postgres, 1)
    text, mark = setup.plan_file(on_postgres), setup.plan_mark(on_postgres)
    with pytest.raises(BadConfig, match="'yes' has been given and stays"):
        changed = text.replace('value = "yes"', 'value = "aye"')
        setup.save_plan(on_postgres, changed, seen=mark, now=START, by="Olga")
    fewer = text.replace("judgments_per_item = 3", "judgments_per_item = 1")
    setup.save_plan(on_postgres, fewer, seen=mark, now=START, by="Olga")
    assert set(Item.objects.values_list("open_slots", flat=True)) == {0}
    mark = setup.plan_mark(on_postgres)
    setup.save_plan(on_postgres, text, seen=mark, now=START, by="Olga")
    assert set(Item.objects.values_list("open_slots", flat=True)) == {2}
    work_until_finished(on_postgres, 2)
    check_books(on_postgres)
    assert setup.delete_items(None, now=START, by="Olga") == 0
    setup.set_paused(True, now=START, by="Olga")
    person = people.find_person(1)
    assert person is not None
    assert (person.paused, person.plan_version) == (True, 3)
