"""Settings of `trope train headlines`, as its TOML file has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trope.core.config import read_config


@dataclass(frozen=True, slots=True)
class WordTrainingSettings:
    """Networks that learn metaphors of words before they see a headline with a label."""

    seeds: tuple[int, ...]
    encoder_rate: float
    head_rate: float
    words_a_batch: int
    vua_passes: int
    lcc_passes: int


@dataclass(frozen=True, slots=True)
class TeacherKind:
    """Teachers that differ in their seeds alone.

    Weights are those of headlines and of accepted candidates against rejected ones. A doubt is the
    share of a label that goes to the other one. With `vua_every`, each so many-th step is joined
    by a batch of VUA.
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
    """How readers become teachers."""

    encoder_rate: float
    head_rate: float
    rows_a_batch: int
    passes: int
    planned_passes: int
    kinds: tuple[TeacherKind, ...]


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Headlines that nobody labelled: how many, of how many words, how many with other verbs."""

    size: int
    shortest: int
    longest: int
    exchanged: float
    seed: int


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """How the head is fitted to what the teachers say of the pool."""

    passes: int
    rate: float
    dropout: float
    rows_a_batch: int
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
    words_a_batch: int


def read_headline_settings(path: Path | None) -> HeadlineSettings:
    """The settings of a file, or those of the shipped head."""
    return read_config(path or Path(__file__).with_name("headlines.toml"), HeadlineSettings)


def read_lower_head_settings(path: Path | None) -> LowerHeadSettings:
    """The settings of a file, or those of the shipped heads."""
    return read_config(path or Path(__file__).with_name("lower_heads.toml"), LowerHeadSettings)
