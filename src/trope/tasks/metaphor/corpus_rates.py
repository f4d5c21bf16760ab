"""Metaphors of a corpus: rates by group, and the verbs that are most metaphorical.

Counts grow with the vocabulary and the number of groups, not with the number of texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from trope.core.records import Analysis, WordView, is_word
from trope.metrics.intervals import ClusteredShare, Interval, wilson, written_share
from trope.tasks.figures.views import shown_score

VIEW_NAMES = {"noticed": "noticed words", "content": "content words", "all": "words of every class"}
"""What the words are called that a view shows as metaphors."""

VERB_LIMIT = 20
OBJECT_LIMIT = 6


@dataclass(frozen=True, slots=True)
class MetaphorCounts:
    """How many words and sentences a text has, and how many of them are metaphorical."""

    words: int
    metaphors: int
    sentences: int
    figurative: int


def count_metaphors(analysis: Analysis) -> MetaphorCounts:
    """The counts of one text: words that are shown as metaphors, and sentences by these."""
    verdicts = map(analysis.sentence_verdict, analysis.sentences)
    return MetaphorCounts(
        words=sum([is_word(token.text) for token in analysis.tokens]),
        metaphors=sum([is_word(token.text) for token in analysis.metaphors]),
        sentences=len(analysis.sentences),
        figurative=sum(verdict.metaphorical for verdict in verdicts),
    )


@dataclass(slots=True)
class MetaphorRates:
    """Rates of metaphor of a group of texts: by word and by sentence, clustered by text."""

    texts: int = 0
    words: ClusteredShare = field(default_factory=ClusteredShare)
    sentences: ClusteredShare = field(default_factory=ClusteredShare)

    def add(self, counts: MetaphorCounts) -> None:
        """Count one more text."""
        self.texts += 1
        self.words.add(counts.metaphors, counts.words)
        self.sentences.add(counts.figurative, counts.sentences)

    def merge(self, other: MetaphorRates) -> None:
        """Count the texts of another group too."""
        self.texts += other.texts
        self.words.merge(other.words)
        self.sentences.merge(other.sentences)

    def to_dict(self) -> dict[str, Any]:
        """The rates as plain data."""
        return {
            "texts": self.texts,
            "words": self.words.whole,
            "metaphors": self.words.part,
            "rate": _interval_to_dict(self.words.interval()),
            "sentences": self.sentences.whole,
            "figurative": self.sentences.part,
            "sentence_rate": _interval_to_dict(self.sentences.interval()),
        }


@dataclass(frozen=True, slots=True)
class VerbUse:
    """A verb: how often it occurs, how often as a metaphor, and its objects."""

    lemma: str
    count: int
    metaphors: int
    objects: tuple[tuple[str, int, int], ...]
    """Object, how often with the verb, how often while the verb was a metaphor."""

    @property
    def rate(self) -> Interval:
        """The share of metaphors, with its interval."""
        return wilson(self.metaphors, self.count)

    def to_dict(self) -> dict[str, Any]:
        """The verb as plain data."""
        return {
            "lemma": self.lemma,
            "count": self.count,
            "metaphors": self.metaphors,
            "rate": _interval_to_dict(self.rate),
            "objects": [
                {"lemma": lemma, "count": times, "metaphors": metaphors}
                for lemma, times, metaphors in self.objects
            ],
        }


@dataclass(slots=True)
class CorpusMetaphors:
    """Rates by group and uses of verbs, counted text by text."""

    groups: dict[str, MetaphorRates] = field(default_factory=dict)
    words: WordView = "all"
    """The view of words by which metaphors are counted."""
    threshold: float = 0.5
    """The lowest score of a metaphor in that view."""
    sentence_threshold: float = 0.5
    histogram: list[int] = field(default_factory=lambda: [0] * 101)
    """Words by their score in hundredths, rounded down."""
    _verbs: Counter[tuple[str, bool]] = field(default_factory=Counter)
    _pairs: Counter[tuple[str, str, bool]] = field(default_factory=Counter)

    def add(self, analysis: Analysis, group: str = "") -> None:
        """Count one more text of a group."""
        self.words, self.threshold = analysis.words, analysis.shown_threshold
        self.sentence_threshold = analysis.sentence_threshold
        self.groups.setdefault(group, MetaphorRates()).add(count_metaphors(analysis))
        shown = frozenset(analysis.metaphor_places)
        for place, token in enumerate(analysis.tokens):
            score = shown_score(token, analysis.words)
            if score is not None and token.is_word:
                self.histogram[hundredth(score)] += 1
            if token.upos == "VERB":
                self._verbs[_lemma(analysis, place), place in shown] += 1
        pairs = {
            (relation.verb, relation.object)
            for relation in analysis.relations
            if relation.kept and relation.object is not None
        }
        self._pairs.update(
            (_lemma(analysis, verb), _lemma(analysis, thing), verb in shown)
            for verb, thing in pairs
        )

    @property
    def total(self) -> MetaphorRates:
        """The rates of all groups together."""
        whole = MetaphorRates()
        for rates in self.groups.values():
            whole.merge(rates)
        return whole

    def verbs(self, limit: int = VERB_LIMIT) -> list[VerbUse]:
        """The metaphorical verbs, those with a reliably high rate first.

        Ordered by the lower end of the interval, so that rare verbs do not come first.
        """
        objects: dict[str, Counter[str]] = {}
        metaphors: Counter[tuple[str, str]] = Counter()
        for (verb, thing, metaphor), times in self._pairs.items():
            objects.setdefault(verb, Counter())[thing] += times
            metaphors[verb, thing] += times if metaphor else 0
        uses = [
            VerbUse(lemma, times + self._verbs[lemma, False], times, ())
            for (lemma, metaphor), times in self._verbs.items()
            if metaphor
        ]
        uses.sort(key=lambda use: (-(use.rate.low or 0), -use.count, use.lemma))
        return [
            VerbUse(
                use.lemma,
                use.count,
                use.metaphors,
                _first_objects(use.lemma, objects.get(use.lemma, Counter()), metaphors),
            )
            for use in uses[:limit]
        ]

    def to_dict(self) -> dict[str, Any]:
        """The whole summary as plain data."""
        return {
            "words": self.words,
            "threshold": self.threshold,
            "sentence_threshold": self.sentence_threshold,
            "total": self.total.to_dict(),
            "groups": [{"name": name, **rates.to_dict()} for name, rates in self.by_rate()],
            "verbs": [use.to_dict() for use in self.verbs()],
        }

    def by_rate(self) -> Iterator[tuple[str, MetaphorRates]]:
        """The groups, the most metaphorical first."""
        yield from sorted(
            self.groups.items(), key=lambda item: (-(item[1].words.interval().value or 0), item[0])
        )


def hundredth(score: float) -> int:
    """A probability in hundredths, rounded down, with a tolerance for binary fractions."""
    return int(score * 100 + 1e-9)


def _interval_to_dict(interval: Interval) -> dict[str, float | None]:
    """An interval as plain data, null where it is undefined."""
    value, low, high = map(written_share, (interval.value, interval.low, interval.high))
    return {"value": value, "low": low, "high": high}


def _first_objects(
    verb: str, objects: Counter[str], metaphors: Counter[tuple[str, str]]
) -> tuple[tuple[str, int, int], ...]:
    counted = [(thing, times, metaphors[verb, thing]) for thing, times in objects.items()]
    counted.sort(key=lambda item: (-item[2], -item[1], item[0]))
    return tuple(counted[:OBJECT_LIMIT])


def _lemma(analysis: Analysis, place: int) -> str:
    token = analysis.tokens[place]
    return (token.lemma or token.text).lower()
