"""Scores of tags, trees and lemmas on sentences whose words are given.

As in the scorer of the CoNLL 2018 shared task, every word counts, punctuation too, and a labelled
arc is right when head and universal relation are (`nmod:poss` counts as `nmod`). Words whose gold
lemma is "_" have none to be right about and are left out of the lemma score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from trope.core.errors import BadInput
from trope.core.records import ROOT, Parse
from trope.metrics.figures import Share


class GoldWord(Protocol):
    """A word of a treebank, as the scores read it."""

    @property
    def form(self) -> str:
        """The word as written."""

    @property
    def lemma(self) -> str:
        """Its base form, "_" for none."""

    @property
    def upos(self) -> str:
        """Its universal tag."""

    @property
    def head(self) -> int:
        """The position of its head, -1 for the root."""

    @property
    def deprel(self) -> str:
        """Its relation to the head."""


@dataclass(frozen=True, slots=True)
class ParseCounts:
    """What one sentence adds to the scores; the fields after `words` count right answers."""

    words: int
    upos: int
    uas: int
    las: int
    las_full: int
    lemmas: int
    lemma: int
    obj_gold: int
    obj_parsed: int
    obj: int


SHARES: Mapping[str, Callable[[ParseCounts], Share]] = {
    "upos": lambda c: Share(c.upos, c.words, n=c.words),
    "uas": lambda c: Share(c.uas, c.words, n=c.words),
    "las": lambda c: Share(c.las, c.words, n=c.words),
    "las_full": lambda c: Share(c.las_full, c.words, n=c.words),
    "lemma": lambda c: Share(c.lemma, c.lemmas, n=c.lemmas),
    "obj_f": lambda c: Share(2 * c.obj, c.obj_gold + c.obj_parsed, n=c.obj_gold),
}
"""Score → what a sentence adds to it; the score is the ratio of the sums."""


def universal(deprel: str) -> str:
    """The relation without its subtype."""
    return deprel.split(":", 1)[0]


def score_parse(gold: Sequence[GoldWord], parse: Parse) -> ParseCounts:
    """The counts of one sentence.

    Raises:
        BadInput: where the parse has another number of words than the gold sentence.
    """
    if len(gold) != len(parse):
        raise BadInput(f"{len(gold)} gold words but {len(parse)} parsed ones; parse the gold words")
    heads = [word.head == head for word, head in zip(gold, parse.heads, strict=True)]
    relations = [universal(deprel) for deprel in parse.deprels]
    wanted = [universal(word.deprel) for word in gold]
    lemmas = [word.lemma != "_" for word in gold]
    return ParseCounts(
        words=len(gold),
        upos=sum(word.upos == tag for word, tag in zip(gold, parse.upos, strict=True)),
        uas=sum(heads),
        las=sum(h and a == b for h, a, b in zip(heads, wanted, relations, strict=True)),
        las_full=sum(
            h and word.deprel == b for h, word, b in zip(heads, gold, parse.deprels, strict=True)
        ),
        lemmas=sum(lemmas),
        lemma=sum(
            has and word.lemma == lemma
            for has, word, lemma in zip(lemmas, gold, parse.lemmas, strict=True)
        ),
        obj_gold=wanted.count("obj"),
        obj_parsed=relations.count("obj"),
        obj=sum(h and a == b == "obj" for h, a, b in zip(heads, wanted, relations, strict=True)),
    )


def chain_parse(words: Sequence[str]) -> Parse:
    """A parse without knowledge of the sentence, a control.

    Every word is a noun, hangs on the word before it as its object, and is its own lemma in
    lower case.
    """
    return Parse(
        words=tuple(words),
        upos=("NOUN",) * len(words),
        xpos=("NN",) * len(words),
        lemmas=tuple(word.lower() for word in words),
        heads=tuple(range(ROOT, len(words) - 1)),
        deprels=("root", *["obj"] * (len(words) - 1))[: len(words)],
    )
