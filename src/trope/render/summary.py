"""Counts over analyses, in memory that does not grow with their number."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from trope.core.records import Analysis, Relation
from trope.render.figures import KINDS, count_of
from trope.render.names import Names
from trope.render.sentiment import MeanSentiment, signed
from trope.tasks.metaphor.corpus_rates import CorpusMetaphors
from trope.tasks.metonymy.detection import count_name_readings

VERB_LIMIT = 12
OBJECT_LIMIT = 6


@dataclass(slots=True)
class Totals:
    """How much of everything a set of texts has."""

    tasks: tuple[str, ...] = ()
    texts: int = 0
    sentences: int = 0
    tokens: int = 0
    words: int = 0
    kept: int = 0
    rejected: int = 0
    figures: Counter[str] = field(default_factory=Counter)
    """Figures of each kind."""
    metaphors: int = 0
    """Words that are shown as metaphors; a verb and its particle are one figure."""
    sentiment: MeanSentiment = field(default_factory=MeanSentiment)

    def add(self, analysis: Analysis) -> None:
        """Counts one more text."""
        self.tasks = analysis.tasks
        self.texts += 1
        self.sentences += len(analysis.sentences)
        self.tokens += len(analysis.tokens)
        self.words += sum(token.is_word for token in analysis.tokens)
        kept = sum(relation.kept for relation in analysis.relations)
        self.kept += kept
        self.rejected += len(analysis.relations) - kept
        self.figures.update(figure.kind for figure in analysis.figures)
        self.metaphors += sum(token.is_word for token in analysis.metaphors)
        if analysis.sentiment is not None:
            self.sentiment.add(analysis.sentiment)

    def short_line(self) -> str:
        """The size of the texts, and how many figures they have."""
        figures = self.figures.total()
        parts = [*self._size(), *([count_of(figures, "figure")] if figures else [])]
        return " · ".join(parts + self._mean())

    def line(self, *, relations: bool = False) -> str:
        """The totals in one line, with relations if that is asked for."""
        counts = {**self.figures, "metaphor": self.metaphors}
        parts = self._size()
        parts += [count_of(counts[kind], kind) for kind in KINDS if counts.get(kind)]
        if relations and "relations" in self.tasks:
            parts.append(f"relations: {self.kept:,} kept, {self.rejected:,} left out")
        return " · ".join(parts + self._mean())

    def _size(self) -> list[str]:
        texts = [] if self.texts == 1 else [count_of(self.texts, "text")]
        return [*texts, count_of(self.sentences, "sentence"), count_of(self.words, "word")]

    def _mean(self) -> list[str]:
        if self.sentiment.mean is None:
            return []
        return [f"{'mean ' * (self.texts > 1)}sentiment {signed(self.sentiment.mean)}"]


@dataclass(slots=True)
class Summary:
    """What a set of texts has: totals, relations, rates of metaphor, names, sentiment by group."""

    totals: Totals = field(default_factory=Totals)
    kept: Counter[str] = field(default_factory=Counter)
    """Kept relations of each kind."""
    rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Rejected relations of each kind and reason."""
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Lemmas of verb and object in kept relations, once for each place in a text."""
    metaphors: CorpusMetaphors = field(default_factory=CorpusMetaphors)
    """Rates of metaphor, where these were asked for."""
    names: Names = field(default_factory=Counter)
    """Names by class and reading."""
    sentiment_of: dict[str, MeanSentiment] = field(default_factory=dict)
    """Mean sentiment of each group."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that ran."""
        return self.totals.tasks

    def add(self, analysis: Analysis, group: str = "") -> None:
        """Counts one more text of a group."""
        self.totals.add(analysis)
        if "metaphor" in analysis.tasks:
            self.metaphors.add(analysis, group)
        if analysis.metonymies:
            for row in count_name_readings([(analysis.text, analysis.metonymies)]):
                self.names[row.name, row.name_class, row.reading] += row.times
        if analysis.sentiment is not None:
            self.sentiment_of.setdefault(group, MeanSentiment()).add(analysis.sentiment)
        places = set()
        for relation in analysis.relations:
            if not relation.kept:
                self.rejected[relation.kind, relation.reason] += 1
                continue
            self.kept[relation.kind] += 1
            if relation.object is not None:
                places.add((relation.verb, relation.object))
        self.pairs.update(
            (_lemma(analysis, verb), _lemma(analysis, thing)) for verb, thing in places
        )

    def verbs(self) -> list[tuple[str, int, list[tuple[str, int]]]]:
        """The most frequent verbs of kept relations, each with its most frequent objects."""
        totals: Counter[str] = Counter()
        objects: dict[str, list[tuple[str, int]]] = {}
        for (verb, thing), count in self.pairs.items():
            totals[verb] += count
            objects.setdefault(verb, []).append((thing, count))
        return [
            (verb, total, sorted(objects[verb], key=_most_first)[:OBJECT_LIMIT])
            for verb, total in sorted(totals.items(), key=_most_first)[:VERB_LIMIT]
        ]


def relation_words(relation: Relation, analysis: Analysis) -> str:
    """Subject, verb and object in a row, such as "Sessions – face – questions"."""
    verb = analysis.tokens[relation.verb].text
    if relation.particle is not None:
        verb = f"{verb} {analysis.tokens[relation.particle].text}"
    subject, thing = (
        [] if place is None else [analysis.tokens[place].text]
        for place in (relation.subject, relation.object)
    )
    return " – ".join([*subject, verb, *thing])


def relation_notes(relation: Relation, analysis: Analysis) -> list[str]:
    """Further properties of a relation: ROOT or not, passive, negated, class of the verb,
    and how probably the verb is a metaphor."""
    notes = ["ROOT" if relation.root else "not ROOT"]
    notes += ["passive"] if relation.passive else []
    notes += ["negated"] if relation.negated else []
    notes += [f"{relation.verb_class} verb"] if relation.verb_class else []
    score = analysis.tokens[relation.verb].metaphor
    notes += [f"metaphor {score:.2f}"] if "metaphor" in analysis.tasks and score is not None else []
    return notes


def _lemma(analysis: Analysis, place: int) -> str:
    token = analysis.tokens[place]
    return (token.lemma or token.text).lower()


def _most_first(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
