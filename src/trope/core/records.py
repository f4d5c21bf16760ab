"""The records that travel between the layers: frozen and slotted.

Offsets are code points of the original text. Inside a sentence words are counted from 0 and the
head of the root is -1.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from trope.core.export import to_dict, to_json, to_notebook

ROOT = -1
"""The head of the root of a sentence."""

TextKind = Literal["plain", "tweet", "headline"]
NameClass = Literal["location", "organisation"]
"""What a name with readings is the name of."""

EntityClass = Literal["location", "organisation", "person"]
"""What any name is the name of."""

FigureKind = Literal["metaphor", "idiom", "simile", "metonymy", "irony"]
WordView = Literal["noticed", "content", "all"]
"""Which words are shown as metaphors: those that readers notice, content words that MIPVU marks,
or all words that it marks."""

SentimentScale = Literal["tweet", "prose"]
"""The scale of a sentiment: figurative tweets, or the valence of prose."""


@dataclass(frozen=True, slots=True)
class Parse:
    """One sentence read: for every word a tag, a lemma, a head and a relation.

    What was not asked for is empty or None: `upos`, `xpos` and `lemmas` without tags, `heads` and
    `deprels` without a tree, `metaphor` (the probability that a word is a metaphor) and
    `figurative` (that the sentence has one) without metaphors, `sentiment` (the score of the
    sentence as a text of its own, on the scale of tweets) without sentiment, `valence` (on the
    scale of prose) where the model does not have it; `noticed` (the probability that readers
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
    valence: float | None = None
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

        # `replace` takes three times as long
        return Relation(
            self.kind, positions[self.verb], position(self.subject), position(self.object),
            positions[self.start], positions[self.end - 1] + 1, self.root, self.kept, self.reason,
            position(self.particle), self.negated, self.passive, self.verb_class,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A word of an analysed text; `head` counts over the whole text.

    `metaphor` is the calibrated probability that the word is used metaphorically, None where that
    was not asked for. `noticed` is the probability that readers notice it as a metaphor, and
    `novelty` how new the metaphor is, from 0 (dead) to 1 (never heard); None where the model does
    not say.
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
    noticed: float | None = None
    novelty: float | None = None

    @property
    def is_word(self) -> bool:
        """Whether the token is a word, that is, has a letter or a digit."""
        return is_word(self.text)


@lru_cache(maxsize=100_000)
def is_word(text: str) -> bool:
    """Whether the text of a token counts as a word: it has a letter or a digit."""
    return text.isalnum() or any(map(str.isalnum, text))


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that a reader would call figurative; `tokens` are positions of its words.

    `start` and `end` bound its words, others may stand amid ("turn the offer down"). `score` is a
    probability; `novelty` that of its newest word, if known. An idiom has its `meaning`, a metonymy
    what it `stands_for`, a simile its `topic`, `vehicle` and `ground`, a metaphor its `domain`.
    """

    kind: FigureKind
    start: int
    end: int
    tokens: tuple[int, ...]
    score: float
    novelty: float | None = None
    meaning: str = ""
    stands_for: str = ""
    topic: tuple[int, ...] = ()
    vehicle: tuple[int, ...] = ()
    ground: tuple[int, ...] = ()
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text; `name_class` is called `class` in JSON."""

    start: int
    end: int
    name_class: EntityClass


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
    """The sentiment of a text, from -5 to 5; `integer` is the score rounded to a whole number.

    `scale` says what -5 to 5 means: `tweet` is the scale of figurative tweets (SemEval-2015 Task
    11), `prose` the valence of ordinary text.
    """

    score: float
    integer: int
    scale: SentimentScale = "tweet"


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


_SHOWN = 60
"""Most characters of a text in the repr of its analysis."""

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
class FigureVerdict:
    """Whether a sentence is figurative: by what is shown in it, and by the sentence as a whole.

    `score` is the probability that the sentence has a metaphor, None where that is not known. It
    `disagrees` if it is beyond half of the way from its threshold to certainty of the opposite.
    """

    label: Literal["metaphorical", "figurative", "literal"]
    score: float | None = None
    disagrees: bool = False

    @property
    def metaphorical(self) -> bool:
        """Whether a metaphor or an idiom is shown."""
        return self.label == "metaphorical"

    def __str__(self) -> str:
        if not self.disagrees:
            return self.label
        opposite = "literal" if self.metaphorical else "metaphorical"
        return f"{self.label}, but the whole sentence reads as {opposite}"


@dataclass(frozen=True, slots=True, repr=False)
class Analysis:
    """Everything about one text; `tasks` are those that ran.

    `figures` are what a reader would call figurative, in the order of the text. `words` is the
    view by which words are shown as metaphors: those that readers notice, content words, or all;
    a word is shown if its score in that view is at least `shown_threshold`.

    `figurative` has the calibrated probability that each sentence is metaphorical, nothing where
    metaphors were not asked for. By the rules of MIPVU a word is a metaphor if its probability is
    at least `threshold`, a sentence is metaphorical if its probability is at least
    `sentence_threshold`. `metonymies` are places and organisations with their readings, `names`
    all names, those of people too, where the model finds names. `sentiment` is None where it was
    not asked for, and for a text without words; `sentence_sentiments` has the score of each
    sentence as a text of its own, nothing where that is not known.
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
    figures: tuple[Figure, ...] = ()
    words: WordView = "all"
    shown_threshold: float = 0.5
    names: tuple[Name, ...] = ()

    def __repr__(self) -> str:
        shown = self.text if len(self.text) <= _SHOWN else f"{self.text[: _SHOWN - 1]}…"
        counts = [
            f"{number} {noun}{'' if number == 1 else 's'}"
            for number, noun in (
                (len(self.tokens), "token"),
                (len(self.sentences), "sentence"),
                (len(self.figures), "figure"),
            )
        ]
        return f"Analysis({shown!r}, {', '.join(counts)})"

    def _repr_html_(self) -> str:
        """The text with its figures marked, for notebooks."""
        return to_notebook(self)

    def to_dict(self) -> dict[str, Any]:
        """The analysis as plain dictionaries and lists; what did not run is left out."""
        return to_dict(self)

    def to_json(self, *, indent: int = 0) -> str:
        """The analysis as a JSON object: one line, unless an indent is given."""
        return to_json(self, indent=indent)

    @property
    def metaphors(self) -> tuple[Token, ...]:
        """The tokens that are shown as metaphors, in the order of the text."""
        return tuple(self.tokens[place] for place in self.metaphor_places)

    @property
    def metaphor_places(self) -> tuple[int, ...]:
        """The positions of the tokens that are shown as metaphors, in the order of the text."""
        found = {at for figure in self.figures if figure.kind == "metaphor" for at in figure.tokens}
        return tuple(sorted(found))

    def figures_in(self, sentence: SentenceSpan) -> tuple[Figure, ...]:
        """The figures of a sentence, without those of the whole text."""
        edges = sentence.start, sentence.end
        first, last = (bisect_left(self.figures, edge, key=lambda f: f.start) for edge in edges)
        return tuple(figure for figure in self.figures[first:last] if figure.kind != "irony")

    def sentence_verdict(self, sentence: SentenceSpan) -> FigureVerdict:
        """Whether a sentence is figurative, by what is shown in it."""
        kinds = {figure.kind for figure in self.figures_in(sentence)}
        label: Literal["metaphorical", "figurative", "literal"] = "literal"
        if kinds:
            label = "metaphorical" if kinds & {"metaphor", "idiom"} else "figurative"
        if not self.figurative:
            return FigureVerdict(label)
        number = bisect_left(self.sentences, sentence.start, key=lambda own: own.start)
        score, limit = self.figurative[number], self.sentence_threshold
        opposed = score <= limit / 2 if label == "metaphorical" else score >= (1 + limit) / 2
        return FigureVerdict(label, score, opposed)

    def is_metaphor(self, place: int) -> bool:
        """Whether the token at that position is a metaphor by the rules of MIPVU, shown or not."""
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
        return Parse(
            words=tuple(token.text for token in tokens),
            upos=tuple(token.upos for token in tokens),
            xpos=tuple(token.xpos for token in tokens),
            lemmas=tuple(token.lemma for token in tokens),
            heads=tuple(self.heads_in(sentence)),
            deprels=tuple(token.deprel for token in tokens),
            metaphor=_complete(token.metaphor for token in tokens),
            noticed=_complete(token.noticed for token in tokens),
            novelty=_complete(token.novelty for token in tokens),
        )


def _complete(scores: Iterable[float | None]) -> tuple[float, ...]:
    """The scores, or none if one is not known."""
    given = tuple(scores)
    found = tuple(score for score in given if score is not None)
    return found if len(found) == len(given) else ()
