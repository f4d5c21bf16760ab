"""Headlines with one triplet whose verb is the root."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trope.corpora.tables import read_texts
from trope.recipes.recipe import Context
from trope.recipes.records import Drop, Outcome, Record
from trope.relations import single_triplet

HEADLINES = "headlines", "headlines.tsv.gz"

_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/](?:0?[1-9]|1[0-2])(?!\d)")


def collect(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """All headlines, with their source, its type and the year of their date or address."""
    for headline in read_texts(context.find(*HEADLINES)):
        fields = headline.fields
        text = " ".join(headline.text.split())
        if not text:
            yield Drop(headline.id, "empty")
            continue
        found = {
            "source_id": headline.id,
            "source": fields.get("source", ""),
            "type": fields.get("label", "") or "unknown",
            "year": year_of(fields.get("url_or_date", "")),
        }
        yield Record(headline.id, text, found)


def year_of(address_or_date: str) -> int | None:
    """The year of a date, or of an address that has one.

    >>> year_of("2018-04-24"), year_of("http://news.example/2017/05/title"), year_of("example.org")
    (2018, 2017, None)
    """
    found = _YEAR.search(address_or_date)
    return int(found[1]) if found else None


def in_years(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Headlines of the wanted years; all if no years are set."""
    years = context.settings.years
    for record in records:
        year = record.fields["year"]
        if not years:
            yield record
        elif year is None:
            yield Drop(record.id, "undated")
        else:
            yield record if years[0] <= year <= years[-1] else Drop(record.id, "another-year")


def long_enough(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Headlines with more words than the setting `more_than`; words are separated by blanks."""
    for record in records:
        words = len(record.text.split())
        yield record if words > context.settings.more_than else Drop(record.id, "too-short")


def one_triplet(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Headlines with one subject–verb–object triplet whose verb is the root; adds its words."""
    every = list(records)
    analyses = context.pipeline.analyze_many(
        (record.text for record in every), kind="headline", tasks=("syntax", "relations")
    )
    for record, analysis in zip(every, analyses, strict=True):
        verdict = single_triplet(analysis.relations)
        relation = verdict.relation
        if not verdict.kept or relation is None:
            yield Drop(record.id, verdict.reason)
            continue
        verb = analysis.tokens[relation.verb]
        named = {
            role: None if place is None else analysis.tokens[place].lemma.lower()
            for role, place in (("subject", relation.subject), ("object", relation.object))
        }
        yield record.having(
            verb=verb.lemma.lower(), focus_verb=verb.text, start=verb.start, end=verb.end, **named
        )
