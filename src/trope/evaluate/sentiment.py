"""`trope evaluate sentiment`: figurative tweets of SemEval-2015 Task 11, scored as integers.

Only `system_figures` reads the test labels. Cross-validation on train and trial chooses which of
three seeds stands for the lexicon system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.catalog import SENTIMENT_SYSTEMS
from trope.core.files import sha256
from trope.core.records import Analysis
from trope.corpora.semeval2015 import FILES, read_learning_tweets, read_split
from trope.corpora.tweet_ids import ScoredTweet
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation
from trope.metrics.intervals import bootstrap_ratios
from trope.metrics.scale import scale_figures, score_scale
from trope.published import read_published
from trope.tasks.sentiment.categories import CATEGORIES, category_of
from trope.tasks.sentiment.features import Features
from trope.tasks.sentiment.lexicon_system import LexiconSystem
from trope.tasks.sentiment.task import category_weights, folds_of, held_out_scores, to_integers

PREFIX = "sentiment.semeval2015"
LEARNT_ON = "semeval2015 train and trial, 5 folds"


@dataclass(frozen=True, slots=True)
class SentimentData:
    """Tweets to learn from (train and trial, each once) and to be tested on, with analyses."""

    learn: tuple[ScoredTweet, ...]
    test: tuple[ScoredTweet, ...]
    learn_analyses: list[Analysis]
    test_analyses: list[Analysis]
    learn_ref: DataRef
    test_ref: DataRef

    @property
    def learn_scores(self) -> list[float]:
        """Real scores of what is learnt from."""
        return [tweet.score for tweet in self.learn]

    @property
    def gold(self) -> list[int]:
        """The integers of the test set."""
        return [tweet.integer for tweet in self.test]


def read_sentiment_data(
    pipeline: EvaluatedPipeline, folder: Path, *, parse: bool = True, sentiment: bool = False
) -> SentimentData:
    """All tweets, read once; without `parse` they have no trees, for systems that need none.

    With `sentiment`, the analyses of the test set have the encoder's sentiment.

    Raises:
        MissingData: where a file of the folder is not there.
    """
    learn, test = read_learning_tweets(folder), read_split(folder, "test").tweets
    trees = ("syntax", "relations", "metaphor") if parse else ()

    def analysed(tweets: Sequence[ScoredTweet], *more: str) -> list[Analysis]:
        tasks = tuple(task for task in (*trees, *more) if task in pipeline.tasks)
        if not tasks:
            return [Analysis(tweet.text, (), (), ()) for tweet in tweets]
        texts = [tweet.text for tweet in tweets]
        return list(pipeline.analyze_many(texts, kind="tweet", tasks=tasks))

    learn_sums = ",".join(sha256(folder / FILES[name]) for name in ("train", "trial"))
    return SentimentData(
        learn,
        test,
        analysed(learn),
        analysed(test, *(["sentiment"] if sentiment else [])),
        DataRef("semeval2015", "train, trial", learn_sums),
        DataRef("semeval2015", "test", sha256(folder / FILES["test"])),
    )


def system_figures(
    system: str,
    scores: Sequence[float],
    data: SentimentData,
    *,
    seed: int,
    chosen_on: str = "",
    note: str = "",
    parts: bool = True,
) -> list[Measurement]:
    """Both measures of a system on the test set: all, without repeated texts, by category.

    Args:
        system: its name; "" for the system of a tier, whose figures have no name in them.
        scores: real numbers; the same integers serve both measures.
        parts: False gives the figures over all tweets alone.
    """
    given, gold = to_integers(scores), data.gold
    texts = [tweet.text for tweet in data.test]
    counts = Counter(texts)
    groups = {"test": list(range(len(gold)))}
    notes = {"test": note}
    if parts:
        groups["test_without_duplicates"] = [
            at for at, text in enumerate(texts) if counts[text] == 1
        ]
        left = len(gold) - len(groups["test_without_duplicates"])
        notes["test_without_duplicates"] = _joined(note, f"without {left} rows that share a text")
        for category in CATEGORIES:
            own = [at for at, text in enumerate(texts) if category_of(text) == category]
            groups[category], notes[category] = own, _joined(note, "category by rule")
    figures: list[Measurement] = []
    for name, places in groups.items():
        if places:
            figures += scale_figures(
                ".".join(part for part in (PREFIX, name, system) if part),
                [gold[at] for at in places],
                [given[at] for at in places],
                data=data.test_ref,
                seed=seed,
                chosen_on=chosen_on,
                note=notes[name],
            )
    return figures


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


SEEDS = (0, 1, 2)
BASELINES = ("naive-bayes", "maximum-entropy", "decision-tree")
SHIPPED_CHOSEN_ON = "semeval2015 train and trial, one fold of ten"
_FIXED = "nothing"


def evaluate_categories(data: SentimentData, options: EvaluationOptions) -> list[Measurement]:
    """Count and mean of each category of the test set by our rules, with the printed ones."""
    printed = read_published("semeval2015")
    categories = [category_of(tweet.text) for tweet in data.test]
    figures: list[Measurement] = []
    for name in CATEGORIES:
        own = [tweet.integer for tweet, c in zip(data.test, categories, strict=True) if c == name]
        prefix = f"{PREFIX}.{name}"
        for what, value in (("count", float(len(own))), ("mean", None)):
            cell = printed.find(f"test.{name}", what)
            note = f"printed in Table 4: {cell.printed}" if cell else ""
            if value is not None:
                figures.append(
                    Measurement(
                        f"{prefix}.{what}", value, None, None, len(own), data.test_ref, "", note
                    )
                )
            elif own:
                found = bootstrap_ratios(own, [1] * len(own), seed=options.seed)[0]
                mean = sum(own) / len(own)
                low, high = (found.low, found.high) if found.value is not None else (None, None)
                figures.append(
                    Measurement(
                        f"{prefix}.{what}", mean, low, high, len(own), data.test_ref, "", note
                    )
                )
    return figures


def evaluate_encoder(data: SentimentData, options: EvaluationOptions) -> list[Measurement]:
    """The head that ships: all tweets, without repeated texts, by category."""
    scores = [tweet.sentiment.score if tweet.sentiment else 0.0 for tweet in data.test_analyses]
    return system_figures("", scores, data, seed=options.seed, chosen_on=SHIPPED_CHOSEN_ON)


def evaluate_transformers(data: SentimentData, options: EvaluationOptions) -> list[Measurement]:
    """The folder that was given: a Hugging Face encoder that gives a number."""
    system = SENTIMENT_SYSTEMS.load("transformers")(model=options.detector)
    return system_figures(
        "transformers",
        system.score(data.test_analyses),
        data,
        seed=options.seed,
        note=f"weights {system.model_sha256[:12]}",
    )


def evaluate_baselines(data: SentimentData, options: EvaluationOptions) -> list[Measurement]:
    """The constant, and the three baselines of Table 5 on bags of words."""
    constant = SENTIMENT_SYSTEMS.load("constant")()
    figures = system_figures(
        "constant", constant.score(data.test_analyses), data, seed=options.seed, note="always -2"
    )
    for name in BASELINES:
        system = SENTIMENT_SYSTEMS.load(name)(seed=options.seed)
        system.fit(data.learn_analyses, data.learn_scores)
        figures += system_figures(
            name.replace("-", "_"),
            system.score(data.test_analyses),
            data,
            seed=options.seed,
            chosen_on=_FIXED,
        )
    return figures


def evaluate_lexicon(data: SentimentData, options: EvaluationOptions) -> list[Measurement]:
    """The lexicon system: cross-validation, three seeds, the chosen one by category, ablation."""
    system: LexiconSystem = SENTIMENT_SYSTEMS.load("lexicon")(data=options.data)
    learn, test = system.rows(data.learn_analyses), system.rows(data.test_analyses)
    figures: list[Measurement] = []
    errors: dict[int, float] = {}
    for seed in SEEDS:
        made, errors[seed] = _cross_validated(system, learn, data, seed, options.seed)
        figures += made
    best = min(SEEDS, key=lambda seed: errors[seed])
    for seed in SEEDS:
        scores = _scores(system, learn, test, data.learn_scores, seed)
        note = f"seed {seed}, {len(system.feature_names)} features"
        figures += system_figures(
            f"lexicon.seed{seed}", scores, data, seed=options.seed, note=note, parts=False
        )
        if seed == best:
            chosen = system_figures(
                "lexicon", scores, data, seed=options.seed, chosen_on=LEARNT_ON, note=note
            )
    figures = chosen + figures
    system.figurative = False
    scores = _scores(system, learn, test, data.learn_scores, best)
    note = f"ablation, seed {best}, {len(system.feature_names)} features"
    return figures + system_figures(
        "lexicon_without_figurative", scores, data, seed=options.seed, note=note
    )


def _cross_validated(
    system: LexiconSystem, rows: Sequence[Features], data: SentimentData, seed: int, draws: int
) -> tuple[list[Measurement], float]:
    """Figures of one seed on held-out folds, and the error that decides."""
    scores = data.learn_scores
    texts = [tweet.text for tweet in data.learn]

    def predict(inside: Sequence[int], outside: Sequence[int]) -> list[float]:
        part = [rows[at] for at in inside]
        return _scores(
            system, part, [rows[at] for at in outside], [scores[at] for at in inside], seed
        )

    given = to_integers(held_out_scores(predict, folds_of(texts)))
    gold = [tweet.integer for tweet in data.learn]
    figures = scale_figures(
        f"{PREFIX}.cv.lexicon.seed{seed}",
        gold,
        given,
        data=data.learn_ref,
        seed=draws,
        weights=category_weights(texts),
        note="held-out folds of train and trial, categories weighted as in Table 4",
    )
    error = figures[1].value
    return figures, score_scale(gold, given).mse if error is None else error


def _scores(
    system: LexiconSystem,
    learn: Sequence[Features],
    asked: Sequence[Features],
    scores: Sequence[float],
    seed: int,
) -> list[float]:
    """The system's scores after training with a seed."""
    system.seed = seed
    system.fit_rows(learn, scores)
    return system.score_rows(asked)


Part = Callable[[SentimentData, EvaluationOptions], list[Measurement]]

PARTS: Mapping[str, Part] = {
    "encoder": evaluate_encoder,
    "transformers": evaluate_transformers,
    "categories": evaluate_categories,
    "baselines": evaluate_baselines,
    "lexicon": evaluate_lexicon,
}
"""What `--part` chooses from."""


def evaluate(options: EvaluationOptions, pipeline: EvaluatedPipeline | None = None) -> Evaluation:
    """All figures of the sentiment of figurative tweets.

    Raises:
        MissingData: where a part has no data.
    """
    options.choose(tuple(PARTS))  # an unknown part is refused before a model is loaded
    if pipeline is None:
        pipeline = options.open_pipeline()
    parts = options.choose_readable(tuple(PARTS), pipeline, {"encoder": "sentiment"})
    data = read_sentiment_data(
        pipeline,
        options.data / "semeval2015",
        parse="lexicon" in parts,
        sentiment="encoder" in parts,
    )
    figures = [figure for part in parts for figure in PARTS[part](data, options)]
    checksum = getattr(pipeline, "model_sha256", "")
    return new_evaluation("sentiment", options.tier, checksum, figures)
