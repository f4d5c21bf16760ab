"""Controls of sets with yes-or-no labels: what can be answered without reading the question.

The classifiers see only one side of an item; they need scikit-learn (extra `systems`).
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from trope.core.errors import MissingExtra
from trope.metrics.classification import binary_figures
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import bootstrap_ratios
from trope.tasks.metaphor.task import choose_threshold

FOLDS = 10
"""Parts of a set without training data, each answered by what the others teach."""

_WINDOW = 5  # words on either side of a target that its context is made of
_SCORES = ("f1", "accuracy", "macro_f1")


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One question: a text, the words in it that are asked about (none: all), the answer.

    `group` is what the item is drawn with, `key` what the target is looked up by.
    """

    words: tuple[str, ...]
    label: bool
    group: str
    start: int = 0
    end: int = 0
    key: str = ""

    @property
    def context(self) -> tuple[str, ...]:
        """The words around the target, without it."""
        before = self.words[max(0, self.start - _WINDOW) : self.start]
        return before + self.words[self.end : self.end + _WINDOW]


@dataclass(frozen=True, slots=True)
class BinarySet:
    """A set with its splits; `validation` may be empty, and without `train` there are folds."""

    name: str
    train: Sequence[AuditItem]
    test: Sequence[AuditItem]
    data: DataRef
    validation: Sequence[AuditItem] = field(default=())

    @property
    def gold(self) -> list[bool]:
        """The answers of the test split."""
        return [item.label for item in self.test]


def audit_figures(questions: BinarySet, seed: int) -> list[Measurement]:
    """All controls that make sense for the set."""
    figures = _constant(questions, seed)
    if any(item.key for item in questions.test):
        figures += _word_alone(questions, seed)
        if any(item.context for item in questions.test):
            note = f"{_WINDOW} words either side"
            figures += _classified(questions, "context", context_scores, note, seed)
    else:
        note = "TF-IDF, logistic regression"
        figures += _classified(questions, "words", word_scores, note, seed)
    note = "lengths, punctuation, capitals, digits, place"
    figures += _classified(questions, "surface", surface_scores, note, seed)
    return figures + _duplicates(questions, seed)


def positive_label(labels: Sequence[str]) -> str:
    """The label that counts as yes: the metaphorical one, if there is one, else the first."""
    usual = ("metaphor", "yes", "figurative", "true")
    return next((label for label in labels if label.lower().startswith(usual)), labels[0])


def _constant(questions: BinarySet, seed: int) -> list[Measurement]:
    make = partial(_figures, questions, seed=seed)
    count = len(questions.test)
    figures = make("constant", [True] * count, note="always yes")
    figures += make("constant_no", [False] * count, scores=("accuracy",), note="always no")
    return figures


def _word_alone(questions: BinarySet, seed: int) -> list[Measurement]:
    """By how often the same word is a metaphor in train; an unknown word is none."""
    shares = _shares(questions.train)
    scores = [shares.get(item.key, 0.0) for item in questions.test]
    note = "the word's usual answer in train"
    if not questions.train:
        scores = _folded(questions.test, lambda train, test: _looked_up(_shares(train), test))
        note += f" ({FOLDS} folds)"
    figures = _figures(questions, "word_alone", [s > 0.5 for s in scores], seed=seed, note=note)
    if _can_tune(questions):
        held_out = _looked_up(shares, questions.validation)
        threshold = choose_threshold(held_out, [item.label for item in questions.validation])
        figures += _figures(
            questions, "word_alone_tuned", [s >= threshold for s in scores], seed=seed,
            chosen_on=_chosen_on(questions), note="the same, threshold by F1",
        )  # fmt: skip
    return figures


def _can_tune(questions: BinarySet) -> bool:
    """Whether a threshold can be chosen: few validation items may all have the answer no."""
    return any(item.label for item in questions.validation)


def _shares(items: Sequence[AuditItem]) -> dict[str, float]:
    seen = Counter(item.key for item in items)
    metaphors = Counter(item.key for item in items if item.label)
    return {key: metaphors[key] / count for key, count in seen.items()}


def _looked_up(shares: dict[str, float], items: Sequence[AuditItem]) -> list[float]:
    return [shares.get(item.key, 0.0) for item in items]


def _classified(
    questions: BinarySet, control: str, score: ItemScorer, note: str, seed: int
) -> list[Measurement]:
    """A classifier that sees one side of the items; its threshold is a half where none is tuned."""
    if not questions.train:
        folded = _folded(questions.test, score)
        called = [value > 0.5 for value in folded]
        return _figures(questions, control, called, seed=seed, note=f"{note} ({FOLDS} folds)")
    both = score(questions.train, [*questions.validation, *questions.test])
    held_out, scores = both[: len(questions.validation)], both[len(questions.validation) :]
    threshold, chosen_on = 0.5, ""
    if _can_tune(questions):
        chosen_on = _chosen_on(questions)
        labels = [item.label for item in questions.validation]
        threshold = choose_threshold(held_out, labels, by="macro_f1")
    called = [value >= threshold for value in scores]
    return _figures(questions, control, called, seed=seed, note=note, chosen_on=chosen_on)


