"""The open search of `trope train rewriting`: how much the shortlist counts in the final order.

The vectors are those of the ranker's own source, also where weights were learnt on a teacher's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from trope.tasks.rewriting.features import CHEAP, CONTEXT, cheap_features, contexts_features
from trope.tasks.rewriting.headlines import JudgedHeadline
from trope.tasks.rewriting.inventory import Inventory, read_inventory
from trope.tasks.rewriting.learning import (
    JudgedList,
    folds_of,
    learn_directions,
    learn_priors,
    own_parts,
)
from trope.tasks.rewriting.logistic import Floats
from trope.tasks.rewriting.ranker import SUBSTITUTION, Ranker, Scores
from trope.tasks.rewriting.rewriter import SHORTLISTED
from trope.tasks.rewriting.task import DIRECTIONS, Place
from trope.train.rewriting_run import Run

MIXES = (0.5, 1.0, 2.0, 4.0, 8.0)
SHORTLIST_PENALTY = 30.0
FOLDS = 5
TOP = 20


@dataclass(frozen=True, slots=True)
class Lessons:
    """What rankers are learnt from: judged lists, the same among strangers, what says the same."""

    kind: str
    lists: Sequence[JudgedList]
    short: Sequence[JudgedList]
    same_short: Scores
    same_rank: Scores
    penalty: float

    def ranker(self, at: Iterable[int]) -> Ranker:
        """A ranker that has seen the lists with these numbers alone."""
        chosen = list(at)
        lists, short = [self.lists[n] for n in chosen], [self.short[n] for n in chosen]
        priors, own = learn_priors(lists), own_parts(lists)
        names = (*CHEAP, SUBSTITUTION)
        shortlist = learn_directions(
            short, priors, names, own=own, penalty=SHORTLIST_PENALTY, here=False
        )
        names = (*CHEAP, *CONTEXT, SUBSTITUTION)
        rank = learn_directions(lists, priors, names, own=own, penalty=self.penalty, here=True)
        return Ranker(
            self.kind,
            {SUBSTITUTION: self.same_short, **shortlist},
            {SUBSTITUTION: self.same_rank, **rank},
            priors,
            {},
        )


def choose_mix(run: Run, headlines: Sequence[JudgedHeadline], lessons: Lessons) -> dict[str, float]:
    """The share of the shortlist that serves best for an accepted verb among the first 20."""
    folds = folds_of([headline.id for headline in headlines], FOLDS, run.seed)
    hits: dict[str, dict[float, list[bool]]] = {d: {m: [] for m in MIXES} for d in DIRECTIONS}
    for fold in range(FOLDS):
        partial = lessons.ranker(at for at, own in enumerate(folds) if own != fold)
        held_out = [headlines[at] for at, own in enumerate(folds) if own == fold]
        held_out = held_out[: max(1, run.sizes.open_headlines // FOLDS)]
        for headline, found in zip(held_out, _open_scores(run, partial, held_out), strict=True):
            wanted = {w for w, a in zip(headline.lemmas, headline.accepted, strict=True) if a}
            for mix in MIXES:
                order = np.argsort(-(found.rank + mix * found.shortlist))[:TOP]
                hit = any(found.lemmas[row] in wanted for row in order)
                hits[headline.direction][mix].append(hit)
    chosen: dict[str, float] = {SUBSTITUTION: 1.0}
    for direction, by_mix in hits.items():
        shares = {mix: float(np.mean(found)) for mix, found in by_mix.items() if found}
        chosen[direction] = _smallest_as_good(shares, len(by_mix[MIXES[0]]))
        told = ", ".join(f"{mix:g}: {share:.3f}" for mix, share in shares.items())
        run.say(f"{direction}, accepted among the first {TOP} by share of the shortlist: {told}")
    return chosen


def _smallest_as_good(shares: dict[float, float], number: int) -> float:
    """The smallest mix within one standard error of the best: reading in place should count."""
    best = max(shares.values(), default=0.0)
    error = (best * (1 - best) / max(1, number)) ** 0.5
    return min((mix for mix, share in shares.items() if share >= best - error), default=1.0)


@dataclass(frozen=True, slots=True)
class _Open:
    """The words that a shortlist left, with both scores."""

    lemmas: tuple[str, ...]
    shortlist: Floats
    rank: Floats


def _open_scores(run: Run, ranker: Ranker, headlines: Sequence[JudgedHeadline]) -> list[_Open]:
    inventory = read_inventory("VERB")
    lists, shortlists = [], []
    for headline in headlines:
        scores = ranker.shortlist_scores(headline.place, inventory, headline.direction)
        best = [int(row) for row in np.argsort(-scores)[: SHORTLISTED + 1]]
        rows = without_own(best, inventory, headline.place)[:SHORTLISTED]
        lists.append((headline.place, inventory.take(rows)))
        shortlists.append(scores[rows])
    asked = [(place, [place.fitted(word) for word in words.lemmas]) for place, words in lists]
    contexts = contexts_features(asked, run.meanings)
    found = []
    for headline, (place, words), context, shortlist in zip(
        headlines, lists, contexts, shortlists, strict=True
    ):
        cheap = cheap_features(place, words)
        rank = ranker.rank_columns(cheap, context, words.lemmas, headline.direction)
        found.append(_Open(words.lemmas, shortlist, rank))
    return found


def without_own(rows: Sequence[int], inventory: Inventory, place: Place) -> list[int]:
    """The rows of an inventory but that of the word that stands in the place."""
    return [row for row in rows if inventory.lemmas[row] != place.lemma]
