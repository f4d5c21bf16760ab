"""`trope evaluate rewriting`: judged candidates, open search, substitution, paraphrases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from trope.core.files import sha256
from trope.corpora.metadata import load_corpora
from trope.corpora.newsmet import read_newsmet
from trope.evaluate.options import EvaluationOptions
from trope.evaluate.rewriting_newsmet import evaluate_judged, evaluate_open
from trope.evaluate.rewriting_substitution import evaluate_munch, evaluate_swords
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation
from trope.metrics.intervals import bootstrap_ratios
from trope.pipeline import Pipeline
from trope.tasks.rewriting.inventory import static_vectors
from trope.tasks.rewriting.measures import metaphoricity
from trope.tasks.rewriting.ranker import ranker_file
from trope.tasks.rewriting.training_data import JudgedHeadline, judged_headlines

_SUBJECTS, _OBJECTS = ("nsubj",), ("obj",)
KINDS = ("judged", "accepted")
Values = dict[str, list[list[float]]]
"""For each kind of candidate what was measured of each headline."""


def evaluate_metaphoricity(pipeline: Pipeline, options: EvaluationOptions) -> list[Measurement]:
    """Means over all judged candidates of generation and over accepted ones; a plot if wanted."""
    path = load_corpora()["newsmet"].find("train_goldplus.csv", options.data)
    headlines = judged_headlines(read_newsmet(path), pipeline)
    values = measured([h for h in headlines if h.direction == "metaphorical"])
    if options.plot is not None:
        from trope.render.plots import draw_metaphoricity

        found = {kind: [v for own in lists for v in own] for kind, lists in values.items()}
        draw_metaphoricity(found, options.plot)
    data = DataRef("newsmet", "train", sha256(path))
    parts = np.array(
        [[sum(values[kind][n]) for kind in KINDS] for n in range(len(values["judged"]))]
    )
    wholes = np.array([[len(values[kind][n]) for kind in KINDS] for n in range(len(parts))])
    intervals = bootstrap_ratios(parts, wholes, seed=options.seed)
    return [
        Measurement(f"rewriting.metaphoricity.{kind}", i.value, i.low, i.high, int(count), data)
        for kind, i, count in zip(KINDS, intervals, wholes.sum(axis=0), strict=True)
    ]


def measured(headlines: Sequence[JudgedHeadline]) -> Values:
    """Metaphoricity of all judged and of the accepted candidates of each headline."""
    table = static_vectors()
    found: Values = {kind: [] for kind in KINDS}
    for headline in headlines:
        subject, object_ = (_argument(headline, names) for names in (_SUBJECTS, _OBJECTS))
        own = [
            (value, accepted)
            for lemma, accepted in zip(headline.lemmas, headline.accepted, strict=True)
            if (value := metaphoricity(lemma, subject, object_, table)) is not None
        ]
        found["judged"].append([value for value, _ in own])
        found["accepted"].append([value for value, accepted in own if accepted])
    return found


def _argument(headline: JudgedHeadline, relations: Sequence[str]) -> str | None:
    """The word that hangs on the verb by one of the relations."""
    parse, at = headline.place.parse, headline.place.at
    words = (
        word
        for word, head, deprel in zip(parse.words, parse.heads, parse.deprels, strict=True)
        if head == at and deprel in relations
    )
    return next(words, None)


Part = Callable[[Pipeline, EvaluationOptions], list[Measurement]]

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
