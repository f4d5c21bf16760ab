"""The work done in this process: ONNX Runtime's threads are enough to keep its cores busy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from trope.pipeline import Pipeline
from trope.scale.job import Model, Receipt, Settings, Shard
from trope.scale.shards import ShardWorker


def load_pipeline(threads: int | None) -> Pipeline:
    """The pipeline that the work is done with; tests put another in its place."""
    return Pipeline(threads=threads)


class LocalExecutor:
    """Makes one shard after the other."""

    def __init__(self, *, threads: int | None = None) -> None:
        self._pipeline = load_pipeline(threads)

    @property
    def model(self) -> Model:
        """The model that is loaded."""
        pipeline = self._pipeline
        return Model(pipeline.tier, pipeline.model_sha256, pipeline.tasks)

    def run(
        self, settings: Settings, folder: Path, shards: Iterable[Shard]
    ) -> Iterator[tuple[Shard, Receipt]]:
        """Each shard with its receipt, in order."""
        work = ShardWorker(self._pipeline, settings, folder)
        for shard in shards:
            yield shard, work(shard)
