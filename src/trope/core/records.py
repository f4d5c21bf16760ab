"""The records that travel between the layers: frozen and slotted.

Offsets are code points of the original text. Inside a sentence words are counted from 0 and the
head of the root is -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

ROOT = -1
"""The head of the root of a sentence."""

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
    sentence as a text of its own) without sentiment; `noticed` (the probability that readers
    notice the word as a metaphor), `idiom` (that it is part of an idiom), `simile` (that it
    introduces a simile) and `novelty` (from 0, dead, to 1, never heard) where the model does not
    tell figures apart, `names` (tags as O, B-LOC, I-LOC) where it does not find names.
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
    noticed: tuple[float, ...] = ()
    idiom: tuple[float, ...] = ()
    simile: tuple[float, ...] = ()
    novelty: tuple[float, ...] = ()
    names: tuple[str, ...] = ()

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

    def moved(self, positions: Sequence[int]) -> Relation:
        """The same relation in a longer text, where its sentence's words have these positions."""

        def position(word: int | None) -> int | None:
            return None if word is None else positions[word]

        return replace(
            self,
            verb=positions[self.verb],
            subject=position(self.subject),
            object=position(self.object),
            particle=position(self.particle),
            start=positions[self.start],
            end=positions[self.end - 1] + 1,
        )


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

    @property
    def is_word(self) -> bool:
        """Whether the token is a word, that is, has a letter or a digit."""
        return is_word(self.text)


def is_word(text: str) -> bool:
    """Whether the text of a token counts as a word: it has a letter or a digit."""
    return text.isalnum() or any(map(str.isalnum, text))


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
class MetaphorThresholds:
    """The lowest probability of a metaphor, and the lowest of a metaphorical sentence."""

    threshold: float
    sentence_threshold: float

    def __post_init__(self) -> None:
        if not (0 <= self.threshold <= 1 and 0 <= self.sentence_threshold <= 1):
            raise ValueError("a threshold is a probability from 0 to 1")


@dataclass(frozen=True, slots=True)
class FigureThresholds:
    """The lowest probability of a metaphor that is shown, of an idiom's words, and of a simile."""

    noticed: float
    idiom: float
    simile: float

    def __post_init__(self) -> None:
        if not all(0 <= value <= 1 for value in (self.noticed, self.idiom, self.simile)):
            raise ValueError("a threshold is a probability from 0 to 1")


NO_THRESHOLDS = MetaphorThresholds(0.5, 0.5)
"""What an analysis without metaphors has."""


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """Where a sentence of an analysis is: characters `start` to `end`, tokens `first` to `last`.

    Both ends are exclusive: `analysis.tokens[first:last]`, `analysis.text[start:end]`.
    """

    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything about one text; `tasks` are those that ran.

    `figurative` has the calibrated probability that each sentence is metaphorical, nothing where
    metaphors were not asked for. A word is a metaphor if its probability is at least `threshold`,
    a sentence is metaphorical if its probability is at least `sentence_threshold`. `sentiment` is
    None where it was not asked for, and for a text without words; `sentence_sentiments` has the
    score of each sentence as a text of its own, nothing where that is not known.
    """

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[SentenceSpan, ...]
    relations: tuple[Relation, ...]
    tasks: tuple[str, ...] = ("syntax", "relations")
    figurative: tuple[float, ...] = ()
    threshold: float = 0.5
    sentence_threshold: float = 0.5
    metonymies: tuple[Metonymy, ...] = ()
    sentiment: Sentiment | None = None
    sentence_sentiments: tuple[float, ...] = ()

    def is_metaphor(self, place: int) -> bool:
        """Whether the token at that position is a metaphor."""
        score = self.tokens[place].metaphor
        return score is not None and score >= self.threshold

    def tokens_in(self, sentence: SentenceSpan) -> tuple[Token, ...]:
        """The tokens of a sentence."""
        return self.tokens[sentence.first : sentence.last]

    def relations_in(self, sentence: SentenceSpan) -> tuple[Relation, ...]:
        """The relations whose verb is in a sentence."""
        return tuple(r for r in self.relations if sentence.first <= r.verb < sentence.last)

    def heads_in(self, sentence: SentenceSpan) -> list[int]:
        """The head of every token of a sentence, counted within the sentence, -1 for a root."""
        inside = range(sentence.first, sentence.last)
        return [
            token.head - sentence.first if token.head in inside else ROOT
            for token in self.tokens_in(sentence)
        ]

    def parse_of(self, sentence: SentenceSpan) -> Parse:
        """The parse of a sentence, with its metaphors if these were asked for."""
        tokens = self.tokens_in(sentence)
        scores = tuple(token.metaphor for token in tokens if token.metaphor is not None)
        return Parse(
            words=tuple(token.text for token in tokens),
            upos=tuple(token.upos for token in tokens),
            xpos=tuple(token.xpos for token in tokens),
            lemmas=tuple(token.lemma for token in tokens),
            heads=tuple(self.heads_in(sentence)),
            deprels=tuple(token.deprel for token in tokens),
            metaphor=scores if len(scores) == len(tokens) else (),
        )
