"""Steps that several recipes share, and jobs for the model, run here or by workers elsewhere.

Workers have the model and the settings, and no data except what a job contains.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trope.core.records import TextKind
from trope.recipes.recipe import Apply, Context
from trope.recipes.records import Drop, Outcome, Record, to_line
from trope.text.duplicates import find_duplicates

if TYPE_CHECKING:
    from trope.core.records import Parse
    from trope.pipeline import Pipeline

AT_ONCE = 2_000
"""Sentences per job: enough to keep a worker busy, few enough for all workers to take part."""

_REMEDY = "give workers more memory, or continue with --engine local"


def drop_duplicates(kind: TextKind, threshold: Callable[[Context], float]) -> Apply:
    """A step that drops duplicates of earlier texts.

    The reason is "exact" or "near"; a threshold above 1 finds only exact duplicates.
    """

    def apply(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
        waiting: deque[Record] = deque()

        def texts() -> Iterator[tuple[str, str]]:
            for record in records:
                waiting.append(record)
                yield record.id, record.text

        for verdict in find_duplicates(texts(), kind, threshold=threshold(context)):
            record = waiting.popleft()
            yield record if verdict.kept else Drop(record.id, verdict.reason)

    return apply


def draw(size: Callable[[Context], int], purpose: str) -> Apply:
    """A step that keeps a random sample of the given size, in order; 0 keeps all."""

    def apply(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
        every, wanted = list(records), size(context)
        chosen = range(len(every))
        if 0 < wanted < len(every):
            chosen = set(random.Random(f"{context.seed} {purpose}").sample(chosen, wanted))  # type: ignore[assignment]
        for place, record in enumerate(every):
            yield record if place in chosen else Drop(record.id, "not-drawn")

    return apply


def template(name: str) -> str:
    """The plan of a shipped annotation project."""
    return (files("trope.annotate") / "templates" / f"{name}.toml").read_text("utf-8")


def sense_coverage(records: Sequence[Record], field: str) -> dict[str, int | float]:
    """The number of verbs, and of those that occur with both values of a field."""
    senses: dict[str, set[str]] = {}
    for record in records:
        senses.setdefault(record.fields["verb"], set()).add(record.fields[field])
    both = sum(len(own) > 1 for own in senses.values())
    share = round(both / len(senses), 4) if senses else 0.0
    return {"verbs": len(senses), "verbs in both senses": both, "share in both senses": share}


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
