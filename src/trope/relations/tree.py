"""A read-only view of a parsed sentence: children, names, coordinations, spans."""

from __future__ import annotations

from trope.core.records import ROOT, Parse

MAX_CONJUNCTS = 16
"""Longer coordinations are cut: they are lists, and pairs of them would grow without bound."""


class Tree:
    """The tree of one sentence."""

    __slots__ = ("_spans", "children", "parse", "root")

    def __init__(self, parse: Parse) -> None:
        self.parse = parse
        self.children: list[list[int]] = [[] for _ in parse.heads]
        self.root = 0
        self._spans: list[list[int]] | None = None
        roots = []
        for word, head in enumerate(parse.heads):
            if head == ROOT:
                roots.append(word)
            else:
                self.children[head].append(word)
        if roots:
            self.root = roots[0]

    def name_head(self, word: int) -> int:
        """The word that stands for a name: its last flat word, or the word itself."""
        deprels = self.parse.deprels
        last = word
        while True:
            for child in reversed(self.children[last]):
                if child > last and deprels[child].partition(":")[0] == "flat":
                    last = child
                    break
            else:
                return last

    def conjuncts(self, word: int) -> list[int]:
        """The word and the nominal words coordinated with it, in the order of the tree."""
        deprels, upos = self.parse.deprels, self.parse.upos
        found = [word]
        for member in found:
            found += [
                child
                for child in self.children[member]
                if deprels[child] == "conj" and upos[child] not in ("VERB", "AUX")
            ]
            if len(found) >= MAX_CONJUNCTS:
                return found[:MAX_CONJUNCTS]
        return found

    def span(self, word: int) -> tuple[int, int]:
        """First word and end (exclusive) of all that hangs from a word."""
        if self._spans is None:
            self._spans = self._all_spans()
        start, end = self._spans[word]
        return start, end

    def _all_spans(self) -> list[list[int]]:
        """The span of every word, children before heads."""
        heads = self.parse.heads
        spans = [[word, word + 1] for word in range(len(heads))]
        order = [word for word, head in enumerate(heads) if head == ROOT]
        for word in order:
            order.extend(self.children[word])
        for word in reversed(order):
            head = heads[word]
            if head != ROOT:
                below, above = spans[word], spans[head]
                above[0] = min(above[0], below[0])
                above[1] = max(above[1], below[1])
        return spans
