"""All about one word of an analysed text, for the panel beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trope.core.records import Analysis, SentenceSpan, Token
from trope.render import feelings, names, pieces, rewritings
from trope.tasks.rewriting.rewriter import Rewriting
from trope.workbench.refused import Refused


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A word next to another in the tree."""

    number: int
    text: str
    deprel: str


@dataclass(frozen=True, slots=True)
class WordFacts:
    """What is known of a word; the parts that are HTML are escaped already."""

    number: int
    token: Token
    metaphor: bool
    head: Neighbour | None
    dependents: tuple[Neighbour, ...]
    relations: str
    names: str
    tree: str
    sentence: str
    figurative: float | None
    sentence_metaphorical: bool
    feeling: str


def word_facts(analysis: Analysis, number: int) -> WordFacts:
    """The facts of the word at a place.

    Raises:
        Refused: where the text has no such word.
    """
    if not 0 <= number < len(analysis.tokens):
        words = len(analysis.tokens)
        raise Refused(404, "no-such-word", f"the text has {words} words, and no word {number}")
    place, sentence = sentence_of(analysis, number)
    token = analysis.tokens[number]
    inside = range(sentence.first, sentence.last)
    relations = analysis.relations_in(sentence)
    own = [r for r in relations if number in (r.verb, r.subject, r.object, r.particle)]
    here = names.names_within(sentence, analysis)
    score = analysis.figurative[place] if analysis.figurative else None
    felt = analysis.sentence_sentiments[place] if analysis.sentence_sentiments else None
    return WordFacts(
        number=number,
        token=token,
        metaphor=analysis.is_metaphor(number),
        head=_neighbour(analysis, token.head, token.deprel) if token.head in inside else None,
        dependents=tuple(
            _neighbour(analysis, at, analysis.tokens[at].deprel)
            for at in inside
            if analysis.tokens[at].head == number
        ),
        relations="".join(pieces.relation_item(r, analysis, unfolded=True) for r in own),
        names="".join(names.listed(names.names_over(token, here), analysis)),
        tree="".join(pieces.tree(sentence, analysis)),
        sentence=analysis.text[sentence.start : sentence.end],
        figurative=score,
        sentence_metaphorical=score is not None and score >= analysis.sentence_threshold,
        feeling="" if felt is None else feelings.signed(felt),
    )


def sentence_of(analysis: Analysis, number: int) -> tuple[int, SentenceSpan]:
    """The sentence that a word belongs to, with its place in the text."""
    for place, sentence in enumerate(analysis.sentences):
        if number < sentence.last:
            return place, sentence
    raise AssertionError("every word is in a sentence")


def listed_rewritings(sentence: str, found: Sequence[Rewriting]) -> str:
    """Candidates for verbs of a sentence as lists that unfold."""
    whole = SentenceSpan(0, len(sentence), 0, 0)
    return "".join(rewritings.listed(whole, found))


def _neighbour(analysis: Analysis, number: int, deprel: str) -> Neighbour:
    return Neighbour(number, analysis.tokens[number].text, deprel)
