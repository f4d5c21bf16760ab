"""The real service on a project made for a measurement, and the counts of that project."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from trope.annotate.project import Project, make_secret, open_project

TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(TESTS / "annotate"), str(TESTS)]
from chat_server import YES, ChatServer, Question, Reply  # noqa: E402 - of the tests

from ports import free_port  # noqa: E402 - which nobody takes between two starts of a service

ANSWERS = {"metaphor": "yes"}
HOST = "127.0.0.1"

_PLAN = """
title = "Load"
guidelines = '''
Read the whole sentence before you answer.

1. Ask what the marked words mean here.
2. Ask whether they have a more basic meaning elsewhere: more concrete, bodily, or older.
3. If that meaning differs, and can be understood by comparison, it is a metaphor.

- Names and fixed phrases are judged as anything else.
- If in doubt, choose what comes first to mind.
'''
items_per_page = {page}
judgments_per_item = {k}
order = "random"
database = "{database}"
[skip]
allowed = true
limit = 1.0
[[questions]]
id = "metaphor"
kind = "choice"
text = "Is it a metaphor?"
options = [{{ value = "yes", label = "Yes" }}, {{ value = "no", label = "No" }}]
"""


@dataclass(frozen=True, slots=True)
class Books:
    """What the database says after a run; all that should be zero is zero where it is sound."""

    judgments: int
    over_the_cap: int
    twice: int
    unbalanced: int


def make_project(
    folder: Path, *, items: int, k: int = 5, page: int = 10, database: str = ""
) -> Project:
    """A project with one question and this many items."""
    folder.mkdir(parents=True)
    plan = _PLAN.format(k=k, page=page, database=database)
    (folder / "project.toml").write_text(plan, encoding="utf-8")
    make_secret(folder)
    project = open_project(folder)
    connect(project)
    add_items(project, write_items(folder / "items.jsonl", items))
    return project


def connect(project: Project) -> None:
    """Open the project's database in this process."""
    from trope.annotate.store.database import connect as open_database
    from trope.annotate.web.service import web_settings

    open_database(project, **web_settings())


def disconnect() -> None:
    """Let go of the database: the service alone is measured."""
    from django.db import connections

    connections.close_all()


def write_items(path: Path, number: int, name: str = "i") -> Path:
    """A file of this many items."""
    with path.open("w", encoding="utf-8") as file:
        for n in range(number):
            text = f"Sentence {n}: the minister buried the report under a mountain of others."
            file.write(json.dumps({"id": f"{name}{n}", "text": text}) + "\n")
    return path


def add_items(project: Project, path: Path) -> None:
    """Import a file of items."""
    from trope.annotate.store.imports import import_items

    import_items(project, path, now=datetime.now(UTC))


def invite(number: int) -> list[str]:
    """The paths of this many new invitation links."""
    from trope.annotate.store.people import invite as invite_one

    return [
        f"/join/{invite_one(f'Annotator {n}', now=datetime.now(UTC))}" for n in range(1, number + 1)
    ]


def prefill(project: Project, judgments: int) -> None:
    """Judgments by the people invited so far.

    They are written at once, before the service starts; their items are new ones, and full.
    """
    from trope.annotate.store.models import Item, Person, State, StoredJudgment

    k, people = project.plan.judgments_per_item, list(Person.objects.order_by("pk"))
    first = State.objects.get().published
    number = judgments // k
    items = Item.objects.bulk_create(
        [
            Item(external_id=f"old{n}", text=f"Old sentence {n}.", place=first + n, open_slots=0)
            for n in range(1, number + 1)
        ],
        batch_size=500,
    )
    State.objects.update(published=first + number)
    now, done = datetime.now(UTC), Counter[int]()
    rows = []
    for n, item in enumerate(items):
        for person in (people[(n * k + step) % len(people)] for step in range(k)):
            done[person.pk] += 1
            rows.append(_old_judgment(item.pk, person.pk, now))
    StoredJudgment.objects.bulk_create(rows, batch_size=500)
    for person_id, judged in done.items():
        Person.objects.filter(pk=person_id).update(judged=judged, last_at=now)


def _old_judgment(item: int, person: int, now: datetime) -> object:
    from trope.annotate.store.models import StoredJudgment

    return StoredJudgment(
        item_id=item,
        person_id=person,
        token=secrets.token_hex(16),
        answers=ANSWERS,
        seconds=3.0,
        at=now,
        state="counted",
    )


