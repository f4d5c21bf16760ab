"""How a model's answers compare with people's: agreement, bias, anchoring, and whether it may
stand in for an annotator. All intervals are by bootstrap over items, with 95 %."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
import numpy.typing as npt

from trope.core.judgments import Judgment
from trope.metrics.agreement import cohen_kappas, item_agreement
from trope.metrics.alternative_annotator import EPSILONS, AlternativeTest, alternative_test
from trope.metrics.intervals import Floats, Interval, bootstrap_sums
from trope.metrics.votes import Votes, encode_votes

_MODEL = "\x00model"  # no annotator can have this name
_NOWHERE = Interval(None, None, None)
_LEAST_OF_LENGTH = 6
"""Items with a text below which nothing is said about length."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A statistic with the model, beside the same among people, and the difference."""

    name: str
    model: Interval
    people: Interval
    difference: Interval


@dataclass(frozen=True, slots=True)
class LabelBias:
    """How often people and the model give a label, and how often the model does where people do."""

    label: str
    people: Interval
    model: Interval
    difference: Interval
    found: Interval


@dataclass(frozen=True, slots=True)
class LengthBias:
    """The agreement on items with texts of `shortest` to `longest` words."""

    shortest: int
    longest: int
    items: int
    model: Interval
    people: Interval


@dataclass(frozen=True, slots=True)
class Anchoring:
    """How often judgments equal the model's answer: where people saw it, and where they did not.

    The difference is what showing it changes, if the items that stayed blind were drawn at random.
    `seconds` are medians of the time that a judgment took.
    """

    suggested: Interval
    blind: Interval
    difference: Interval
    suggested_judgments: int
    blind_judgments: int
    suggested_seconds: float | None = None
    blind_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Everything about one model and one question."""

    model: str
    question: str
    items: int
    judgments: int
    agreement: tuple[Compared, ...]
    alternative: AlternativeTest
    labels: tuple[LabelBias, ...]
    lengths: tuple[LengthBias, ...]
    longer: Interval
    """The agreement with the model on the longest third of the texts less that on the shortest."""
    anchoring: Anchoring | None
    notes: tuple[str, ...]


def measure_model(
    judgments: Sequence[Judgment],
    answers: Mapping[str, str],
    *,
    model: str,
    texts: Mapping[str, str] | None = None,
    shown: Iterable[tuple[str, str]] = (),
    epsilon: float = EPSILONS["experts"],
    seed: int = 0,
) -> ModelComparison:
    """The comparison of a model's answers, by item, with people's judgments of one question.

    Args:
        texts: the items' texts, for the bias by length.
        shown: item and annotator of the judgments that were given with the model's answer in view.
            They count for the anchoring alone, since they are not independent of the model.
    """
    seen = set(shown)
    independent = [one for one in judgments if (one.item, one.annotator) not in seen]
    given = [one for one in independent if one.item in answers]
    question = judgments[0].question if judgments else ""
    anchoring = _anchoring(judgments, answers, seen, seed) if seen else None
    notes = _notes(given, len(judgments) - len(independent))
    alternative = alternative_test(independent, answers, epsilon=epsilon)
    found = ModelComparison(
        model, question, 0, 0, (), alternative, (), (), _NOWHERE, anchoring, notes
    )
    if not given:
        return found
    table = _Table.of(given, answers)
    lengths, longer = _by_length(table, texts or {}, seed)
    return replace(
        found,
        items=len(table.items),
        judgments=len(given),
        agreement=(_equal(table, seed), *_kappa(table, seed)),
        labels=_by_label(table, seed),
        lengths=lengths,
        longer=longer,
    )


def _notes(given: Sequence[Judgment], shown: int) -> tuple[str, ...]:
    notes = []
    if shown:
        notes.append(
            f"{shown} judgments were given with the model's answer in view; they count for the "
            "anchoring alone"
        )
    if not given:
        notes.append("the model and the people have no item in common")
    elif len({(one.item) for one in given}) == len(given):
        notes.append("no item has two answers of people, so there is no agreement among them")
    return tuple(notes)


@dataclass(frozen=True, slots=True)
class _Table:
    """Items with people's answers by label, and the model's label."""

    items: tuple[str, ...]
    labels: tuple[str, ...]
    counts: Floats
    model: Floats  # items × labels, one 1 in each row
    votes: Votes

    @classmethod
    def of(cls, given: Sequence[Judgment], answers: Mapping[str, str]) -> _Table:
        names = dict.fromkeys(one.item for one in given)
        own = [Judgment(item, _MODEL, answers[item]) for item in names]
        votes = encode_votes([*given, *own])
        width, people = len(votes.labels), len(given)
        model = np.zeros((len(votes.items), width))
        model[votes.item[people:], votes.label[people:]] = 1
        return cls(votes.items, votes.labels, votes.counts() - model, model, votes)

    def shares(self) -> Floats:
        """Which share of people's answers to each item is each label."""
        shares: Floats = self.counts / self.counts.sum(axis=1, keepdims=True)
        return shares

    def pairs(self) -> Floats:
        """For each item: equal pairs among people and 1, if there are pairs; equal to the model."""
        among = item_agreement(self.counts)
        paired = np.isfinite(among)
        with_model = (self.shares() * self.model).sum(axis=1)
        return np.column_stack([np.where(paired, among, 0), paired, with_model])


