"""Half an hour of work: people who think, backups every minute, and a model that reads beside them.

python benchmarks/annotation_soak.py [--minutes 30] [--people 50] [--database postgres]

Prints memory and times minute by minute, with the processor time of the service for each form and
the load of the machine: where others work on it too, times follow them. The status is 1 where the
counts do not add up, a form was not accepted, a backup failed, or the last third needs much more
than the first: memory, processor time, or time for a form, unless the load has grown as much.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import annotation_service as service
from annotation_clients import Annotator, Browser, Submit, all_at_once
from annotation_runs import databases, quantile

from trope.annotate.project import Project

GROWTH = 1.25
"""How much more memory, or time for a form, the last third may need than the first."""


@dataclass(slots=True)
class Course:
    """What happened, minute by minute."""

    submits: list[Submit] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    failed_backups: int = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it, and say whether all stayed as it was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--think", type=float, default=2.0, help="seconds for each item")
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="postgres")
    options = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="trope-soak-"))
    items = int(options.people * options.minutes * 60 / options.think / 5) + 500
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        _, new = next(databases([options.database], stack))
        project = service.make_project(folder / "project", items=items, database=new("soak"))
        links = service.invite(options.people)
        service.disconnect()
        port = service.free_port()
        running = service.start(project, port)
        reader = _start_reader(folder)
        try:
            service.wait_until_ready(port, running)
            course = asyncio.run(_drive(project, port, links, options, running.pid))
            if reader.poll() is not None:
                raise RuntimeError(f"the reader ended with status {reader.returncode}")
        finally:
            reader.terminate()
            reader.wait()
            service.stop(running)
        return _verdict(project, course)


def _start_reader(folder: Path) -> subprocess.Popen[bytes]:
    """A process that analyses texts all the time, with the model that ships."""
    texts = folder / "texts.txt"
    texts.write_text("The minister buried the report. Prices climb.\n" * 50, encoding="utf-8")
    code = (
        "import sys, trope\nfrom pathlib import Path\n"
        "while True:\n    trope.analyze(Path(sys.argv[1]).read_text('utf-8'))"
    )
    return subprocess.Popen([sys.executable, "-c", code, str(texts)], stdout=subprocess.DEVNULL)


async def _drive(
    project: Project, port: int, links: Sequence[str], options: argparse.Namespace, group: int
) -> Course:
    course = Course()
    people = [
        Annotator(
            Browser(service.HOST, port),
            link,
            service.ANSWERS,
            options.think,
            drafts=True,
            offset=options.think * place / len(links),
        )
        for place, link in enumerate(links)
    ]
    await all_at_once([person.join() for person in people])
    began = time.perf_counter()
    until = began + options.minutes * 60
    work = [
        asyncio.create_task(
            person.judge(lambda: time.perf_counter() < until, course.submits.append)
        )
        for person in people
    ]
    used = _processor_time(group)
    for minute in range(options.minutes):
        seen = len(course.submits)
        await asyncio.sleep(max(began + 60 * (minute + 1) - time.perf_counter(), 0))
        latest = course.submits[seen:]
        course.memory.append(_memory(group))
        course.times.append(quantile([one.seconds * 1000 for one in latest], 0.95))
        used, before = _processor_time(group), used
        course.work.append((used - before) * 1000 / max(len(latest), 1))
        course.load.append(os.getloadavg()[0])
        course.failed_backups += await asyncio.to_thread(_backup, project, minute)
        shown = f"p95 {course.times[-1]:.0f} ms, {course.memory[-1]:.0f} MB"
        shown += f", {course.work[-1]:.1f} ms of processor per form, load {course.load[-1]:.1f}"
        print(f"minute {minute + 1}: {len(latest)} forms, {shown}", flush=True)
    await asyncio.gather(*work)
    return course


def _backup(project: Project, number: int) -> int:
    file = project.folder.parent / f"backup-{number}.zip"
    command = [sys.executable, "-m", "trope", "annotate", "backup", str(project.folder), str(file)]
    failed = subprocess.run(command, capture_output=True, check=False).returncode != 0
    file.unlink(missing_ok=True)
    return int(failed)


def _memory(group: int) -> float:
    """The memory of all processes of a group, in megabytes."""
    return sum(int(fields[21]) for fields in _processes(group)) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _processor_time(group: int) -> float:
    """The seconds that all processes of a group have worked."""
    ticks = sum(int(fields[11]) + int(fields[12]) for fields in _processes(group))
    return ticks / os.sysconf("SC_CLK_TCK")


def _processes(group: int) -> Iterator[list[str]]:
    """What the system counts for each process of a group, from its state on."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[2]) == group:
            yield fields


def _verdict(project: Project, course: Course) -> int:
    books = service.books(project)
    refused = sum(not one.ok for one in course.submits)
    accepted = len(course.submits) - refused
    wrong = books.twice + books.unbalanced + books.over_the_cap + abs(books.judgments - accepted)
    third = max(len(course.times) // 3, 1)
    memory, work, times, load = (
        median(values[-third:]) / max(median(values[:third]), 1e-9)
        for values in (course.memory, course.work, course.times, course.load)
    )
    print(
        f"{accepted} judgments, {refused} refused, {wrong} wrong counts, {course.failed_backups} "
        f"failed backups; last third by first: memory {memory:.2f}, processor time {work:.2f}, "
        f"p95 {times:.2f}, load {load:.2f}"
    )
    grown = max(memory, work, times / max(load, 1.0))
    return int(bool(refused + wrong + course.failed_backups) or grown > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
