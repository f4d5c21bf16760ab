"""How the ranker is learnt from lists of candidates that people judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from trope.tasks.rewriting.logistic import Floats, fit_logistic
from trope.tasks.rewriting.meaning import Array
from trope.tasks.rewriting.pairs import PAIR, Pairs, add_up
from trope.tasks.rewriting.ranker import (
    HERE,
    PRIOR,
    SUBSTITUTION,
    Ranker,
    Scores,
    named,
    prior_features,
)
from trope.tasks.rewriting.task import DIRECTIONS

Part = dict[str, tuple[float, float]]
"""How often each word was judged, and its acceptances beyond what was to be expected."""

Priors = dict[str, Part]
Table = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class JudgedList:
    """Candidates of one place: named columns of features, and what people said of each.

    `direction` is empty for plain substitution; `share` is what the list counts for; `word` is
    the one that stands in the place.
    """

    lemmas: tuple[str, ...]
    labels: Floats
    columns: Table
    direction: str = ""
    share: float = 1.0
    group: str = field(default="")
    word: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What people said of words wherever they were put, and of words put in the place of others."""

    priors: Priors
    pairs: Pairs

    def columns(
        self, word: str, lemmas: Sequence[str], direction: str, without: Part | None = None
    ) -> Table:
        """The features of words for a place; `without` is what their own list added."""
        of_words = prior_features(self.priors, lemmas, direction, without=without)
        of_pairs = self.pairs.features(word, lemmas, direction, without=without)
        return named(of_words, PRIOR) | named(of_pairs, PAIR)


def learn_said(lists: Sequence[JudgedList]) -> Said:
    """What the judgments of all lists come to."""
    parts = zip(lists, own_parts(lists), strict=True)
    pairs = add_up((judged.direction, judged.word, part) for judged, part in parts)
    return Said(learn_priors(lists), pairs)


def learn_priors(lists: Iterable[JudgedList]) -> Priors:
    """How often each word was judged, and its excess of acceptance over the direction's rate."""
    lists = list(lists)
    priors: Priors = {direction: {} for direction in DIRECTIONS}
    for direction, found in priors.items():
        own = [judged for judged in lists if judged.direction == direction]
        rate = _rate(own)
        for judged in own:
            for lemma, (number, excess) in own_part(judged, rate).items():
                known = found.get(lemma, (0.0, 0.0))
                found[lemma] = (known[0] + number, known[1] + excess)
    return priors


def own_parts(lists: Sequence[JudgedList]) -> list[Part]:
    """What each list added to the priors, which must not help to rank that very list."""
    rates: dict[str, float] = {d: _rate([j for j in lists if j.direction == d]) for d in DIRECTIONS}
    return [own_part(judged, rates[judged.direction]) for judged in lists]


def own_part(judged: JudgedList, rate: float) -> Part:
    """What one list adds to the priors of its words."""
    part: Part = {}
    for lemma, label in zip(judged.lemmas, judged.labels, strict=True):
        number, excess = part.get(lemma, (0.0, 0.0))
        part[lemma] = (number + 1, excess + float(label) - rate)
    return part


def _rate(lists: Sequence[JudgedList]) -> float:
    labels = np.concatenate([judged.labels for judged in lists]) if lists else np.zeros(1)
    return float(labels.mean())


def learn_scores(
    lists: Sequence[JudgedList], names: Sequence[str], *, penalty: float, here: bool
) -> Scores:
    """One linear function for all lists; with `here`, columns are also compared inside a list."""
    rows = np.vstack([_rows(judged.columns, names, here) for judged in lists])
    labels = np.concatenate([judged.labels for judged in lists])
    shares = np.concatenate([np.full(len(judged.labels), judged.share) for judged in lists])
    weights, bias = fit_logistic(rows, labels, penalty=penalty, shares=shares)
    return Scores(bias, dict(zip(_names(names, here), map(float, weights), strict=True)))


