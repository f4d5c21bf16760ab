"""Analyses cut into sentences, the unit in which trees are drawn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from trope.core.records import Analysis, Relation, Token


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence of an analysis: its bounds in the text, its words, what was found in it.

    `first` is the position of its first word in the whole text.
    """

    start: int
    end: int
    first: int
    tokens: tuple[Token, ...]
    relations: tuple[Relation, ...]

    def heads(self) -> list[int]:
        """The head of every word, counted within the sentence, -1 for a root."""
        return [
            token.head - self.first if 0 <= token.head - self.first < len(self.tokens) else -1
            for token in self.tokens
        ]


def sentences(analysis: Analysis) -> Iterator[ShownSentence]:
    """The sentences of an analysis with their words and relations."""
    starts = [token.start for token in analysis.tokens]
    for start, end in analysis.sentences:
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        relations = tuple(r for r in analysis.relations if first <= r.verb < last)
        yield ShownSentence(start, end, first, analysis.tokens[first:last], relations)
