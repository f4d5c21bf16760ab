"""How the ranker learns from lists of candidates that people judged.

Logistic regression with a penalty, in numpy: small, exact, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
import numpy.typing as npt

from trope.tasks.rewriting.meaning import Array
from trope.tasks.rewriting.ranker import (
    CENTRED,
    PRIOR_FEATURES,
    SUBSTITUTION,
    LinearScores,
    SubstituteRanker,
    columns_by_name,
    prior_features,
)
from trope.tasks.rewriting.task import DIRECTIONS
from trope.tasks.rewriting.verb_pairs import PAIR_FEATURES, VerbPairs, sum_pairs

Floats = npt.NDArray[np.float64]
_STEPS = 50
_CLOSE = 1e-8


def fit_logistic(
    rows: npt.ArrayLike, labels: npt.ArrayLike, *, penalty: float, shares: npt.ArrayLike = 1.0
) -> tuple[Floats, float]:
    """Weights and bias that make the labels likely; columns are standardised for the penalty.

    Args:
        rows: items × features.
        labels: 0 or 1 (or a probability) for each item.
        penalty: the weight of the squares of the standardised weights.
        shares: how much each item counts.
    """
    table = np.asarray(rows, dtype=np.float64)
    wanted = np.asarray(labels, dtype=np.float64)
    counted = np.broadcast_to(np.asarray(shares, dtype=np.float64), wanted.shape)
    centre, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    inputs = np.hstack([(table - centre) / spread, np.ones((len(table), 1))])
    ridge = np.diag([penalty] * table.shape[1] + [1e-9])
    weights = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        probability = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (counted * (probability - wanted)) + ridge @ weights
        curve = (
            inputs * (counted * probability * (1 - probability) + 1e-9)[:, None]
        ).T @ inputs + ridge
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < _CLOSE:
            break
    own = weights[:-1] / spread
    return own, float(weights[-1] - own @ centre)


AcceptanceCounts = dict[str, tuple[float, float]]
"""How often each word was judged, and its acceptances beyond the expected number."""

_Priors = dict[str, AcceptanceCounts]
FeatureTable = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class JudgedList:
    """Candidates of one place: named columns of features, and people's judgments of each.

    `direction` is empty for plain substitution; `share` is what the list counts for; `word` is
    the one that stands in the place.
    """

    lemmas: tuple[str, ...]
    labels: Floats
    columns: FeatureTable
    direction: str = ""
    share: float = 1.0
    group: str = field(default="")
    word: str = ""


@dataclass(frozen=True, slots=True)
class AcceptanceStatistics:
    """Acceptance of words in any place, and of words in the place of others."""

    priors: _Priors
    pairs: VerbPairs

    def columns(
        self,
        word: str,
        lemmas: Sequence[str],
        direction: str,
        without: AcceptanceCounts | None = None,
    ) -> FeatureTable:
        """The features of words for a place; `without` is what their own list added."""
        of_words = prior_features(self.priors, lemmas, direction, without=without)
        of_pairs = self.pairs.features(word, lemmas, direction, without=without)
        return columns_by_name(of_words, PRIOR_FEATURES) | columns_by_name(of_pairs, PAIR_FEATURES)


def learn_statistics(lists: Sequence[JudgedList]) -> AcceptanceStatistics:
    """The statistics of the judgments of all lists."""
    parts = zip(lists, contributions(lists), strict=True)
    pairs = sum_pairs((judged.direction, judged.word, part) for judged, part in parts)
    return AcceptanceStatistics(learn_priors(lists), pairs)


def learn_priors(lists: Iterable[JudgedList]) -> _Priors:
    """How often each word was judged, and its excess of acceptance over the direction's rate."""
    lists = list(lists)
    priors: _Priors = {direction: {} for direction in DIRECTIONS}
    for direction, found in priors.items():
        own = [judged for judged in lists if judged.direction == direction]
        rate = _rate(own)
        for judged in own:
            for lemma, (number, excess) in _contribution(judged, rate).items():
                known = found.get(lemma, (0.0, 0.0))
                found[lemma] = (known[0] + number, known[1] + excess)
    return priors


