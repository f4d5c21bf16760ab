"""`lexicon`: lexica, marks of figures, punctuation, tags and tree, and gradient boosting.

A linear model of plain tweets adds how positive a tweet would be if it were meant literally.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, BadRecord, MissingExtra
from trope.core.files import read_lines
from trope.core.records import Analysis
from trope.lexicon.polarity import PolarityLexica, read_lexica
from trope.tasks.sentiment.features import Features, features_of, is_figurative, tweet_words
from trope.tasks.sentiment.task import clipped

Probabilities = list[tuple[float, ...]]

_SEEDS = re.compile(r"#(?:sarcas\w*|iron\w*|not|yeahright)\b", re.IGNORECASE)
_MENTION = re.compile(r"@\w+")


class PolarityModel:
    """A linear classifier of tweets over words and letters; hashtags of harvests are removed.

    Needs: the extra `systems`, labelled tweets such as TweetEval's.
    Gives: a probability for each class, in the order of the labels.
    """

    def __init__(self) -> None:
        self._model: Any = None

    def fit(self, texts: Sequence[str], labels: Sequence[int]) -> PolarityModel:
        """Learn from labelled tweets; return the model."""
        if not texts or len(texts) != len(labels):
            raise BadInput(f"{len(texts)} texts but {len(labels)} labels; give one for each")
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
            from sklearn.linear_model import LogisticRegression
            from sklearn.pipeline import make_pipeline, make_union
        except ModuleNotFoundError as error:
            raise MissingExtra("system 'lexicon'", "systems", "scikit-learn") from error
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        letters = TfidfVectorizer(
            analyzer="char_wb", ngram_range=(2, 4), min_df=3, sublinear_tf=True
        )
        model = make_pipeline(make_union(words, letters), LogisticRegression(max_iter=300))
        self._model = model.fit([without_seeds(text) for text in texts], list(labels))
        return self

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """The probability of each class, text by text."""
        if self._model is None:
            raise BadInput("the model of plain tweets is not trained; fit it with labelled tweets")
        if not texts:
            return []
        rows = self._model.predict_proba([without_seeds(text) for text in texts])
        return [tuple(float(value) for value in row) for row in rows]


def without_seeds(text: str) -> str:
    """The tweet without names and without the hashtags that figurative tweets are found by."""
    return _MENTION.sub("@user", _SEEDS.sub("", text)).lower()


def read_tweeteval(folder: str | Path, parts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Texts and labels of some parts of a TweetEval task.

    Raises:
        BadRecord: where a text has no label, or a label is not a number.
    """
    texts: list[str] = []
    labels: list[int] = []
    for part in parts:
        path = Path(folder) / f"{part}_labels.txt"
        texts += [text for _, text in read_lines(Path(folder) / f"{part}_text.txt")]
        for line, label in read_lines(path):
            if not label.strip().isdigit():
                raise BadRecord(path, line, f"{label!r} is not a label; get the file again")
            labels.append(int(label))
        if len(texts) != len(labels):
            raise BadRecord(path, None, "does not have one label per text; get both files again")
    return texts, labels


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
        sentiment: PolarityModel | None = None,
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
        """One real number per tweet."""
        return self.score_rows(self.rows(tweets))

    def rows(self, tweets: Sequence[Analysis]) -> list[Features]:
        """The features of tweets, also the figurative ones of a system that does not use them."""
        rows = [features_of(tweet_words(tweet, self._lexica), self._lexica) for tweet in tweets]
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
        """One real number per row."""
        if not self._models:
            raise BadInput("system 'lexicon' is not trained; fit it with scored tweets")
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
        sentiment=PolarityModel().fit(*sentiment),
        figurative=figurative,
        seed=seed,
    )
