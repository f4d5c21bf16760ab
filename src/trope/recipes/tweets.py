"""Tweets of the catalogue as records: political ones and emotional ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trope.core.files import read_lines
from trope.corpora.tables import read_texts
from trope.recipes.recipe import Context
from trope.recipes.records import SUBSET, Record

POLITICAL = "tweets-brexit", "brexit-tweets.tsv.gz"
EMOTIONAL = "tweets-emotion"


def political_tweets(context: Context) -> Iterator[Record]:
    """The Brexit tweets, with their dates."""
    for tweet in read_texts(context.find(*POLITICAL)):
        day = tweet.fields.get("date", "")
        found = {SUBSET: "political", "source_id": tweet.id, "date": day}
        yield Record(f"political-{tweet.id}", tweet.text, found)


def emotional_tweets(context: Context, names: Iterable[str]) -> Iterator[Record]:
    """The tweets of files of emotional ones, one file after the other."""
    for name in names:
        yield from _emotional(name, context)


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
