"""What the system reads of a span: vectors of its words, in context and alone, and the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from trope.core.records import Analysis, Token
from trope.encoder.decode import word_meanings
from trope.encoder.session import Encoder
from trope.evaluate.domains import porter_stem
from trope.lexicon.vectors import read_vectors
from trope.lexicon.wordnet import PARTS, dictionary_senses, read_wordnet
from trope.tasks.figures.views import CONTENT, DomainSpan, domain_scores, domain_span
from trope_domains.stored import Arrays, as_bytes, as_text

Array = npt.NDArray[np.float32]
WORDS = Path(__file__).parent / "weights" / "words.npz"
"""Vectors of lemmas by a large encoder, written by `python -m trope_domains.words`."""

_TAGGED, _HEAD = 0.7, 0.3
"""How much a lemma with its part of speech counts, and the word that it depends on."""

_OTHER_PART, _LATER_SENSE, _STEP_UP, _NEAR = 0.5, 0.7, 0.8, 0.6
"""How much less a class counts for another part of speech, a later sense, a step up, a synset near
it."""
_MOST_SENSES, _STEPS = 4, 4

_SIDE = 60
"""Words of a sentence that are read on either side of a span."""
_MEMORY = 50_000
_SENSES, _SYNONYMS, _CLASSES, _MOST_WORDS = 2, 3, 2, 40
"""How much of each part of speech of a lemma is read, and how many words in all."""


STRENGTHS = ((256, 16.0), (128, 11.0), (64, 8.0), (64, 11.0), (256, 14.0), (26, 5.0))
"""The sizes of the parts of a row, and the length that each is scaled to: context, static vectors,
the two of the large encoder, senses, the free system."""


MEMORY_SHARE, MEMORY_DOUBT = 0.5, 0.3
"""How much the answers to the same stems count beside the networks, if there were many; and how
many answers it takes to count half of that. Chosen by cross-validation on train."""


class SpanRows(NamedTuple):
    """[span, number] and, for each span, its words and the classes of WordNet above them, both as
    weighted features."""

    dense: Array
    words: list[dict[str, float]]
    classes: list[dict[str, float]]

    def part(self, chosen: Sequence[int]) -> SpanRows:
        """Some of them, by their numbers."""
        words, classes = ([every[at] for at in chosen] for every in (self.words, self.classes))
        return SpanRows(self.dense[list(chosen)], words, classes)

    @classmethod
    def joined(cls, parts: Sequence[SpanRows]) -> SpanRows:
        """The rows of several, one after the other."""
        words = [own for part in parts for own in part.words]
        classes = [own for part in parts for own in part.classes]
        return cls(np.vstack([part.dense for part in parts]), words, classes)


class SpanReader:
    """Reads spans; remembers the vectors of words by themselves."""

    def __init__(self, encoder: Encoder, words: Mapping[str, Array]) -> None:
        self._encoder, self._words = encoder, words
        self._static = read_vectors()
        self._width = len(next(iter(words.values())))
        self._senses: dict[str, Array] = {}
        self._alone: dict[tuple[str, str], Array] = {}

    def read(self, spans: Sequence[DomainSpan]) -> SpanRows:
        """The rows of spans."""
        windows = [_window(span) for span in spans]
        sentences = [
            tuple(span.tokens[at].text for at in window)
            for span, window in zip(spans, windows, strict=True)
        ]
        known = list(dict.fromkeys(sentences))
        vectors = dict(zip(known, word_meanings(self._encoder, known), strict=True))
        self._read_senses(word_key(span, at)[0] for span in spans for at in span.content)
        rows = []
        for span, window, words in zip(spans, windows, sentences, strict=True):
            inside = [at - window.start for at in span.content if at in window]
            context = vectors[words][inside].mean(axis=0)
            rows.append(np.concatenate([context, self._by_itself(span)]))
        lexical, classes = map(_lexical, spans), map(_classes, spans)
        return SpanRows(np.array(rows, dtype=np.float32), list(lexical), list(classes))

    def _read_senses(self, lemmas: Iterable[str]) -> None:
        """Read what WordNet says of lemmas that are new."""
        if len(self._alone) > _MEMORY:
            self._alone.clear()
            self._senses.clear()
        new = [lemma for lemma in dict.fromkeys(lemmas) if lemma not in self._senses]
        found = word_meanings(self._encoder, [described(lemma) for lemma in new]) if new else []
        self._senses |= {
            lemma: vectors.mean(axis=0) for lemma, vectors in zip(new, found, strict=True)
        }

    def _by_itself(self, span: DomainSpan) -> Array:
        """The mean over the words of a span of what is known of each without its context."""
        found = [self._of_lemma(*word_key(span, at)) for at in span.content]
        return np.asarray(np.mean(found, axis=0), dtype=np.float32)

    def _of_lemma(self, lemma: str, upos: str) -> Array:
        if (lemma, upos) not in self._alone:
            static = self._static.get(lemma)
            large = self._words.get(lemma)
            scores = domain_scores(lemma, upos)
            self._alone[lemma, upos] = np.concatenate(
                [
                    np.zeros(self._static.dimensions) if static is None else static,
                    np.zeros(self._width) if large is None else large,
                    self._senses[lemma],
                    [scores.get(group, 0.0) for group in GROUPS],
                ]
            ).astype(np.float32)
        return self._alone[lemma, upos]


def described(lemma: str) -> list[str]:
    """A lemma, its synonyms and what it is a kind of, by its first senses in WordNet."""
    words = [lemma, ":"]
    for sense in dictionary_senses(lemma, most=_SENSES):
        for text in (*sense.synonyms[:_SYNONYMS], *sense.kind_of[:_CLASSES]):
            words += [*text.split(), ","]
    return words[:_MOST_WORDS]


def probe_rows(reader: SpanReader) -> Array:
    """What the encoder says of the words of a sentence, by which it is known again."""
    tokens = tuple(Token(word, 0, 0, upos, "", word, 0, "") for word, upos in _PROBE)
    places = [at for at, token in enumerate(tokens) if token.upos in CONTENT]
    spans = [DomainSpan(tokens, 0, len(tokens), (at,)) for at in places]
    return reader.read(spans).dense[:, : STRENGTHS[0][0]]


_PROBE = (
    *(("the", "DET"), ("river", "NOUN"), ("of", "ADP"), ("new", "ADJ"), ("laws", "NOUN")),
    *(("slowly", "ADV"), ("carve", "VERB"), ("its", "PRON"), ("bed", "NOUN"), (".", "PUNCT")),
)


def read_words(path: Path = WORDS) -> dict[str, Array]:
    """The vectors of lemmas by a large encoder."""
    with np.load(path, allow_pickle=False) as arrays:
        words = bytes(arrays["words"]).decode().split("\n")
        table = arrays["q"].astype(np.float32) * arrays["scale"]
    return dict(zip(words, table, strict=True))


def span_between(analysis: Analysis, start: int, end: int) -> DomainSpan:
    """The tokens that overlap some characters of a text."""
    tokens = enumerate(analysis.tokens)
    found = tuple(at for at, token in tokens if token.start < end and start < token.end)
    return domain_span(analysis, found)


def stems_of(span: DomainSpan) -> str:
    """The stems of all its words."""
    return " ".join(porter_stem(span.tokens[at].text) for at in span.places)


@dataclass(frozen=True, slots=True)
class StemMemory:
    """Which concepts spans with the same stems had in training, and how often."""

    counts: Mapping[str, Mapping[int, int]]

    @classmethod
    def of(cls, stems: Iterable[str], concepts: Iterable[int]) -> StemMemory:
        """The memory of training spans."""
        counts: dict[str, Counter[int]] = {}
        for stem, concept in zip(stems, concepts, strict=True):
            counts.setdefault(stem, Counter())[int(concept)] += 1
        return cls(counts)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What the file of the weights keeps."""
        remembered = [
            (row, concept, count)
            for row, counts in enumerate(self.counts.values())
            for concept, count in counts.items()
        ]
        stems = as_bytes("\n".join(self.counts))
        return {"stems": stems, "remembered": np.array(remembered, dtype=np.int32)}

    @classmethod
    def stored(cls, stored: Arrays) -> StemMemory:
        """The memory that a file keeps."""
        stems = as_text(stored["stems"]).split("\n")
        counts: dict[str, dict[int, int]] = {stem: {} for stem in stems}
        for row, concept, count in stored["remembered"].tolist():
            counts[stems[row]][concept] = count
        return cls(counts)

    def mixed(self, shares: npt.NDArray[Any], stems: Sequence[str]) -> npt.NDArray[Any]:
        """[span, concept]: the probabilities of the networks, and what is remembered of the stems.

        Networks smooth too much over words that they know well.
        """
        mixed = shares.copy()
        for row, stem in enumerate(stems):
            counts = self.counts.get(stem, {})
            times = sum(counts.values())
            weight = MEMORY_SHARE * times / (times + MEMORY_DOUBT)
            mixed[row] *= 1 - weight
            for concept, count in counts.items():
                mixed[row, concept] += weight * count / times
        return mixed


