"""Who does the work: this process, or workers of a Ray cluster.

Here, ONNX Runtime's threads are enough to keep the cores busy. A graphics processor is fed by
several processes, because one cannot split texts and read scores fast enough. With Ray there is one
worker per processor, on this machine or on all machines of a cluster. This process reads the texts
and stores the files, so no disk has to be shared. A worker holds the model and at most two jobs,
one in hand and the next: memory stays flat. When a worker is lost, its jobs
go to others. The result of a job is handed over once: nothing is lost or there twice.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import chain, starmap
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for_end
from threading import Thread
from typing import Any, Generic

from trope import __version__
from trope.core.errors import BadInput, MissingExtra
from trope.pipeline import Pipeline
from trope.scale.job import J, R, Work, WorkerModel

_AHEAD = 2
"""Jobs that a worker has at a time, so that it never waits for the next one."""

ATTEMPTS = 5
"""Workers that may be lost over one job before the job counts as the cause."""

WORKERS_A_CARD = 16
"""Most workers that share a graphics processor: each splits texts and reads scores on its own."""

BYTES_A_WORKER = 1 << 31
"""Of a card's memory that should be free for each worker."""

_FIRST_WORKER_SECONDS = 600.0
"""How long to wait for the first worker: clusters that grow by themselves need minutes."""

_LOOK_SECONDS = 2.0
"""How often the number of machines is checked."""

LoadPipeline = Callable[[int | None], Pipeline]


def load_pipeline(threads: int | None, **further: Any) -> Pipeline:
    """The pipeline that the work is done with; tests put another in its place."""
    return Pipeline(threads=threads, **further)


def describe(pipeline: Pipeline) -> WorkerModel:
    """What a run must know of the model that a pipeline holds."""
    return WorkerModel(pipeline.tier, pipeline.model_sha256, pipeline.tasks, pipeline.device)


class LocalExecutor:
    """Does one job after the other."""

    def __init__(self, *, threads: int | None = None, **further: Any) -> None:
        """Load the pipeline, which is told `further`, such as its systems, where it is unusual."""
        given = {name: value for name, value in further.items() if value and value != "cpu"}
        self._pipeline = load_pipeline(threads, **given)

    @property
    def model(self) -> WorkerModel:
        """The model that is loaded."""
        return describe(self._pipeline)

    def run(self, work: Work[J, R], jobs: Iterable[J]) -> Iterator[tuple[J, R]]:
        """Each job with its result, in order."""
        for job in jobs:
            yield job, work(self._pipeline, job)


_LOST = object()
"""The answer of a worker that was lost."""


@dataclass(frozen=True, slots=True)
class _Task(Generic[J]):
    """A job with its place in their order, by which its losses are counted."""

    number: int
    job: J


class Actor:
    """A worker: loads the model once and does jobs with it."""

    def __init__(self, load: LoadPipeline, threads: int) -> None:
        self._pipeline = load(threads)

    def describe(self) -> tuple[str, WorkerModel]:
        """The version of trope that the worker has, and its model."""
        return __version__, describe(self._pipeline)

    def do(self, work: Work[J, R], job: J) -> R:
        """The result of a job."""
        return work(self._pipeline, job)


class CardExecutor:
    """Does jobs in processes of this machine, which share its graphics processor."""

    def __init__(self, load: LoadPipeline, *, workers: int, threads: int = 1) -> None:
        """Start the processes and wait for the first model.

        Args:
            load: makes the pipeline of a process; it must be a function that can be pickled.
        """
        self._load = partial(_own_pipeline, load, threads)
        self._workers, self._threads = workers, threads
        self._pool = self._open()
        self._model = self._pool.submit(_describe_own, self._load).result()

    @property
    def model(self) -> WorkerModel:
        """The model that the processes load."""
        return self._model

    def run(self, work: Work[J, R], jobs: Iterable[J]) -> Iterator[tuple[J, R]]:
        """Each job with its result, in the order in which they get ready."""
        again: deque[_Task[J]] = deque()
        losses: Counter[int] = Counter()
        coming = starmap(_Task, enumerate(jobs))
        under_way: dict[Future[R], _Task[J]] = {}
        while True:
            # what was under way when a process ended goes alone: so the cause of it is found
            room = 1 if again else self._workers * _AHEAD
            while len(under_way) < room:
                task = again.popleft() if again else next(coming, None)
                if task is None:
                    break
                under_way[self._give(work, task)] = task
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                task = under_way.pop(future)
                try:
                    yield task.job, future.result()
                except BrokenProcessPool:
                    losses[task.number] += 1
                    if losses[task.number] == ATTEMPTS:
                        raise BadInput(task.job.fatal(ATTEMPTS)) from None
                    again.append(task)

    def _give(self, work: Work[J, R], task: _Task[J]) -> Future[R]:
        try:
            return self._pool.submit(_do_own, self._load, work, task.job)
        except BrokenProcessPool:
            self._pool = self._open()
            return self._pool.submit(_do_own, self._load, work, task.job)

    def _open(self) -> ProcessPoolExecutor:
        # a card cannot be used by a fork of a process that has used it
        context = get_context("spawn")
        begin = partial(_begin_process, self._threads)
        return ProcessPoolExecutor(self._workers, context, initializer=begin)


