"""`lexicon`: lexica, marks of figures, punctuation, tags and tree, and gradient boosting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, MissingExtra
from trope.core.records import Analysis
from trope.lexicon.polarity import PolarityLexica, read_lexica
from trope.tasks.sentiment.features import Features, features_of, is_figurative, read_tweet
from trope.tasks.sentiment.plain_sentiment import PlainSentiment, read_tweeteval
from trope.tasks.sentiment.task import clipped

Table = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Boosting:
    """Settings of the regression, chosen by cross-validation on train and trial."""

    trees: int = 200
    depth: int = 4
    rate: float = 0.05
    share_of_rows: float = 0.5
    share_of_features: float = 0.3
    least_in_leaf: int = 10
    members: int = 3
    """Regressions with seeds of their own, whose answers are averaged."""


class LexiconSystem:
    """A system of the kind of CLaC's, without any network of its own.

    Paper: the winner of the task, in kind: lexica, negation, emoticons, hashtags, tags; features
        of the tree are ours.
    Needs: the extra `systems`; lexica; probabilities of plain sentiment, where a model is given;
        tweets with scores.
    Gives: a real number from −5 to 5.
    Differs: boosted trees in place of M5P; no bags of words, which made it worse.
    """

    def __init__(
        self,
        lexica: PolarityLexica,
        *,
        sentiment: PlainSentiment | None = None,
        figurative: bool = True,
        settings: Boosting | None = None,
        seed: int = 0,
    ) -> None:
        self._lexica, self._sentiment = lexica, sentiment
        self.figurative, self.seed = figurative, seed
        self.settings = settings or Boosting()
        self._names: tuple[str, ...] = ()
        self._models: list[Any] = []

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The columns that were learnt from."""
        return self._names

    def fit(self, tweets: Sequence[Analysis], scores: Sequence[float]) -> None:
        """Learn from tweets with their real scores."""
        self.fit_rows(self.rows(tweets), scores)

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """A real number a tweet."""
        return self.score_rows(self.rows(tweets))

    def rows(self, tweets: Sequence[Analysis]) -> list[Features]:
        """The features of tweets, also the figurative ones of a system that does not use them."""
        rows = [features_of(read_tweet(tweet, self._lexica), self._lexica) for tweet in tweets]
        texts = [tweet.text for tweet in tweets]
        if self._sentiment is not None:
            for row, (low, middle, high) in zip(
                rows, self._sentiment.probabilities(texts), strict=True
            ):
                row |= {"plain.negative": low, "plain.neutral": middle, "plain.positive": high}
                row["figure.marked_negative"] = row["figure.marked"] * low
                row["figure.marked_positive"] = row["figure.marked"] * high
        return rows

    def fit_rows(self, rows: Sequence[Features], scores: Sequence[float]) -> None:
        """Learn from rows that `rows` made, which may be used again for other folds."""
        if not rows or len(rows) != len(scores):
            raise BadInput(f"{len(rows)} tweets but {len(scores)} scores; give one for each")
        names = [name for name in rows[0] if self.figurative or not is_figurative(name)]
        self._names = tuple(names)
        table, wanted = self._table(rows), np.asarray(scores, dtype=np.float64)
        self._models = [
            _regression(self.settings, 1000 * self.seed + member).fit(table, wanted)
            for member in range(self.settings.members)
        ]

    def score_rows(self, rows: Sequence[Features]) -> list[float]:
        """A real number a row."""
        if not self._models:
            raise BadInput("system 'lexicon' has not learnt; fit it with scored tweets")
        if not rows:
            return []
        table = self._table(rows)
        means = np.mean([model.predict(table) for model in self._models], axis=0)
        return [clipped(float(value)) for value in means]

    def _table(self, rows: Sequence[Features]) -> Table:
        return np.array([[row[name] for name in self._names] for row in rows], dtype=np.float64)


def _regression(settings: Boosting, seed: int) -> Any:
    try:
        from sklearn.ensemble import GradientBoostingRegressor
    except ModuleNotFoundError as error:
        raise MissingExtra("system 'lexicon'", "systems", "scikit-learn") from error
    return GradientBoostingRegressor(
        n_estimators=settings.trees,
        max_depth=settings.depth,
        learning_rate=settings.rate,
        subsample=settings.share_of_rows,
        max_features=settings.share_of_features,
        min_samples_leaf=settings.least_in_leaf,
        random_state=seed,
    )


def build(*, data: str | Path, figurative: bool = True, seed: int = 0) -> LexiconSystem:
    """An untrained system with the lexica and the plain tweets of a data folder."""
    tweets = Path(data) / "tweets-emotion" / "tweeteval"
    sentiment = read_tweeteval(tweets / "sentiment", ("val", "test"))
    return LexiconSystem(
        read_lexica(Path(data) / "lexica"),
        sentiment=PlainSentiment().fit(*sentiment),
        figurative=figurative,
        seed=seed,
    )
