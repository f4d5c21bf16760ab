"""`trope evaluate syntax`: tags, trees, lemmas and relations on test data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from trope.core.errors import MissingData
from trope.evaluate.options import EvaluationOptions, Reader
from trope.evaluate.raw import evaluate_raw
from trope.evaluate.relations import evaluate_headlines, evaluate_tweets
from trope.evaluate.treebanks import TREEBANKS, evaluate_treebank
from trope.metrics.figures import NO_DATA, Evaluation, Figure, new_evaluation

Part = Callable[[Reader, EvaluationOptions], list[Figure]]

PARTS: Mapping[str, Part] = {
    **{name: partial(evaluate_treebank, bank) for name, bank in TREEBANKS.items()},
    "raw": evaluate_raw,
    "headlines": evaluate_headlines,
    "tweets": evaluate_tweets,
}
"""What `--part` chooses from."""

CHOSEN_ON = "ewt dev, tweebank dev, vua18 val, newsmet val: the best of three seeds"
"""How the shipped model came to be the one that is measured."""

# the figures that stand for a part whose data are not there
_MAIN = {
    "ewt": "syntax.ewt.test.las",
    "tweebank": "syntax.tweebank.test.las",
    "gum": "syntax.gum.test.las",
    "raw": "syntax.ewt.raw.las",
    "headlines": "syntax.headlines.svo_f",
    "tweets": "syntax.tweets.vo_f",
}


def evaluate(options: EvaluationOptions, reader: Reader | None = None) -> Evaluation:
    """All figures of syntax.

    A part without data is an undefined figure whose note names the missing file; a part that
    was asked for by name must have its data.

    Raises:
        MissingData: for such a part, or where no part has data.
    """
    if reader is None:
        from trope.pipeline import Pipeline

        reader = Pipeline(tier=options.tier, threads=options.threads, folder=options.model)
    figures: list[Figure] = []
    missing: list[MissingData] = []
    parts = options.choose(tuple(PARTS))
    for part in parts:
        try:
            figures += PARTS[part](reader, options)
        except MissingData as error:
            if options.parts:
                raise
            missing.append(error)
            figures.append(_missing_figure(part, error, options.data))
    if len(missing) == len(parts):
        raise missing[0]
    checksum = getattr(reader, "model_sha256", "")
    chosen = [replace(figure, chosen_on=CHOSEN_ON) for figure in figures]
    return new_evaluation("syntax", options.tier, checksum, chosen)


def _missing_figure(part: str, error: MissingData, data: Path) -> Figure:
    # a note is published, so it names the file as the data set does, not where a user keeps it
    path = Path(error.path)
    name = path.relative_to(data) if path.is_relative_to(data) else path.name
    note = f"not run: {name} not found"
    return Figure(_MAIN[part], None, None, None, n=0, data=NO_DATA, note=note)
