"""Kills the service with SIGKILL under load, again and again, and compares what it had acknowledged
with what its database holds.

python benchmarks/annotation_kills.py [--cycles 100] [--model] [--restarts 6]

A cycle: start the service, let people judge, kill all its processes at a random moment. People keep
their sessions, and send a form again whose answer they did not see. Status 1 where a judgment was
lost or doubled, the counts do not add up, or the service was not ready in time. With `--restarts`,
it is PostgreSQL that is stopped under load, as by a power cut, and started again. With `--model`, a
model annotates beside the people; it is killed with the service, and answers the rest at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import annotation_service as service
import machine
import record
from annotation_clients import Annotator, Browser, Submit, all_at_once
from annotation_load import keep_figures, show_missed
from annotation_runs import databases

from trope.annotate.project import Project

READY_WITHIN = 5.0
"""Seconds from the start of the service to its first answer."""


@dataclass(slots=True)
class History:
    """What people sent, what the service acknowledged, and how fast it was ready again."""

    sent: set[str] = field(default_factory=set)
    acknowledged: list[str] = field(default_factory=list)
    refused: list[Submit] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)

    def note(self, submit: Submit) -> None:
        """Keep an answer that was seen."""
        if submit.ok:
            self.acknowledged.append(submit.token)
        else:
            self.refused.append(submit)


class Persistent(Annotator):
    """Someone who sends a form again until its answer is seen."""

    history: History

    async def submit(self, form: dict[str, str]) -> Submit:
        """Note what is sent before it is sent."""
        self.history.sent.add(form["token"])
        answer = await Annotator.submit(self, form)
        while answer.status == 503:  # "not saved": the same form again
            await asyncio.sleep(0.2)
            answer = await Annotator.submit(self, form)
        return answer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cycles, and keep their figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--restarts", type=int, default=0, help="of PostgreSQL, instead of kills")
    parser.add_argument("--model", action="store_true", help="a model annotates, and is killed too")
    parser.add_argument("--people", type=int, default=12)
    parser.add_argument("--items", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"], metavar="KIND")
    parser.add_argument("--ready-within", type=float, default=READY_WITHIN, metavar="SECONDS")
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    parser.add_argument("--keep", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args(arguments)
    if options.restarts and options.model:
        parser.error("--model is for kills")
    if options.restarts:
        options.databases = ["postgres"]
    folder = Path(tempfile.mkdtemp(prefix="trope-kills-"))
    faults, figures = 0, []
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        for kind, new in databases(options.databases, stack):
            project = service.make_project(
                folder / kind, items=options.items, database=new("kills")
            )
            links = service.invite(options.people)
            work = _restart_cycles if options.restarts else _cycles
            with service.ModelBeside(project, latency=0.0) as beside:
                history = asyncio.run(work(project, links, options, beside))
                found = check(project, history)
                answered = beside.answers()[0]
                if options.model:
                    beside.finish()
                    found |= beside.faults(options.cycles)
            faults += sum(found.values()) + (max(history.ready) > options.ready_within)
            counts = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in found.items())
            times = (
                f"{options.restarts} restarts" if options.restarts else f"{options.cycles} kills"
            )
            seen = f"{times}, {len(history.acknowledged)} acknowledged"
            seen += f", {answered} answered by the model meanwhile" if options.model else ""
            ready = f"ready again within {max(history.ready):.1f} s"
            print(f"{kind}: {seen}, {counts}, {ready}", flush=True)
            note = f"{times}, seed {options.seed}; {machine.cpu_model()}"
            n = len(history.acknowledged)
            for name, value in {**found, "ready_s": max(history.ready)}.items():
                what = "restarts" if options.restarts else "kills"
                full = f"annotate.{kind}{'.model' if options.model else ''}.{what}.{name}"
                figures.append(record.measured(full, [float(value)], n=n, note=note))
    show_missed(figures)
    if options.keep:
        keep_figures(figures, options.results)
    return 1 if faults else 0


async def _cycles(
    project: Project,
    links: Sequence[str],
    options: argparse.Namespace,
    beside: service.ModelBeside,
) -> History:
    rng, history, port = Random(options.seed), History(), service.free_port()
    people = [_someone(link, port, history) for link in links]
    service.disconnect()
    for cycle in range(options.cycles):
        running = service.start(project, port)
        try:
            if options.model:
                beside.start()
            history.ready.append(service.wait_until_ready(port, running))
            await all_at_once([_open(person) for person in people])
            moment = time.perf_counter() + rng.uniform(0.05, 1.5)
            kill = asyncio.create_task(_kill_at(moment, running))
            await asyncio.gather(*(_work(person, history) for person in people))
            await kill
        finally:
            service.stop(running, signal.SIGKILL)
            beside.stop(signal.SIGKILL)
        if not any(person.page for person in people):
            raise RuntimeError(f"all items were judged after {cycle} kills; give more with --items")
    return history


async def _restart_cycles(
    project: Project,
    links: Sequence[str],
    options: argparse.Namespace,
    beside: service.ModelBeside,
) -> History:
    """One service, whose database is stopped and started under load."""
    from postgres_server import restart_server

    rng, history, port = Random(options.seed), History(), service.free_port()
    people = [_someone(link, port, history) for link in links]
    service.disconnect()
    running = service.start(project, port)
    try:
        history.ready.append(service.wait_until_ready(port, running))
        await all_at_once([_open(person) for person in people])
        going = [True]
        work = [
            asyncio.create_task(person.judge(lambda: going[0], history.note)) for person in people
        ]
        for _ in range(options.restarts):
            await asyncio.sleep(rng.uniform(0.5, 2.0))
            await asyncio.to_thread(restart_server, project.plan.database)
        await asyncio.sleep(1.0)
        going[0] = False
        await asyncio.gather(*work)
    finally:
        service.stop(running)
    return history


def _someone(link: str, port: int, history: History) -> Persistent:
    person = Persistent(Browser(service.HOST, port), link, service.ANSWERS)
    person.history = history
    return person


async def _open(person: Persistent) -> None:
    """Join on the first day; later, load the page again, unless a form waits for its answer."""
    if not person.browser.cookies:
        await person.join()
    await person.browser.close()


async def _work(person: Persistent, history: History) -> None:
    # killed: the form stays open, and is sent again when the service is there
    with suppress(OSError, asyncio.IncompleteReadError):
        await person.judge(lambda: True, history.note)


async def _kill_at(moment: float, running: object) -> None:
    await asyncio.sleep(max(moment - time.perf_counter(), 0))
    service.stop(running, signal.SIGKILL)  # type: ignore[arg-type]


def check(project: Project, history: History) -> dict[str, int]:
    """What is wrong: each number should be 0."""
    stored = service.stored_tokens(project)
    books = service.books(project)
    return {
        "lost": len(set(history.acknowledged) - set(stored)),
        "doubled": len(stored) - len(set(stored)) + books.twice,
        "never_sent": len(set(stored) - history.sent),
        "refused": len(history.refused),
        "over_the_cap": books.over_the_cap,
        "unbalanced": books.unbalanced,
        "damaged": 0 if project.plan.database else _damaged(project.database),
    }


def _damaged(path: Path) -> int:
    database = sqlite3.connect(path)
    try:
        return int(database.execute("PRAGMA integrity_check").fetchall() != [("ok",)])
    finally:
        database.close()


if __name__ == "__main__":
    sys.exit(main())
