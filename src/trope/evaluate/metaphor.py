"""`trope evaluate metaphor`: words, expressions and sentences on test data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trope.evaluate.metaphor_baselines import evaluate_baselines
from trope.evaluate.metaphor_headlines import evaluate_headlines
from trope.evaluate.metaphor_silver import evaluate_silver
from trope.evaluate.metaphor_words import evaluate_words
from trope.evaluate.options import EvaluationOptions, Reader
from trope.metrics.figures import Evaluation, Figure, new_evaluation

Part = Callable[[Reader, EvaluationOptions], list[Figure]]

PARTS: Mapping[str, Part] = {
    "words": evaluate_words,
    "headlines": evaluate_headlines,
    "baselines": evaluate_baselines,
    "silver": evaluate_silver,
}
"""What `--part` chooses from."""


def evaluate(options: EvaluationOptions, reader: Reader | None = None) -> Evaluation:
    """All figures of metaphor detection.

    Raises:
        MissingData: where a part has no data.
    """
    if reader is None:
        reader = options.open_pipeline()
    if {"words", "headlines"} & {*options.choose(tuple(PARTS))}:
        reader.check_tasks(("metaphor",))
    figures: list[Figure] = []
    for part in options.choose(tuple(PARTS)):
        figures += PARTS[part](reader, options)
    checksum = getattr(reader, "model_sha256", "")
    return new_evaluation("metaphor", options.tier, checksum, figures)
