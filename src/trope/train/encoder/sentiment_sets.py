"""Sentiment training data: whole texts, with scores, polarities, irony or valence."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.errors import MissingData
from trope.core.records import TextKind
from trope.corpora.emobank import read_emobank
from trope.corpora.figures import read_isarcasm
from trope.corpora.leaks import wording
from trope.corpora.semeval2015 import read_learning_tweets, read_split
from trope.encoder.pieces import Vocabulary
from trope.tasks.sentiment.lexicon_system import read_tweeteval
from trope.tasks.sentiment.task import category_weights, folds_of
from trope.text import read
from trope.train.encoder.corpus import UNKNOWN, ZERO, EncodedCorpus, encode_words
from trope.train.encoder.figure_sets import leaked_rows
from trope.train.encoder.own_sentences import in_dev

_FOLDS = 10
"""The first fold of train and trial is the development part."""

_POSITIVE = ("joy", "love", "optimism", "trust")
_NEGATIVE = ("anger", "disgust", "fear", "pessimism", "sadness")


@dataclass(frozen=True, slots=True)
class SentimentText:
    """A text with its sentiment; UNKNOWN where it has no label.

    `score` and `valence`, the scales of tweets and of prose, are in hundredths over ZERO;
    `polarity` 0, 1, 2 is negative, neutral, positive.
    `weight`, in hundredths, gives the categories of figures the shares that the test set has.
    """

    text: str
    score: int = UNKNOWN
    polarity: int = UNKNOWN
    irony: int = UNKNOWN
    weight: int = 100
    valence: int = UNKNOWN
    kind: TextKind = "tweet"


def read_sentiment_set(data: Path, name: str, split: str) -> list[SentimentText]:
    """The texts of one split, "train" or "dev"; only scored ones have a "dev" part."""
    return READERS[name](data, split)


def encode_sentiment_texts(texts: Sequence[SentimentText], vocabulary: Vocabulary) -> EncodedCorpus:
    """The corpus of whole texts, one sequence each."""
    corpus, kept = encode_words((_whole_words(t) for t in texts), vocabulary)
    chosen = [texts[number] for number in kept]
    corpus.sentence_labels = {
        name: np.asarray([getattr(t, name) for t in chosen])
        for name in ("score", "polarity", "irony", "weight", "valence")
    }
    return corpus


def _whole_words(text: SentimentText) -> tuple[str, ...]:
    """The words of all sentences of a text, as the encoder reads them."""
    return tuple(form for s in read(text.text, text.kind).sentences for form in s.forms)


def _semeval2015(data: Path, split: str) -> list[SentimentText]:
    """Train and trial, each tweet once, without one fold, which is the development part."""
    tweets = read_learning_tweets(_there(data / "semeval2015"))
    texts = [tweet.text for tweet in tweets]
    folds, weights = folds_of(texts, folds=_FOLDS), category_weights(texts)
    return [
        SentimentText(tweet.text, ZERO + round(100 * tweet.score), weight=round(100 * weight))
        for tweet, fold, weight in zip(tweets, folds, weights, strict=True)
        if (fold == 0) == (split == "dev")
    ]


def _emotion_tweets(data: Path, split: str) -> list[SentimentText]:
    """Tweets of TweetEval and E-c, without any that SemEval-2015 has too.

    TweetEval masks the names of users and takes off the hashtags of irony, hence the wordings.
    """
    if split == "dev":
        return []
    folder = _there(data / "tweets-emotion")
    tested = read_split(data / "semeval2015", "test").tweets
    known = {wording(t.text) for t in (*tested, *read_learning_tweets(data / "semeval2015"))}
    found: dict[str, SentimentText] = {}
    for tweet in (*_tweeteval(folder / "tweeteval"), *_emotions(folder / "semeval2018-ec")):
        key = wording(tweet.text)
        if key and key not in known:
            found.setdefault(key, tweet)
    return list(found.values())


def _tweeteval(folder: Path) -> Iterator[SentimentText]:
    for text, label in zip(*read_tweeteval(folder / "sentiment", ("val", "test")), strict=True):
        yield SentimentText(text, polarity=label)
    irony = read_tweeteval(folder / "irony", ("train", "val", "test"))
    for text, label in zip(*irony, strict=True):
        yield SentimentText(text, irony=label)


def _emotions(folder: Path) -> Iterator[SentimentText]:
    """E-c: emotions on one side only make a polarity, no emotions a neutral tweet."""
    for part in ("train", "dev", "test"):
        path = folder / f"2018-E-c-En-{part}.txt"
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                yield SentimentText(row["Tweet"], polarity=_polarity(row))


def _polarity(row: dict[str, str]) -> int:
    if row["joy"] == "NONE":
        return UNKNOWN
    glad, sad = (any(row[n] == "1" for n in names) for names in (_POSITIVE, _NEGATIVE))
    if glad and sad:
        return UNKNOWN
    if not glad and not sad:
        return UNKNOWN if row["surprise"] == "1" or row["anticipation"] == "1" else 1
    return 2 if glad else 0


def _isarcasm(data: Path, split: str) -> list[SentimentText]:
    """Tweets that their authors called sarcastic or not."""
    folder = data / "figures"
    leaked = leaked_rows(_there(folder), "isarcasm-en-train")
    tweets = read_isarcasm(_there(folder / "isarcasm-en-train.csv.gz"))
    return [
        SentimentText(t.text, irony=int(bool(t.sarcastic)))
        for t in tweets
        if t.id not in leaked and split == "train"
    ]


def _emobank(data: Path, split: str) -> list[SentimentText]:
    """The training part; a tenth of it is set aside, so that the published dev part stays new."""
    folder = _there(data / "emobank")
    leaked = leaked_rows(folder, "emobank-train-dev")
    return [
        SentimentText(t.text, valence=ZERO + round(250 * (t.valence - 3)), kind=_kind_of(t.genre))
        for t in read_emobank(folder / "emobank-train-dev.csv.gz")
        if t.split == "train" and t.id not in leaked and in_dev(t.text) == (split == "dev")
    ]


def _kind_of(genre: str) -> TextKind:
    return "headline" if genre == "SemEval" else "plain"


def _there(path: Path) -> Path:
    if not path.exists():
        raise MissingData(path, "give the folder that holds it with --from")
    return path


READERS: dict[str, Callable[[Path, str], list[SentimentText]]] = {
    "semeval2015": _semeval2015,
    "tweets-emotion": _emotion_tweets,
    "isarcasm": _isarcasm,
    "emobank": _emobank,
}
