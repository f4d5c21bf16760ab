"""Pipelines for the workers of a Ray cluster, which find this module by PYTHONPATH."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from uuid import uuid4

from builders import FakePipeline
from trope.core.errors import BadInput
from trope.core.records import Analysis

FATAL = "This text ends its worker."
FATAL_ONCE = "This text ends the first worker that sees it."
REFUSED = "This text is refused."


class Watched(FakePipeline):
    """Leaves a file for every shard that it begins; some texts end it."""

    def __init__(self, log: Path, pause: float) -> None:
        super().__init__(metaphor=True)
        self.log, self.pause = log, pause

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
            time.sleep(self.pause)
            yield analysis


def watched(log: Path, pause: float = 0) -> Callable[[int | None], Watched]:
    """What makes the pipeline of a worker."""
    log.mkdir(exist_ok=True)
    return lambda threads: Watched(log, pause)


def of_its_own(log: Path) -> Callable[[int | None], Watched]:
    """What makes a pipeline whose model no other worker has, and which takes its time."""
    log.mkdir(exist_ok=True)

    def load(threads: int | None) -> Watched:
        pipeline = Watched(log, pause=0.02)
        pipeline.model_sha256 = f"{os.getpid():064d}"
        return pipeline

    return load
