"""How positive a tweet would be if it were plain: probabilities of a linear model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, BadRecord, MissingExtra
from trope.core.files import read_lines

Probabilities = list[tuple[float, ...]]

_SEEDS = re.compile(r"#(?:sarcas\w*|iron\w*|not|yeahright)\b", re.IGNORECASE)
_MENTION = re.compile(r"@\w+")


class PlainSentiment:
    """A linear classifier of tweets over words and letters; hashtags of harvests are unseen.

    Needs: the extra `systems`, labelled tweets such as TweetEval's.
    Gives: a probability for each class, in the order of the labels.
    """

    def __init__(self) -> None:
        self._model: Any = None

    def fit(self, texts: Sequence[str], labels: Sequence[int]) -> PlainSentiment:
        """Learn from labelled tweets; gives itself back."""
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
        self._model = model.fit([plain(text) for text in texts], list(labels))
        return self

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """The probability of each class, text by text."""
        if self._model is None:
            raise BadInput("the model of plain tweets has not learnt; fit it with labelled tweets")
        if not texts:
            return []
        rows = self._model.predict_proba([plain(text) for text in texts])
        return [tuple(float(value) for value in row) for row in rows]


def plain(text: str) -> str:
    """The tweet without names and without the hashtags that figurative tweets are found by."""
    return _MENTION.sub("@user", _SEEDS.sub("", text)).lower()


def read_tweeteval(folder: str | Path, parts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Texts and labels of some parts of a TweetEval task.

    Raises:
        BadRecord: where a text has no label, or a label is no number.
    """
    texts: list[str] = []
    labels: list[int] = []
    for part in parts:
        path = Path(folder) / f"{part}_labels.txt"
        texts += [text for _, text in read_lines(Path(folder) / f"{part}_text.txt")]
        for line, label in read_lines(path):
            if not label.strip().isdigit():
                raise BadRecord(path, line, f"{label!r} is no label; get the file again")
            labels.append(int(label))
        if len(texts) != len(labels):
            raise BadRecord(path, None, "has not one label for every text; get both files again")
    return texts, labels