def _folded(
    items: Sequence[AuditItem],
    score: Callable[[Sequence[AuditItem], Sequence[AuditItem]], list[float]],
) -> list[float]:
    """Scores of all items, each tenth by what the others teach; a target is in one fold only, or
    where there are none, a text."""
    keys: dict[str, int] = {}
    folds = [keys.setdefault(item.key or item.group, len(keys)) % FOLDS for item in items]
    found: dict[int, float] = {}
    for fold in range(FOLDS):
        held_out = [at for at in range(len(items)) if folds[at] == fold]
        train = [item for at, item in enumerate(items) if folds[at] != fold]
        if held_out:
            scores = score(train, [items[at] for at in held_out])
            found.update(zip(held_out, scores, strict=True))
    return [found[at] for at in range(len(items))]


def _duplicates(questions: BinarySet, seed: int) -> list[Measurement]:
    """The share of test texts that are also among the others."""
    texts = dict.fromkeys((item.group, item.words) for item in questions.test)
    others = {"train": questions.train, "val": questions.validation}
    figures: list[Measurement] = []
    for split, items in others.items():
        if items:
            known = {item.words for item in items}
            same = [float(words in known) for _, words in texts]
            interval = bootstrap_ratios(same, [1.0] * len(same), seed=seed)[0]
            figures.append(
                Measurement(
                    f"audit.{questions.name}.duplicates_{split}.share",
                    interval.value,
                    interval.low,
                    interval.high,
                    n=len(same),
                    data=questions.data,
                    note=f"{round(sum(same))} of {len(same)} texts are in {split} too",
                )
            )
    return figures


def _figures(
    questions: BinarySet,
    control: str,
    called: Sequence[bool],
    *,
    seed: int,
    note: str,
    scores: Sequence[str] = _SCORES,
    chosen_on: str = "",
) -> list[Measurement]:
    return binary_figures(
        f"audit.{questions.name}.{control}",
        questions.gold,
        called,
        groups=[item.group for item in questions.test],
        data=questions.data,
        seed=seed,
        scores=scores,
        note=note,
        chosen_on=chosen_on,
    )


def _chosen_on(questions: BinarySet) -> str:
    return f"{questions.data.name} validation"


_PUNCTUATION = frozenset(string.punctuation + "‘’“”—–…")
_QUOTES = frozenset("\"'‘’“”`")


class ItemScorer(Protocol):
    """Learns from some items and scores others."""

    def __call__(self, train: Sequence[AuditItem], test: Sequence[AuditItem]) -> list[float]:
        """The probability of a yes for every test item."""


def word_scores(train: Sequence[AuditItem], test: Sequence[AuditItem]) -> list[float]:
    """By all words: TF-IDF and logistic regression as scikit-learn has them."""
    text, linear, join, _ = _sklearn()
    model = join(text(), linear(max_iter=2000))
    return _fit_and_score(
        model,
        [" ".join(item.words) for item in train],
        train,
        [" ".join(item.words) for item in test],
    )


def context_scores(train: Sequence[AuditItem], test: Sequence[AuditItem]) -> list[float]:
    """By the words around the target, every word in lower case."""
    text, linear, join, _ = _sklearn()
    model = join(
        text(analyzer=_context_words, sublinear_tf=True),
        linear(max_iter=2000, class_weight="balanced"),
    )
    return _fit_and_score(model, list(train), train, list(test))


def surface_scores(train: Sequence[AuditItem], test: Sequence[AuditItem]) -> list[float]:
    """By what can be seen from afar: lengths, punctuation, capitals, digits, places."""
    _, linear, join, scale = _sklearn()
    model = join(scale(), linear(max_iter=2000, class_weight="balanced"))
    return _fit_and_score(
        model, [surface(item) for item in train], train, [surface(item) for item in test]
    )


def surface(item: AuditItem) -> list[float]:
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


def _context_words(item: AuditItem) -> list[str]:
    return [word.lower() for word in item.context]


def _fit_and_score(
    model: Any, train: Sequence[Any], items: Sequence[AuditItem], test: Sequence[Any]
) -> list[float]:
    labels = [item.label for item in items]
    if len(set(labels)) < 2:  # nothing to learn: the only answer there is
        return [float(any(labels))] * len(test)
    try:
        model.fit(train, labels)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        return [sum(labels) / len(labels)] * len(test)  # signs, and no words to learn from
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
