"""The settings of the headline recipe; their defaults are in config.toml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec

from trope.recipes.crowd import CrowdSettings
from trope.recipes.settings import Count, Number

Year = Annotated[int, msgspec.Meta(ge=1600, le=2200)]
Years = Annotated[tuple[Year, ...], msgspec.Meta(max_length=2)]


@dataclass(frozen=True, slots=True)
class Classes:
    """How many headlines of each predicted class are wanted."""

    metaphorical: Count
    literal: Count


@dataclass(frozen=True, slots=True)
class CandidateSettings:
    """Verbs a headline in each direction, and headlines for people."""

    each: Number
    annotated: Count


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    seed: int
    years: Years
    more_than: Count
    sample: Count
    classes: Classes
    candidates: CandidateSettings
    crowd: CrowdSettings
