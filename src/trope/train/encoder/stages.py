"""The stages of a run: what each needs and leaves, and how several run side by side.

Side by side, every stage is a process of its own: its memory, on the card too, is free when it
ends, and what it says goes to a file in WORK/logs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from queue import Empty, SimpleQueue

import msgspec

from trope.core.errors import BadInput, UnknownName
from trope.core.files import atomic_write
from trope.core.progress import MessageWriter, counted
from trope.core.run_folder import lock_file

COMMAND = (sys.executable, "-m", "trope", "train")
"""What a stage is a process of."""
WEIGHTS, HALF, PREPARE, EXPORT = "weights", "half", "prepare", "export"
_LOGS, _TIMES = "logs", "times.json"
_LAST_LINES = 8
"""Of the log of a stage that failed, which are shown."""
_PATIENCE = 10.0
"""Seconds that a process has to end by itself."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a run: what it does, whether its files are there, which stages it needs.

    `work` tells how long it takes beside others; it may read what `prepare` wrote.
    """

    name: str
    do: Callable[[], object]
    done: Callable[[], bool]
    after: tuple[str, ...] = ()
    work: Callable[[], float] = lambda: 0.0


@dataclass(frozen=True, slots=True)
class SideBySide:
    """How stages run side by side: how many, by which arguments, up to where and how long."""

    jobs: int
    arguments: tuple[str, ...]
    until: tuple[str, ...] = ()
    minutes: float | None = None


def do_stage(stages: Mapping[str, Stage], name: str, work: Path) -> None:
    """One stage in this process.

    Raises:
        UnknownName: for a stage that the run does not have.
        BadInput: if another process is at it.
    """
    if name not in stages:
        raise UnknownName("stage", name, tuple(stages))
    stage = stages[name]
    with _held(work, name, f"the stage {name} runs in another process; wait until it ends"):
        for one in (stages[PREPARE], stage) if PREPARE in stage.after else (stage,):
            if not one.done():
                one.do()


def needed_stages(stages: Mapping[str, Stage], until: Iterable[str]) -> dict[str, Stage]:
    """The stages that are missing up to those in `until`: names, or beginnings of several.

    A stage whose files are there needs nothing: opinions that were brought from another machine
    need no teachers.

    Raises:
        UnknownName: if no stage is called so.
    """
    found: set[str] = set()
    asked: list[str] = []
    for goal in tuple(until) or (EXPORT,):
        named = [name for name in stages if name == goal or name.startswith(f"{goal}-")]
        if not named:
            raise UnknownName("stage", goal, tuple(stages))
        asked += named
    while asked:
        name = asked.pop()
        if name not in found and not stages[name].done():
            found.add(name)
            asked += stages[name].after
    return {name: stage for name, stage in stages.items() if name in found}


def run_side_by_side(
    stages: Mapping[str, Stage], plan: SideBySide, work: Path, say: MessageWriter, kind: str = ""
) -> bool:
    """Run what is missing, several stages at a time; whether all of it is done now.

    It is not if the time is up. No process outlives this call. Runs of different kinds may share
    the folder.

    Raises:
        BadInput: for stages that failed, after all that do not need them.
    """
    waiting = needed_stages(stages, plan.until)
    if not waiting:
        return True
    problem = "another run is at work here; wait until it ends"
    with _held(work, f"run{kind}", problem), _ends_on_sigterm():
        series = _Series(stages, plan, work, say, waiting)
        try:
            series.run()
        finally:
            series.stop()
    if series.failed:
        raise BadInput(
            f"{counted(len(series.failed), 'stage')} failed: {', '.join(series.failed)}; see the "
            "messages above, and run again: what is done stays"
        )
    if series.waiting:
        left = ", ".join(series.waiting)
        say(f"the time is up; {counted(len(series.waiting), 'stage')} left: {left}")
        say("run again with the same folders to go on")
    return not series.waiting


@contextmanager
def _held(work: Path, name: str, problem: str) -> Iterator[None]:
    """Hold the lock of a stage, or of the whole run."""
    path = work / _LOGS / f".{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = lock_file(path)
    except BlockingIOError:
        raise BadInput(f"{work}: {problem}") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _ends_on_sigterm() -> Iterator[None]:
    """A run whose time is up takes its stages with it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@dataclass(slots=True)
class _Process:
    """A stage that runs."""

    process: subprocess.Popen[bytes]
    log: Path
    began: float