_own: list[Pipeline] = []
"""The pipeline of this process, once it is loaded."""


def _own_pipeline(load: LoadPipeline, threads: int) -> Pipeline:
    if not _own:
        _own.append(load(threads))
    return _own[0]


def _describe_own(load: Callable[[], Pipeline]) -> WorkerModel:
    return describe(load())


def _do_own(load: Callable[[], Pipeline], work: Work[J, R], job: J) -> R:
    return work(load(), job)


def _begin_process(threads: int) -> None:
    """Have so many threads for products, and end when the process that started this one does,
    however that ends."""
    # torch reads it when it is loaded: with a thread for every core in every process, they would
    # wait for each other
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        wait_for_end([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


class RayExecutor:
    """Sends jobs to workers of a Ray cluster, which is started here if there is none."""

    def __init__(
        self,
        *,
        address: str | None = None,
        workers: int | None = None,
        threads: int | None = None,
        load: LoadPipeline | None = None,
        cards: bool = False,
    ) -> None:
        """Join a cluster and wait for the first worker.

        Args:
            address: of the cluster, "auto" for one that runs here; without it RAY_ADDRESS counts,
                and without that a cluster of this machine alone is started.
            workers: so many at most; as many as the machines have room for if not given.
            threads: and processors of each worker; one if not given.
            load: makes the pipeline of a worker.
            cards: each worker has a share of a graphics processor.
        """
        self._ray = _join(address)
        self._crew = _Crew(self._ray, load or load_pipeline, workers, threads or 1, cards=cards)
        self._model = self._crew.first()

    @property
    def model(self) -> WorkerModel:
        """The model that the workers hold."""
        return self._model

    def run(self, work: Work[J, R], jobs: Iterable[J]) -> Iterator[tuple[J, R]]:
        """Each job with its result, in the order in which they get ready."""
        again: deque[_Task[J]] = deque()
        losses: Counter[int] = Counter()
        coming = starmap(_Task, enumerate(jobs))
        while True:
            self._crew.grow()
            for worker in self._crew.free():
                task = again.popleft() if again else next(coming, None)
                if task is None:
                    break
                self._crew.give(worker, work, task)
            if not self._crew.busy and not again:
                rest = next(coming, None)  # all workers may be lost while jobs remain
                if rest is None:
                    return
                again.append(rest)
            for task, found in self._crew.results():
                if found is not _LOST:
                    yield task.job, found
                    continue
                losses[task.number] += 1
                if losses[task.number] == ATTEMPTS:
                    raise BadInput(task.job.fatal(ATTEMPTS))
                again.append(task)


class _Crew:
    """The workers: those that load their model, and those that have it."""

    def __init__(
        self,
        ray: Any,
        load: LoadPipeline,
        workers: int | None,
        threads: int,
        *,
        cards: bool = False,
    ) -> None:
        self._ray, self._load = ray, load
        self._most, self._threads = workers, threads
        self._share = 1 / WORKERS_A_CARD if cards else 0
        self._starting: dict[Any, Any] = {}
        self._tasks: dict[Any, dict[Any, _Task[Any]]] = {}
        self._known: tuple[str, WorkerModel] | None = None

    @property
    def busy(self) -> bool:
        """Whether a job is under way."""
        return any(self._tasks.values())

    def first(self) -> WorkerModel:
        """The model of the first worker, which is waited for."""
        self.grow()
        ready, _ = self._ray.wait([*self._starting], timeout=_FIRST_WORKER_SECONDS)
        if not ready and self._share:
            raise BadInput(
                "no machine of the Ray cluster has a free graphics processor; "
                "start one with `ray start --num-gpus`, or use --device cpu"
            )
        if not ready:
            raise BadInput(
                f"no machine of the Ray cluster has {self._threads} free processors for a worker; "
                "give fewer --threads, or wait until some are free"
            )
        if not self._welcome(ready[0]):
            raise BadInput("a worker was lost while it loaded the model; see the logs of Ray")
        assert self._known is not None
        return self._known[1]

    def grow(self) -> None:
        """Start as many workers as there is room for now, machines that came later included."""
        there = self._ray.cluster_resources()
        room = int(there.get("CPU", 0)) // self._threads
        if self._share:
            room = min(room, int(there.get("GPU", 0)) * WORKERS_A_CARD)
        wanted = max(1, room if self._most is None else min(room, self._most))
        needs = {"num_cpus": self._threads, "num_gpus": self._share, "max_restarts": 0}
        actor = self._ray.remote(**needs)(Actor)
        for _ in range(wanted - len(self._starting) - len(self._tasks)):
            worker = actor.remote(self._load, self._threads)
            self._starting[worker.describe.remote()] = worker

    def free(self) -> Iterator[Any]:
        """Workers that can be given a job, each as often as it can, in turns."""
        for held in range(_AHEAD):
            yield from [w for w, tasks in self._tasks.items() if len(tasks) == held]

    def give(self, worker: Any, work: Work[J, R], task: _Task[J]) -> None:
        """Let a worker do a job."""
        self._tasks[worker][worker.do.remote(work, task.job)] = task

    def results(self) -> Iterator[tuple[_Task[Any], Any]]:
        """What has come back since: jobs with their results, or that they were lost."""
        under_way = chain(self._starting, *self._tasks.values())
        ready, _ = self._ray.wait([*under_way], timeout=_LOOK_SECONDS)
        for answer in ready:
            if answer in self._starting:
                self._welcome(answer)
                continue
            worker = next(w for w, tasks in self._tasks.items() if answer in tasks)
            found = self._answer(answer)
            if found is not _LOST:
                yield self._tasks[worker].pop(answer), found
            else:
                yield from ((task, _LOST) for task in self._tasks.pop(worker).values())
                self._ray.kill(worker)  # it may live and only be out of reach

    def _welcome(self, answer: Any) -> bool:
        """Take in a worker that has its model, unless it was lost."""
        worker = self._starting.pop(answer)
        described = self._answer(answer)
        if described is _LOST:
            return False
        if self._known is not None and described != self._known:
            raise BadInput(
                "the workers have different models or versions of trope "
                f"({_version_and_model(described)} and {_version_and_model(self._known)}); "
                "install the same on all machines"
            )
        self._known = described
        self._tasks[worker] = {}
        return True

    def _answer(self, answer: Any) -> Any:
        """What a worker answered, or that it was lost; errors of its own are raised here."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(answer)
        except errors.RayTaskError as error:
            raise error.cause from None
        except errors.RayError:
            return _LOST


def _join(address: str | None) -> Any:
    """Ray, connected to a cluster."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to anybody
    loaded = sys.modules.get("ray")
    joined = loaded is not None and loaded.is_initialized()
    own = not joined and address is None and "RAY_ADDRESS" not in os.environ
    if own and "RAY_AUTH_MODE" not in os.environ:  # others on this machine are kept out
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingExtra("the engine 'ray'", "scale", "ray") from None
    if not joined:
        options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        if own:
            options |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        try:
            ray.init(address, **options)
        except ConnectionError:
            remedy = "start one with `ray start --head`, or check --address"
            raise BadInput(
                f"no Ray cluster answers at {address or 'RAY_ADDRESS'}; {remedy}"
            ) from None
    return ray


def _version_and_model(described: tuple[str, WorkerModel]) -> str:
    version, model = described
    return f"{version} with {model.sha256[:12]}"
