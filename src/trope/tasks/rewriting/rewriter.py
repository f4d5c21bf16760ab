"""From a sentence and one of its verbs to candidates: shortlist, reading in place, order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.errors import BadInput
from trope.core.records import Parse
from trope.encoder.session import Encoder
from trope.lexicon.verbs import shipped_verbs
from trope.tasks.figures.idioms import find_idioms
from trope.tasks.rewriting.features import CHEAP, CONTEXT, cheap_features, context_features
from trope.tasks.rewriting.inventory import WordInventory, read_inventory
from trope.tasks.rewriting.meaning import Array, Meanings, open_meanings
from trope.tasks.rewriting.ranker import (
    SUBSTITUTION,
    Floats,
    SubstituteRanker,
    columns_by_name,
    ranker_file,
    read_ranker,
)
from trope.tasks.rewriting.task import Direction, WordPlace
from trope.tasks.rewriting.user_candidates import RefusedWord

SHORTLISTED = 40
"""Words of the inventory that are read in the place: what bounds the time of a rewriting."""


_OWN = 3  # spellings that the word of the place may have itself


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate for a place, and why it is offered.

    `score` orders the candidates (log-odds). `fit` is how well the verb goes with its subject,
    object and pattern, `meaning` how near the sentence stays (cosine of the word in its place),
    `metaphor` the probability that it is a metaphor there.
    """

    form: str
    lemma: str
    score: float
    fit: float
    meaning: float
    metaphor: float
    text: str


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A verb of a text, `text[start:end]`, and candidates for it, the best first.

    `refused` are words that the user handed over but that cannot be ranked.
    """

    verb: str
    lemma: str
    start: int
    end: int
    to: Direction
    metaphor: float
    candidates: tuple[Candidate, ...]
    refused: tuple[RefusedWord, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedWords:
    """The words that a shortlist left, in the final order."""

    lemmas: tuple[str, ...]
    scores: tuple[float, ...]
    fits: tuple[float, ...]
    meanings: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Words for a place, the best first, with their scores before they are read there."""

    place: WordPlace
    words: WordInventory
    scores: Floats

    @property
    def forms(self) -> list[str]:
        """The words as they would stand there."""
        return [self.place.fitted(word) for word in self.words.lemmas]

    def take(self, rows: Sequence[int]) -> Shortlist:
        """Some of the words."""
        return Shortlist(self.place, self.words.take(rows), self.scores[list(rows)])


class Rewriter:
    """Candidates for words in places. Can be reused."""

    def __init__(self, ranker: SubstituteRanker, meanings: Meanings) -> None:
        if ranker.meanings != meanings.kind:
            raise BadInput(
                f"the ranker was trained on {ranker.meanings!r} vectors, not on "
                f"{meanings.kind!r}; train it with `trope train rewriting`"
            )
        self.ranker = ranker
        self.meanings = meanings

    def rank_many(
        self,
        places: Sequence[WordPlace],
        question: str,
        *,
        top: int,
        shortlisted: int = SHORTLISTED,
        inventory: WordInventory | None = None,
    ) -> list[RankedWords]:
        """The best words for each place, read in one go."""
        words = self.shortlists(places, question, number=shortlisted, inventory=inventory)
        return self.read(words, question, top=top)

    def shortlists(
        self,
        places: Sequence[WordPlace],
        question: str,
        *,
        number: int,
        inventory: WordInventory | None = None,
    ) -> list[Shortlist]:
        """So many words for each place, the best first, by what needs no reading in place."""
        found = []
        for place in places:
            words = inventory or read_inventory(place.upos)
            scores = self.ranker.shortlist_scores(place, words, question)
            rows = _best(scores, words, place, number)
            found.append(Shortlist(place, words.take(rows), scores[rows]))
        return found

    def rank_given(
        self, places: Sequence[WordPlace], given: Sequence[WordInventory], question: str
    ) -> list[RankedWords]:
        """All words of a list for each place, ranked by reading them there."""
        lists = [
            Shortlist(p, own, np.zeros(len(own))) for p, own in zip(places, given, strict=True)
        ]
        return self.read(lists, question)

    def read(
        self, lists: Sequence[Shortlist], question: str, *, top: int | None = None
    ) -> list[RankedWords]:
        """The words of each list, read in their place, in the final order."""
        contexts = context_features([(own.place, own.forms) for own in lists], self.meanings)
        return [
            self._ordered(own.place, own.words, context, own.scores, question, top)
            for own, context in zip(lists, contexts, strict=True)
        ]

    def _ordered(
        self,
        place: WordPlace,
        words: WordInventory,
        context: Array,
        shortlist: Floats,
        question: str,
        top: int | None,
    ) -> RankedWords:
        """The words of a shortlist in the final order."""
        if not len(words):
            return RankedWords((), (), (), ())
        cheap = cheap_features(place, words)
        rank = self.ranker.rank_columns(cheap, context, place.lemma, words.lemmas, question)
        final = rank + self.ranker.mix.get(question, 1.0) * shortlist
        columns = columns_by_name(cheap, CHEAP) | columns_by_name(context, CONTEXT)
        order = np.argsort(-final, kind="stable")[:top]
        fit = columns["fits_obj"] + columns["fits_subj"] + columns["fits_frame"]
        return RankedWords(
            tuple(words.lemmas[row] for row in order),
            tuple(float(final[row]) for row in order),
            tuple(float(fit[row]) for row in order),
            tuple(float(columns["word_kept"][row]) for row in order),
        )

    def substitutes(self, places: Sequence[WordPlace], *, top: int = 10) -> list[RankedWords]:
        """Words that say the same, for any part of speech."""
        return self.rank_many(places, SUBSTITUTION, top=top)


