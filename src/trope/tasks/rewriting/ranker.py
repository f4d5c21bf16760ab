"""The ranker: linear scores over named features, in a file that people can read.

Three questions have weights of their own: `substitution` (any word that says the same), `literal`
and `metaphorical`. Each is asked twice: of a whole inventory, by features that need no reading in
place (`shortlist`), and of the best of these, read in place (`rank`). A feature whose name ends in
"~" is compared with its mean over the candidates of the same place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from trope.core.errors import BadModel, MissingData
from trope.core.files import atomic_write
from trope.tasks.rewriting.features import CHEAP, CONTEXT, cheap_features, context_features
from trope.tasks.rewriting.inventory import WordInventory, framed_vectors
from trope.tasks.rewriting.meaning import Array, Meanings
from trope.tasks.rewriting.task import WordPlace
from trope.tasks.rewriting.verb_pairs import PAIR_FEATURES, VerbPairs, likeness

SUBSTITUTION = "substitution"
PRIOR_FEATURES = ("accepted", "accepted_any", "judged", "accepted_near", "judged_near")
"""How often people accepted the word elsewhere, in this direction and in any; how often they judged
it; and the first and the last for all verbs, weighted by their similarity to the word."""

_PRIOR_WEIGHT = 2.0
"""This many neutral judgments are added to those of a word."""

CENTRED = "~"
FOLDER = Path(__file__).with_name("weights")

Floats = npt.NDArray[np.float64]


class LinearScores(msgspec.Struct, frozen=True):
    """A linear function of named features."""

    bias: float
    weights: dict[str, float]

    def of(self, columns: Mapping[str, Floats]) -> Floats:
        """The score of each candidate of one place."""
        total = np.full(len(next(iter(columns.values()))), self.bias)
        for name, weight in self.weights.items():
            column = columns[name.removesuffix(CENTRED)]
            total += weight * (column - column.mean() if name.endswith(CENTRED) else column)
        return total


class SubstituteRanker(msgspec.Struct, frozen=True, dict=True):
    """What `trope train rewriting` learns.

    `priors` has, for each direction, how often each word was judged and by how much more often
    than others it was accepted, `pairs` the same of a word in the place of another; `mix` is the
    share of the shortlist's score in the final one; `nearest` is how many words, those nearest in
    meaning, may be offered.
    """

    meanings: str
    shortlist: dict[str, LinearScores]
    rank: dict[str, LinearScores]
    priors: dict[str, dict[str, tuple[float, float]]]
    mix: dict[str, float]
    nearest: dict[str, int] = {}
    pairs: VerbPairs | None = None

    def shortlist_scores(self, place: WordPlace, inventory: WordInventory, question: str) -> Floats:
        """Log-odds of every word of an inventory, without reading it in the place.

        Words with another meaning, which are not offered, have minus infinity.
        """
        columns = columns_by_name(cheap_features(place, inventory), CHEAP)
        same = self.shortlist[SUBSTITUTION].of(columns)
        if question == SUBSTITUTION:
            return same
        acceptance = columns_by_name(
            self._inventory_priors(inventory.lemmas, question), PRIOR_FEATURES
        )
        acceptance |= self._pair_features(place.lemma, inventory.lemmas, question)
        scores = self.shortlist[question].of({**columns, **acceptance, SUBSTITUTION: same})
        return only_nearest(scores, same, self.nearest.get(question, len(same)))

    def _inventory_priors(self, lemmas: tuple[str, ...], question: str) -> Array:
        """The acceptance of the words of an inventory, which is the same for every place."""
        known = self._known_priors
        if (lemmas, question) not in known:
            known[lemmas, question] = prior_features(self.priors, lemmas, question)
        return known[lemmas, question]

    @cached_property
    def _known_priors(self) -> dict[tuple[tuple[str, ...], str], Array]:
        return {}

    def rank_scores(
        self,
        lists: Sequence[tuple[WordPlace, WordInventory]],
        question: str,
        meanings: Meanings,
        forms: Sequence[Sequence[str]] | None = None,
    ) -> list[Floats]:
        """Log-odds of the candidates of each place, read there; `forms` as they would stand."""
        if forms is None:
            forms = [[place.fitted(word) for word in words.lemmas] for place, words in lists]
        read = context_features(
            [(place, own) for (place, _), own in zip(lists, forms, strict=True)], meanings
        )
        return [
            self.rank_columns(
                cheap_features(place, words), context, place.lemma, words.lemmas, question
            )
            for (place, words), context in zip(lists, read, strict=True)
        ]

    def rank_columns(
        self, cheap: Array, context: Array, word: str, lemmas: Sequence[str], question: str
    ) -> Floats:
        """Log-odds of the candidates of one place, for its word, from their features."""
        columns = {**columns_by_name(cheap, CHEAP), **columns_by_name(context, CONTEXT)}
        if question == SUBSTITUTION:
            return self.rank[SUBSTITUTION].of(columns)
        columns[SUBSTITUTION] = self.rank[SUBSTITUTION].of(columns)
        columns |= columns_by_name(prior_features(self.priors, lemmas, question), PRIOR_FEATURES)
        columns |= self._pair_features(word, lemmas, question)
        return self.rank[question].of(columns)

    def _pair_features(self, word: str, lemmas: Sequence[str], question: str) -> dict[str, Floats]:
        if self.pairs is None:
            return {}
        return columns_by_name(self.pairs.features(word, lemmas, question), PAIR_FEATURES)


def only_nearest(scores: Floats, same: Floats, number: int) -> Floats:
    """The scores of the words nearest in meaning, minus infinity for all others."""
    if number >= len(same):
        return scores
    limit = np.partition(same, len(same) - number)[len(same) - number]
    return np.where(same >= limit, scores, -np.inf)


def columns_by_name(table: npt.ArrayLike, names: Sequence[str]) -> dict[str, Floats]:
    """The columns of a table by name."""
    return dict(zip(names, np.asarray(table, dtype=np.float64).T, strict=True))


def prior_features(
    priors: Mapping[str, Mapping[str, tuple[float, float]]],
    lemmas: Sequence[str],
    question: str,
    without: Mapping[str, tuple[float, float]] | None = None,
) -> Array:
    """[word, PRIOR_FEATURES]; `without` is what the words' own headline added, in training."""
    rows = []
    near = _near(priors.get(question, {}), lemmas, without or {})
    for lemma, (judged_near, excess_near) in zip(lemmas, near, strict=True):
        judged, excess = priors.get(question, {}).get(lemma, (0.0, 0.0))
        all_judged = sum(prior.get(lemma, (0.0, 0.0))[0] for prior in priors.values())
        all_excess = sum(prior.get(lemma, (0.0, 0.0))[1] for prior in priors.values())
        own = (without or {}).get(lemma, (0.0, 0.0))
        judged, excess = judged - own[0], excess - own[1]
        all_judged, all_excess = all_judged - own[0], all_excess - own[1]
        rows.append(
            (
                excess / (judged + _PRIOR_WEIGHT),
                all_excess / (all_judged + _PRIOR_WEIGHT),
                math.log(1 + judged),
                excess_near / (judged_near + _PRIOR_WEIGHT),
                math.log(1 + judged_near),
            )
        )
    return np.array(rows, dtype=np.float32).reshape(len(lemmas), len(PRIOR_FEATURES))


