"""Texts in, analyses out: one encoder pass per batch, which every task reads.

`batch` takes a batch of texts through the model, `assembly` builds an analysis, `pipeline` is the
interface. The functions here use the shipped model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from trope.core.options import DEFAULT_WORDS
from trope.core.records import Analysis, TextKind, WordView
from trope.pipeline.pipeline import BASE, Pipeline

if TYPE_CHECKING:
    from trope.tasks.rewriting.rewriter import Rewriting
    from trope.tasks.rewriting.task import Direction

__all__ = ["BASE", "Pipeline", "analyze", "analyze_many", "rewrite"]


@cache
def _shipped() -> Pipeline:
    return Pipeline()


def analyze(
    text: str,
    *,
    only: str | Sequence[str] | None = None,
    threshold: float | None = None,
    kind: TextKind = "plain",
    words: WordView = DEFAULT_WORDS,
) -> Analysis:
    """Everything about one text, with the shipped model.

    Args:
        only: the tasks to run, as in "syntax,metaphor" or ["syntax", "metaphor"]; all by default.
        threshold: the lowest score of a word that is shown as a metaphor, instead of the model's.
        kind: "plain", "tweet" or "headline".
        words: which words are shown as metaphors: "noticed" by readers, all "content" words that
            MIPVU marks, or "all" words that it marks.
    """
    return _shipped().analyze(text, only=only, threshold=threshold, kind=kind, words=words)


def analyze_many(
    texts: Iterable[str],
    *,
    only: str | Sequence[str] | None = None,
    threshold: float | None = None,
    kind: TextKind = "plain",
    words: WordView = DEFAULT_WORDS,
    batch_size: int = 1024,
) -> Iterator[Analysis]:
    """One analysis per text, in order, with the shipped model; the options of `analyze`.

    `trope.to_frame` and `trope.to_table` make tables of them.
    """
    return _shipped().analyze_many(
        texts, only=only, threshold=threshold, kind=kind, words=words, batch_size=batch_size
    )


def rewrite(
    text: str,
    *,
    to: Direction,
    verb: str | None = None,
    top: int = 6,
    kind: TextKind = "plain",
    candidates: Sequence[str] | None = None,
) -> list[Rewriting]:
    """Candidates for verbs of a text, with the shipped model."""
    return _shipped().rewrite(text, to=to, verb=verb, top=top, kind=kind, candidates=candidates)