def contributions(lists: Sequence[JudgedList]) -> list[AcceptanceCounts]:
    """What each list added to the priors, which must not help to rank the same list."""
    rates: dict[str, float] = {d: _rate([j for j in lists if j.direction == d]) for d in DIRECTIONS}
    return [_contribution(judged, rates[judged.direction]) for judged in lists]


def _contribution(judged: JudgedList, rate: float) -> AcceptanceCounts:
    """What one list adds to the priors of its words."""
    part: AcceptanceCounts = {}
    for lemma, label in zip(judged.lemmas, judged.labels, strict=True):
        number, excess = part.get(lemma, (0.0, 0.0))
        part[lemma] = (number + 1, excess + float(label) - rate)
    return part


def _rate(lists: Sequence[JudgedList]) -> float:
    labels = np.concatenate([judged.labels for judged in lists]) if lists else np.zeros(1)
    return float(labels.mean())


def learn_scores(
    lists: Sequence[JudgedList], names: Sequence[str], *, penalty: float, here: bool
) -> LinearScores:
    """One linear function for all lists; with `here`, columns are also compared inside a list."""
    rows = np.vstack([_rows(judged.columns, names, here) for judged in lists])
    labels = np.concatenate([judged.labels for judged in lists])
    shares = np.concatenate([np.full(len(judged.labels), judged.share) for judged in lists])
    weights, bias = fit_logistic(rows, labels, penalty=penalty, shares=shares)
    return LinearScores(bias, dict(zip(_names(names, here), map(float, weights), strict=True)))


def learn_directions(
    lists: Sequence[JudgedList],
    statistics: AcceptanceStatistics,
    names: Sequence[str],
    *,
    own: Sequence[AcceptanceCounts],
    penalty: float,
    here: bool,
) -> dict[str, LinearScores]:
    """A function for each direction, which share what they have in common.

    The columns stand in the table twice, the second time with the sign of the direction, so that
    the penalty draws the two functions together. The acceptance of a word leaves out `own`, what
    its own headline added to it.
    """
    all_names = (*names, *PRIOR_FEATURES, *PAIR_FEATURES)
    rows, labels, shares = [], [], []
    known: dict[int, FeatureTable] = {}  # copies of a list share their part and their acceptance
    for judged, part in zip(lists, own, strict=True):
        if id(part) not in known:
            known[id(part)] = statistics.columns(
                judged.word, judged.lemmas, judged.direction, without=part
            )
        table = _rows({**judged.columns, **known[id(part)]}, all_names, here)
        sign = 1.0 if judged.direction == DIRECTIONS[0] else -1.0
        rows.append(np.hstack([table, sign * table, np.full((len(table), 1), sign)]))
        labels.append(judged.labels)
        shares.append(np.full(len(table), judged.share))
    weights, bias = fit_logistic(
        np.vstack(rows), np.concatenate(labels), penalty=penalty, shares=np.concatenate(shares)
    )
    columns = _names(all_names, here)
    found: dict[str, LinearScores] = {}
    for direction, sign in zip(DIRECTIONS, (1.0, -1.0), strict=True):
        own_weights = weights[: len(columns)] + sign * weights[len(columns) : -1]
        found[direction] = LinearScores(
            float(bias + sign * weights[-1]),
            dict(zip(columns, map(float, own_weights), strict=True)),
        )
    return found


def _names(names: Sequence[str], here: bool) -> tuple[str, ...]:
    return (*names, *(name + CENTRED for name in names)) if here else tuple(names)


def _rows(columns: Mapping[str, Floats], names: Sequence[str], here: bool) -> Floats:
    table = np.stack([columns[name] for name in names], axis=1).astype(np.float64)
    return np.hstack([table, table - table.mean(axis=0)]) if here else table


