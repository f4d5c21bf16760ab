"""The work done in this process: ONNX Runtime's threads are enough to keep its cores busy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from trope.pipeline import Pipeline
from trope.scale.job import Model, Receipt, Settings, Shard
from trope.scale.shards import ShardMaker, store


def load_pipeline(threads: int | None) -> Pipeline:
    """The pipeline that the work is done with; tests put another in its place."""
    return Pipeline(threads=threads)


def describe(pipeline: Pipeline) -> Model:
    """What a run must know of the model that a pipeline holds."""
    return Model(pipeline.tier, pipeline.model_sha256, pipeline.tasks)


class LocalExecutor:
    """Makes one shard after the other."""

    def __init__(self, *, threads: int | None = None) -> None:
        self._pipeline = load_pipeline(threads)

    @property
    def model(self) -> Model:
        """The model that is loaded."""
        return describe(self._pipeline)

    def run(
        self, settings: Settings, folder: Path, shards: Iterable[Shard]
    ) -> Iterator[tuple[Shard, Receipt]]:
        """Each shard with its receipt, in order."""
        make = ShardMaker(self._pipeline, settings)
        for shard in shards:
            yield shard, store(make(shard), folder)
