"""The open search of `trope train rewriting`: how near words have to be, and their final order.

The vectors are those of the ranker's own source, also where weights were learnt on a teacher's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from trope.tasks.rewriting.features import CHEAP, CONTEXT, cheap_features
from trope.tasks.rewriting.inventory import WordInventory, read_inventory
from trope.tasks.rewriting.ranker import SUBSTITUTION, LinearScores, SubstituteRanker, only_nearest
from trope.tasks.rewriting.ranker_training import (
    Floats,
    JudgedList,
    folds_of,
    learn_directions,
    with_copies,
)
from trope.tasks.rewriting.rewriter import SHORTLISTED
from trope.tasks.rewriting.task import DIRECTIONS, WordPlace
from trope.tasks.rewriting.training_data import JudgedHeadline
from trope.train.rewriting.run import RewritingRun

_MIXES = (0.5, 1.0, 2.0, 4.0, 8.0)
_NEAREST = (50, 100, 200, 400, 800, 10_000)
"""How many words, those that say the same best, may be offered; the last one means all."""

SHORTLIST_PENALTY = 30.0
_FOLDS = 5
_TOP = 20
Hits = dict[str, dict[float, list[bool]]]


@dataclass(frozen=True, slots=True)
class RankerLessons:
    """What rankers are learnt from: judged lists, the same among strangers, what says the same.

    `copies` are the judged lists, each time with other errors in what was read in place.
    """

    kind: str
    copies: Sequence[Sequence[JudgedList]]
    short: Sequence[JudgedList]
    same_short: LinearScores
    same_rank: LinearScores
    penalty: float

    def ranker(self, at: Iterable[int]) -> SubstituteRanker:
        """A ranker that has seen the lists with these numbers alone."""
        chosen = list(at)
        learnt, lists, own = with_copies(self.copies, chosen)
        short = [self.short[n] for n in chosen]
        names = (*CHEAP, SUBSTITUTION)
        shortlist = learn_directions(
            short, learnt, names, own=own[: len(short)], penalty=SHORTLIST_PENALTY, here=False
        )
        names = (*CHEAP, *CONTEXT, SUBSTITUTION)
        rank = learn_directions(lists, learnt, names, own=own, penalty=self.penalty, here=True)
        return SubstituteRanker(
            self.kind,
            {SUBSTITUTION: self.same_short, **shortlist},
            {SUBSTITUTION: self.same_rank, **rank},
            learnt.priors,
            {},
            pairs=learnt.pairs,
        )


def choose_nearest(
    run: RewritingRun, headlines: Sequence[JudgedHeadline], lessons: RankerLessons
) -> dict[str, int]:
    """How many words may be offered so that accepted verbs are still among the first 20.

    The fewest are taken that do as well: what people accepted for other headlines should not be
    offered for this one if it says something else.
    """
    inventory = read_inventory("VERB")
    hits: Hits = {d: {float(n): [] for n in _NEAREST} for d in DIRECTIONS}
    for partial, held_out in _folds(run, headlines, lessons):
        for headline in held_out:
            place, direction = headline.place, headline.direction
            same = partial.shortlist_scores(place, inventory, SUBSTITUTION)
            scores = partial.shortlist_scores(place, inventory, direction)
            for number in _NEAREST:
                rows = np.argsort(-only_nearest(scores, same, number))[: _TOP + 1]
                words = [inventory.lemmas[row] for row in without_own(rows, inventory, place)]
                hits[direction][number].append(not headline.right.isdisjoint(words[:_TOP]))
    chosen = _chosen(run, hits, "words that may be offered")
    return {direction: int(number) for direction, number in chosen.items()}


def choose_mix(
    run: RewritingRun,
    headlines: Sequence[JudgedHeadline],
    lessons: RankerLessons,
    nearest: dict[str, int],
) -> dict[str, float]:
    """The share of the shortlist that puts an accepted verb among the first 20 most often."""
    hits: Hits = {d: {m: [] for m in _MIXES} for d in DIRECTIONS}
    for partial, held_out in _folds(run, headlines, lessons):
        chosen = held_out[: max(1, run.sizes.open_headlines // _FOLDS)]
        ranker = msgspec.structs.replace(partial, nearest=nearest)
        for headline, found in zip(chosen, _open_scores(run, ranker, chosen), strict=True):
            for mix in _MIXES:
                order = np.argsort(-(found.rank + mix * found.shortlist))[:_TOP]
                hit = any(found.lemmas[row] in headline.right for row in order)
                hits[headline.direction][mix].append(hit)
    return {SUBSTITUTION: 1.0, **_chosen(run, hits, "share of the shortlist")}


def _folds(
    run: RewritingRun, headlines: Sequence[JudgedHeadline], lessons: RankerLessons
) -> Iterator[tuple[SubstituteRanker, list[JudgedHeadline]]]:
    """Headlines with a ranker that has not seen them."""
    folds = folds_of([headline.id for headline in headlines], _FOLDS, run.seed)
    for fold in range(_FOLDS):
        partial = lessons.ranker(at for at, own in enumerate(folds) if own != fold)
        yield partial, [headlines[at] for at, own in enumerate(folds) if own == fold]


def _chosen(run: RewritingRun, hits: Hits, what: str) -> dict[str, float]:
    """For each direction the smallest value that is as good as the best, and a word on all."""
    chosen = {}
    for direction, by_value in hits.items():
        shares = {value: float(np.mean(found)) for value, found in by_value.items() if found}
        chosen[direction] = _smallest_as_good(shares, len(next(iter(by_value.values()))))
        shown = ", ".join(f"{value:g}: {share:.3f}" for value, share in shares.items())
        run.say(f"{direction}, accepted among the first {_TOP} by {what}: {shown}")
    return chosen


def _smallest_as_good(shares: dict[float, float], number: int) -> float:
    """The smallest value within one standard error of the best: meaning should count."""
    best = max(shares.values(), default=0.0)
    error = (best * (1 - best) / max(1, number)) ** 0.5
    return min((value for value, share in shares.items() if share >= best - error), default=1.0)


@dataclass(frozen=True, slots=True)
class _Open:
    """The words that a shortlist left, with both scores."""

    lemmas: tuple[str, ...]
    shortlist: Floats
    rank: Floats


def _open_scores(
    run: RewritingRun, ranker: SubstituteRanker, headlines: Sequence[JudgedHeadline]
) -> list[_Open]:
    inventory = read_inventory("VERB")
    lists, shortlists = [], []
    for headline in headlines:
        scores = ranker.shortlist_scores(headline.place, inventory, headline.direction)
        best = np.argsort(-scores)[: min(SHORTLISTED + 1, np.isfinite(scores).sum())]
        rows = without_own(best, inventory, headline.place)[:SHORTLISTED]
        lists.append((headline.place, inventory.take(rows)))
        shortlists.append(scores[rows])
    asked = [(place, [place.fitted(word) for word in words.lemmas]) for place, words in lists]
    contexts = run.read(asked)
    found = []
    for headline, (place, words), context, shortlist in zip(
        headlines, lists, contexts, shortlists, strict=True
    ):
        cheap = cheap_features(place, words)
        rank = ranker.rank_columns(cheap, context, place.lemma, words.lemmas, headline.direction)
        found.append(_Open(words.lemmas, shortlist, rank))
    return found


def without_own(rows: Iterable[int], inventory: WordInventory, place: WordPlace) -> list[int]:
    """The rows of an inventory but that of the word that stands in the place."""
    return [int(row) for row in rows if inventory.lemmas[row] != place.lemma]