def _window(span: DomainSpan) -> range:
    """The places of the sentence around a span, without what is far from it."""
    first = max(span.first, min(span.places) - _SIDE)
    return range(first, max(min(span.last, first + 2 * _SIDE), first + 1))


def word_key(span: DomainSpan, at: int) -> tuple[str, str]:
    """The lemma of a word and its part of speech."""
    token = span.tokens[at]
    return (token.lemma or token.text).lower(), token.upos


def _lexical(span: DomainSpan) -> dict[str, float]:
    """The words of a span, and what they depend on."""
    found: dict[str, float] = {}
    for at in span.content:
        lemma, upos = word_key(span, at)
        found[f"l={lemma}"] = found[f"s={stem(lemma)}"] = 1.0
        found[f"u={lemma}/{upos}"] = _TAGGED
        head = span.tokens[at].head
        if span.first <= head < span.last:
            found[f"h={word_key(span, head)[0]}"] = _HEAD
    return found


def _classes(span: DomainSpan) -> dict[str, float]:
    """The classes of WordNet that its words may belong to."""
    found: dict[str, float] = {}
    for at in span.content:
        for name, value in _classes_above(*word_key(span, at)).items():
            found[name] = found.get(name, 0.0) + value
    return found


@lru_cache(maxsize=_MEMORY)
def _classes_above(lemma: str, upos: str) -> dict[str, float]:
    """The synsets of a lemma, those near and above them; distant and later ones count less."""
    found: dict[str, float] = {}
    for tag in PARTS:
        net, part = read_wordnet(tag), 1.0 if tag == upos else _OTHER_PART
        for rank, sense in enumerate(net.senses(lemma)[:_MOST_SENSES]):
            weight = part * _LATER_SENSE**rank
            steps = {at: _STEP_UP**n for at, n in net.distances_above(sense).items() if n <= _STEPS}
            near = dict.fromkeys(net.synsets[sense].near, _NEAR)
            for at, share in (near | steps).items():
                name = f"c={net.synsets[at].name}"
                found[name] = max(found.get(name, 0.0), weight * share)
    return found


