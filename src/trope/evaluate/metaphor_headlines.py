"""Figures of the shipped heads on whole sentences: NewsMet's test split and its custom test sets.

Thresholds come with the model and were chosen on NewsMet's validation data. The label of a rejected
candidate is noise, so that the original headlines (`gold`) tell more. Beside the system stand what
words alone tell (TF-IDF with logistic regression) and the constant answer, with McNemar's test.
"""

from __future__ import annotations

from collections.abc import Sequence

from trope.evaluate.metaphor_silver import baseline_answers
from trope.evaluate.options import EvaluationOptions, Reader
from trope.evaluate.silver_series import JudgedSet, released_series
from trope.metrics.binary import binary_figures
from trope.metrics.figures import Figure
from trope.metrics.significance import mcnemar
from trope.text import read

PREFIX = "metaphor.newsmet"
CHOSEN_ON = "newsmet val"
SCORES = ("accuracy", "macro_f1", "f1")
_HALF = 0.5


def evaluate_headlines(reader: Reader, options: EvaluationOptions) -> list[Figure]:
    """All figures of whole sentences."""
    series = released_series(options.data)
    sets = series.sets
    controls = baseline_answers(series.train, sets)
    threshold = reader.thresholds[1]
    scores = {test.predicted: score_headlines(reader, test) for test in sets}
    figures: list[Figure] = []
    for test in sets:
        called = [scores[test.predicted][at] >= threshold for at in test.at]
        figures += _figures("", test, called, options.seed, CHOSEN_ON)
        for name, answers in controls.items():
            other = [answers[test.predicted][at] >= _HALF for at in test.at]
            figures += _figures(f".{name}", test, other, options.seed)
            figures += _compared(test, called, name, other)
    return figures


def score_headlines(reader: Reader, test: JudgedSet) -> list[float]:
    """The probability of every text of a set to be metaphorical, read as one sentence each."""
    words = [
        [word.form for sentence in read(h.text, "headline").sentences for word in sentence.words]
        for h in test.headlines
    ]
    return [parse.figurative or 0.0 for parse in reader.parse(words)]


def _figures(
    system: str, test: JudgedSet, called: Sequence[bool], seed: int, chosen_on: str = ""
) -> list[Figure]:
    return binary_figures(
        f"{PREFIX}.{test.name}{system}",
        test.gold,
        called,
        groups=test.groups,
        data=test.data,
        seed=seed,
        scores=SCORES,
        chosen_on=chosen_on,
    )


def _compared(
    test: JudgedSet, called: Sequence[bool], name: str, other: Sequence[bool]
) -> list[Figure]:
    """Whether the system and a control err equally often."""
    found = mcnemar(test.gold, called, other)
    note = (
        f"exact binomial; only the system right {found.first_only}, only {name} right "
        f"{found.second_only}; chi-square with continuity correction "
        f"{found.corrected_statistic:.2f}, p {found.corrected_p:.3g}"
    )
    prefix = f"{PREFIX}.{test.name}.vs_{name}"
    return [
        Figure(f"{prefix}.{test_name}", value, None, None, found.n, test.data, "", note)
        for test_name, value in (
            ("mcnemar", float(found.statistic)),
            ("mcnemar_p", found.exact_p),
        )
    ]
