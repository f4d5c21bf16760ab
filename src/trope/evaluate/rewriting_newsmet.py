"""Figures of rewriting on NewsMet: candidates that people judged, and an open search for them.

The ranker has seen the train file alone. Candidates are shuffled, since the files have accepted
ones first, and equal scores count what a random order would give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from trope.core.files import sha256
from trope.corpora.metadata import load_corpora
from trope.corpora.newsmet import read_newsmet
from trope.evaluate.options import EvaluationOptions
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import RESAMPLES, bootstrap_ratios
from trope.metrics.ranking import area_under_curve, first_right
from trope.pipeline import Pipeline
from trope.tasks.rewriting.inventory import WordInventory, lemma_vector, read_inventory
from trope.tasks.rewriting.ranker import prior_features
from trope.tasks.rewriting.ranker_training import Floats
from trope.tasks.rewriting.task import Direction, verb_base
from trope.tasks.rewriting.training_data import JudgedHeadline, judged_headlines, shuffled

CHOSEN_ON = "newsmet train, grouped cross-validation"
SPLITS = {"valtest": ("val", "test"), "test": ("test",)}
DIRECTIONS: dict[str, tuple[Direction, ...]] = {
    "pooled": ("literal", "metaphorical"),
    "generation": ("metaphorical",),
    "interpretation": ("literal",),
}
TOP = 20
FAVOURS = "the judged candidates came from one masked language model, which this favours"


def _read(pipeline: Pipeline, root: Path, seed: int) -> dict[str, list[JudgedHeadline]]:
    """The judged headlines of validation and test, their candidates in random order."""
    rng = np.random.default_rng(seed)
    found = {}
    for name in SPLITS["valtest"]:
        headlines = judged_headlines(read_newsmet(_file(root, name)), pipeline)
        found[name] = [
            shuffled(h, [int(at) for at in rng.permutation(len(h.forms))]) for h in headlines
        ]
    return found


def _file(root: Path, name: str) -> Path:
    return load_corpora()["newsmet"].find(f"{name}_goldplus.csv", root)


def _data(root: Path, names: Sequence[str]) -> DataRef:
    checksums = ",".join(sha256(_file(root, name)) for name in names)
    return DataRef("newsmet", "+".join(names), checksums)


def evaluate_judged(pipeline: Pipeline, options: EvaluationOptions) -> list[Measurement]:
    """First-ranked accepted and area under the curve, with chance, prior and neighbours."""
    read = _read(pipeline, options.data, options.seed)
    split_of = [name for name, headlines in read.items() for _ in headlines]
    everything = [headline for headlines in read.values() for headline in headlines]
    systems = {
        "": _ranker_scores(pipeline, everything),
        ".prior": _prior_scores(pipeline, everything),
        ".neighbours": _neighbour_scores(everything),
        ".chance": [np.zeros(len(h.forms)) for h in everything],
    }
    figures: list[Measurement] = []
    for split, names in SPLITS.items():
        data = _data(options.data, names)
        for direction, wanted in DIRECTIONS.items():
            at = [
                n
                for n, (h, own) in enumerate(zip(everything, split_of, strict=True))
                if own in names and h.direction in wanted
            ]
            headlines = [everything[n] for n in at]
            own = {name: [scores[n] for n in at] for name, scores in systems.items()}
            prefix = f"rewriting.newsmet.{split}.{direction}"
            figures += _first_figures(prefix, headlines, own, data, options.seed)
            figures += _area_figures(prefix, headlines, own, data, options.seed)
    return figures


def _ranker_scores(pipeline: Pipeline, headlines: Sequence[JudgedHeadline]) -> list[Floats]:
    found: list[Floats] = [np.zeros(0)] * len(headlines)
    rewriter = pipeline.rewriter
    for direction in DIRECTIONS["pooled"]:
        at = [n for n, h in enumerate(headlines) if h.direction == direction]
        lists = [(headlines[n].place, WordInventory(headlines[n].lemmas, "VERB")) for n in at]
        forms = [headlines[n].forms for n in at]
        scores = rewriter.ranker.rank_scores(lists, direction, rewriter.meanings, forms)
        for n, own in zip(at, scores, strict=True):
            found[n] = own
    return found


def _prior_scores(pipeline: Pipeline, headlines: Sequence[JudgedHeadline]) -> list[Floats]:
    """How often the verb was accepted in train, in any headline."""
    priors = pipeline.rewriter.ranker.priors
    return [
        prior_features(priors, h.lemmas, h.direction)[:, 0].astype(np.float64) for h in headlines
    ]


def _neighbour_scores(headlines: Sequence[JudgedHeadline]) -> list[Floats]:
    """Likeness of the static vectors of the two verbs."""
    return [
        np.array(
            [
                lemma_vector(lemma, "VERB") @ lemma_vector(h.place.lemma, "VERB")
                for lemma in h.lemmas
            ],
            dtype=np.float64,
        )
        for h in headlines
    ]


def _first_figures(
    prefix: str,
    headlines: Sequence[JudgedHeadline],
    systems: dict[str, list[Floats]],
    data: DataRef,
    seed: int,
) -> Iterator[Measurement]:
    table = np.array(
        [
            [first_right(list(systems[name][n]), h.accepted) for name in systems]
            for n, h in enumerate(headlines)
        ]
    )
    difference = table[:, :1] - table[:, [list(systems).index(".prior")]]
    intervals = bootstrap_ratios(
        np.hstack([table, difference]), np.ones((len(table), len(systems) + 1)), seed=seed
    )
    for name, interval in zip([*systems, ".minus_prior"], intervals, strict=True):
        yield Measurement(f"{prefix}.first{name}", interval.value, interval.low, interval.high,
                          len(headlines), data, "" if name else CHOSEN_ON)  # fmt: skip


def _area_figures(
    prefix: str,
    headlines: Sequence[JudgedHeadline],
    systems: dict[str, list[Floats]],
    data: DataRef,
    seed: int,
) -> Iterator[Measurement]:
    right = np.concatenate([np.array(h.accepted) for h in headlines])
    sizes = [len(h.forms) for h in headlines]
    rng = np.random.default_rng(seed)
    draws = [
        np.repeat(np.bincount(rng.integers(0, len(sizes), len(sizes)), minlength=len(sizes)), sizes)
        for _ in range(RESAMPLES)
    ]
    drawn: dict[str, Floats] = {}
    values: dict[str, float] = {}
    for name in ("", ".prior", ".neighbours"):
        scores = np.concatenate(systems[name])
        values[name] = area_under_curve(scores, right) or 0.5
        drawn[name] = np.array([area_under_curve(scores, right, times) or 0.5 for times in draws])
    values[".minus_prior"] = values[""] - values[".prior"]
    drawn[".minus_prior"] = drawn[""] - drawn[".prior"]
    for name, value in values.items():
        low, high = np.quantile(drawn[name], [0.025, 0.975])
        yield Measurement(f"{prefix}.auc{name}", float(value), float(low), float(high), len(right),
                          data, "" if name else CHOSEN_ON)  # fmt: skip


def evaluate_open(pipeline: Pipeline, options: EvaluationOptions) -> list[Measurement]:
    """Headlines with an accepted verb among our first twenty of the whole inventory."""
    read = _read(pipeline, options.data, options.seed)
    everything = [headline for headlines in read.values() for headline in headlines]
    data = _data(options.data, SPLITS["valtest"])
    train = _file(options.data, "train")
    inventory = read_inventory("VERB")
    figures: list[Measurement] = []
    for name in ("generation", "interpretation"):
        direction = DIRECTIONS[name][0]
        headlines = [h for h in everything if h.direction == direction]
        places = [h.place for h in headlines]
        ranked = pipeline.rewriter.rank_many(places, direction, top=TOP)
        constant = _most_accepted(train, direction)
        near = [_nearest(h, inventory) for h in headlines]
        table = []
        for h, own, neighbours in zip(headlines, ranked, near, strict=True):
            offers = (own.lemmas, constant, neighbours, inventory.lemmas)
            table.append([float(not h.right.isdisjoint(words)) for words in offers])
        intervals = bootstrap_ratios(table, np.ones_like(table), seed=options.seed)
        labels = ("", ".constant", ".neighbours", ".inventory")
        figures += [
            Measurement(f"rewriting.open.{name}.top20{label}", i.value, i.low, i.high,
                        len(headlines), data, "" if label else CHOSEN_ON, "" if label else FAVOURS)
            for label, i in zip(labels, intervals, strict=True)
        ]  # fmt: skip
    return figures


def _most_accepted(train: Path, direction: Direction) -> tuple[str, ...]:
    """The twenty verbs that were most often accepted in train: the same for every headline."""
    headlines = list(read_newsmet(train))
    metaphor = {h.id: h.metaphor for h in headlines if h.gold}
    counts = Counter(
        verb_base(h.text.split()[h.target or 0])
        for h in headlines
        if h.accepted and metaphor[h.group] == (direction == "literal")
    )
    return tuple(verb for verb, _ in counts.most_common(TOP))


def _nearest(headline: JudgedHeadline, inventory: WordInventory) -> tuple[str, ...]:
    near = inventory.vectors @ lemma_vector(headline.place.lemma, "VERB")
    order = [int(row) for row in np.argsort(-near)[: TOP + 1]]
    words = [inventory.lemmas[row] for row in order]
    return tuple(word for word in words if word != headline.place.lemma)[:TOP]
