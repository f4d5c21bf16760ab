"""Who does the work: this process, or workers of a Ray cluster.

Here, ONNX Runtime's threads are enough to keep the cores busy. With Ray there is one worker per
processor, on this machine or on all machines of a cluster. This process reads the texts and stores
the files, so no disk has to be shared. A worker holds the model and at most two jobs, one in hand
and the next: memory stays flat. When a worker is lost, with its machine or alone, its jobs go to
others. The result of a job is handed over once: nothing is lost, and nothing is there twice.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, starmap
from typing import Any, Generic

from trope import __version__
from trope.core.errors import BadInput, MissingExtra
from trope.pipeline import Pipeline
from trope.scale.job import J, R, Work, WorkerModel

_AHEAD = 2
"""Jobs that a worker has at a time, so that it never waits for the next one."""

ATTEMPTS = 5
"""Workers that may be lost over one job before the job counts as the cause."""

_FIRST_WORKER_SECONDS = 600.0
"""How long to wait for the first worker: clusters that grow by themselves need minutes."""

_LOOK_SECONDS = 2.0
"""How often the number of machines is checked."""

LoadPipeline = Callable[[int | None], Pipeline]


def load_pipeline(threads: int | None, systems: Sequence[str] = ()) -> Pipeline:
    """The pipeline that the work is done with; tests put another in its place."""
    return Pipeline(threads=threads, systems=systems)


def describe(pipeline: Pipeline) -> WorkerModel:
    """What a run must know of the model that a pipeline holds."""
    return WorkerModel(pipeline.tier, pipeline.model_sha256, pipeline.tasks)


class LocalExecutor:
    """Does one job after the other."""

    def __init__(self, *, threads: int | None = None, systems: Sequence[str] = ()) -> None:
        load = partial(load_pipeline, systems=systems) if systems else load_pipeline
        self._pipeline = load(threads)

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


class RayExecutor:
    """Sends jobs to workers of a Ray cluster, which is started here if there is none."""

    def __init__(
        self,
        *,
        address: str | None = None,
        workers: int | None = None,
        threads: int | None = None,
        load: LoadPipeline | None = None,
    ) -> None:
        """Join a cluster and wait for the first worker.

        Args:
            address: of the cluster, "auto" for one that runs here; without it RAY_ADDRESS counts,
                and without that a cluster of this machine alone is started.
            workers: so many at most; as many as the machines have room for if not given.
            threads: and processors of each worker; one if not given.
            load: makes the pipeline of a worker.
        """
        self._ray = _join(address)
        self._crew = _Crew(self._ray, load or load_pipeline, workers, threads or 1)
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

    def __init__(self, ray: Any, load: LoadPipeline, workers: int | None, threads: int) -> None:
        self._ray, self._load = ray, load
        self._most, self._threads = workers, threads
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
        room = int(self._ray.cluster_resources().get("CPU", 0)) // self._threads
        wanted = max(1, room if self._most is None else min(room, self._most))
        actor = self._ray.remote(num_cpus=self._threads, max_restarts=0)(Actor)
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
