"""`seed-similarity`: an expression is as metaphorical as it is near to a known metaphor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from trope.core.errors import BadInput, BadRecord
from trope.core.files import read_lines
from trope.core.records import Parse
from trope.lexicon.vectors import SHIPPED, Array, Vectors, read_vectors
from trope.tasks.metaphor.task import (
    Criterion,
    Score,
    VerbExpression,
    highest,
    tuned_threshold,
    words_by_expressions,
)

_SEEDS_FILE = Path(__file__).with_name("seeds.txt")
_ROWS = 4096  # expressions compared at a time


class SeedSimilarity:
    """Weak supervision by a few seeds.

    Paper: Zayed et al. (2018), the weak labeller of the tweets corpus of 2019.
    Needs: static word vectors, some metaphorical pairs of verb and noun, a threshold.
    Gives: the highest cosine between the mean of the two words' unit vectors and any seed's;
        nothing where a word has no vector. Words get the score of their expression.
    Differs: vectors, seeds and threshold are not published; ours are options. The threshold, and
        whether it is best by F1 or by macro-F1, are chosen on held-out expressions by a rule that
        sees no test data (`tuned_threshold`).
    """

    def __init__(
        self,
        vectors: Vectors,
        seeds: Iterable[VerbExpression] | None = None,
        *,
        threshold: float = math.inf,
    ) -> None:
        self.vectors = vectors
        self.seeds = tuple(read_seeds() if seeds is None else seeds)
        self.threshold = threshold
        self.criterion: Criterion = "f1"
        known = [vector for seed in self.seeds if (vector := self._vector(seed)) is not None]
        if not known:
            raise BadInput("no seed has vectors for both of its words; give other seeds or vectors")
        self._table: Array = np.vstack(known)

    def without(self, expressions: Iterable[VerbExpression]) -> SeedSimilarity:
        """The same detector without the seeds that are among these expressions."""
        pairs = {expression.pair for expression in expressions}
        kept = [seed for seed in self.seeds if seed.pair not in pairs]
        return SeedSimilarity(self.vectors, kept, threshold=self.threshold)

    def tune(self, expressions: Sequence[VerbExpression], labels: Sequence[bool]) -> None:
        """Choose the threshold on labelled expressions that will not be scored.

        Which measure it is best by is decided on the same expressions (`tuned_threshold`).
        """
        scores = self.score_expressions(expressions)
        pairs = [expression.pair for expression in expressions]
        self.threshold, self.criterion = tuned_threshold(scores, labels, pairs)

    def label(self, verb: str, noun: str) -> tuple[Score, bool | None]:
        """Score and verdict for one pair; both None where a word has no vector."""
        (score,) = self.score_expressions([VerbExpression(verb, noun)])
        return score, None if score is None else score >= self.threshold

    def score_expressions(self, expressions: Sequence[VerbExpression]) -> list[Score]:
        """The cosine to the nearest seed."""
        found = [self._vector(expression) for expression in expressions]
        known = [vector for vector in found if vector is not None]
        nearest: list[float] = []
        for start in range(0, len(known), _ROWS):
            cosines = np.vstack(known[start : start + _ROWS]) @ self._table.T
            nearest += cosines.max(axis=1).tolist()
        scores = iter(nearest)
        return [None if vector is None else next(scores) for vector in found]

    def score_words(self, sentences: Sequence[Parse]) -> list[tuple[Score, ...]]:
        """Verbs with an object by their expression; nothing for other words."""
        return words_by_expressions(self, sentences)

    def score_sentences(self, sentences: Sequence[Parse]) -> list[Score]:
        """The highest score of a sentence's expressions."""
        return [highest(row) for row in self.score_words(sentences)]

    def _vector(self, expression: VerbExpression) -> Array | None:
        verb, noun = self.vectors.get(expression.verb), self.vectors.get(expression.noun)
        if verb is None or noun is None:
            return None
        mean = verb + noun
        length = float(np.linalg.norm(mean))
        return mean / length if length else None


def build(
    *, vectors: str | Path = SHIPPED, seeds: str | Path | None = None, threshold: float = math.inf
) -> SeedSimilarity:
    """The detector from files of vectors and, where the shipped ones will not do, of seeds."""
    pairs = None if seeds is None else read_seeds(seeds)
    return SeedSimilarity(read_vectors(vectors), pairs, threshold=threshold)


def read_seeds(path: str | Path = _SEEDS_FILE) -> tuple[VerbExpression, ...]:
    """Pairs of a verb and a noun, one per line; lines that begin with # are comments."""
    seeds: list[VerbExpression] = []
    for line, text in read_lines(path):
        words = text.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise BadRecord(path, line, f"has {len(words)} words; write a verb and a noun")
        seeds.append(VerbExpression(words[0], words[1]))
    return tuple(seeds)
