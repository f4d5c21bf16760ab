"""Jobs for the model, run here or by workers on other machines: parts of steps, and sentences.

Workers have the model and the settings, and no data except what a job contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trope.recipes.recipe import Apply, Context
from trope.recipes.records import Record, to_line

if TYPE_CHECKING:
    from trope.core.records import Parse
    from trope.pipeline import Pipeline

AT_ONCE = 2_000
"""Sentences per job: enough to keep a worker busy, few enough for all workers to take part."""

_REMEDY = "give workers more memory, or continue with --engine local"


@dataclass(frozen=True, slots=True)
class StepPart:
    """Records of a piecewise step, and the file for its results."""

    path: Path
    records: tuple[Record, ...]

    def fatal(self, workers: int) -> str:
        """The error when so many workers were lost over it."""
        lost = f"{workers} workers were lost over its {len(self.records):,} records"
        return f"{self.path}: {lost}; {_REMEDY}"


def read_part(apply: Apply, settings: Any, pipeline: Pipeline, part: StepPart) -> bytes:
    """The content of a part's file, made by a worker."""
    return content(apply, part, Context(Path(), settings, reader=pipeline))


def content(apply: Apply, part: StepPart, context: Context) -> bytes:
    """The content of a part's file, made with the context of the run."""
    return b"".join(map(to_line, apply(iter(part.records), context)))


@dataclass(frozen=True, slots=True)
class SentenceJob:
    """Sentences of a corpus, as words."""

    number: int
    words: tuple[Sequence[str], ...]

    def fatal(self, workers: int) -> str:
        """The error when so many workers were lost over them."""
        lost = f"{workers} workers were lost over {len(self.words):,} sentences"
        return f"{lost} starting at number {self.number * AT_ONCE + 1:,}; {_REMEDY}"


def parse_all(sentences: Sequence[Sequence[str]], context: Context) -> Iterator[Parse]:
    """The trees of sentences, in their order."""
    starts = range(0, len(sentences), AT_ONCE)
    jobs = [SentenceJob(n, tuple(sentences[at : at + AT_ONCE])) for n, at in enumerate(starts)]
    found = {job.number: trees for job, trees in context.executor.run(_parse, jobs)}
    for job in jobs:
        yield from found[job.number]


def _parse(pipeline: Pipeline, job: SentenceJob) -> Iterable[Parse]:
    return pipeline.parse(job.words)
