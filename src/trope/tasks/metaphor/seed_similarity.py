"""Weak labels of verbs with their objects from a few seeds.

`seed-similarity`: an expression is as metaphorical as it is near to a known metaphor.
`seed-abstractness`: it is metaphorical where a concrete verb has an abstract object.
`seed-neighbours`: it is metaphorical where it is more like metaphorical than like literal seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, BadRecord
from trope.core.files import read_lines
from trope.core.records import Parse
from trope.lexicon.vectors import SHIPPED, Array, Vectors, WordVectors, read_vectors
from trope.lexicon.wordnet import semantic_classes
from trope.tasks.metaphor.task import (
    Criterion,
    Score,
    VerbExpression,
    highest,
    tuned_threshold,
    words_by_expressions,
)

_SEEDS_FILE = Path(__file__).with_name("seeds.txt")
_PAIRS_FILE = Path(__file__).with_name("seed_pairs.txt")
_FREQUENT_FILE = Path(__file__).with_name("seed_neighbours.txt")
_ROWS = 4096  # expressions compared at a time

EXPECTED_SHARE = 0.45
"""Between the shares of metaphors that the paper's labeller found, 42 and 48 %."""

_CONCRETE = {
    "NOUN": frozenset(
        ("noun.animal", "noun.artifact", "noun.body", "noun.food", "noun.group", "noun.location",
         "noun.object", "noun.person", "noun.plant", "noun.substance")
    ),
    "VERB": frozenset(
        ("verb.body", "verb.competition", "verb.consumption", "verb.contact", "verb.creation",
         "verb.motion", "verb.perception", "verb.possession", "verb.weather")
    ),
}  # fmt: skip
"""Classes of WordNet whose words are concrete."""

_BY_VECTOR = 0.75  # for verbs, whose senses are many; chosen on MOH
_MANY, _MIDDLE, _STEPS = 10, 0.5, 12

# Of seed-neighbours, chosen on running text with labels of our own, and on LCC
_BY_TRAITS, _BY_VERB, _BY_NOUN, _NOISE, _GENEROUS = 0.3, 3.0, 1.0, 3.0, 1.2
_TRAITS = (0, 1, 3)  # abstractness of the object, concreteness and polysemy of the verb
_USUAL, _SPREAD = (0.624, 0.411, 0.572), (0.357, 0.204, 0.331)  # of traits, in unlabelled EWT

Floats = npt.NDArray[np.float64]


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


