"""Baselines of the task: a constant score, and classes from −5 to 5 by bags of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from trope.core.errors import BadInput, MissingExtra
from trope.core.records import Analysis
from trope.tasks.sentiment.task import clipped, to_integers


@dataclass(frozen=True, slots=True)
class ConstantScore:
    """One score for all.

    Paper: its "Decision Tree" baseline has the figures of the constant −2 to the last digit.
    """

    value: float = -2.0

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """The same number for every tweet."""
        return [self.value] * len(tweets)


def build_constant(*, value: float = -2.0) -> ConstantScore:
    """A system with one answer for all."""
    return ConstantScore(clipped(value))


class BagOfWords:
    """A classifier over counts of words.

    Paper: the baselines of Table 5; which words were counted and which program was used is not
        specified, so figures may differ.
    Needs: the extra `systems`, tweets with scores.
    Gives: one of the integers that were seen in training.
    """

    def __init__(self, classifier: Callable[[], Any], name: str) -> None:
        self._classifier, self._name = classifier, name
        self._model: Any = None

    def fit(self, tweets: Sequence[Analysis], scores: Sequence[float]) -> None:
        """Learn the integer of each tweet."""
        if not tweets or len(tweets) != len(scores):
            raise BadInput(f"{len(tweets)} tweets but {len(scores)} scores; give one for each")
        try:
            from sklearn.feature_extraction.text import CountVectorizer
            from sklearn.pipeline import make_pipeline
        except ModuleNotFoundError as error:
            raise MissingExtra(f"system {self._name!r}", "systems", "scikit-learn") from error
        model = make_pipeline(CountVectorizer(token_pattern=r"[#@]?\w+"), self._classifier())
        self._model = model.fit([tweet.text for tweet in tweets], to_integers(scores))

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """The most likely integer of each tweet."""
        if self._model is None:
            raise BadInput(f"system {self._name!r} is not trained; fit it with scored tweets")
        if not tweets:
            return []
        return [float(value) for value in self._model.predict([tweet.text for tweet in tweets])]


def naive_bayes(*, seed: int = 0) -> BagOfWords:
    """Multinomial naive Bayes; has no use for the seed."""

    def classifier() -> Any:
        from sklearn.naive_bayes import MultinomialNB

        return MultinomialNB()

    return BagOfWords(classifier, "naive-bayes")


def maximum_entropy(*, seed: int = 0) -> BagOfWords:
    """Logistic regression over all classes."""

    def classifier() -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000, random_state=seed)

    return BagOfWords(classifier, "maximum-entropy")


def decision_tree(*, seed: int = 0) -> BagOfWords:
    """A single tree, grown until its leaves are pure."""

    def classifier() -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=seed)

    return BagOfWords(classifier, "decision-tree")
