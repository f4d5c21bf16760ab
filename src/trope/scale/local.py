"""The work done in this process: ONNX Runtime's threads are enough to keep its cores busy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trope.pipeline import Pipeline
from trope.scale.job import J, R, Work, WorkerModel


def load_pipeline(threads: int | None) -> Pipeline:
    """The pipeline that the work is done with; tests put another in its place."""
    return Pipeline(threads=threads)


def describe(pipeline: Pipeline) -> WorkerModel:
    """What a run must know of the model that a pipeline holds."""
    return WorkerModel(pipeline.tier, pipeline.model_sha256, pipeline.tasks)


class LocalExecutor:
    """Does one job after the other."""

    def __init__(self, *, threads: int | None = None) -> None:
        self._pipeline = load_pipeline(threads)

    @property
    def model(self) -> WorkerModel:
        """The model that is loaded."""
        return describe(self._pipeline)

    def run(self, work: Work[J, R], jobs: Iterable[J]) -> Iterator[tuple[J, R]]:
        """Each job with what came of it, in order."""
        for job in jobs:
            yield job, work(self._pipeline, job)
