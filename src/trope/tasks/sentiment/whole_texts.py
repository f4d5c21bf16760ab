"""How texts feel that were read sentence by sentence: whole, in a second pass where need be."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from trope.core.records import Parse, Sentiment
from trope.encoder.outputs import SentimentScores
from trope.encoder.session import SENTIMENT, AnyEncoder, BatchPass
from trope.tasks.sentiment.encoder_head import to_sentiments


@dataclass(frozen=True, slots=True)
class WholeTexts:
    """Texts, by their numbers, that go through the network with all their sentences as one."""

    numbers: list[int] = field(default_factory=list)
    passes: deque[Future[BatchPass]] = field(default_factory=deque)

    def scores(self) -> dict[int, float]:
        """How each of them feels; the passes are gone once read."""
        felt = SentimentScores(len(self.numbers))
        while self.passes:
            felt.add(self.passes.popleft().result())
        return dict(zip(self.numbers, felt.scores(), strict=True))


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
