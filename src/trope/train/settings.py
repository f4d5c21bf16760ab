"""The settings of a training run, as its TOML file has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Use = Literal["syntax", "metaphor", "sentiment", "metonymy", "text"]


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How one model is fitted."""

    base: str
    encoder_rate: float
    head_rate: float
    words_a_batch: int


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """A corpus that training reads.

    `use`: whether it has answers, and to what, or is text that only teachers annotate.
    Passes are how often the teachers, the student and the base tier read it whole.
    """

    name: str
    use: Use
    licence: str
    teacher_passes: float = 0
    student_passes: float = 0
    base_passes: float = 0


@dataclass(frozen=True, slots=True)
class TeacherSettings:
    """The teachers of one task, and which corpora they are asked about: all if none is named."""

    number: int
    fit: FitSettings
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """The whole of `encoder.toml`."""

    seed: int
    student: FitSettings
    base: FitSettings
    base_rank: int
    meaning: int
    """Dimensions of the vectors that say what a word means; 0 for none."""
    teachers: dict[str, TeacherSettings]
    sets: tuple[TrainingSet, ...]