def stem(lemma: str) -> str:
    """The lemma without an ending that makes another word of it."""
    for ending in _ENDINGS:
        if lemma.endswith(ending) and len(lemma) - len(ending) >= 3:
            return lemma.removesuffix(ending).rstrip("ei")
    return lemma.rstrip("ei") if len(lemma) > 4 else lemma


_SUFFIXES = (
    "ization ation ition ion ment ance ence ancy ency ity ness able ible ing ed ive ism ist ally "
    "ical ic ous ful less er or ly al y ship hood ary ery ure age"
)
_ENDINGS = sorted(_SUFFIXES.split(" "), key=lambda ending: (-len(ending), ending))

GROUPS = (
    "ANIMAL",
    "BODY & HEALTH",
    "BUILDING & STRUCTURE",
    "CRIME & LAW",
    "FAMILY & LIFE",
    "FIRE & ENERGY",
    "FOOD",
    "FORCE & STRENGTH",
    "GAME & SPORT",
    "HARM & ACCIDENT",
    "JOURNEY & MOVEMENT",
    "LIGHT & VISION",
    "MACHINE & TOOL",
    "MIND & EMOTION",
    "MONEY & RESOURCE",
    "NATURE & WATER",
    "OBJECT HANDLING",
    "PLACE & CONTAINER",
    "PLANT",
    "POWER & CONFINEMENT",
    "PROTECTION",
    "RELIGION & MAGIC",
    "SHAPE & MATERIAL",
    "STORY & STAGE",
    "VERTICALITY & SCALE",
    "WAR & CONFLICT",
)
"""The groups of concepts, in the order of the numbers that the free system gives."""
