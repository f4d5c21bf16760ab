"""Rewriting: a word of a sentence, and words that could replace it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from trope.core.records import Parse
from trope.corpora.substitution import SubstitutionTarget
from trope.lexicon.inflection import inflect, lemma
from trope.lexicon.wordlists import shipped_words
from trope.text import read

if TYPE_CHECKING:
    from trope.encoder.base import SentenceVerdict

Direction = Literal["literal", "metaphorical"]
"""What a rewriting makes of a word: plain of a metaphor (interpretation), or a metaphor of plain
words (generation)."""

DIRECTIONS: tuple[Direction, ...] = ("literal", "metaphorical")
TREES = ("syntax",)
_VERB_FORMS = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")


class TaskParser(Protocol):
    """Parses sentences that are split into words."""

    def parse(
        self, sentences: Sequence[Sequence[str]], tasks: Sequence[str] | None = None
    ) -> list[Parse]:
        """A tree for each sentence, and what else is asked for (all that there is)."""


class MetaphorJudge(Protocol):
    """A metaphor detector: the heads of an encoder."""

    def verdicts(self, sentences: Sequence[Sequence[str]]) -> list[SentenceVerdict]:
        """The scores of each sentence."""


@dataclass(frozen=True, slots=True)
class WordPlace:
    """The word `parse.words[at]` of a sentence, for which others may stand."""

    parse: Parse
    at: int
    part: str = ""
    base: str = ""

    @property
    def word(self) -> str:
        """The word as it stands there."""
        return self.parse.words[self.at]

    @property
    def lemma(self) -> str:
        """Its base form in small letters."""
        return (self.base or self.parse.lemmas[self.at]).lower()

    @property
    def upos(self) -> str:
        """VERB, NOUN, ADJ or ADV, as given, or as the parser tags it."""
        return self.part or self.parse.upos[self.at]

    @property
    def form(self) -> str:
        """The Penn tag that a substitute has to be inflected for."""
        tag = self.parse.xpos[self.at]
        if self.upos != "VERB" or tag in _VERB_FORMS:
            return tag
        small = self.word.lower()
        endings = {"ing": "VBG", "ed": "VBD", "s": "VBZ"}
        return next((tag for ending, tag in endings.items() if small.endswith(ending)), "VB")

    def fitted(self, lemma: str) -> str:
        """A base form inflected for this place and written in the case of its word."""
        return in_case_of(inflect(lemma, self.form), self.word)

    def with_word(self, form: str) -> tuple[str, ...]:
        """The sentence with another word in the place."""
        words = self.parse.words
        return (*words[: self.at], form, *words[self.at + 1 :])


def in_case_of(form: str, word: str) -> str:
    """A word in capitals, with a first capital or in small letters, as another one is written."""
    if word.isupper() and len(word) > 1:
        return form.upper()
    return form[:1].upper() + form[1:] if word[:1].isupper() else form


def verb_base(form: str) -> str:
    """The base form of a word that is read as a verb, in any form."""
    small = form.lower()
    known = shipped_words()
    if small in known.verbs:
        return small
    irregular = known.past.get(small) or known.participle.get(small)
    if irregular:
        return irregular
    endings = {"ing": "VBG", "ed": "VBD", "s": "VBZ"}
    tag = next((tag for ending, tag in endings.items() if small.endswith(ending)), "VB")
    return lemma(small, "VERB", tag) or small


def places_of(targets: Sequence[SubstitutionTarget], parser: TaskParser) -> list[WordPlace]:
    """The words of a substitution set in their sentences, read in one go."""
    cuts = [_sentence(target) for target in targets]
    parses = parser.parse([words for words, _ in cuts], TREES)
    return [
        WordPlace(parse, at, target.upos, target.lemma)
        for target, (_, at), parse in zip(targets, cuts, parses, strict=True)
    ]


def _sentence(target: SubstitutionTarget) -> tuple[list[str], int]:
    """The words of the target's sentence, and the place of the target among them."""
    for sentence in read(target.text, "plain").sentences:
        inside = [
            at
            for at, word in enumerate(sentence.words)
            if word.start < target.end and word.end > target.start
        ]
        if inside:
            return [word.text for word in sentence.words], inside[0]
    return [target.word], 0
