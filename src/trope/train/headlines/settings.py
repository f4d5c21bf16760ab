"""Settings of `trope train headlines` and `trope train heads`, as their TOML files have them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trope.core.config import read_config
from trope.train.encoder.synthetic_headlines import PoolSettings


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


@dataclass(frozen=True, slots=True)
class LowerHeadSettings:
    """How many layers the heads read, and how they learn.

    `passes` are those over texts that teachers judged, `gold_passes` those over VUA's answers; of
    the seeds, the best on development data ships.
    """

    layers: int
    seeds: tuple[int, ...]
    texts: tuple[str, ...]
    passes: int
    gold_passes: int
    rate: float
    dropout: float
    words_per_batch: int


_RENAMED = {
    "readers.words_a_batch": "words_per_batch",
    "teachers.rows_a_batch": "rows_per_batch",
    "head.rows_a_batch": "rows_per_batch",
}


def read_headline_settings(path: Path | None) -> HeadlineSettings:
    """The settings of a file, or those of the shipped head."""
    shipped = Path(__file__).with_name("headlines.toml")
    return read_config(path or shipped, HeadlineSettings, _RENAMED)


def read_lower_head_settings(path: Path | None) -> LowerHeadSettings:
    """The settings of a file, or those of the shipped heads."""
    shipped = Path(__file__).with_name("lower_heads.toml")
    return read_config(path or shipped, LowerHeadSettings, {"words_a_batch": "words_per_batch"})
