"""`encoder`: the heads that ship, tiers `small` and `base`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from trope.core.errors import BadInput
from trope.core.records import MetaphorThresholds, Parse
from trope.encoder.base import SentenceVerdict, load_encoder
from trope.encoder.decode import read_words
from trope.encoder.session import METAPHOR, Encoder
from trope.tasks.metaphor.task import Score, VerbExpression


class Heads(Protocol):
    """What both tiers have."""

    thresholds: MetaphorThresholds

    def verdicts(self, sentences: Sequence[Sequence[str]]) -> list[SentenceVerdict]:
        """The scores of each sentence (of at least one word)."""


class SmallHeads:
    """The heads of the shared encoder, without its trees."""

    def __init__(self, encoder: Encoder) -> None:
        if encoder.labels.metaphor is None:
            raise BadInput(f"the model in {encoder.folder} has no head for metaphors; give another")
        self.thresholds = encoder.labels.metaphor
        self._encoder = encoder

    def verdicts(self, sentences: Sequence[Sequence[str]]) -> list[SentenceVerdict]:
        """The scores of each sentence (of at least one word)."""
        read = read_words(self._encoder, sentences, METAPHOR)
        return [SentenceVerdict(parse.metaphor, parse.figurative or 0.0) for parse in read]


class EncoderDetector:
    """The shipped network.

    Paper: word in context against word by itself, as in MelBERT (Choi et al., 2021), in one pass.
    Needs: nothing for the tier `small`; public weights and the extra `hub` for `base`.
    Gives: calibrated probabilities of words and of whole sentences; an expression has the
        probability of its verb in its sentence.
    Differs: no second pass and no part of speech; sentences have a head of their own. An
        expression without a sentence is read as a text of its two words, which the network was
        not trained on: such scores compare with each other, not with the threshold.
    """

    def __init__(self, heads: Heads) -> None:
        self.threshold = heads.thresholds.threshold
        self.sentence_threshold = heads.thresholds.sentence_threshold
        self._heads = heads

    def score_words(self, sentences: Sequence[Parse]) -> list[tuple[Score, ...]]:
        """One probability per word; those of the analysis are not computed again."""
        verdicts = iter(self._read(s.words for s in sentences if s.words and not s.metaphor))
        return [s.metaphor or (next(verdicts).metaphor if s.words else ()) for s in sentences]

    def score_expressions(self, expressions: Sequence[VerbExpression]) -> list[Score]:
        """The probability of the verb."""
        places = [e.verb_at if e.words and e.verb_at is not None else 0 for e in expressions]
        verdicts = self._read(e.words or (e.verb, e.noun) for e in expressions)
        return [verdict.metaphor[at] for verdict, at in zip(verdicts, places, strict=True)]

    def score_sentences(self, sentences: Sequence[Parse]) -> list[Score]:
        """One probability per sentence; none for one without words."""
        verdicts = iter(self._read(s.words for s in sentences if s.words and s.figurative is None))
        return [
            s.figurative
            if s.figurative is not None
            else next(verdicts).figurative
            if s.words
            else None
            for s in sentences
        ]

    def _read(self, sentences: Iterable[Sequence[str]]) -> list[SentenceVerdict]:
        return self._heads.verdicts(list(sentences))


def build(
    *,
    tier: str = "small",
    folder: Path | None = None,
    base_weights: Path | None = None,
    threads: int | None = None,
) -> EncoderDetector:
    """The detector of a tier, or of the model in a folder."""
    encoder = load_encoder(tier=tier, folder=folder, base_weights=base_weights, threads=threads)
    return EncoderDetector(SmallHeads(encoder) if isinstance(encoder, Encoder) else encoder)
