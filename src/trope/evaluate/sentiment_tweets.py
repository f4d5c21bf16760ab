"""The tweets of SemEval-2015 for systems, and the figures that any system gets on its test set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.core.files import sha256
from trope.core.records import Analysis
from trope.corpora.semeval2015 import FILES, read_learning_tweets, read_split
from trope.corpora.tweet_ids import ScoredTweet
from trope.evaluate.options import EvaluatedPipeline
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.scale import scale_figures
from trope.tasks.sentiment.categories import CATEGORIES, category_of
from trope.tasks.sentiment.task import to_integers

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
