"""Tweets of both subsets, cleaned."""

from __future__ import annotations

from collections.abc import Iterator

from trope.recipes.recipe import Context
from trope.recipes.records import SUBSET, Drop, Outcome, Record
from trope.recipes.tweets import emotional_tweets, political_tweets
from trope.text.normalise import is_retweet, normalise_tweet


def collect(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """All tweets of the sources, emotional ones first."""
    sources = context.settings.sources
    yield from emotional_tweets(context, sources.emotional)
    for tweet in political_tweets(context):
        day = tweet.fields["date"]
        if sources.political_from and day < sources.political_from:
            yield Drop(tweet.id, "before-the-first-day")
        elif sources.political_to and day > sources.political_to:
            yield Drop(tweet.id, "after-the-last-day")
        else:
            yield tweet


def clean(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Tweets without links, drawn-out letters and repeated marks; no retweets where not wanted."""
    no_retweets = set(context.settings.cleaning.drop_retweets)
    for record in records:
        if record.fields[SUBSET] in no_retweets and is_retweet(record.text):
            yield Drop(record.id, "retweet")
            continue
        text = " ".join(normalise_tweet(record.text).text.split())
        yield Record(record.id, text, record.fields) if text else Drop(record.id, "empty")
