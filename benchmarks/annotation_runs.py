"""One run of a crowd on a service, and its results."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

import annotation_service as service
from annotation_clients import Annotator, Browser, Submit, all_at_once

from trope.annotate.project import Project

NewDatabase = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Crowd:
    """How many people, how long each thinks, and for how long they work at most."""

    people: int
    think: float = 0.0
    seconds: float = 600.0
    drafts: bool = False
    skips: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one run; `unsound` counts errors in the database, `by_model` what a model
    answered meanwhile."""

    submits: Sequence[Submit]
    seconds: float
    over_the_cap: int
    unsound: int = 0
    by_model: int = 0

    @property
    def rate(self) -> float:
        """Accepted judgments per second."""
        return sum(submit.ok for submit in self.submits) / self.seconds

    @property
    def errors(self) -> int:
        """Submits that were not accepted."""
        return sum(not submit.ok for submit in self.submits)

    def milliseconds(self, share: float, part: slice = slice(None)) -> float:
        """The time within which this share of the submits was answered."""
        return quantile([submit.seconds * 1000 for submit in self.submits[part]], share)

    def tenths(self, share: float = 0.95) -> tuple[float, float]:
        """That time over the first and over the last tenth of the submits."""
        tenth = max(len(self.submits) // 10, 1)
        last = slice(len(self.submits) - tenth, None)
        return self.milliseconds(share, slice(tenth)), self.milliseconds(share, last)

    def in_words(self) -> str:
        """One line."""
        first, last = self.tenths()
        return (
            f"{self.rate:6.1f}/s  p50 {self.milliseconds(0.5):4.0f}  "
            f"p95 {self.milliseconds(0.95):4.0f}  p99 {self.milliseconds(0.99):4.0f} ms  "
            f"p95 of tenths {first:.0f} → {last:.0f}  n {len(self.submits)}  "
            f"errors {self.errors}  over the cap {self.over_the_cap}  unsound {self.unsound}"
            + (f"  by the model {self.by_model}" if self.by_model else "")
        )


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else float("nan")


def measure(
    folder: Path,
    database: str,
    crowd: Crowd,
    *,
    items: int,
    before: int = 0,
    importing: int = 0,
    serve: Sequence[str] = (),
    page: int = 10,
    model: bool = False,
) -> Run:
    """One run on a project of its own, after `before` judgments, while `importing` items come and,
    with `model`, a model annotates too."""
    project = service.make_project(folder, items=items, page=page, database=database)
    links = service.invite(crowd.people)
    if before:
        service.prefill(project, before)
    more = service.write_items(folder / "more.jsonl", importing, "more") if importing else None
    with service.serving(project, *serve) as port, service.ModelBeside(project) as beside:
        if model:
            beside.start()
            beside.wait_until_at_work()
        submits, seconds = asyncio.run(_drive(port, links, crowd, project, more))
        beside.stop()
    books, (answers, distinct) = service.books(project), beside.answers()
    accepted = sum(submit.ok for submit in submits)
    unsound = books.twice + books.unbalanced + abs(books.judgments - before - accepted)
    unsound += answers - distinct + (model and not answers)
    return Run(submits, seconds, books.over_the_cap, unsound, answers)


async def _drive(
    port: int, links: Sequence[str], crowd: Crowd, project: Project, more: Path | None
) -> tuple[list[Submit], float]:
    """All submits in the order in which they were answered, and how long it took."""
    people = [
        Annotator(
            Browser(service.HOST, port),
            link,
            service.ANSWERS,
            crowd.think,
            crowd.drafts,
            offset=crowd.think * place / len(links),
            skips=crowd.skips,
            rng=Random(place),
        )
        for place, link in enumerate(links)
    ]
    await all_at_once([person.join() for person in people])
    importing = _start_import(project, more) if more else None
    submits: list[Submit] = []
    began = time.perf_counter()

    def go_on() -> bool:
        within = time.perf_counter() < began + crowd.seconds
        return within and (importing is None or importing.poll() is None)

    await asyncio.gather(*(person.judge(go_on, submits.append) for person in people))
    ended = max((submit.at for submit in submits), default=began)
    if importing is not None and importing.wait() != 0:
        raise RuntimeError("the import failed")
    for person in people:
        await person.browser.close()
    return submits, ended - began


def _start_import(project: Project, path: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "trope", "annotate", "import", str(project.folder), str(path)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def databases(names: Sequence[str], stack: ExitStack) -> Iterator[tuple[str, NewDatabase]]:
    """Each kind of database, with a function that gives the address of a new one by name."""
    if "sqlite" in names:
        yield "sqlite", lambda name: ""
    if "postgres" not in names:
        return
    import psycopg
    from postgres_server import find_programs, running_server

    programs = find_programs()
    if programs is None:
        print("postgres: not measured (PostgreSQL is not installed)")
        return
    server = stack.enter_context(running_server(programs))

    def new(name: str) -> str:
        with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name}")
        return f"{server}/{name}"

    yield "postgres", new
