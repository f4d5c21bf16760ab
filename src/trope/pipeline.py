"""One encoder pass a batch; every head and every layer above reads what it needs from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trope.core.records import Analysis, Parse, TextKind


class Pipeline:
    """Texts in, analyses out."""

    def __init__(self, *, tier: str = "small", threads: int | None = None) -> None:
        self.tier = tier
        self.threads = threads

    def analyze(self, text: str, *, kind: TextKind = "plain") -> Analysis:
        """Everything about one text."""
        return next(self.analyze_many([text], kind=kind))

    def analyze_many(
        self, texts: Iterable[str], *, kind: TextKind = "plain", batch_size: int = 64
    ) -> Iterator[Analysis]:
        """One analysis a text, in order, in constant memory."""
        raise NotImplementedError

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """Trees of sentences that are already split into words."""
        raise NotImplementedError


def analyze(text: str, *, kind: TextKind = "plain") -> Analysis:
    """Everything about one text, with the shipped model."""
    return Pipeline().analyze(text, kind=kind)


def analyze_many(
    texts: Iterable[str], *, kind: TextKind = "plain", batch_size: int = 64
) -> Iterator[Analysis]:
    """One analysis a text, in order, with the shipped model."""
    return Pipeline().analyze_many(texts, kind=kind, batch_size=batch_size)
