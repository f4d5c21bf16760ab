"""What the head for headlines learns from: the rows of NewsMet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.corpora.newsmet import Headline, read_newsmet
from trope.encoder.base import Floats
from trope.encoder.pieces import Vocabulary
from trope.train.encoder.corpus import EncodedCorpus, Ints, encode_words
from trope.train.encoder.figure_sets import headline_words
from trope.train.encoder.synthetic_headlines import Words
from trope.train.headlines.settings import TeacherKind


@dataclass(frozen=True, slots=True)
class NewsmetRows:
    """The rows of a NewsMet file: words, labels, and what each row is."""

    words: tuple[Words, ...]
    corpus: EncodedCorpus
    labels: Ints
    gold: Ints
    accepted: Ints
    verbs: tuple[str, ...]
    """Focus verbs and candidates, as written, in lower case; one for every row that shows it."""

    def targets(self, kind: TeacherKind) -> Floats:
        """The labels as far as teachers of a kind believe them."""
        rejected = (self.gold == 0) & (self.accepted == 0)
        doubt = np.where(rejected, kind.doubt_rejected, kind.doubt)
        return np.asarray(self.labels * (1 - 2 * doubt) + doubt, dtype=np.float32)

    def weights(self, kind: TeacherKind) -> Floats:
        """How much a row counts for teachers of a kind."""
        accepted = np.where(self.accepted == 1, kind.accepted_weight, 1.0)
        return np.where(self.gold == 1, kind.gold_weight, accepted).astype(np.float32)


def read_rows(path: Path, vocabulary: Vocabulary) -> NewsmetRows:
    """The rows of a file, those of too many pieces left out."""
    headlines = list(read_newsmet(path))
    read = [headline_words(headline) for headline in headlines]
    corpus, kept = encode_words([words for words, _ in read], vocabulary)
    chosen: list[tuple[Headline, Words, int | None]] = [
        (headlines[number], *read[number]) for number in kept
    ]
    return NewsmetRows(
        words=tuple(words for _, words, _ in chosen),
        corpus=corpus,
        labels=np.asarray([int(h.metaphor) for h, _, _ in chosen]),
        gold=np.asarray([int(h.gold) for h, _, _ in chosen]),
        accepted=np.asarray([int(h.accepted is True) for h, _, _ in chosen]),
        verbs=tuple(words[at].lower() for _, words, at in chosen if at is not None),
    )
