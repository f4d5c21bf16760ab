"""Settings of `trope train headlines`, as a TOML file has them, and what it learns from: rows of
NewsMet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.config import read_config
from trope.core.errors import MissingData
from trope.corpora.newsmet import Headline, read_newsmet
from trope.encoder.base import Floats
from trope.encoder.pieces import Vocabulary
from trope.train.encoder.corpus import EncodedCorpus, Ints, encode_words
from trope.train.encoder.figure_sets import headline_words
from trope.train.encoder.synthetic_headlines import PoolSettings, Words


@dataclass(frozen=True, slots=True)
class WordTrainingSettings:
    """Networks that learn metaphors of words before they see a labelled headline."""

    seeds: tuple[int, ...]
    encoder_rate: float
    head_rate: float
    words_per_batch: int
    vua_passes: int
    lcc_passes: int


@dataclass(frozen=True, slots=True)
class TeacherKind:
    """Teachers that differ in their seeds alone.

    Weights are those of headlines and of accepted candidates against rejected ones. A doubt is the
    share of a label that goes to the other one. With `vua_every = n`, every n-th step also reads a
    batch of VUA.
    """

    name: str
    seeds: tuple[int, ...]
    gold_weight: float = 1.0
    accepted_weight: float = 1.0
    doubt: float = 0.0
    doubt_rejected: float = 0.0
    vua_every: int = 0


@dataclass(frozen=True, slots=True)
class HeadlineTeacherSettings:
    """How these networks become teachers of headlines."""

    encoder_rate: float
    head_rate: float
    rows_per_batch: int
    passes: int
    planned_passes: int
    kinds: tuple[TeacherKind, ...]


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """How the head is fitted to the teachers' scores of the pool."""

    passes: int
    rate: float
    dropout: float
    rows_per_batch: int
    seed: int


@dataclass(frozen=True, slots=True)
class HeadlineSettings:
    """The whole of `headlines.toml`."""

    base: str
    readers: WordTrainingSettings
    teachers: HeadlineTeacherSettings
    pool: PoolSettings
    head: HeadSettings


_RENAMED = {
    "readers.words_a_batch": "words_per_batch",
    "teachers.rows_a_batch": "rows_per_batch",
    "head.rows_a_batch": "rows_per_batch",
}


def read_headline_settings(path: Path | None) -> HeadlineSettings:
    """The settings of a file, or those of the shipped head."""
    shipped = Path(__file__).with_name("headlines.toml")
    return read_config(path or shipped, HeadlineSettings, _RENAMED)


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


def newsmet_file(data: Path, split: str) -> Path:
    """The file of a split, "train", "val" or "test".

    Raises:
        MissingData: there is none.
    """
    path = data / "newsmet" / f"{split}_goldplus.csv"
    if not path.exists():
        raise MissingData(path, "give the folder that holds newsmet/ with --from")
    return path


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
