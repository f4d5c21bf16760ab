"""Classifiers that see only one side of a question (scikit-learn, extra `systems`)."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from trope.core.errors import MissingExtra

if TYPE_CHECKING:
    from trope.audit.binary import Item

_PUNCTUATION = frozenset(string.punctuation + "‘’“”—–…")
_QUOTES = frozenset("\"'‘’“”`")


class Scorer(Protocol):
    """Learns from some items and scores others."""

    def __call__(self, train: Sequence[Item], test: Sequence[Item]) -> list[float]:
        """The probability of a yes for every test item."""


def word_scores(train: Sequence[Item], test: Sequence[Item]) -> list[float]:
    """By all words: TF-IDF and logistic regression as scikit-learn has them."""
    text, linear, join, _ = _sklearn()
    model = join(text(), linear(max_iter=2000))
    return _fit_and_score(
        model,
        [" ".join(item.words) for item in train],
        train,
        [" ".join(item.words) for item in test],
    )


def context_scores(train: Sequence[Item], test: Sequence[Item]) -> list[float]:
    """By the words around the target, every word in lower case."""
    text, linear, join, _ = _sklearn()
    model = join(
        text(analyzer=_context_words, sublinear_tf=True),
        linear(max_iter=2000, class_weight="balanced"),
    )
    return _fit_and_score(model, list(train), train, list(test))


def surface_scores(train: Sequence[Item], test: Sequence[Item]) -> list[float]:
    """By what can be seen from afar: lengths, punctuation, capitals, digits, places."""
    _, linear, join, scale = _sklearn()
    model = join(scale(), linear(max_iter=2000, class_weight="balanced"))
    return _fit_and_score(
        model, [surface(item) for item in train], train, [surface(item) for item in test]
    )


def surface(item: Item) -> list[float]:
    """The features of an item that say nothing about its words."""
    words, text = item.words, " ".join(item.words)
    count, letters = len(words), max(1, len(text))
    target = " ".join(words[item.start : item.end])
    return [
        count,
        len(text),
        len(text) / max(1, count),
        sum(char in _PUNCTUATION for char in text) / letters,
        sum(char in _QUOTES for char in text) / letters,
        sum(char.isdigit() for char in text) / letters,
        sum(char.isupper() for char in text) / letters,
        sum(word[:1].isupper() for word in words) / max(1, count),
        sum(word.isupper() for word in words) / max(1, count),
        float(text.endswith((".", "!", "?"))),
        item.start / max(1, count),
        item.end - item.start,
        len(target),
        float(target[:1].isupper()),
        float(not any(char.isalnum() for char in target)),
    ]


def _context_words(item: Item) -> list[str]:
    return [word.lower() for word in item.context]


def _fit_and_score(
    model: Any, train: Sequence[Any], items: Sequence[Item], test: Sequence[Any]
) -> list[float]:
    model.fit(train, [item.label for item in items])
    return [float(value) for value in model.predict_proba(test)[:, 1]]


def _sklearn() -> tuple[Any, Any, Any, Any]:
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ModuleNotFoundError as error:
        raise MissingExtra("trope audit", "systems", "scikit-learn") from error
    return TfidfVectorizer, LogisticRegression, make_pipeline, StandardScaler
