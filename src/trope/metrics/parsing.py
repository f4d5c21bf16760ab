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
from trope.metrics.classification import Counts, count_sets
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
    obj: Counts
    nsubj: Counts
    verb_object: Counts


SHARES: Mapping[str, Callable[[ParseCounts], Share]] = {
    "upos": lambda c: Share(c.upos, c.words, n=c.words),
    "uas": lambda c: Share(c.uas, c.words, n=c.words),
    "las": lambda c: Share(c.las, c.words, n=c.words),
    "las_full": lambda c: Share(c.las_full, c.words, n=c.words),
    "lemma": lambda c: Share(c.lemma, c.lemmas, n=c.lemmas),
    "obj_f": lambda c: _f(c.obj),
    "nsubj_f": lambda c: _f(c.nsubj),
    "vo_f": lambda c: _f(c.verb_object),
}
"""Score → what a sentence adds to it; the score is the ratio of the sums."""


_NOUNS = frozenset({"NOUN", "PROPN"})


def _f(counts: Counts) -> Share:
    return Share(2 * counts.right, counts.predicted + counts.gold, n=counts.gold)


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
        obj=_arcs("obj", gold, parse),
        nsubj=_arcs("nsubj", gold, parse),
        verb_object=_arcs("obj", gold, parse, ("VERB", _NOUNS)),
    )


def _arcs(
    relation: str,
    gold: Sequence[GoldWord],
    parse: Parse,
    tags: tuple[str, frozenset[str]] | None = None,
) -> Counts:
    """The arcs of a relation; of those with these tags of head and dependent, if they are given."""

    def found(
        heads: Sequence[int], relations: Sequence[str], upos: Sequence[str]
    ) -> list[tuple[int, int]]:
        return [
            (at, head)
            for at, (head, own) in enumerate(zip(heads, relations, strict=True))
            if universal(own) == relation
            and (tags is None or (head != ROOT and upos[head] == tags[0] and upos[at] in tags[1]))
        ]

    ours = found(parse.heads, parse.deprels, parse.upos)
    theirs = found(
        [word.head for word in gold],
        [word.deprel for word in gold],
        [word.upos for word in gold],
    )
    return count_sets(theirs, ours)


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