def books(project: Project) -> Books:
    """The counts of a project."""
    from trope.annotate.store.models import Item, Lease, StoredJudgment

    connect(project)
    k = project.plan.judgments_per_item
    live = StoredJudgment.objects.filter(current=True)
    counted = Counter(live.filter(state="counted").values_list("item_id", flat=True).iterator())
    held = Counter(Lease.objects.filter(released=False).values_list("item_id", flat=True))
    pairs = Counter(live.values_list("item_id", "person_id").iterator())
    pairs.update(Lease.objects.filter(released=False).values_list("item_id", "person_id"))
    items = Item.objects.filter(is_gold=False).values_list("pk", "open_slots")
    found = Books(
        judgments=live.count(),
        over_the_cap=sum(number > k for number in counted.values()),
        twice=sum(number > 1 for number in pairs.values()),
        unbalanced=sum(slots + held[pk] + counted[pk] != k for pk, slots in items.iterator()),
    )
    disconnect()
    return found


def stored_tokens(project: Project) -> list[str]:
    """The token of every judgment in the database."""
    from trope.annotate.store.models import StoredJudgment

    connect(project)
    tokens = list(StoredJudgment.objects.values_list("token", flat=True).iterator())
    disconnect()
    return tokens


def start(project: Project, port: int, *more: str) -> subprocess.Popen[bytes]:
    """The service as `trope annotate serve` starts it, in a process group of its own."""
    command = [sys.executable, "-m", "trope", "annotate", "serve", str(project.folder)]
    return subprocess.Popen(
        [*command, "--port", str(port), *more],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_until_ready(port: int, service: subprocess.Popen[bytes], most: float = 120.0) -> float:
    """The seconds until the service answers a request."""
    began = time.perf_counter()
    while time.perf_counter() - began < most:
        if service.poll() is not None:
            raise RuntimeError(f"the service ended with status {service.returncode}")
        if _answers(port):
            return time.perf_counter() - began
        time.sleep(0.02)
    raise RuntimeError(f"the service did not answer within {most:.0f} s")


def _answers(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=5) as line:
            line.sendall(f"GET / HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode())
            return line.recv(16).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


@contextmanager
def serving(project: Project, *more: str) -> Iterator[int]:
    """The port of a running service; it ends with the block."""
    disconnect()
    port = free_port()
    service = start(project, port, *more)
    try:
        wait_until_ready(port, service)
        yield port
    finally:
        stop(service)


def stop(service: subprocess.Popen[bytes], how: signal.Signals = signal.SIGTERM) -> None:
    """End the service with all its processes."""
    with suppress(ProcessLookupError):
        os.killpg(service.pid, how)
    service.wait()


PARALLEL = 4


class ModelBeside:
    """A model that annotates a project beside the people, by the command; its endpoint is here."""

    def __init__(self, project: Project, latency: float = 0.05) -> None:
        self.project, self.latency = project, latency
        self.endpoint = ChatServer(self._reply)
        self.running: subprocess.Popen[bytes] | None = None

    def _reply(self, question: Question) -> Reply:
        time.sleep(self.latency)
        return YES

    def __enter__(self) -> Self:
        self.endpoint.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        self.endpoint.__exit__(*error)

    def start(self) -> None:
        """Begin, or go on."""
        command = [sys.executable, "-m", "trope", "annotate", "model", str(self.project.folder)]
        self.running = subprocess.Popen(
            [*command, "beside", "--chat", "--parallel", str(PARALLEL)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | self.endpoint.environment,
            start_new_session=True,
        )

    def wait_until_at_work(self) -> None:
        """Return once an answer has been stored: only then is a further item asked about."""
        assert self.running is not None
        while len(self.endpoint.asked) <= PARALLEL and self.running.poll() is None:
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it, wherever it is."""
        if self.running is not None:
            stop(self.running, how)
            self.running = None

    def finish(self) -> None:
        """Let it answer the rest."""
        self.latency = 0.0
        self.start()
        assert self.running is not None
        if status := self.running.wait():
            raise RuntimeError(f"the model ended with status {status}")

    def answers(self) -> tuple[int, int]:
        """How many answers are stored, and of how many items."""
        from trope.annotate.store.model_answers import ModelAnswer

        connect(self.project)
        items = list(ModelAnswer.objects.filter(error="").values_list("item_id", flat=True))
        disconnect()
        return len(items), len(set(items))

    def faults(self, kills: int) -> dict[str, int]:
        """What is wrong after all items were answered: each number should be 0."""
        from trope.annotate.store.models import Item

        stored, distinct = self.answers()
        connect(self.project)
        items = Item.objects.count()
        disconnect()
        under_way = len(self.endpoint.asked) - items - kills * PARALLEL
        return {
            "model_lost": items - distinct,
            "model_doubled": stored - distinct,
            "model_asked_again": max(under_way, 0),  # beyond what a kill found under way
        }
