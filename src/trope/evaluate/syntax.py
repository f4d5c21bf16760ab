"""`trope evaluate syntax`: tags, trees, lemmas and relations on test data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from trope.core.errors import MissingData
from trope.encoder.models import known_models
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.evaluate.syntax_relations import evaluate_headlines, evaluate_tweets
from trope.evaluate.syntax_treebanks import TREEBANKS, evaluate_raw, evaluate_treebank
from trope.metrics.figures import (
    NO_DATA,
    Evaluation,
    Measurement,
    new_evaluation,
)

Part = Callable[[EvaluatedPipeline, EvaluationOptions], list[Measurement]]

PARTS: Mapping[str, Part] = {
    **{name: partial(evaluate_treebank, bank) for name, bank in TREEBANKS.items()},
    "raw": evaluate_raw,
    "headlines": evaluate_headlines,
    "tweets": evaluate_tweets,
}
"""What `--part` chooses from."""

# the figure that is undefined where the data of a part are missing
_MAIN = {
    "ewt": "syntax.ewt.test.las",
    "tweebank": "syntax.tweebank.test.las",
    "gum": "syntax.gum.test.las",
    "raw": "syntax.ewt.raw.las",
    "headlines": "syntax.headlines.svo_f",
    "tweets": "syntax.tweets.vo_f",
}


def evaluate(options: EvaluationOptions, pipeline: EvaluatedPipeline | None = None) -> Evaluation:
    """All figures of syntax.

    A part without data becomes an undefined figure whose note names the missing file.

    Raises:
        MissingData: where a part that was named has no data, or no part has any.
    """
    if pipeline is None:
        pipeline = options.open_pipeline()
    figures: list[Measurement] = []
    missing: list[MissingData] = []
    parts = options.choose(tuple(PARTS))
    for part in parts:
        try:
            figures += PARTS[part](pipeline, options)
        except MissingData as error:
            if options.parts:
                raise
            missing.append(error)
            figures.append(_missing_figure(part, error, options.data))
    if len(missing) == len(parts):
        raise missing[0]
    checksum = getattr(pipeline, "model_sha256", "")
    chosen_on = _chosen_on(options)
    signed = [replace(figure, chosen_on=chosen_on) for figure in figures]
    return new_evaluation("syntax", options.tier, checksum, signed)


def _chosen_on(options: EvaluationOptions) -> str:
    """How the released model was chosen; nothing is known of a model in a folder.

    Trees are those of the tier `small` in every tier, and only this tier takes them from a folder.
    """
    own = options.model is not None and options.tier == "small"
    return "" if own else known_models()["small"].chosen_on


def _missing_figure(part: str, error: MissingData, data: Path) -> Measurement:
    # a note is published, so it names the file as the data set does, not where a user keeps it
    path = Path(error.path)
    name = path.relative_to(data) if path.is_relative_to(data) else path.name
    note = f"not run: {name} not found"
    return Measurement(_MAIN[part], None, None, None, n=0, data=NO_DATA, note=note)
