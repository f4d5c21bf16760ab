"""Metonymy: the readings of names, and the interface of all systems.

A system gives every fine reading of a name's class a probability. Rougher labels follow from sums:
the probability of "non-literal" is that of all readings that are not literal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from trope.core.errors import BadInput
from trope.core.records import Metonymy, Parse
from trope.corpora.records import NameSample
from trope.lexicon.readings import (
    Granularity,
    NameClass,
    describe,
    labels,
    readings,
)
from trope.text.tokenise import tokenise

Probabilities = Mapping[str, float]
"""Fine reading → probability, for every reading of the name's class; they sum to 1."""

PLACES = 4
"""Decimal places of the probability that is shown with a reading."""


@dataclass(frozen=True, slots=True)
class NameInContext:
    """A name with the tree of its sentence: the words `first` to `last` (exclusive) are its own.

    `roles` are relations that people annotated, as (role, lemma of the other word); where there
    are any, a system that reads roles takes these and not the tree's. `sentences` is the text
    around, where it is known: `sentences[target]` is the name's own, which holds it at `start` to
    `end`; a system that reads more than one sentence finds it there.
    """

    name: str
    name_class: NameClass
    parse: Parse
    first: int
    last: int
    id: str = ""
    roles: tuple[tuple[str, str], ...] = ()
    sentences: tuple[str, ...] = ()
    target: int = 0
    start: int = 0
    end: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.last <= len(self.parse):
            raise BadInput(
                f"the name {self.name!r} has no words in its sentence of {len(self.parse)} words"
            )


class SentenceParser(Protocol):
    """The part of a pipeline that metonymy needs."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """Trees of sentences that are already split into words."""


class NoParser:
    """A parser that makes no trees, for systems that read words."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """The words as they are."""
        return [Parse(tuple(words), (), (), (), (), ()) for words in sentences]


class MetonymySystem(Protocol):
    """What an entry of `METONYMY_SYSTEMS` makes. One system serves both classes of names."""

    def fit(self, names: Sequence[NameInContext], readings: Sequence[str]) -> None:
        """Learn from names with their fine readings; classes of names may be mixed."""

    def predict(self, names: Sequence[NameInContext]) -> list[Probabilities]:
        """The probabilities of the fine readings, one per name."""


def metonymy_at(
    start: int, end: int, name: str, name_class: NameClass, probabilities: Probabilities
) -> Metonymy:
    """What a name stands for, from the probabilities of its readings."""
    best = decide(probabilities, name_class, "fine")
    score = round(probabilities[best], PLACES)
    return Metonymy(start, end, name_class, best, score, describe(best, name, name_class))


def decide(probabilities: Probabilities, name_class: NameClass, granularity: Granularity) -> str:
    """The most probable label at a granularity, by the summed probabilities of its readings."""
    sums = dict.fromkeys(labels(name_class, granularity), 0.0)
    for name, reading in readings(name_class).items():
        sums[reading.at(granularity)] += probabilities[name]
    return max(sums, key=lambda label: sums[label])


def parse_samples(samples: Sequence[NameSample], parser: SentenceParser) -> list[NameInContext]:
    """The samples with the trees of their sentences, read in one go."""
    cuts = [tokenise(sample.sentence) for sample in samples]
    words = [
        [sample.sentence[start:end] for start, end in spans]
        for sample, spans in zip(samples, cuts, strict=True)
    ]
    found: list[NameInContext] = []
    for sample, spans, parse in zip(samples, cuts, parser.parse(words), strict=True):
        first, last = words_within(spans, sample.start, sample.end)
        found.append(
            NameInContext(
                sample.name,
                sample.name_class,
                parse,
                first,
                last,
                id=sample.id,
                sentences=sample.sentences,
                target=sample.target,
                start=sample.start,
                end=sample.end,
            )
        )
    return found


def words_within(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The range of the words that share a character with `start` to `end`; empty if none does."""
    inside = [at for at, (a, b) in enumerate(spans) if a < end and b > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def check_training(names: Sequence[NameInContext], given: Sequence[str]) -> None:
    """Refuse training data that no system can use.

    Raises:
        BadInput: for unequal numbers of names and readings, no names, or an unknown reading.
    """
    if len(names) != len(given) or not names:
        raise BadInput(f"{len(names)} names but {len(given)} readings; give one for each")
    for name, reading in zip(names, given, strict=True):
        if reading not in readings(name.name_class):
            known = ", ".join(readings(name.name_class))
            raise BadInput(f"{reading!r} is not a reading of a {name.name_class}; known: {known}")


def fill_readings(found: Mapping[str, float], name_class: NameClass) -> Probabilities:
    """The probabilities with a zero for every reading that was never seen."""
    return {name: found.get(name, 0.0) for name in readings(name_class)}
