"""The work done by Ray: a worker a processor, on this machine or on all those of a cluster.

This process reads the texts and stores the files, so no disk has to be shared. A worker holds the
model and has two shards at most, one in hand and one to go on with: memory stays flat. When a
worker is lost, with its machine or alone, its shards go to others. A shard counts as done when its
file is stored, which this process does once: nothing is lost, and nothing is there twice.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from trope import __version__
from trope.core.errors import BadInput, MissingExtra
from trope.pipeline import Pipeline
from trope.scale import local
from trope.scale.job import Model, Receipt, Settings, Shard
from trope.scale.shards import MadeShard, ShardMaker, store

AHEAD = 2
"""Shards that a worker has at a time, so that it never waits for the next one."""

ATTEMPTS = 5
"""Workers that may be lost over one shard before it is taken for the cause."""

FIRST_WORKER_SECONDS = 600.0
"""How long the first worker is waited for: clusters that grow by themselves need minutes."""

LOOK_SECONDS = 2.0
"""How often the number of machines is looked at."""

LoadPipeline = Callable[[int | None], Pipeline]


class ShardActor:
    """A worker: loads the model once and makes shards with it."""

    def __init__(self, load: LoadPipeline, threads: int) -> None:
        self._pipeline = load(threads)

    def describe(self) -> tuple[str, Model]:
        """The version of trope that the worker has, and its model."""
        return __version__, local.describe(self._pipeline)

    def make(self, settings: Settings, shard: Shard) -> MadeShard:
        """The file of a shard."""
        return ShardMaker(self._pipeline, settings)(shard)


class RayExecutor:
    """Sends shards to workers of a Ray cluster, which is started here if there is none."""

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
        self._crew = _Crew(self._ray, load or local.load_pipeline, workers, threads or 1)
        self._model = self._crew.first()

    @property
    def model(self) -> Model:
        """The model that the workers hold."""
        return self._model

    def run(
        self, settings: Settings, folder: Path, shards: Iterable[Shard]
    ) -> Iterator[tuple[Shard, Receipt]]:
        """Each shard with its receipt, in the order in which they get ready."""
        again: deque[Shard] = deque()
        losses: Counter[int] = Counter()
        coming = iter(shards)
        while True:
            self._crew.grow()
            for worker in self._crew.free():
                shard = again.popleft() if again else next(coming, None)
                if shard is None:
                    break
                self._crew.give(worker, settings, shard)
            if not self._crew.busy and not again:
                rest = next(coming, None)  # all workers may be lost while shards remain
                if rest is None:
                    return
                again.append(rest)
            for shard, made in self._crew.results():
                if made is not None:
                    yield shard, store(made, folder)
                    continue
                losses[shard.number] += 1
                if losses[shard.number] == ATTEMPTS:
                    raise BadInput(_fatal(shard))
                again.append(shard)


class _Crew:
    """The workers: those that load their model, and those that have it."""

    def __init__(self, ray: Any, load: LoadPipeline, workers: int | None, threads: int) -> None:
        self._ray, self._load = ray, load
        self._most, self._threads = workers, threads
        self._starting: dict[Any, Any] = {}
        self._shards: dict[Any, dict[Any, Shard]] = {}
        self._known: tuple[str, Model] | None = None

    @property
    def busy(self) -> bool:
        """Whether a shard is under way."""
        return any(self._shards.values())

    def first(self) -> Model:
        """The model of the first worker, which is waited for."""
        self.grow()
        ready, _ = self._ray.wait([*self._starting], timeout=FIRST_WORKER_SECONDS)
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
        actor = self._ray.remote(num_cpus=self._threads, max_restarts=0)(ShardActor)
        for _ in range(wanted - len(self._starting) - len(self._shards)):
            worker = actor.remote(self._load, self._threads)
            self._starting[worker.describe.remote()] = worker

    def free(self) -> Iterator[Any]:
        """Workers that can be given a shard, each as often as it can, in turns."""
        for held in range(AHEAD):
            yield from [w for w, shards in self._shards.items() if len(shards) == held]

    def give(self, worker: Any, settings: Settings, shard: Shard) -> None:
        """Let a worker make a shard."""
        self._shards[worker][worker.make.remote(settings, shard)] = shard

    def results(self) -> Iterator[tuple[Shard, MadeShard | None]]:
        """What has come back since: shards that are made, or None for those that were lost."""
        under_way = chain(self._starting, *self._shards.values())
        ready, _ = self._ray.wait([*under_way], timeout=LOOK_SECONDS)
        for answer in ready:
            if answer in self._starting:
                self._welcome(answer)
                continue
            worker = next(w for w, shards in self._shards.items() if answer in shards)
            made = self._answer(answer)
            if made is not None:
                yield self._shards[worker].pop(answer), made
            else:
                yield from ((shard, None) for shard in self._shards.pop(worker).values())
                self._ray.kill(worker)  # it may live and only be out of reach

    def _welcome(self, answer: Any) -> bool:
        """Take in a worker that has its model, unless it was lost."""
        worker = self._starting.pop(answer)
        told: tuple[str, Model] | None = self._answer(answer)
        if told is None:
            return False
        if self._known is not None and told != self._known:
            raise BadInput(
                f"the workers have different models or versions of trope ({_said(told)} and "
                f"{_said(self._known)}); install the same on all machines"
            )
        self._known = told
        self._shards[worker] = {}
        return True

    def _answer(self, answer: Any) -> Any:
        """What a worker answered, None if it was lost; errors of its own are raised here."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(answer)
        except errors.RayTaskError as error:
            raise error.cause from None
        except errors.RayError:
            return None


def _join(address: str | None) -> Any:
    """Ray, connected to a cluster."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to anybody
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingExtra("the engine 'ray'", "scale", "ray") from None
    if not ray.is_initialized():
        options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        if address is None and "RAY_ADDRESS" not in os.environ:
            options["include_dashboard"] = False
        try:
            ray.init(address, **options)
        except ConnectionError:
            remedy = "start one with `ray start --head`, or check --address"
            raise BadInput(
                f"no Ray cluster answers at {address or 'RAY_ADDRESS'}; {remedy}"
            ) from None
    return ray


def _said(told: tuple[str, Model]) -> str:
    version, model = told
    return f"{version} with {model.sha256[:12]}"


def _fatal(shard: Shard) -> str:
    first = shard.rows[0]
    place = f"{first.file}:{first.line}"
    cause = f"{ATTEMPTS} workers were lost over the {len(shard.rows)} texts from here on"
    return f"{place}: {cause}; give workers more memory, or take fewer --shard-rows"
