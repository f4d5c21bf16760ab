"""Headlines with one triplet whose verb is the root, silver labels, and candidates for the verb."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

from trope.core.records import Analysis
from trope.corpora.tables import read_texts
from trope.encoder.base import SentenceVerdict
from trope.recipes.recipe import Context, OwnNeed, SourceNeed
from trope.recipes.records import SUBSET, Drop, Outcome, Record
from trope.recipes.sources import own_records, required, sources_of
from trope.recipes.steps import draw, sense_coverage
from trope.relations import single_triplet
from trope.tasks.own_systems import open_system
from trope.tasks.rewriting.masked_lm import Filler, MaskedModel, silver_candidates
from trope.tasks.rewriting.rewriter import SHORTLISTED, idiom_at
from trope.tasks.rewriting.task import DIRECTIONS, WordPlace, in_case_of

if TYPE_CHECKING:
    from trope.pipeline import Pipeline

HEADLINES = "headlines", "headlines.tsv.gz"

_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/](?:0?[1-9]|1[0-2])(?!\d)")

_YEAR_ALONE = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

METAPHORICAL, LITERAL = "metaphorical", "literal"
_AT_ONCE = 64  # headlines whose candidates are ranked at once


def systems(settings: Any) -> Sequence[str]:
    """The detector, if it is not the one that ships."""
    return [settings.detector] if settings.detector else ()


def check(settings: Any) -> None:
    """Open the detector and the masked model that are named; BadInput for one of no use here."""
    if settings.detector:
        open_system(settings.detector, "metaphor")
    if settings.candidates.masked:
        _masked_model(settings.candidates.masked)


def needs(settings: Any) -> list[SourceNeed]:
    """The files of headlines."""
    key = "sources.headlines"
    own = f"{key}=my.csv:headline"
    return required(sources_of(settings.sources.headlines, HEADLINES[0], instead=own), key)


def collect(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """All headlines, with their source, its type and the year of their date or address."""
    for need in needs(context.settings):
        if isinstance(need, OwnNeed):
            yield from _own_headlines(need)
        else:
            yield from _catalogued(context)


def _own_headlines(need: OwnNeed) -> Iterator[Outcome]:
    about = {"source": need.source.name, "type": "unknown"}
    about = {name: value for name, value in about.items() if name not in need.source.keep}
    for outcome in own_records(need.source, about):
        if isinstance(outcome, Record):
            text = " ".join(outcome.text.split())
            date = outcome.fields["date"]
            spelt = _YEAR_ALONE.search(date)  # a column of dates has them in any order
            year = year_of(date) or (int(spelt[0]) if spelt else None)
            outcome = Record(outcome.id, text, outcome.fields).having(year=year)
        yield outcome


def _catalogued(context: Context) -> Iterator[Outcome]:
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


def predict(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Headlines with the label of the detector, which becomes their subset."""
    every = list(records)
    analyses = context.pipeline.analyze_many(
        (record.text for record in every), kind="headline", tasks=("syntax", "metaphor")
    )
    for record, analysis in zip(every, analyses, strict=True):
        score = max(analysis.figurative, default=0.0)
        silver = METAPHORICAL if score >= analysis.sentence_threshold else LITERAL
        at = _token_at(analysis, record.fields["start"])
        of_verb = None if at is None else analysis.tokens[at].metaphor
        rounded = None if of_verb is None else round(of_verb, 4)
        yield record.having(
            **{SUBSET: silver}, silver=silver, silver_score=round(score, 4), verb_score=rounded
        )