class SeedAbstractness:
    """Weak supervision by a few seeds, metaphorical and literal.

    Paper: the idea of Zayed et al. (2018), few seeds and word vectors, with what makes a metaphor
        there: a verb whose basic sense is concrete, and an object that is abstract.
    Needs: at most fifty pairs of verb and noun with labels, static word vectors, WordNet's classes.
    Gives: a probability. A logistic model learns from the seeds how abstract the object, how
        concrete and how polysemous the verb of a metaphor is. How concrete a word is, is the share
        of its senses in concrete classes and, by its vector, its likeness to words with such senses
        alone. No labels of any corpus are used.
    Differs: `adapt` reads unlabelled expressions of the text at hand: as many are expected to be
        metaphors as in the paper's tweets, and the threshold has the best F1 that is expected then.
    """

    _shipped = _PAIRS_FILE

    def __init__(
        self,
        vectors: WordVectors,
        seeds: Iterable[tuple[VerbExpression, bool]] | None = None,
        *,
        threshold: float = 0.5,
    ) -> None:
        self.vectors, self.threshold, self.shift = vectors, threshold, 0.0
        self.seeds = tuple(read_labelled_seeds(self._shipped) if seeds is None else seeds)
        if len({label for _, label in self.seeds}) < 2:
            raise BadInput("all seeds have one label; give metaphorical and literal ones")
        self._axes = {part: _concrete_axis(vectors, part) for part in _CONCRETE}
        self._weights = self._fit(np.array([label for _, label in self.seeds], dtype=float))

    def without(self, expressions: Iterable[VerbExpression]) -> Self:
        """The same detector without the seeds that are among these expressions."""
        pairs = {expression.pair for expression in expressions}
        kept = [seed for seed in self.seeds if seed[0].pair not in pairs]
        return type(self)(self.vectors, kept, threshold=self.threshold)

    def adapt(self, expressions: Sequence[VerbExpression], share: float = EXPECTED_SHARE) -> None:
        """Choose offset and threshold for a text by its expressions, without labels."""
        values = self._values(expressions)
        low, high = -20.0, 20.0
        for _ in range(60):  # the mean probability grows with the offset
            self.shift = (low + high) / 2
            low, high = (self.shift, high) if _sigmoid(values + self.shift).mean() < share else (
                low, self.shift)  # fmt: skip
        ordered = np.sort(_sigmoid(values + self.shift))[::-1]
        found, called = np.cumsum(ordered), np.arange(1, len(ordered) + 1)
        self.threshold = float(ordered[np.argmax(2 * found / (called + found[-1]))])

    def score_expressions(self, expressions: Sequence[VerbExpression]) -> list[Score]:
        """One probability per expression."""
        if not expressions:
            return []
        return [float(p) for p in _sigmoid(self._values(expressions) + self.shift)]

    def score_words(self, sentences: Sequence[Parse]) -> list[tuple[Score, ...]]:
        """Verbs with an object by their expression; nothing for other words."""
        return words_by_expressions(self, sentences)

    def score_sentences(self, sentences: Sequence[Parse]) -> list[Score]:
        """The highest score of a sentence's expressions."""
        return [highest(row) for row in self.score_words(sentences)]

    def _fit(self, labels: Floats) -> Floats:
        return _logistic(np.array([self._row(seed) for seed, _ in self.seeds]), labels)

    def _values(self, expressions: Sequence[VerbExpression]) -> Floats:
        rows = np.array([self._row(expression) for expression in expressions])
        found: Floats = np.hstack([rows, np.ones((len(rows), 1))]) @ self._weights
        return found

    def _row(self, expression: VerbExpression) -> list[float]:
        verb, noun = expression.pair
        abstract = 1 - self._concrete(noun, "NOUN", 0.5)
        concrete = self._concrete(verb, "VERB", _BY_VECTOR)
        many = min(len(semantic_classes(verb, "VERB")), _MANY) / _MANY
        return [abstract, concrete, abstract * concrete, many, abstract * many]

    def _concrete(self, word: str, part: str, by_vector: float) -> float:
        """From 0 to 1: by the classes of its senses, frequent ones first, and by its vector."""
        inside = [name in _CONCRETE[part] for name in semantic_classes(word, part)]
        ranks = 1 / np.arange(1, len(inside) + 1)
        by_class = float(ranks @ inside / ranks.sum()) if inside else None
        vector = self.vectors.get(word)
        if vector is None:
            return _MIDDLE if by_class is None else by_class
        likeness = float(_sigmoid(np.append(vector, 1.0) @ self._axes[part]))
        if by_class is None:
            return likeness
        return by_vector * likeness + (1 - by_vector) * by_class


