"""`logistic`: a linear model of lemma, tag, WordNet classes and concreteness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trope.core.errors import BadInput, BadRecord
from trope.core.files import read_lines
from trope.core.records import Parse
from trope.lexicon.wordnet import semantic_classes
from trope.tasks.linear_model import LinearModel, fit_linear
from trope.tasks.metaphor.task import (
    Criterion,
    Score,
    VerbExpression,
    choose_threshold,
    highest,
    tuned_threshold,
)

Features = dict[str, float]
Concreteness = Mapping[str, float]
"""Lemma → rating from 1 (abstract) to 5 (concrete)."""

_MIDDLE, _RANGE = 3.0, 2.0  # of the ratings
_CONTENT = ("VERB", "NOUN", "PROPN", "ADJ", "ADV")


class Logistic:
    """The classic baseline without a network.

    Paper: the features of Beigman Klebanov et al. (2016), in short.
    Needs: labelled words or expressions; the extra `systems`; ratings of concreteness if wanted,
        which are not free and therefore never shipped.
    Gives: the probability that a word, or the verb of an expression, is used metaphorically.
    Differs: one model for all parts of speech; the object of a verb, or the head of any other
        word, stands for the context.
    """

    def __init__(self, *, concreteness: Concreteness | None = None, threshold: float = 0.5) -> None:
        self.concreteness = concreteness or {}
        self.threshold = threshold
        self.criterion: Criterion = "f1"
        self._words: LinearModel | None = None
        self._expressions: LinearModel | None = None

    def fit_words(self, sentences: Sequence[Parse], labels: Sequence[Sequence[bool]]) -> None:
        """Learn from sentences with a label for every word."""
        rows = [row for sentence in sentences for row in self.word_rows(sentence)]
        self._words = _fitted(rows, [label for row in labels for label in row])

    def fit_expressions(
        self, expressions: Sequence[VerbExpression], labels: Sequence[bool]
    ) -> None:
        """Learn from labelled expressions."""
        self._expressions = _fitted([self._row(e) for e in expressions], labels)

    def tune(self, expressions: Sequence[VerbExpression], labels: Sequence[bool]) -> None:
        """Choose the threshold on labelled expressions that will not be scored.

        Which measure it is best by is decided on the same expressions (`tuned_threshold`).
        """
        scores = self.score_expressions(expressions)
        pairs = [expression.pair for expression in expressions]
        self.threshold, self.criterion = tuned_threshold(scores, labels, pairs)

    def tune_words(self, sentences: Sequence[Parse], labels: Sequence[Sequence[bool]]) -> None:
        """Choose the threshold by F1 on labelled sentences that will not be scored."""
        scores = [score for row in self.score_words(sentences) for score in row]
        self.threshold = choose_threshold(scores, [label for row in labels for label in row])

    def score_words(self, sentences: Sequence[Parse]) -> list[tuple[Score, ...]]:
        """One probability per word."""
        rows = [row for sentence in sentences for row in self.word_rows(sentence)]
        scores = iter(_probabilities(self._words, rows, "words"))
        return [tuple(next(scores) for _ in sentence.words) for sentence in sentences]

    def score_expressions(self, expressions: Sequence[VerbExpression]) -> list[Score]:
        """One probability per expression."""
        rows = [self._row(expression) for expression in expressions]
        return list(_probabilities(self._expressions, rows, "expressions"))

    def score_sentences(self, sentences: Sequence[Parse]) -> list[Score]:
        """The highest probability of a sentence's words."""
        return [highest(row) for row in self.score_words(sentences)]

    def _row(self, expression: VerbExpression) -> Features:
        verb, noun = expression.pair
        verbs, nouns = semantic_classes(verb, "VERB"), semantic_classes(noun, "NOUN")
        row: Features = {f"verb={verb}": 1.0, f"noun={noun}": 1.0}
        row |= {f"verb:{name}": 1.0 for name in verbs} | {f"noun:{name}": 1.0 for name in nouns}
        if verbs and nouns:
            row[f"{verbs[0]}+{nouns[0]}"] = 1.0
        return row | self._rated("verb", verb) | self._rated("noun", noun)

    def word_rows(self, sentence: Parse) -> Iterator[Features]:
        """The features of every word of a sentence that has a tree."""
        objects = {
            head: lemma
            for lemma, head, relation in zip(
                sentence.lemmas, sentence.heads, sentence.deprels, strict=True
            )
            if relation == "obj"
        }
        for at, (lemma, upos) in enumerate(zip(sentence.lemmas, sentence.upos, strict=True)):
            lemma = lemma.lower()
            row: Features = {f"{upos}={lemma}": 1.0, f"tag={upos}": 1.0}
            row |= {f"class:{name}": 1.0 for name in semantic_classes(lemma, upos)}
            row |= self._rated(upos, lemma)
            yield row | self._context(sentence, at, objects.get(at))

    def _context(self, sentence: Parse, at: int, object_: str | None) -> Features:
        head = sentence.heads[at]
        other = object_ if object_ is not None else sentence.lemmas[head] if head >= 0 else None
        if other is None:
            return {}
        other = other.lower()
        kind = "object" if object_ is not None else "head"
        tag = "NOUN" if object_ is not None else sentence.upos[head]
        row: Features = {f"{kind}={other}": 1.0} if sentence.upos[at] in _CONTENT else {}
        row |= {f"{kind}:{name}": 1.0 for name in semantic_classes(other, tag)}
        return row | self._rated(kind, other)

    def _rated(self, name: str, lemma: str) -> Features:
        rating = self.concreteness.get(lemma)
        return {} if rating is None else {f"{name} concrete": (rating - _MIDDLE) / _RANGE}


def build(*, concreteness: str | Path | None = None, threshold: float = 0.5) -> Logistic:
    """An untrained detector, with ratings of concreteness where a file of them is given."""
    ratings = None if concreteness is None else read_concreteness(concreteness)
    return Logistic(concreteness=ratings, threshold=threshold)


def read_concreteness(path: str | Path) -> dict[str, float]:
    """Ratings by lemma from a file with columns `Word` and `Conc.M`, separated by tabs."""
    ratings: dict[str, float] = {}
    columns: list[str] = []
    for line, text in read_lines(path):
        cells = text.split("\t")
        if not columns:
            columns = cells
            if not {"Word", "Conc.M"} <= set(columns):
                raise BadRecord(
                    path, line, "has no columns Word and Conc.M; give the ratings' file"
                )
            continue
        row = dict(zip(columns, cells, strict=False))
        try:
            ratings[row["Word"].lower()] = float(row["Conc.M"])
        except (KeyError, ValueError):
            raise BadRecord(path, line, "has no rating in column Conc.M") from None
    return ratings


def _fitted(rows: Sequence[Features], labels: Sequence[bool]) -> LinearModel:
    if len(rows) == len(labels) and len(set(labels)) < 2:
        raise BadInput("all labels are the same; give metaphors and literal uses to learn from")
    # liblinear gives the same weights in every run and needs no scaling of sparse features
    return fit_linear(rows, labels, solver="liblinear", what="detector 'logistic'")


def _probabilities(model: LinearModel | None, rows: Sequence[Features], kind: str) -> list[float]:
    if model is None:
        raise BadInput(f"this detector was not trained on {kind}; fit it with labelled {kind}")
    return [float(value) for value in model.probabilities(rows)[:, 1]] if rows else []