def _equal(table: _Table, seed: int) -> Compared:
    """The share of equal pairs, over items with two answers of people if there are any."""
    columns = table.pairs()
    if columns[:, 1].any():
        columns = columns[columns[:, 1] > 0]
    columns = np.column_stack([columns, np.ones(len(columns))])

    def value(sums: Floats) -> Floats:
        model, people = _over(sums[:, 2], sums[:, 3]), _over(sums[:, 0], sums[:, 1])
        return np.column_stack([model, people, model - people])

    return Compared("equal", *bootstrap_sums(columns, value, seed=seed))


def _kappa(table: _Table, seed: int) -> list[Compared]:
    """The mean of Cohen's kappa over pairs with the model, and over pairs of people."""
    found = cohen_kappas(table.votes)
    if found is None:
        return []
    own = np.array([name.endswith(f"|{_MODEL}") for name in found.names[:-1]])
    if not own.any():
        return []
    columns, kappas_of = found.columns, found.value

    def value(sums: Floats) -> Floats:
        kappas = kappas_of(sums)[:, :-1]
        means = [_mean_defined(kappas[:, chosen]) for chosen in (own, ~own)]
        return np.column_stack([*means, means[0] - means[1]])

    if len(columns) != len(table.items):  # too many pairs to resample: the sums alone
        return [Compared("kappa", *(_alone(float(one)) for one in value(columns)[0]))]
    return [Compared("kappa", *bootstrap_sums(columns, value, seed=seed))]


def _by_label(table: _Table, seed: int) -> tuple[LabelBias, ...]:
    shares, width = table.shares(), len(table.labels)
    columns = np.hstack([shares, table.model, shares * table.model, np.ones((len(shares), 1))])

    def value(sums: Floats) -> Floats:
        people, model, both = (sums[:, at * width : (at + 1) * width] for at in range(3))
        total = sums[:, -1:]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.hstack(
                [people / total, model / total, (model - people) / total, both / people]
            )

    found = bootstrap_sums(columns, value, seed=seed)
    return tuple(
        LabelBias(label, *(found[part * width + at] for part in range(4)))
        for at, label in enumerate(table.labels)
    )


def _by_length(
    table: _Table, texts: Mapping[str, str], seed: int
) -> tuple[tuple[LengthBias, ...], Interval]:
    """The agreement on the shortest, middle and longest third of the texts."""
    known = [at for at, item in enumerate(table.items) if texts.get(item)]
    words = {at: len(texts[table.items[at]].split()) for at in known}
    if len(known) < _LEAST_OF_LENGTH or len(set(words.values())) < 3:
        return (), _NOWHERE
    ranked = sorted(known, key=lambda at: (words[at], at))
    thirds = np.array_split(np.array(ranked), 3)
    pairs = table.pairs()
    columns = np.zeros((len(pairs), 12))
    for number, part in enumerate(thirds):
        columns[part, 4 * number : 4 * number + 3] = pairs[part]
        columns[part, 4 * number + 3] = 1

    def value(sums: Floats) -> Floats:
        model = [_over(sums[:, 4 * k + 2], sums[:, 4 * k + 3]) for k in range(3)]
        people = [_over(sums[:, 4 * k], sums[:, 4 * k + 1]) for k in range(3)]
        return np.column_stack([*model, *people, model[2] - model[0]])

    found = bootstrap_sums(columns, value, seed=seed)
    rows = tuple(
        LengthBias(
            words[int(part[0])], words[int(part[-1])], len(part), found[number], found[number + 3]
        )
        for number, part in enumerate(thirds)
    )
    return rows, found[6]


def _anchoring(
    judgments: Sequence[Judgment], answers: Mapping[str, str], seen: set[tuple[str, str]], seed: int
) -> Anchoring:
    """The share of judgments that equal the model's answer, seen and not seen."""
    given = [one for one in judgments if one.item in answers]
    shown = np.array([(one.item, one.annotator) in seen for one in given], dtype=bool)
    places: dict[str, int] = {}
    rows = [places.setdefault(one.item, len(places)) for one in given]
    columns = np.zeros((len(places), 4))
    if given:
        own = [Judgment(one.item, _MODEL, answers[one.item]) for one in given]
        votes = encode_votes([*given, *own])
        equal = votes.label[: len(given)] == votes.label[len(given) :]
        for at, row in enumerate(rows):
            side = 0 if shown[at] else 2
            columns[row, side : side + 2] += (equal[at], 1)

    def value(sums: Floats) -> Floats:
        suggested, blind = _over(sums[:, 0], sums[:, 1]), _over(sums[:, 2], sums[:, 3])
        return np.column_stack([suggested, blind, suggested - blind])

    suggested, blind, difference = bootstrap_sums(columns, value, seed=seed)
    numbers = int(shown.sum()), int((~shown).sum())
    return Anchoring(
        suggested, blind, difference, *numbers, *(_usual_time(given, s) for s in (shown, ~shown))
    )


def _usual_time(judgments: Sequence[Judgment], chosen: npt.NDArray[np.bool_]) -> float | None:
    """The median of the seconds that the chosen judgments took; None if no time is known."""
    known = [one.seconds for one, wanted in zip(judgments, chosen, strict=True) if wanted]
    times = [seconds for seconds in known if seconds is not None]
    return median(times) if times else None


def _over(above: Floats, below: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        quotients: Floats = np.where(below > 0, above / below, np.nan)
    return quotients


def _mean_defined(kappas: Floats) -> Floats:
    defined = np.isfinite(kappas)
    return _over(np.where(defined, kappas, 0).sum(axis=1), defined.sum(axis=1).astype(np.float64))


def _alone(value: float) -> Interval:
    return Interval(value, None, None) if np.isfinite(value) else _NOWHERE
