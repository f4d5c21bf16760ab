"""Metaphor in tweets: the study of Zayed, McCrae and Buitelaar (2019), end to end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from trope.recipes.crowd import CrowdSettings
from trope.recipes.own_texts import SourceSetting
from trope.recipes.recipe import Card, Context, Need, Recipe, SourceNeed, Step
from trope.recipes.records import SUBSET, Drop, Outcome, Record
from trope.recipes.settings import Count, Number, Share
from trope.recipes.sources import EMOTIONAL, POLITICAL, read_tweets, required, sources_of
from trope.recipes.steps import drop_duplicates
from trope.recipes.tweets2019.expressions import (
    MOH_FILE,
    Subset,
    compile_set,
    extract,
    only_listed,
    read_review,
)
from trope.recipes.tweets2019.gold import QUESTION, finish, make_project, simulate
from trope.recipes.tweets2019.labeller import LabellerSettings, check_labeller, weak_labels
from trope.text.normalise import STEPS, is_retweet, normalise

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
Day = Annotated[str, msgspec.Meta(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]


@dataclass(frozen=True, slots=True)
class TweetSources:
    """Emotional and political tweets, and first and last day of the political ones."""

    emotional: SourceSetting
    political: SourceSetting
    political_from: Day
    political_to: Day


@dataclass(frozen=True, slots=True)
class CleaningSettings:
    """Subsets whose retweets are dropped, and the similarity of near duplicates."""

    drop_retweets: tuple[Subset, ...]
    near: Annotated[float, msgspec.Meta(gt=0)]


@dataclass(frozen=True, slots=True)
class InventorySettings:
    """The corpora whose verbs are listed, and a list of the user's own."""

    moh: bool
    vua: tuple[Literal["train", "val", "test"], ...]
    verbs: SourceSetting


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """Sizes of the subsets, and a sheet of decisions by hand."""

    demo: Count
    demo_share: Share
    demo_gold: Count
    emotional: Count
    political: Count
    most_per_verb: Number
    review: str


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """Applicants of the simulated demo task."""

    applicants: Number
    not_understood: Share


@dataclass(frozen=True, slots=True)
class Tweets2019Settings:
    """All settings; their defaults are in config.toml."""

    seed: int
    sources: TweetSources
    cleaning: CleaningSettings
    inventory: InventorySettings
    labeller: LabellerSettings
    compiling: SelectionSettings
    crowd: CrowdSettings
    demo: DemoSettings


def needs(settings: Tweets2019Settings) -> list[SourceNeed]:
    """The files of tweets, and the corpora whose verbs are listed."""
    emotional = sources_of(
        settings.sources.emotional, EMOTIONAL, instead="sources.emotional=my.csv:text"
    )
    political = sources_of(settings.sources.political, POLITICAL[0], instead="sources.political=")
    moh = [Need("moh", MOH_FILE, instead="inventory.moh=false")] if settings.inventory.moh else []
    vua = [
        Need("vua18", f"VUA_seq_formatted_{part}.csv", instead="inventory.vua=[]")
        for part in settings.inventory.vua
    ]
    return [
        *required([*political, *emotional], "sources.emotional"),
        *moh,
        *vua,
        *sources_of(settings.inventory.verbs, texts=False),
    ]


def check(settings: Tweets2019Settings) -> None:
    """Open the labeller and the review sheet; BadInput for what cannot be used."""
    check_labeller(settings)
    read_review(settings.compiling.review)


def collect(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """All tweets of the sources, emotional ones first."""
    sources = context.settings.sources
    yield from read_tweets(sources.emotional, context, "emotional")
    bounded = sources.political_from or sources.political_to
    for tweet in read_tweets(sources.political, context, "political"):
        day = "" if isinstance(tweet, Drop) else tweet.fields["date"][:10]
        if isinstance(tweet, Drop):
            yield tweet
        elif bounded and not _DAY.fullmatch(day):
            yield Drop(tweet.id, "undated")
        elif sources.political_from and day < sources.political_from:
            yield Drop(tweet.id, "before-the-first-day")
        elif sources.political_to and day > sources.political_to:
            yield Drop(tweet.id, "after-the-last-day")
        else:
            yield tweet


def clean(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Tweets without links, elongations, repeated marks and unwanted retweets."""
    no_retweets = set(context.settings.cleaning.drop_retweets)
    for record in records:
        if record.fields[SUBSET] in no_retweets and is_retweet(record.text):
            yield Drop(record.id, "retweet")
            continue
        text = " ".join(normalise(record.text, STEPS["tweet"]).text.split())
        yield Record(record.id, text, record.fields) if text else Drop(record.id, "empty")


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
    settings=Tweets2019Settings,
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
    renamed={"compiling.most_a_verb": "most_per_verb"},
    check=check,
)
