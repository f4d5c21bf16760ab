"""Two people at once, statement by statement, on both databases: nobody is given an item twice.

One action runs; before one of its statements another action runs on a connection of its own, as far
as locks let it. A model remembers what was acknowledged, and the tables must agree with it.
"""

import ast
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bookkeeping import check_books
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from postgres_fixture import server  # noqa: F401
from projects import START, add_items, make_project
from test_postgres import database_on

from trope.annotate.project import Project
from trope.annotate.store import (
    adjudication,
    database,
    discipline,
    judgments,
    membership,
    people,
    practice,
    queue,
    selection,
    slots,
)
from trope.annotate.store.people import ActionRefused
from trope.core.errors import BadInput

YES, UNSURE = {"metaphor": "yes"}, {"metaphor": "no"}
DOUBT = (
    '[skip]\nallowed = true\nlimit = 1.0\n[doubt]\nquestion = "metaphor"\nvalues = ["no"]\nmore = 1'
)
PEOPLE = 3
FILLED = (
    *("returned", "lease", "judgment", "event", "notice"),
    *("standing", "person", "item", "state", "batch"),
)
MODULES = (
    adjudication,
    discipline,
    judgments,
    membership,
    people,
    practice,
    queue,
    selection,
    slots,
)
ACTIONS = (
    "page",
    "judge",
    "continue",
    "doubt",
    "skip",
    "undo",
    "later",
    "dismiss",
    "reinstate",
    "rewind",
    "round",
)