def open_rewriter(encoder: Encoder, tier: str, *, base_weights: Path | None = None) -> Rewriter:
    """The shipped ranker of a tier with its source of meanings."""
    meanings = open_meanings(encoder, tier, base_weights=base_weights)
    return Rewriter(read_ranker(ranker_file(meanings.kind)), meanings)


def _best(scores: np.ndarray, words: WordInventory, place: WordPlace, number: int) -> list[int]:
    """The rows with the highest scores, the word of the place itself left out."""
    order = np.argsort(-scores, kind="stable")[: number + _OWN]
    own = _spelling(place.lemma)
    return [
        int(row)
        for row in order
        if np.isfinite(scores[row]) and _spelling(words.lemmas[row]) != own
    ][:number]


def _spelling(lemma: str) -> str:
    """A base form with British and American spelling made equal."""
    return lemma.replace("is", "iz").replace("ys", "yz").replace("our", "or").replace("ll", "l")


def full_verbs(parse: Parse) -> list[int]:
    """The places of verbs that could be rewritten: no auxiliaries, no copulas, no light verbs."""
    verbs = shipped_verbs()
    return [
        at
        for at, (upos, lemma) in enumerate(zip(parse.upos, parse.lemmas, strict=True))
        if upos == "VERB" and lemma.lower() not in verbs.auxiliary
    ]


def idiom_at(parse: Parse, at: int) -> str:
    """The idiom that a verb belongs to; empty where it belongs to none."""
    found = find_idioms(parse, parse.idiom)
    return next((one.entry.pattern for one in found if at in one.tokens), "")


def find_verb(parses: Sequence[Parse], verb: str) -> tuple[int, int]:
    """Sentence and place of the verb that was named, by its form or base form.

    Raises:
        BadInput: where the text has no such verb, or more than one.
    """
    wanted = verb.lower()
    found = [
        (number, at)
        for number, parse in enumerate(parses)
        for at in full_verbs(parse)
        if wanted in (parse.words[at].lower(), parse.lemmas[at].lower())
    ]
    if not found:
        there = [parse.words[at] for parse in parses for at in full_verbs(parse)]
        known = f"its verbs are {', '.join(there)}" if there else "it has no full verb"
        raise BadInput(f"the text has no verb {verb!r}; {known}")
    if len(found) > 1:
        raise BadInput(
            f"the verb {verb!r} occurs {len(found)} times in the text; give the sentence alone"
        )
    return found[0]