def with_substitution(judged: JudgedList, scores: LinearScores) -> JudgedList:
    """The list with one more column: how near each word is in meaning."""
    return replace(judged, columns={**judged.columns, SUBSTITUTION: scores.of(judged.columns)})


def folds_of(groups: Sequence[str], number: int, seed: int) -> list[int]:
    """A fold for each list; lists of one group are in the same."""
    order = sorted(set(groups))
    np.random.default_rng(seed).shuffle(order)
    fold = {group: place % number for place, group in enumerate(order)}
    return [fold[group] for group in groups]


def with_copies(
    copies: Sequence[Sequence[JudgedList]], chosen: Sequence[int]
) -> tuple[AcceptanceStatistics, list[JudgedList], list[AcceptanceCounts]]:
    """Acceptance in the chosen lists, their copies with shares, and the part of each."""
    lists = [copies[0][at] for at in chosen]
    every = [replace(copy[at], share=1 / len(copies)) for copy in copies for at in chosen]
    return learn_statistics(lists), every, contributions(lists) * len(copies)


def cross_scores(
    copies: Sequence[Sequence[JudgedList]],
    tested: Sequence[JudgedList],
    names: Sequence[str],
    *,
    penalty: float,
    here: bool = True,
    folds: int = 10,
    seed: int = 0,
) -> list[Floats]:
    """The scores that each list gets from a ranker that was learnt without its fold.

    `copies` are the same lists with other errors in their numbers, each a copy to learn from.
    """
    fold = folds_of([judged.group for judged in tested], folds, seed)
    found: list[Floats] = [np.zeros(0)] * len(tested)
    for number in range(folds):
        chosen = [at for at, own in enumerate(fold) if own != number]
        statistics, training, own_of = with_copies(copies, chosen)
        scores = learn_directions(
            training, statistics, names, own=own_of, penalty=penalty, here=here
        )
        for place, judged in enumerate(tested):
            if fold[place] == number:
                accepted = statistics.columns(judged.word, judged.lemmas, judged.direction)
                found[place] = scores[judged.direction].of({**judged.columns, **accepted})
    return found


@dataclass(frozen=True, slots=True)
class FeatureScale:
    """A linear map for each feature, from one source of meanings to another."""

    factors: dict[str, float]
    shifts: dict[str, float]

    def rows(self, table: Array, names: Sequence[str]) -> Array:
        """Rows of the first source as the second would have them."""
        factors = np.array([self.factors[name] for name in names])
        shifts = np.array([self.shifts[name] for name in names])
        return np.asarray(table * factors + shifts, dtype=np.float32)

    def ranker(self, ranker: SubstituteRanker, meanings: str) -> SubstituteRanker:
        """A ranker for the second source as one for the first, which says the same."""
        rank = {question: self._scores(scores) for question, scores in ranker.rank.items()}
        return msgspec.structs.replace(ranker, meanings=meanings, rank=rank)

    def _scores(self, scores: LinearScores) -> LinearScores:
        bias = scores.bias + sum(
            weight * self.shifts.get(name, 0.0) for name, weight in scores.weights.items()
        )
        weights = {
            name: weight * self.factors.get(name.removesuffix(CENTRED), 1.0)
            for name, weight in scores.weights.items()
        }
        return LinearScores(bias, weights)


def scale_between(first: Array, second: Array, names: Sequence[str]) -> FeatureScale:
    """The lines that give the columns of one table the means and spreads of another."""
    spread = first.std(axis=0)
    factors = np.where(spread > 0, second.std(axis=0) / np.where(spread > 0, spread, 1), 1.0)
    shifts = second.mean(axis=0) - factors * first.mean(axis=0)
    return FeatureScale(
        dict(zip(names, map(float, factors), strict=True)),
        dict(zip(names, map(float, shifts), strict=True)),
    )
