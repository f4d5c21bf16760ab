"""Sentiment of figurative tweets: SemEval-2015 Task 11 (Ghosh et al., 2015), end to end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from trope.recipes.crowd import CrowdSettings
from trope.recipes.own_texts import SourceSetting
from trope.recipes.recipe import Card, Context, ProjectParts, Recipe, SourceNeed, Step
from trope.recipes.records import SUBSET, Drop, Outcome, Record
from trope.recipes.semeval2015.gold import QUESTION, SCALE_LABELS, TRIAL, finish, simulate
from trope.recipes.semeval2015.hashtags import (
    PROPOSALS,
    HashtagSettings,
    propose,
    wanted_hashtags,
)
from trope.recipes.settings import Count
from trope.recipes.sources import EMOTIONAL, POLITICAL, read_tweets, required, sources_of
from trope.recipes.steps import template
from trope.tasks.sentiment.harvest import HarvestRules, StreamTweet, harvest


@dataclass(frozen=True, slots=True)
class CategoryQuotas:
    """The most tweets of each kind."""

    sarcasm: Count
    irony: Count
    metaphor: Count
    other: Count


@dataclass(frozen=True, slots=True)
class TweetCollections:
    """Where tweets come from."""

    tweets: SourceSetting


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """The simulated crowd: honest workers, constant answers, random answers."""

    honest: Count
    constant: Count
    guessing: Count


@dataclass(frozen=True, slots=True)
class Semeval2015Settings:
    """All settings; their defaults are in config.toml."""

    seed: int
    sources: TweetCollections
    hashtags: HashtagSettings
    general: bool
    least_plain: Count
    least_whole: Count
    near: Annotated[float, msgspec.Meta(gt=0)]
    trial: Count
    quotas: CategoryQuotas
    crowd: CrowdSettings
    workers: WorkerCounts


def needs(settings: Semeval2015Settings) -> list[SourceNeed]:
    """The files of tweets."""
    key = "sources.tweets"
    own = f"{key}=my.csv:text"
    return required(sources_of(settings.sources.tweets, EMOTIONAL, POLITICAL[0], instead=own), key)


def collect(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """All tweets of the sources."""
    yield from read_tweets(context.settings.sources.tweets, context)


def harvest_tweets(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Tweets that match a hashtag or word, long enough, without duplicates, within the quotas."""
    settings = context.settings
    rules = HarvestRules(
        general=settings.general,
        least_plain=settings.least_plain,
        least_whole=settings.least_whole,
        near=settings.near,
        quotas=msgspec.to_builtins(settings.quotas),
        **wanted_hashtags(context),
    )
    every = {record.id: record for record in records}
    found = harvest((StreamTweet(record.id, record.text) for record in every.values()), rules)
    for verdict in found:
        if not verdict.kept:
            yield Drop(verdict.id, verdict.reason)
            continue
        fields = {**every[verdict.id].fields, SUBSET: verdict.category}
        yield Record(verdict.id, verdict.text, {**fields, "category": verdict.category})


def draw_trial(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """All tweets; a random sample is the trial set, which a team judges first."""
    every = list(records)
    number = min(context.settings.trial, len(every) // 2)
    chosen = set(random.Random(f"{context.seed} trial").sample(range(len(every)), number))
    for place, record in enumerate(every):
        yield record.having(**{SUBSET: TRIAL if place in chosen else "work"})


def make_project(items: Sequence[Record], context: Context) -> ProjectParts:
    """The task's project; trial tweets are in their own file, for the team."""
    rows = [{"id": item.id, "text": item.text} for item in items]
    trial = {item.id for item in items if item.fields[SUBSET] == TRIAL}
    team = "".join(msgspec.json.encode(row).decode() + "\n" for row in rows if row["id"] in trial)
    work = tuple(row for row in rows if row["id"] not in trial)
    return ProjectParts(template("semeval2015"), work, others={"trial.jsonl": team})


RECIPE = Recipe(
    name="semeval2015",
    card=Card(
        title="Figurative tweets with a score of their sentiment",
        text_is="tweets",
        licence="Twitter terms; research use only, tweets are not passed on",
        citation="Ghosh, Li, Veale, Rosso, Shutova, Barnden and Reyes (2015), SemEval-2015 Task "
        "11: Sentiment Analysis of Figurative Language in Twitter, SemEval 2015.",
        labels=SCALE_LABELS,
        question=QUESTION,
        group_by="source_id",
    ),
    folder=Path(__file__).parent,
    settings=Semeval2015Settings,
    needs=needs,
    steps=(
        Step("collect", collect, unit="tweets"),
        Step("hashtags", propose, unit="tweets", edited=PROPOSALS),
        Step("harvest", harvest_tweets, unit="tweets"),
        Step("trial", draw_trial, unit="tweets"),
    ),
    project=make_project,
    simulate=simulate,
    finish=finish,
)
