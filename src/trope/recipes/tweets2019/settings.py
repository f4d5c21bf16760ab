"""The settings of the tweet recipe; their defaults are in config.toml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from trope.recipes.crowd import CrowdSettings
from trope.recipes.settings import Count, Number, Share

Day = Annotated[str, msgspec.Meta(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]
Subset = Literal["emotional", "political"]
SUBSETS: tuple[Subset, ...] = ("emotional", "political")
DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Sources:
    """Files of emotional tweets, and the days of the political ones."""

    emotional: tuple[str, ...]
    political_from: Day
    political_to: Day


@dataclass(frozen=True, slots=True)
class Cleaning:
    """Whose retweets go, and how alike near duplicates are."""

    drop_retweets: tuple[Subset, ...]
    near: Annotated[float, msgspec.Meta(gt=0)]


@dataclass(frozen=True, slots=True)
class InventorySettings:
    """The corpora whose verbs are wanted."""

    moh: bool
    vua: tuple[Literal["train", "val", "test"], ...]


@dataclass(frozen=True, slots=True)
class Compiling:
    """How many expressions are wanted, and what was decided by hand."""

    demo: Count
    demo_gold: Count
    emotional: Count
    political: Count
    most_a_verb: Number
    review: str


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """Who applies in the simulation."""

    applicants: Number
    not_understood: Share


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    seed: int
    sources: Sources
    cleaning: Cleaning
    inventory: InventorySettings
    compiling: Compiling
    crowd: CrowdSettings
    demo: DemoSettings
