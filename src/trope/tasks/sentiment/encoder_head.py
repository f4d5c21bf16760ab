"""`encoder`: the head that ships, tiers `small` and `base`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from trope.core.errors import BadInput
from trope.core.records import Analysis, Parse, Sentiment, SentimentScale, TextKind
from trope.encoder.base import load_encoder
from trope.encoder.decode import SentimentScores, decode_scores
from trope.encoder.session import SENTIMENT, AnyEncoder, BatchPass, passes, results
from trope.tasks.sentiment.task import clipped, to_integers
from trope.text import read

PLACES = 4
"""Decimal places of a score: what is shown is what is rounded to an integer."""


class EncoderSentiment:
    """The shipped network; a whole text is one sequence.

    Paper: none; it is trained on SemEval-2015 Task 11, and on polarity and irony.
    Needs: nothing for the tier `small`; public weights and the extra `hub` for `base`.
    Gives: real scores; scores of the analysis are not computed again.
    Differs: it ships trained, so there is nothing to fit.
    """

    def __init__(self, encoder: AnyEncoder, *, kind: TextKind = "tweet") -> None:
        if not encoder.labels.sentiment:
            raise BadInput("this model has no head for sentiment; give another")
        self.kind = kind
        self._encoder = encoder

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """A real number from −5 to 5 per tweet; 0 for one without words."""
        unread = {
            at: words
            for at, tweet in enumerate(tweets)
            if tweet.sentiment is None and (words := _whole_words(tweet.text, self.kind))
        }
        found = dict(zip(unread, self.score_words(list(unread.values())), strict=True))
        return [
            tweet.sentiment.score if tweet.sentiment else found.get(at, 0.0)
            for at, tweet in enumerate(tweets)
        ]

    def score_words(self, texts: Sequence[Sequence[str]]) -> list[float]:
        """The same for texts (of at least one word) that are already split into words."""
        found = SentimentScores(len(texts))
        for done in passes(self._encoder, texts, SENTIMENT):
            found.add(done)
        return [round(clipped(score), PLACES) for score in found.scores()]


def _whole_words(text: str, kind: TextKind) -> tuple[str, ...]:
    """The words of all sentences of a text, as the encoder reads them."""
    return tuple(form for sentence in read(text, kind).sentences for form in sentence.forms)


@dataclass(frozen=True, slots=True)
class WholeTexts:
    """Texts, by their numbers, that go through the encoder as one sequence for their sentiment."""

    numbers: Sequence[int] = ()
    passes: deque[Future[BatchPass]] = field(default_factory=deque)

    def scores(self, scale: SentimentScale) -> dict[int, float]:
        """The scores of the texts by their numbers."""
        if not self.numbers:
            return {}
        found = decode_scores(len(self.numbers), results(self.passes))
        scores = found.scores() if scale == "tweet" else found.valences()
        return {n: s for n, s in zip(self.numbers, scores, strict=True) if s is not None}


def scale_of(kind: TextKind, outputs: Sequence[str]) -> SentimentScale:
    """The scale of a kind of text: that of prose where a model has it, except for tweets."""
    return "prose" if kind != "tweet" and "valence" in outputs else "tweet"


def sentence_scores(parses: Sequence[Parse], scale: SentimentScale) -> tuple[float, ...]:
    """The scores of the sentences of a text on a scale, as far as they have any."""
    scores = (parse.sentiment if scale == "tweet" else parse.valence for parse in parses)
    return tuple(score for score in scores if score is not None)


def add_sentiments(
    analyses: Sequence[Analysis],
    parses: Sequence[Sequence[Parse]],
    whole: WholeTexts,
    scale: SentimentScale,
) -> list[Analysis]:
    """The same analyses with the sentiment of their texts and sentences, on a scale.

    A text has the score of the whole where the encoder read it as one sequence, else, being one
    sentence, that of its sentence.
    """
    scores = [sentence_scores(own, scale) for own in parses]
    found = text_sentiments(scores, whole, scale)
    return [
        replace(analysis, sentiment=sentiment, sentence_sentiments=own)
        for analysis, sentiment, own in zip(analyses, found, scores, strict=True)
    ]


def text_sentiments(
    sentences: Sequence[Sequence[float]], whole: WholeTexts, scale: SentimentScale
) -> list[Sentiment | None]:
    """The sentiment of texts from the scores of their sentences; None for one without words."""
    scores = whole.scores(scale)
    for number, own in enumerate(sentences):
        if number not in scores and own:
            scores[number] = own[0]
    found = dict(zip(scores, to_sentiments(scores.values(), scale), strict=True))
    return [found.get(number) for number in range(len(sentences))]


def to_sentiments(scores: Iterable[float], scale: SentimentScale = "tweet") -> list[Sentiment]:
    """Scores of the network as an analysis has them: inside of the scale, with their integers."""
    shown = [round(clipped(score), PLACES) for score in scores]
    return [Sentiment(*pair, scale) for pair in zip(shown, to_integers(shown), strict=True)]


def build(
    *,
    tier: str = "small",
    folder: Path | None = None,
    base_weights: Path | None = None,
    threads: int | None = None,
    kind: TextKind = "tweet",
) -> EncoderSentiment:
    """The system of a tier, or of the model in a folder."""
    encoder = load_encoder(tier=tier, folder=folder, base_weights=base_weights, threads=threads)
    return EncoderSentiment(encoder, kind=kind)