def learn_directions(
    lists: Sequence[JudgedList],
    said: Said,
    names: Sequence[str],
    *,
    own: Sequence[Part],
    penalty: float,
    here: bool,
) -> dict[str, Scores]:
    """A function for each direction, which share what they have in common.

    The columns stand in the table twice, the second time with the sign of the direction, so that
    the penalty draws the two functions together. What was said of a word leaves out `own`, what
    its own headline added to it.
    """
    all_names = (*names, *PRIOR, *PAIR)
    rows, labels, shares = [], [], []
    known: dict[int, Table] = {}  # copies of a list have the same part, and were said the same of
    for judged, part in zip(lists, own, strict=True):
        if id(part) not in known:
            known[id(part)] = said.columns(
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
    found: dict[str, Scores] = {}
    for direction, sign in zip(DIRECTIONS, (1.0, -1.0), strict=True):
        own_weights = weights[: len(columns)] + sign * weights[len(columns) : -1]
        found[direction] = Scores(
            float(bias + sign * weights[-1]),
            dict(zip(columns, map(float, own_weights), strict=True)),
        )
    return found


def _names(names: Sequence[str], here: bool) -> tuple[str, ...]:
    return (*names, *(name + HERE for name in names)) if here else tuple(names)


def _rows(columns: Mapping[str, Floats], names: Sequence[str], here: bool) -> Floats:
    table = np.stack([columns[name] for name in names], axis=1).astype(np.float64)
    return np.hstack([table, table - table.mean(axis=0)]) if here else table


def with_substitution(judged: JudgedList, scores: Scores) -> JudgedList:
    """The list with one more column: how well each word says the same."""
    return replace(judged, columns={**judged.columns, SUBSTITUTION: scores.of(judged.columns)})


def folds_of(groups: Sequence[str], number: int, seed: int) -> list[int]:
    """A fold for each list; lists of one group are in the same."""
    order = sorted(set(groups))
    np.random.default_rng(seed).shuffle(order)
    fold = {group: place % number for place, group in enumerate(order)}
    return [fold[group] for group in groups]


def with_copies(
    copies: Sequence[Sequence[JudgedList]], chosen: Sequence[int]
) -> tuple[Said, list[JudgedList], list[Part]]:
    """What was said in the chosen lists, their copies, each for its share, and each one's part."""
    lists = [copies[0][at] for at in chosen]
    every = [replace(copy[at], share=1 / len(copies)) for copy in copies for at in chosen]
    return learn_said(lists), every, own_parts(lists) * len(copies)


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
        said, training, own_of = with_copies(copies, chosen)
        scores = learn_directions(training, said, names, own=own_of, penalty=penalty, here=here)
        for place, judged in enumerate(tested):
            if fold[place] == number:
                told = said.columns(judged.word, judged.lemmas, judged.direction)
                found[place] = scores[judged.direction].of({**judged.columns, **told})
    return found


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight line for each feature, from what one source of meanings says to another's."""

    factors: dict[str, float]
    shifts: dict[str, float]

    def rows(self, table: Array, names: Sequence[str]) -> Array:
        """Rows of the first source as the second would have them."""
        factors = np.array([self.factors[name] for name in names])
        shifts = np.array([self.shifts[name] for name in names])
        return np.asarray(table * factors + shifts, dtype=np.float32)

    def ranker(self, ranker: Ranker, meanings: str) -> Ranker:
        """A ranker for the second source as one for the first, which says the same."""
        rank = {question: self._scores(scores) for question, scores in ranker.rank.items()}
        return msgspec.structs.replace(ranker, meanings=meanings, rank=rank)

    def _scores(self, scores: Scores) -> Scores:
        bias = scores.bias + sum(
            weight * self.shifts.get(name, 0.0) for name, weight in scores.weights.items()
        )
        weights = {
            name: weight * self.factors.get(name.removesuffix(HERE), 1.0)
            for name, weight in scores.weights.items()
        }
        return Scores(bias, weights)


def scale_between(first: Array, second: Array, names: Sequence[str]) -> Scale:
    """The lines that give the columns of one table the means and spreads of another."""
    spread = first.std(axis=0)
    factors = np.where(spread > 0, second.std(axis=0) / np.where(spread > 0, spread, 1), 1.0)
    shifts = second.mean(axis=0) - factors * first.mean(axis=0)
    return Scale(
        dict(zip(names, map(float, factors), strict=True)),
        dict(zip(names, map(float, shifts), strict=True)),
    )
