"""`encoder`: the head that ships, tiers `small` and `base`, for whole texts or their sentences."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from trope.core.errors import BadInput
from trope.core.records import Analysis, Parse, Sentiment, TextKind
from trope.encoder.base import load_encoder
from trope.encoder.outputs import SentimentScores
from trope.encoder.session import SENTIMENT, AnyEncoder, BatchPass, passes
from trope.tasks.sentiment.task import clipped, to_integers
from trope.text import read

PLACES = 4
"""Decimal places of a score: what is shown is what is rounded to an integer."""


class EncoderSentiment:
    """The shipped network; a whole text is one sequence, whatever its sentences.

    Paper: none; the score learns from SemEval-2015 Task 11 beside polarity and irony.
    Needs: nothing for the tier `small`; public weights and the extra `hub` for `base`.
    Gives: real scores; what an analysis brings along is not computed again.
    Differs: it ships trained, so there is nothing to fit.
    """

    def __init__(self, encoder: AnyEncoder, *, kind: TextKind = "tweet") -> None:
        if not encoder.labels.sentiment:
            raise BadInput("this model has no head for sentiment; give another")
        self.kind = kind
        self._encoder = encoder

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """A real number from −5 to 5 a tweet; 0 for one without words."""
        unread = {
            at: words
            for at, tweet in enumerate(tweets)
            if tweet.sentiment is None and (words := whole_words(tweet.text, self.kind))
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


def whole_words(text: str, kind: TextKind) -> tuple[str, ...]:
    """The words of all sentences of a text, as the encoder reads them."""
    return tuple(form for sentence in read(text, kind).sentences for form in sentence.forms)


def to_sentiments(scores: Iterable[float]) -> list[Sentiment]:
    """Scores of the network as an analysis has them: inside of the scale, with their integers."""
    shown = [round(clipped(score), PLACES) for score in scores]
    return [Sentiment(*pair) for pair in zip(shown, to_integers(shown), strict=True)]


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


@dataclass(frozen=True, slots=True)
class WholeTexts:
    """Texts, by their numbers, that go through the network with all their sentences as one."""

    numbers: list[int] = field(default_factory=list)
    passes: deque[Future[BatchPass]] = field(default_factory=deque)

    def scores(self) -> dict[int, float]:
        """How each of them feels; the passes are gone once read."""
        found = SentimentScores(len(self.numbers))
        while self.passes:
            found.add(self.passes.popleft().result())
        return dict(zip(self.numbers, found.scores(), strict=True))


def send_whole(
    encoder: AnyEncoder, texts: Sequence[Sequence[Sequence[str]]], known: Sequence[bool]
) -> WholeTexts:
    """Send off the texts, given by their sentences, of which it is not known how they feel."""
    unknown = {
        number: [word for sentence in text for word in sentence]
        for number, (text, said) in enumerate(zip(texts, known, strict=True))
        if text and not said
    }
    if not unknown:
        return WholeTexts()
    return WholeTexts(list(unknown), deque(encoder.submit(list(unknown.values()), SENTIMENT)))


def sentiments(texts: Sequence[Sequence[Parse]], whole: WholeTexts) -> list[Sentiment | None]:
    """What was said of each text whole, or of its one sentence; None for one without words."""
    scores = whole.scores()
    for number, parses in enumerate(texts):
        if number not in scores and parses and parses[0].sentiment is not None:
            scores[number] = parses[0].sentiment
    found = dict(zip(scores, to_sentiments(scores.values()), strict=True))
    return [found.get(number) for number in range(len(texts))]
