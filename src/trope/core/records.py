"""The records that travel between the layers: frozen, slotted, without behaviour of their own.

Offsets are code points of the original text. Inside a sentence words are counted from 0 and the
head of the root is -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ROOT = -1
"""The head of a sentence's root."""

TextKind = Literal["plain", "tweet", "headline"]
NameClass = Literal["location", "organisation"]
"""What a name is the name of."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word where it stands: `original[start:end] == text`.

    `form` is the spelling that the encoder reads ("very" where the tweet has "verrrry").
    """

    text: str
    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of one sentence; never empty."""

    words: tuple[Word, ...]

    @property
    def start(self) -> int:
        """Where the first word begins."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """Where the last word ends."""
        return self.words[-1].end

    @property
    def forms(self) -> tuple[str, ...]:
        """The spellings that the encoder reads."""
        return tuple(word.form for word in self.words)


@dataclass(frozen=True, slots=True)
class Text:
    """An original text and its sentences; characters between words belong to none."""

    original: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Parse:
    """One sentence read: for every word a tag, a lemma, a head and a relation.

    What was not asked for is empty or None: `upos`, `xpos` and `lemmas` without tags, `heads` and
    `deprels` without a tree, `metaphor` (the probability that a word is a metaphor) and
    `figurative` (that the sentence has one) without metaphors, `sentiment` (the score of the
    sentence as a text of its own) without sentiment.
    """

    words: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    metaphor: tuple[float, ...] = ()
    figurative: float | None = None
    sentiment: float | None = None

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True)
class Relation:
    """A verb with its object, or a verb with its subject and object, kept or rejected.

    Numbers are word positions: in a sentence where `relations` makes them, in the whole text in
    an `Analysis`. `start` and `end` bound the expression (end exclusive), `reason` is empty when
    the relation is kept.
    """

    kind: Literal["vo", "svo"]
    verb: int
    subject: int | None
    object: int | None
    start: int
    end: int
    root: bool
    kept: bool
    reason: str = ""
    particle: int | None = None
    negated: bool = False
    passive: bool = False
    verb_class: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of an analysed text; `head` counts over the whole text.

    `metaphor` is the calibrated probability that the word is used metaphorically, None where that
    was not asked for.
    """

    text: str
    start: int
    end: int
    upos: str
    xpos: str
    lemma: str
    head: int
    deprel: str
    metaphor: float | None = None


@dataclass(frozen=True, slots=True)
class Metonymy:
    """A name in a text, which reading it has there, and in words what it stands for.

    `score` is the probability of the reading; `name_class` is called `class` in JSON.
    """

    start: int
    end: int
    name_class: NameClass
    reading: str
    score: float
    stands_for: str


@dataclass(frozen=True, slots=True)
class Sentiment:
    """The sentiment of a text, from -5 to 5; `integer` is the score rounded to a whole number."""

    score: float
    integer: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything about one text. `sentences` are code-point ranges, `tasks` what was asked for.

    `figurative` has the calibrated probability of each sentence to be metaphorical, nothing where
    metaphors were not asked for. From `threshold` on a word is called a metaphor, from
    `sentence_threshold` on a sentence metaphorical. `sentiment` is None where it was not asked for,
    and for a text without words; `sentence_sentiments` has the score of each sentence as a text of
    its own, nothing where that is not known.
    """

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[tuple[int, int], ...]
    relations: tuple[Relation, ...]
    tasks: tuple[str, ...] = ("syntax", "relations")
    figurative: tuple[float, ...] = ()
    threshold: float = 0.5
    sentence_threshold: float = 0.5
    metonymies: tuple[Metonymy, ...] = ()
    sentiment: Sentiment | None = None
    sentence_sentiments: tuple[float, ...] = ()

    def is_metaphor(self, place: int) -> bool:
        """Whether the token at that place is called a metaphor."""
        score = self.tokens[place].metaphor
        return score is not None and score >= self.threshold