def draw_classes(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """A random sample of each predicted class."""
    every = list(records)
    chosen: set[str] = set()
    for silver in (METAPHORICAL, LITERAL):
        own = [record.id for record in every if record.fields["silver"] == silver]
        wanted = getattr(context.settings.classes, silver) or len(own)
        rng = random.Random(f"{context.seed} class {silver}")
        chosen.update(rng.sample(own, min(wanted, len(own))))
    for record in every:
        yield record if record.id in chosen else Drop(record.id, "not-drawn")


def find_candidates(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Headlines with candidates for the focus verb: the best with which the detector calls them
    literal, and the best with which it calls them metaphorical.
    """
    while some := list(islice(records, _AT_ONCE)):
        yield from _candidates(some, context)


def draw_annotated(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """The headlines to annotate."""
    sample = draw(lambda context: int(context.settings.candidates.annotated), "annotated")
    found = list(sample(records, context))
    kept = [outcome for outcome in found if isinstance(outcome, Record)]
    context.facts |= sense_coverage(kept, "silver")
    yield from found


def _candidates(records: Sequence[Record], context: Context) -> Iterator[Outcome]:
    each = context.settings.candidates.each
    analyses = context.pipeline.analyze_many(
        (record.text for record in records), kind="headline", tasks=("syntax", "metaphor")
    )
    places = [_place(r, a) for r, a in zip(records, analyses, strict=True)]
    if model := context.settings.candidates.masked:
        yield from _masked_candidates(zip(records, places, strict=True), model, context)
        return
    asked = [place for place in places if isinstance(place, WordPlace)]
    pools = iter(_sorted_by_detector(asked, each, context.pipeline))
    for record, place in zip(records, places, strict=True):
        if isinstance(place, str):
            yield Drop(record.id, place)
            continue
        pool = next(pools)
        if pool.is_full(each):
            found = {to: pool.of_class(to)[:each] for to in DIRECTIONS}
            yield record.having(**found, initial=pool.proposed)
        else:
            yield Drop(record.id, "too-few-candidates")


def _sorted_by_detector(
    places: Sequence[WordPlace], each: int, pipeline: Pipeline
) -> list[_PlacePool]:
    """For each place the verbs that make its headline literal, and those that make it metaphorical.

    The rewriter ranks verbs for both directions; a direction takes its own first. Most places are
    full after the best few, so that only the others have all their verbs read by the detector.
    """
    ranked = {to: pipeline.rewriter.rank_many(places, to, top=SHORTLISTED) for to in DIRECTIONS}
    pools = [
        _PlacePool(place, {to: ranked[to][at].lemmas for to in DIRECTIONS})
        for at, place in enumerate(places)
    ]
    judge = _RunDetector(pipeline)
    for first in (2 * each, SHORTLISTED):
        waiting = [pool for pool in pools if not pool.is_full(each)]
        asked = [(pool, form) for pool in waiting for form in pool.unread(first)]
        sentences = [pool.place.with_word(form) for pool, form in asked]
        for (pool, form), metaphorical in zip(asked, judge.calls(sentences), strict=True):
            pool.class_of[form] = METAPHORICAL if metaphorical else LITERAL
    return pools


class _PlacePool:
    """The ranked verbs for a place, in its form, and the class that each gives to the headline."""

    def __init__(self, place: WordPlace, lemmas: Mapping[str, Sequence[str]]) -> None:
        self.place = place
        self.ranked = {to: [place.fitted(one) for one in own] for to, own in lemmas.items()}
        self.class_of: dict[str, str] = {}

    @property
    def proposed(self) -> list[str]:
        """All verbs before the detector sorts them, from both rankings in turn."""
        in_turn = zip_longest(*self.ranked.values())
        return list(dict.fromkeys(form for forms in in_turn for form in forms if form))

    def unread(self, first: int) -> list[str]:
        """The first verbs of either direction that the detector has not read."""
        some = dict.fromkeys(form for own in self.ranked.values() for form in own[:first])
        return [form for form in some if form not in self.class_of]

    def of_class(self, to: str) -> list[str]:
        """The verbs of a class, those that were ranked for it first."""
        others = (form for other in self.ranked if other != to for form in self.ranked[other])
        every = dict.fromkeys((*self.ranked[to], *others))
        return [form for form in every if self.class_of.get(form) == to]

    def is_full(self, each: int) -> bool:
        """Whether both classes have so many."""
        return all(len(self.of_class(to)) >= each for to in self.ranked)


@dataclass(frozen=True, slots=True)
class _RunDetector:
    """The detector of a run: the heads that ship, or the user's own."""

    pipeline: Pipeline

    def verdicts(self, sentences: Sequence[Sequence[str]]) -> list[SentenceVerdict]:
        """The scores of each sentence."""
        own = self.pipeline.own
        if own is None or own.metaphor is None:
            return self.pipeline.detector.verdicts(sentences) if sentences else []
        parses = self.pipeline.parse(sentences, ("metaphor",))
        return [SentenceVerdict(parse.metaphor, parse.figurative or 0.0) for parse in parses]

    def calls(self, sentences: Sequence[Sequence[str]]) -> list[bool]:
        """Whether each sentence is metaphorical."""
        limit = self.pipeline.thresholds[1]
        return [verdict.figurative >= limit for verdict in self.verdicts(sentences)]


def _masked_candidates(
    placed: Iterable[tuple[Record, WordPlace | str]], model: str, context: Context
) -> Iterator[Outcome]:
    """The paper's candidates: the likeliest fillers of the masked verb, sorted by the detector."""
    each, pipeline = context.settings.candidates.each, context.pipeline
    for record, place in placed:
        if isinstance(place, str):
            yield Drop(record.id, place)
            continue
        found = silver_candidates(
            *(place.parse.words, place.at, _masked_model(model), pipeline, _RunDetector(pipeline)),
            threshold=pipeline.thresholds[1],
            each=each,
        )
        if not found.kept:
            yield Drop(record.id, "too-few-candidates")
            continue
        verbs = {LITERAL: found.literal_cands, METAPHORICAL: found.metaphorical_cands}
        fitted = {to: [in_case_of(word, place.word) for word in own] for to, own in verbs.items()}
        initial = [in_case_of(word, place.word) for word in found.candidates]
        yield record.having(**fitted, initial=initial)


@cache
def _masked_model(model: str) -> Filler:
    """The masked language model of a folder or of the Hub, read once in a process."""
    return MaskedModel(model)


def _place(record: Record, analysis: Analysis) -> WordPlace | str:
    """The focus verb in its sentence, or why it cannot be replaced."""
    number = _token_at(analysis, record.fields["start"])
    if number is None:
        return "verb-lost"
    sentence = next(s for s in analysis.sentences if s.first <= number < s.last)
    parse, at = analysis.parse_of(sentence), number - sentence.first
    return "idiom" if idiom_at(parse, at) else WordPlace(parse, at, "VERB")


def _token_at(analysis: Analysis, start: int) -> int | None:
    return next((at for at, token in enumerate(analysis.tokens) if token.start == start), None)
