"""`trope evaluate rewriting`: judged candidates, open search, substitution, paraphrases."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trope.core.files import sha256
from trope.evaluate.options import EvaluationOptions
from trope.evaluate.rewriting_metaphoricity import evaluate_metaphoricity
from trope.evaluate.rewriting_newsmet import evaluate_judged, evaluate_open
from trope.evaluate.rewriting_substitution import evaluate_munch, evaluate_swords
from trope.metrics.figures import Evaluation, Figure, new_evaluation
from trope.pipeline import Pipeline
from trope.tasks.rewriting.ranker import ranker_file

Part = Callable[[Pipeline, EvaluationOptions], list[Figure]]

PARTS: Mapping[str, Part] = {
    "judged": evaluate_judged,
    "open": evaluate_open,
    "swords": evaluate_swords,
    "munch": evaluate_munch,
    "metaphoricity": evaluate_metaphoricity,
}
"""What `--part` chooses from."""


def evaluate(options: EvaluationOptions, pipeline: Pipeline | None = None) -> Evaluation:
    """All figures of rewriting; the checksum is that of the ranker.

    Raises:
        MissingData: where the sets' files are not there.
    """
    parts = options.choose(tuple(PARTS))
    pipeline = pipeline or options.open_pipeline()
    figures = [figure for part in parts for figure in PARTS[part](pipeline, options)]
    checksum = sha256(ranker_file(pipeline.rewriter.meanings.kind))
    return new_evaluation("rewriting", options.tier, checksum, figures)
