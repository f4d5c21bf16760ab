"""`trope evaluate sentiment`: figurative tweets of SemEval-2015, the integers of its test set."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trope.evaluate.options import EvaluationOptions, Reader
from trope.evaluate.sentiment_data import SentimentData, read_sentiment_data
from trope.evaluate.sentiment_systems import (
    evaluate_baselines,
    evaluate_categories,
    evaluate_encoder,
    evaluate_lexicon,
    evaluate_transformers,
)
from trope.metrics.figures import Evaluation, Figure, new_evaluation

Part = Callable[[SentimentData, EvaluationOptions], list[Figure]]

PARTS: Mapping[str, Part] = {
    "encoder": evaluate_encoder,
    "transformers": evaluate_transformers,
    "categories": evaluate_categories,
    "baselines": evaluate_baselines,
    "lexicon": evaluate_lexicon,
}
"""What `--part` chooses from."""


def evaluate(options: EvaluationOptions, reader: Reader | None = None) -> Evaluation:
    """All figures of the sentiment of figurative tweets.

    Raises:
        MissingData: where a part has no data.
    """
    options.choose(tuple(PARTS))  # a part that there is not is told before a model is loaded
    if reader is None:
        reader = options.open_pipeline()
    parts = options.choose_readable(tuple(PARTS), reader, {"encoder": "sentiment"})
    data = read_sentiment_data(
        reader,
        options.data / "semeval2015",
        parse="lexicon" in parts,
        feel="encoder" in parts,
    )
    figures = [figure for part in parts for figure in PARTS[part](data, options)]
    checksum = getattr(reader, "model_sha256", "")
    return new_evaluation("sentiment", options.tier, checksum, figures)