@dataclass
class Pair:
    """A project, a second connection, and what both have been told."""

    project: Project
    other: ThreadPoolExecutor
    waits: Callable[[], bool]
    now: datetime = START
    stored: set[str] = field(default_factory=set)
    pause_at: int = -1
    statements: int = 0

    def do(self, action: str, person: int) -> None:
        """One action as a page asks for it; a refusal is an answer, anything else an error."""
        try:
            self._do(action, person)
        except ActionRefused:
            return

    def _do(self, action: str, person: int) -> None:
        from trope.annotate.store.models import Person

        plan, now = self.project.plan, self.now
        if action == "later":
            queue.release_expired(now=now + timedelta(minutes=31))
        elif action == "dismiss":
            discipline.dismiss(person, "test", now=now)
        elif action == "reinstate":
            discipline.reinstate(person, now=now, by="owner")
        elif action == "undo":
            judgments.undo(person, plan, lambda answers, _: answers, now=now)
        elif action == "rewind":  # as after a page whose first items others were taking
            Person.objects.filter(pk=person).update(cursor=0, returned_cursor=0)
        elif action == "round":
            with suppress(BadInput):  # no items are left
                slots.hold_back(now=now)
                order = slots.round_items()[::-1]
                slots.open_round(order, 2, by="random", now=now, who="")
        elif action == "page":
            queue.next_page(person, plan, now=now, rng=Random(1))
        elif leases := queue.leases_of(person):
            self.stored.add(self._answer(action, person, leases[0].token))

    def _answer(self, action: str, person: int, token: str) -> str:
        plan, now = self.project.plan, self.now
        if action == "skip":
            return str(judgments.skip(person, token, plan, now=now).token)
        if action == "continue":
            done = judgments.submit_and_continue(
                person, token, lambda _: YES, plan, now=now, rng=Random(1)
            )
            return str(done.judgment.token)
        given = UNSURE if action == "doubt" else YES
        return str(judgments.submit(person, token, given, plan, now=now).token)

    def interleave(self, first: tuple[str, int], second: tuple[str, int], at: int) -> None:
        """Do the first; before its statement number `at`, start the second elsewhere."""
        from django.db import connection

        self.pause_at, self.statements = at, 0
        begun: list[Future[None]] = []

        def begin() -> None:
            begun.append(self.other.submit(self.do, *second))
            while not begun[0].done() and not self.waits():
                pass  # each look at the server takes a moment

        def pause(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            holds_all = connection.in_atomic_block or sql.startswith("BEGIN")  # on SQLite
            free = connection.vendor == "postgresql" or not holds_all
            if self.statements >= self.pause_at and free and not begun:
                begin()
            self.statements += 1
            return execute(sql, params, many, context)

        with connection.execute_wrapper(pause):
            self.do(*first)
        if begun:
            begun[0].result()
        self.check()

    def check(self) -> None:
        from trope.annotate.store.models import StoredJudgment

        check_books(self.project)
        assert self.stored <= set(StoredJudgment.objects.values_list("token", flat=True))


@pytest.fixture(params=["sqlite", "postgres"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pair]:
    if request.param == "sqlite":
        project = make_project(tmp_path / "p", k=1, page=2, more=DOUBT)
        with second_connection() as other:
            yield Pair(project, other, lambda: False)
        return
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    with database_on(request.getfixturevalue("server")) as address:
        project = make_project(tmp_path / "p", k=1, page=2, more=f'database = "{address}"\n{DOUBT}')
        with psycopg.connect(address, autocommit=True) as watcher, second_connection() as other:
            yield Pair(project, other, lambda: _anyone_waits(watcher))
        make_project(tmp_path / "q")  # lets go of the database


def _anyone_waits(watcher: Any) -> bool:
    query = (
        "SELECT 1 FROM pg_stat_activity "
        "WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    return watcher.execute(query).fetchone() is not None


@contextmanager
def second_connection() -> Iterator[ThreadPoolExecutor]:
    from django.db import connections

    with ThreadPoolExecutor(1) as other:
        yield other
        other.submit(connections.close_all).result()


def begin(pair: Pair, items: int = 4) -> None:
    """Empty tables, and the people and items that every run starts with."""
    from django.core.management import call_command
    from django.db import connection

    if connection.vendor == "sqlite":
        call_command("flush", verbosity=0, interactive=False)
    else:  # deleting a few rows is faster than flushing all tables
        with connection.cursor() as cursor:
            cursor.execute("".join(f"DELETE FROM store_{name};" for name in FILLED))
            cursor.execute("ALTER SEQUENCE store_person_id_seq RESTART")
    pair.stored, pair.now = set(), START
    add_items(pair.project, items)
    for number in range(PEOPLE):
        people.invite(f"Person {number}", now=START)


def test_item_given_back_while_someone_who_had_it_asks_for_a_page(pair: Pair) -> None:
    at, statements, ann, bob = 0, 1, 1, 2
    while at < statements:
        begin(pair, items=4)
        for action, person in (("page", ann), ("skip", ann), ("page", bob), ("judge", ann)):
            pair.do(action, person)
        had = names_judged_by(ann)
        assert had == {"i1", "i2"}
        assert {lease.item.external_id for lease in queue.leases_of(bob)} == {"i1", "i3"}
        pair.do("rewind", ann)
        pair.interleave(("page", ann), ("skip", bob), at)
        given = {lease.item.external_id for lease in queue.leases_of(ann)}
        assert not given & had, f"statement {at}"
        at, statements = at + 1, pair.statements
    assert statements > 5


@pytest.mark.parametrize(("first", "second"), [("round", "page"), ("page", "round")])
def test_round_while_someone_asks_for_a_page_leaves_everything_to_be_found(
    pair: Pair, first: str, second: str
) -> None:
    """One person alone works, so that an item that they passed would never be judged."""
    at, statements = 0, 1
    while at < statements:
        begin(pair, items=6)
        pair.interleave((first, 1), (second, 1), at)
        for _ in range(4):
            while queue.next_page(1, pair.project.plan, now=pair.now, rng=Random(1)).leases:
                pair.do("judge", 1)
            pair.do("round", 1)
        assert names_judged_by(1) == {f"i{n}" for n in range(1, 7)}, f"statement {at}"
        at, statements = at + 2, pair.statements


def names_judged_by(person: int) -> set[str]:
    from trope.annotate.store.models import StoredJudgment

    mine = StoredJudgment.objects.filter(person_id=person, current=True)
    return set(mine.values_list("item__external_id", flat=True))


IN_EACH_OTHERS_WAY = (
    (("dismiss", 1), ("later", 2)),
    (("later", 2), ("dismiss", 1)),
    (("continue", 1), ("skip", 2)),
    (("round", 3), ("page", 1)),
    (("round", 3), ("continue", 2)),
    (("continue", 1), ("round", 3)),
)


@pytest.mark.parametrize(("first", "second"), IN_EACH_OTHERS_WAY)
def test_transactions_lock_in_one_order(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, first: tuple[str, int], second: tuple[str, int]
) -> None:
    monkeypatch.setattr(database, "_TRIES", 1)  # a deadlock is an error
    at, statements = 0, 1
    while at < statements:
        begin(pair)
        for person in (2, 1):
            pair.do("page", person)
        pair.interleave(first, second, at)
        at, statements = at + 1, pair.statements


def test_transaction_that_lost_to_another_is_run_again(pair: Pair) -> None:
    """Two that lock each other's people; PostgreSQL ends one of them."""
    from trope.annotate.store.models import Person

    begin(pair)
    met = threading.Barrier(2)

    def rename(order: tuple[int, int]) -> None:
        @database.retried
        def both() -> None:
            with database.write_transaction():
                for number in order:
                    Person.objects.filter(pk=number).update(reason=f"{order}")
                    with suppress(threading.BrokenBarrierError):
                        met.wait(timeout=0.5 if pair.project.plan.database else 0)

        both()

    elsewhere = pair.other.submit(rename, (1, 2))
    rename((2, 1))
    elsewhere.result()
    assert set(Person.objects.values_list("reason", flat=True)) <= {"(1, 2)", "(2, 1)", ""}


def test_form_of_an_item_that_was_given_twice_is_refused_and_the_item_goes_on(pair: Pair) -> None:
    from trope.annotate.store.models import Item, Lease, StoredJudgment

    begin(pair)
    pair.do("page", 1)
    lease = queue.leases_of(1)[0]
    pair.do("judge", 1)
    Item.objects.filter(pk=lease.item_id).update(extra=1)  # as if one more had been asked for
    twin = Lease.objects.create(
        item=lease.item, person_id=1, token="t" * 32, position=0, since=START, expires=lease.expires
    )
    with pytest.raises(ActionRefused, match="already judged"):
        judgments.submit(1, twin.token, YES, pair.project.plan, now=START)
    assert StoredJudgment.objects.count() == 1
    assert Item.objects.get(pk=lease.item_id).open_slots == 1
    check_books(pair.project)


def test_whatever_people_do_is_run_again_if_it_lost() -> None:
    """Every function that begins a transaction for someone's request."""
    for module in MODULES:
        for node in ast.parse(Path(str(module.__file__)).read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "with write_transaction()" in ast.unparse(
                node
            ):
                decorators = [ast.unparse(one) for one in node.decorator_list]
                assert decorators == ["retried"], f"{module.__name__}.{node.name}"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(ACTIONS),
        st.integers(1, PEOPLE),
        st.sampled_from(ACTIONS),
        st.integers(1, PEOPLE),
        st.integers(0, 20),
    ),
    min_size=4,
    max_size=14,
)


@given(steps=STEPS)
@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_interleaving_gives_an_item_twice_or_loses_a_judgment(
    pair: Pair, steps: list[tuple[str, int, str, int, int]]
) -> None:
    begin(pair)
    for person in range(1, PEOPLE + 1):
        pair.do("page", person)
    for action, person, elsewhere, someone, at in steps:
        pair.interleave((action, person), (elsewhere, someone), at)
        pair.now += timedelta(seconds=5)
