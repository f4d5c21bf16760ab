"""Metaphors in headlines: NewsMet (Joseph, Liu, Ng, See and Rai, 2023), end to end."""

from __future__ import annotations

from pathlib import Path

from trope.recipes.newsmet.finishing import QUESTION, finish, make_project, simulate
from trope.recipes.newsmet.headlines import (
    HEADLINES,
    collect,
    in_years,
    long_enough,
    one_triplet,
)
from trope.recipes.newsmet.settings import Settings
from trope.recipes.newsmet.silver import draw_annotated, draw_classes, find_candidates, predict
from trope.recipes.recipe import Card, Need, Recipe, Step
from trope.recipes.stages import draw, drop_duplicates

EXACT_ONLY = 2.0
"""No two texts are so much alike: headlines that differ in a name are two headlines."""

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
    settings=Settings,
    needs=lambda settings: [Need(*HEADLINES)],
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
)
