"""Tweets of both subsets, cleaned."""

from __future__ import annotations

from collections.abc import Iterator

from trope.core.files import read_lines
from trope.corpora.tables import read_texts
from trope.recipes.recipe import Context
from trope.recipes.records import SUBSET, Drop, Outcome, Record
from trope.text.normalise import is_retweet, normalise_tweet

POLITICAL = "tweets-brexit", "brexit-tweets.tsv.gz"
EMOTIONAL = "tweets-emotion"


def collect(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """All tweets of the sources, emotional ones first."""
    for name in context.settings.sources.emotional:
        yield from _emotional(name, context)
    sources = context.settings.sources
    for tweet in read_texts(context.find(*POLITICAL)):
        day = tweet.fields.get("date", "")
        identifier = f"political-{tweet.id}"
        if sources.political_from and day < sources.political_from:
            yield Drop(identifier, "before-the-first-day")
        elif sources.political_to and day > sources.political_to:
            yield Drop(identifier, "after-the-last-day")
        else:
            found = {SUBSET: "political", "source_id": tweet.id, "date": day}
            yield Record(identifier, tweet.text, found)


def _emotional(name: str, context: Context) -> Iterator[Record]:
    """The tweets of one file: a table with ids, or a tweet a line, whose place is its id."""
    path = context.find(EMOTIONAL, name)
    part = name.removesuffix(".txt").removesuffix("_text").replace("/", "-")
    if name.startswith("semeval2018-ec/"):
        for tweet in read_texts(path, format="tsv"):
            found = {SUBSET: "emotional", "source_id": tweet.id, "date": ""}
            yield Record(f"emotional-{tweet.id}", tweet.text, found)
        return
    for line, text in read_lines(path):
        if text.strip():
            place = f"{part}-{line}"
            yield Record(
                f"emotional-{place}", text, {SUBSET: "emotional", "source_id": place, "date": ""}
            )


def clean(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Tweets without links, drawn-out letters and repeated marks; no retweets where not wanted."""
    no_retweets = set(context.settings.cleaning.drop_retweets)
    for record in records:
        if record.fields[SUBSET] in no_retweets and is_retweet(record.text):
            yield Drop(record.id, "retweet")
            continue
        text = " ".join(normalise_tweet(record.text).text.split())
        yield Record(record.id, text, record.fields) if text else Drop(record.id, "empty")
