"""The settings of a training run, as its TOML file has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How one model is fitted."""

    base: str
    encoder_rate: float
    head_rate: float
    words_a_batch: int
    gold_passes: int
    text_passes: int


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """A corpus that training reads, and what its licence means."""

    name: str
    use: Literal["gold", "text"]
    licence: str


@dataclass(frozen=True, slots=True)
class SyntaxSettings:
    """The whole of `syntax.toml`."""

    seed: int
    teachers: int
    student: FitSettings
    teacher: FitSettings
    sets: tuple[TrainingSet, ...]