@dataclass
class _Series:
    """Stages that wait, run, or failed. A stage leaves `waiting` when it is done."""

    stages: Mapping[str, Stage]
    plan: SideBySide
    work: Path
    say: MessageWriter
    waiting: dict[str, Stage]
    running: dict[str, _Process] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    ended: SimpleQueue[str] = field(default_factory=SimpleQueue)

    def run(self) -> None:
        """Begin stages as they become possible, until none is left or the time is up."""
        done = len(self.stages) - len(self.waiting)
        self.say(
            f"{counted(len(self.waiting), 'stage')} to do, {self.plan.jobs} at a time; "
            f"{done} done or not needed"
        )
        while True:
            while len(self.running) < self.plan.jobs and (name := self._next()):
                self._begin(name)
            if not self.running:
                return
            try:
                self._finish(self.ended.get(timeout=self._left()))
            except Empty:
                return

    def stop(self) -> None:
        """End every process that still runs; its stage is done another time."""
        for name, one in self.running.items():
            one.process.terminate()
            self.say(f"{name}: stopped after {_in_words(time.monotonic() - one.began)}")
        for one in self.running.values():
            try:
                one.process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                one.process.kill()
                one.process.wait()
        self.running.clear()

    def _left(self) -> float | None:
        """Seconds until the time is up."""
        if self.plan.minutes is None:
            return None
        return max(0.0, self.began + 60 * self.plan.minutes - time.monotonic())

    def _next(self) -> str | None:
        """The stage to begin now: of those that may, the one with the longest way to the end."""
        ready = [
            name
            for name, stage in self.waiting.items()
            if name not in self.running
            and name not in self.failed
            and not any(other in self.waiting for other in stage.after)
            and self._is_in_time(name)
        ]
        if len(ready) < 2:
            return ready[0] if ready else None
        return max(ready, key=self._ways.__getitem__)

    def _is_in_time(self, name: str) -> bool:
        """Whether the stage is likely to end in time, by the slowest of its kind so far."""
        left = self._left()
        if left is None:
            return True
        kind = name.split("-")[0]
        times = _read_times(self.work)
        rates = [
            seconds / work
            for other, seconds in times.items()
            if other.split("-")[0] == kind
            and other in self.stages
            and (work := self.stages[other].work())
        ]
        expected = max(rates) * self.stages[name].work() if rates else 0.0
        return left > max(expected, times.get(name, 0.0))

    @cached_property
    def _ways(self) -> dict[str, float]:
        """The work of each stage with the longest chain of those that wait for it.

        Several stages are ready only after `prepare`, so this is known then.
        """
        ways: dict[str, float] = {}
        for name, stage in reversed(self.waiting.items()):  # what needs others is declared later
            rest = [ways[n] for n, other in self.waiting.items() if name in other.after]
            ways[name] = stage.work() + max(rest, default=0.0)
        return ways

    def _begin(self, name: str) -> None:
        log = self.work / _LOGS / f"{name}.log"
        cores = max(1, (os.cpu_count() or 1) // self.plan.jobs)
        env = {"OMP_NUM_THREADS": str(cores), **os.environ}
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*COMMAND, *self.plan.arguments, "--stage", name],
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=env,
            )  # fmt: skip
        self.running[name] = _Process(process, log, time.monotonic())

        def watch() -> None:
            process.wait()
            self.ended.put(name)

        threading.Thread(target=watch, daemon=True).start()
        self.say(f"{name}: began; {len(self.running)} at work")

    def _finish(self, name: str) -> None:
        one = self.running.pop(name)
        seconds = time.monotonic() - one.began
        status = one.process.returncode
        if status == 0 and self.stages[name].done():
            del self.waiting[name]
            times = _read_times(self.work) | {name: round(seconds, 1)}  # others note theirs too
            with atomic_write(self.work / _TIMES, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(times)))
            self.say(f"{name}: done in {_in_words(seconds)}{self._figures(name)}")
            return
        self.failed.append(name)
        self.say(f"{name}: failed after {_in_words(seconds)} ({_cause(status)}); {one.log} ends:")
        lines = one.log.read_text("utf-8", errors="replace").splitlines()
        for line in lines[-_LAST_LINES:]:
            self.say(f"  {line}")
        stopped = self._that_need(name)
        if stopped:
            self.say(f"not done without {name}: {', '.join(stopped)}")

    def _that_need(self, name: str) -> list[str]:
        """The waiting stages that need this one, also by way of others."""
        found = [name]
        for other, stage in self.waiting.items():  # in order, so one pass finds all
            if any(before in found for before in stage.after):
                found.append(other)
        return found[1:]

    def _figures(self, name: str) -> str:
        """The figures on development data of a model that was trained."""
        path = self.work / f"{name}.json"
        if not path.exists():
            return ""
        figures = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, float]])
        told = (
            f"{group} {', '.join(f'{kind} {value}' for kind, value in values.items())}"
            for group, values in figures.items()
        )
        return f": {'; '.join(told)}"


def _read_times(work: Path) -> dict[str, float]:
    """How many seconds each stage took, in this run and in earlier ones."""
    path = work / _TIMES
    if not path.exists():
        return {}
    return msgspec.json.decode(path.read_bytes(), type=dict[str, float])


def _cause(status: int) -> str:
    """Why a process that ended with this status did not do its stage."""
    if status < 0:
        return f"killed by {signal.Signals(-status).name}"
    return f"status {status}" if status else "without its files"


def _in_words(seconds: float) -> str:
    """A duration, in whole seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