class SeedNeighbours(SeedAbstractness):
    """Weak supervision by a few seeds that look like running text.

    Paper: the idea of Zayed et al. (2018): few seeds, likeness by word vectors.
    Needs: what `SeedAbstractness` needs; the seeds are frequent verbs with typical objects.
    Gives: a probability by the labels of the seeds, weighted by likeness (kernel ridge regression).
        Alike are expressions whose verbs have like vectors (more so with objects of like
        abstractness), whose objects have like vectors, and whose abstractness, concreteness and
        polysemy are alike.
    Differs: `adapt` reads unlabelled expressions of the text at hand: a fifth more than the
        expected share are called metaphors, which is near the best F1 on development data.
    """

    _shipped = _FREQUENT_FILE

    def adapt(self, expressions: Sequence[VerbExpression], share: float = EXPECTED_SHARE) -> None:
        """Choose the threshold for a text by its expressions, without labels."""
        lowest = np.quantile(self._values(expressions), [max(0.0, 1 - _GENEROUS * share)])
        self.threshold = float(_sigmoid(lowest)[0])

    def _fit(self, labels: Floats) -> Floats:
        likeness = self._likeness([seed for seed, _ in self.seeds])
        solved = np.linalg.solve(likeness + _NOISE * np.eye(len(labels)), 2 * labels - 1)
        return solved.astype(np.float64)

    def _values(self, expressions: Sequence[VerbExpression]) -> Floats:
        # doubled, because the sigmoid of twice a label x from -1 to 1 is near (1 + x) / 2
        return 2 * self._likeness(expressions) @ self._weights

    def _likeness(self, expressions: Sequence[VerbExpression]) -> Floats:
        """[expression, seed]: how alike they are."""
        ours, theirs = (self._places(some) for some in (expressions, [s for s, _ in self.seeds]))
        verbs, nouns = (np.clip(ours[at] @ theirs[at].T, 0, 1) ** 2 for at in (0, 1))
        apart = ours[2][:, :1] - theirs[2][:, :1].T  # in abstractness of the object
        traits = ours[2] @ theirs[2].T / len(_TRAITS) + 1
        verbs *= 1 + np.exp(-(apart**2) / 2)
        found: Floats = _BY_TRAITS * traits + _BY_VERB * verbs + _BY_NOUN * nouns
        return found

    def _places(self, expressions: Sequence[VerbExpression]) -> tuple[Floats, Floats, Floats]:
        """Vectors of verbs and of nouns, and the traits in standard units."""
        nothing = np.zeros(self.vectors.dimensions)
        verbs, nouns = (
            np.array([nothing if (v := self.vectors.get(word)) is None else v for word in words])
            for words in zip(*(expression.pair for expression in expressions), strict=True)
        )
        rows = np.array([self._row(expression) for expression in expressions])[:, _TRAITS]
        return verbs, nouns, (rows - _USUAL) / _SPREAD


def _concrete_axis(vectors: WordVectors, part: str) -> Floats:
    """The weights that tell words with concrete senses alone from words without any."""
    rows, labels = [], []
    for word in vectors.words:
        inside = [name in _CONCRETE[part] for name in semantic_classes(word, part)]
        vector = vectors.get(word)
        if inside and vector is not None and len(set(inside)) == 1 and word.islower():
            rows.append(vector)
            labels.append(float(inside[0]))
    if len(set(labels)) < 2:
        raise BadInput("the vectors have no words that WordNet knows; give vectors of English")
    return _logistic(np.array(rows, dtype=float), np.array(labels))


def _logistic(rows: Floats, labels: Floats) -> Floats:
    """The weights of a logistic model, the offset last, by Newton's method."""
    table = np.hstack([rows, np.ones((len(rows), 1))])
    penalty = np.append(np.ones(rows.shape[1]), 0.0)
    weights = np.zeros(table.shape[1])
    for _ in range(_STEPS):
        shares = _sigmoid(table @ weights)
        slope = table.T @ (shares - labels) + penalty * weights
        curve = (table * (shares * (1 - shares))[:, None]).T @ table + np.diag(penalty + 1e-9)
        weights -= np.linalg.solve(curve, slope)
    return weights


def _sigmoid(values: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-values))
    return found


def build_abstractness(
    *, vectors: str | Path = SHIPPED, seeds: str | Path | None = None, threshold: float = 0.5
) -> SeedAbstractness:
    """The detector from files of vectors and, where the shipped ones will not do, of seeds."""
    pairs = None if seeds is None else read_labelled_seeds(seeds)
    return SeedAbstractness(read_vectors(vectors), pairs, threshold=threshold)


def build_neighbours(
    *, vectors: str | Path = SHIPPED, seeds: str | Path | None = None, threshold: float = 0.5
) -> SeedNeighbours:
    """The detector from files of vectors and, where the shipped ones will not do, of seeds."""
    pairs = None if seeds is None else read_labelled_seeds(seeds)
    return SeedNeighbours(read_vectors(vectors), pairs, threshold=threshold)


def read_labelled_seeds(path: str | Path) -> tuple[tuple[VerbExpression, bool], ...]:
    """Pairs of a verb and a noun with metaphor or literal, one per line; # begins a comment."""
    seeds: list[tuple[VerbExpression, bool]] = []
    for line, text in read_lines(path):
        words = text.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 3 or words[2] not in ("metaphor", "literal"):
            raise BadRecord(path, line, "is no seed; write a verb, a noun, and metaphor or literal")
        seeds.append((VerbExpression(words[0], words[1]), words[2] == "metaphor"))
    return tuple(seeds)