def _near(
    known: Mapping[str, tuple[float, float]],
    lemmas: Sequence[str],
    without: Mapping[str, tuple[float, float]],
) -> Floats:
    """[word, 2]: what was judged, and the excess of acceptance, of all verbs like each word."""
    if not known:
        return np.zeros((len(lemmas), 2))
    words = framed_vectors(lemmas)
    found = likeness(words, _framed(tuple(known))) @ np.array(list(known.values()))
    if without:
        own = likeness(words, framed_vectors(tuple(without)))
        found -= own @ np.array(list(without.values()))
    # subtraction may leave less than 0
    return np.asarray(np.maximum(found, [0.0, -np.inf]), dtype=np.float64)


@lru_cache(maxsize=16)
def _framed(lemmas: tuple[str, ...]) -> Array:
    """The vectors of all verbs that people judged, which are asked for again and again."""
    return framed_vectors(lemmas)


def ranker_file(kind: str) -> Path:
    """Where the shipped ranker for a source of meanings lies."""
    return FOLDER / f"{kind}.json"


@cache
def read_ranker(path: Path) -> SubstituteRanker:
    """The ranker of a file, read once.

    Raises:
        MissingData: where there is none.
        BadModel: where the file holds something else.
    """
    if not path.is_file():
        raise MissingData(path, "train it with `trope train rewriting`")
    try:
        return msgspec.json.decode(path.read_bytes(), type=SubstituteRanker)
    except msgspec.MsgspecError as error:
        raise BadModel(path, f"holds no ranker ({error}); train or install it again") from None


def write_ranker(ranker: SubstituteRanker, path: Path) -> None:
    """Write the ranker to a file atomically, one weight per line."""
    with atomic_write(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(ranker), indent=1).decode() + "\n")
