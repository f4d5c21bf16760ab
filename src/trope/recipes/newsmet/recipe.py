"""Metaphors in headlines: NewsMet (Joseph, Liu, Ng, See and Rai, 2023), end to end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from trope.recipes.crowd import CrowdSettings
from trope.recipes.newsmet.gold import QUESTION, finish, make_project, simulate
from trope.recipes.newsmet.headlines import (
    check,
    collect,
    draw_annotated,
    draw_classes,
    find_candidates,
    in_years,
    long_enough,
    needs,
    one_triplet,
    predict,
    systems,
)
from trope.recipes.own_texts import SourceSetting
from trope.recipes.recipe import Card, Recipe, Step
from trope.recipes.settings import Count, Number
from trope.recipes.steps import draw, drop_duplicates

EXACT_ONLY = 2.0
"""A similarity that no two texts reach: headlines that differ in a name are two headlines."""

Year = Annotated[int, msgspec.Meta(ge=1600, le=2200)]
Years = Annotated[tuple[Year, ...], msgspec.Meta(max_length=2)]


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """Headlines to draw from each predicted class."""

    metaphorical: Count
    literal: Count


@dataclass(frozen=True, slots=True)
class CandidateSettings:
    """Candidate verbs per headline and direction, headlines to annotate, and the masked language
    model that proposes verbs, if one does."""

    each: Number
    annotated: Count
    masked: str


@dataclass(frozen=True, slots=True)
class HeadlineSources:
    """Where headlines come from."""

    headlines: SourceSetting


@dataclass(frozen=True, slots=True)
class NewsmetSettings:
    """All settings; their defaults are in config.toml."""

    seed: int
    sources: HeadlineSources
    years: Years
    more_than: Count
    sample: Count
    classes: ClassSizes
    detector: str
    candidates: CandidateSettings
    crowd: CrowdSettings


RECIPE = Recipe(
    name="newsmet",
    card=Card(
        title="Metaphors in news headlines, with verbs that say them otherwise",
        text_is="headlines",
        licence="publishers'; research use only, headlines are not passed on",
        citation="Joseph, Liu, Ng, See and Rai (2023), NewsMet: A 'Do It All' dataset of "
        "contemporary Metaphors in News headlines, Findings of ACL 2023.",
        labels=("metaphorical", "literal", "invalid"),
        question=QUESTION,
        group_by="verb",
    ),
    folder=Path(__file__).parent,
    settings=NewsmetSettings,
    needs=needs,
    steps=(
        Step("collect", collect, unit="headlines"),
        Step("unique", drop_duplicates("headline", lambda context: EXACT_ONLY), unit="headlines"),
        Step("years", in_years, piecewise=True, unit="headlines"),
        Step("length", long_enough, piecewise=True, unit="headlines"),
        Step("triplet", one_triplet, piecewise=True, with_model=True, unit="headlines"),
        Step("sample", draw(lambda context: int(context.settings.sample), "sample")),
        Step("silver", predict, piecewise=True, with_model=True),
        Step("classes", draw_classes),
        Step("candidates", find_candidates, piecewise=True, with_model=True),
        Step("annotated", draw_annotated),
    ),
    project=make_project,
    simulate=simulate,
    finish=finish,
    systems=systems,
    check=check,
)
