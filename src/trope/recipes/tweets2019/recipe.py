"""Metaphor in tweets: the study of Zayed, McCrae and Buitelaar (2019), end to end."""

from __future__ import annotations

from pathlib import Path

from trope.recipes.recipe import Card, Need, Recipe, Step
from trope.recipes.stages import drop_duplicates
from trope.recipes.tweets import EMOTIONAL, POLITICAL
from trope.recipes.tweets2019.compiling import compile_set
from trope.recipes.tweets2019.expressions import MOH_FILE, extract, only_listed, weak_labels
from trope.recipes.tweets2019.finishing import QUESTION, finish, make_project, simulate
from trope.recipes.tweets2019.settings import Settings
from trope.recipes.tweets2019.tweets import clean, collect


def needs(settings: Settings) -> list[Need]:
    """The files of tweets, and those whose verbs are wanted."""
    moh = [Need("moh", MOH_FILE)] if settings.inventory.moh else []
    return [
        Need(*POLITICAL),
        *(Need(EMOTIONAL, name) for name in settings.sources.emotional),
        *moh,
        *(Need("vua18", f"VUA_seq_formatted_{part}.csv") for part in settings.inventory.vua),
    ]


RECIPE = Recipe(
    name="tweets2019",
    card=Card(
        title="Verbs with their objects in tweets, metaphorical or not",
        text_is="tweets",
        licence="Twitter terms; research use only, tweets are not passed on",
        citation="Zayed, McCrae and Buitelaar (2019), Crowd-Sourcing A High-Quality Dataset for "
        "Metaphor Identification in Tweets, LDK 2019.",
        labels=("yes", "no"),
        question=QUESTION,
        group_by="verb",
    ),
    folder=Path(__file__).parent,
    settings=Settings,
    needs=needs,
    steps=(
        Step("collect", collect, unit="tweets"),
        Step("clean", clean, piecewise=True, unit="tweets"),
        Step(
            "duplicates",
            drop_duplicates("tweet", lambda context: float(context.settings.cleaning.near)),
            unit="tweets",
        ),
        Step("expressions", extract, piecewise=True, with_model=True, unit="expressions"),
        Step("inventory", only_listed, unit="expressions"),
        Step("weak-labels", weak_labels, unit="expressions"),
        Step("compile", compile_set, unit="expressions"),
    ),
    project=make_project,
    simulate=simulate,
    finish=finish,
)
