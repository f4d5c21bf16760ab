"""NewsMet's test sets, and figures of a model on whole headlines.

Thresholds come with the model and were chosen on NewsMet's validation data. Labels of rejected
candidates are noisy, so the original headlines (`gold`) say more. The controls are TF-IDF with
logistic regression and a constant answer; McNemar's test compares each with the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.core.errors import MissingExtra
from trope.core.files import sha256
from trope.corpora.newsmet import Headline, read_newsmet, read_newsmet_test
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.metrics.classification import binary_figures
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import mcnemar
from trope.text import read

HALF = 0.5
"""A headline is called metaphorical where its probability is at least this."""

_PREFIX = "metaphor.newsmet"
_CHOSEN_ON = "newsmet val"
_SCORES = ("accuracy", "macro_f1", "f1")
# name of a set → the name of its predictions, its split, whether only originals count
_SETS = {
    "test_1": ("test_1", "test_1", False),
    "test_2": ("test_2", "test_2", False),
    "test": ("newsmet_test", "test", False),
    "gold": ("newsmet_test", "test", True),
}


@dataclass(frozen=True, slots=True)
class HeadlineSet:
    """Headlines with labels, of which those at the places `at` are scored.

    `predicted` is the name under which all of them are predicted.
    """

    name: str
    predicted: str
    headlines: tuple[Headline, ...]
    at: tuple[int, ...]
    data: DataRef

    @property
    def gold(self) -> list[bool]:
        """The labels."""
        return [self.headlines[at].metaphor for at in self.at]

    @property
    def groups(self) -> list[str]:
        """The original of each headline: it is resampled together with its candidates."""
        return [self.headlines[at].group for at in self.at]

    def called(self, scores: Sequence[float], threshold: float = HALF) -> list[bool]:
        """Which headlines are called metaphorical, by scores of all headlines."""
        return [scores[at] >= threshold for at in self.at]


def evaluate_headlines(
    pipeline: EvaluatedPipeline, options: EvaluationOptions
) -> list[Measurement]:
    """All figures of whole headlines."""
    sets = read_headline_sets(options.data)
    controls = control_scores(read_training_headlines(options.data), sets)
    threshold = pipeline.thresholds[1]
    scores = {test.predicted: _headline_scores(pipeline, test) for test in sets}
    figures: list[Measurement] = []
    for test in sets:
        called = test.called(scores[test.predicted], threshold)
        figures += _figures("", test, called, options.seed, _CHOSEN_ON)
        for name, answers in controls.items():
            other = test.called(answers[test.predicted])
            figures += _figures(f".{name}", test, other, options.seed)
            figures += _compared(test, called, name, other)
    return figures


def read_headline_sets(data: Path) -> list[HeadlineSet]:
    """The custom test sets, the test split, and its original headlines alone."""
    sets = []
    for name, (predicted, split, gold_only) in _SETS.items():
        headlines, ref = _read_split(data, split)
        at = tuple(n for n, headline in enumerate(headlines) if headline.gold or not gold_only)
        ref = DataRef(ref.name, f"{split} gold", ref.sha256) if gold_only else ref
        sets.append(HeadlineSet(name, predicted, headlines, at, ref))
    return sets


def read_training_headlines(data: Path) -> tuple[Headline, ...]:
    """The headlines that the controls learn from."""
    return _read_split(data, "train")[0]


def _read_split(data: Path, split: str) -> tuple[tuple[Headline, ...], DataRef]:
    custom = split in ("test_1", "test_2")
    name = f"test_set_{split[-1]}.csv" if custom else f"{split}_goldplus.csv"
    path = data / "newsmet" / name
    headlines = tuple(read_newsmet_test(path) if custom else read_newsmet(path))
    return headlines, DataRef("newsmet", split, sha256(path))


def control_scores(
    train: Sequence[Headline], sets: Sequence[HeadlineSet]
) -> dict[str, dict[str, list[float]]]:
    """Scores of two controls that do not know metaphors, by system and predictions.

    Raises:
        MissingExtra: where scikit-learn is not installed.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
    except ModuleNotFoundError as error:
        raise MissingExtra("trope evaluate metaphor", "systems", "scikit-learn") from error
    texts = {test.predicted: _texts(test.headlines) for test in sets}
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=2000))
    model.fit(_texts(train), [headline.metaphor for headline in train])
    return {
        "constant": {name: [1.0] * len(own) for name, own in texts.items()},
        "tfidf": {
            name: [float(score) for score in model.predict_proba(own)[:, 1]]
            for name, own in texts.items()
        },
    }


def _texts(headlines: Sequence[Headline]) -> list[str]:
    return [" ".join(headline.text.split()) for headline in headlines]


def _headline_scores(pipeline: EvaluatedPipeline, test: HeadlineSet) -> list[float]:
    """The probability that a headline is metaphorical; each text is parsed as one sentence."""
    words = [
        [word.form for sentence in read(h.text, "headline").sentences for word in sentence.words]
        for h in test.headlines
    ]
    return [parse.figurative or 0.0 for parse in pipeline.parse(words)]


def _figures(
    system: str, test: HeadlineSet, called: Sequence[bool], seed: int, chosen_on: str = ""
) -> list[Measurement]:
    return binary_figures(
        f"{_PREFIX}.{test.name}{system}",
        test.gold,
        called,
        groups=test.groups,
        data=test.data,
        seed=seed,
        scores=_SCORES,
        chosen_on=chosen_on,
    )


def _compared(
    test: HeadlineSet, called: Sequence[bool], name: str, other: Sequence[bool]
) -> list[Measurement]:
    """Whether the model and a control make equally many errors."""
    found = mcnemar(test.gold, called, other)
    note = (
        f"exact binomial; only the system right {found.first_only}, only {name} right "
        f"{found.second_only}; chi-square with continuity correction "
        f"{found.corrected_statistic:.2f}, p {found.corrected_p:.3g}"
    )
    prefix = f"{_PREFIX}.{test.name}.vs_{name}"
    values = {"mcnemar": float(found.statistic), "mcnemar_p": found.exact_p}
    return [
        Measurement(f"{prefix}.{what}", value, None, None, found.n, test.data, "", note)
        for what, value in values.items()
    ]
