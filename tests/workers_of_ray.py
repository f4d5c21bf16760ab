"""A Ray cluster of several nodes, and pipelines for its workers, which find these by PYTHONPATH."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from builders import FakePipeline
from holds import Hold
from trope.core.errors import BadInput
from trope.core.records import Analysis

FATAL = "This text ends its worker."
FATAL_ONCE = "This text ends the first worker that sees it."
REFUSED = "This text is refused."

TESTS = Path(__file__).parent
NOTICE_SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 4,
}


@contextmanager
def cluster_of_two(*modules: Path) -> Iterator[Any]:
    """A head that does no work and two nodes that do; workers find what is in these folders."""
    import ray
    from ray.cluster_utils import Cluster

    path = [TESTS, *modules, TESTS.parent / "src"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, path)))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        head = {"num_cpus": 0, "_system_config": NOTICE_SOON, "include_dashboard": False}
        started = Cluster(initialize_head=True, head_node_args=head)
        try:
            for _ in range(2):
                started.add_node(num_cpus=1)
            ray.init(started.address, logging_level="ERROR", log_to_driver=False)
            yield started
        finally:
            ray.shutdown()
            started.shutdown()


class Watched(FakePipeline):
    """Leaves a file for every shard that it begins; some texts end it."""

    def __init__(self, log: Path, hold: Hold | None = None) -> None:
        super().__init__(metaphor=True)
        self.log, self.hold = log, hold

    def analyze_many(self, texts: Iterable[str], **options: object) -> Iterator[Analysis]:  # type: ignore[override]
        (self.log / uuid4().hex).touch()
        given = list(texts)
        if FATAL in given:
            os._exit(1)
        if FATAL_ONCE in given and not (self.log / "ended").exists():
            (self.log / "ended").touch()
            os._exit(1)
        if REFUSED in given:
            raise BadInput("a text is refused; leave it out")
        for analysis in super().analyze_many(given, **options):  # type: ignore[arg-type]
            if self.hold is not None:
                self.hold.stop()
            yield analysis


def watched(log: Path, hold: Hold | None = None) -> Callable[[int | None], Watched]:
    """What makes the pipeline of a worker."""
    log.mkdir(exist_ok=True)
    return lambda threads: Watched(log, hold)


class Stuck(Watched):
    """Never ends what it begins on one node; on others it begins when that node is stuck."""

    def __init__(self, node: str, log: Path, stuck: Path) -> None:
        super().__init__(log)
        self.node, self.stuck = node, stuck

    def analyze_many(self, texts: Iterable[str], **options: object) -> Iterator[Analysis]:
        import ray

        if ray.get_runtime_context().get_node_id() == self.node:
            (self.log / uuid4().hex).touch()
            self.stuck.touch()
            while True:  # until the node is lost
                time.sleep(1)
        while not self.stuck.exists():
            time.sleep(0.01)
        return super().analyze_many(texts, **options)


def stuck_on(node: str, log: Path, stuck: Path) -> Callable[[int | None], Watched]:
    """What makes pipelines that are at work on this node for as long as it lives."""
    log.mkdir(exist_ok=True)
    return lambda threads: Stuck(node, log, stuck)


def of_its_own(log: Path) -> Callable[[int | None], Watched]:
    """What makes a pipeline whose model no other worker has, and which is in no hurry."""
    log.mkdir(exist_ok=True)

    def load(threads: int | None) -> Watched:
        pipeline = Patient(log)
        pipeline.model_sha256 = f"{os.getpid():064d}"
        return pipeline

    return load


class Patient(Watched):
    """Gives others a minute to come before it begins."""

    def analyze_many(self, texts: Iterable[str], **options: object) -> Iterator[Analysis]:
        time.sleep(60)
        return super().analyze_many(texts, **options)
