"""Sentences of the project's own, written and marked by hand: `own_sentences.tsv`.

A line has a kind and a sentence. `*word*` is a metaphor, `[words]` an idiom, `{name|reading}` a
name and what it stands for. The kinds whose sentences are literal have no marks, but words that
the others use figuratively.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trope.core.errors import BadInput
from trope.lexicon.readings import NAME_CLASSES, NameClass, readings
from trope.text.tokenise import tokenise
from trope.train.encoder.corpus import UNKNOWN

FIGURES, VERDICTS, NAMES, TAGS = "own-figures", "own-metaphors", "own-names", "own-tags"
"""The sets that are made of the sentences, one for each use."""
KINDS = frozenset(
    {"novel", "conventional", "literal", "idiom", "idiom_literal", "names", "neutral"}
)
PERSON = "person"
_DEV_SHARE = 10
"""One in so many texts, idioms or sentences is development data."""
_MARK = re.compile(r"\*([^*]+)\*|\[([^\]]+)\]|\{([^|}]+)\|([^}]+)\}")
_LETTERS = re.compile(r"\w")
_LISTED = """
a about above across after against along among an and another any are around as at be
because been before behind being below beneath beside between beyond both but by can could
did do does down during each either enough every few for from had has have he her hers
herself him himself his how i if in inside into is it its itself just less like many may me
might mine more most much must my myself near neither no nor not of off on once one only
onto or other our ours out outside over own past per shall she should since so some such
than that the their theirs them themselves then there these they this those though through
till to too toward towards under until up upon us very was we were what when where whether
which while who whom whose why will with within without would yet you your yours 's n't 'll
're 've 'd 'm
"""
_FUNCTION_WORDS = frozenset(_LISTED.split())
"""What MIPVU often marks and readers do not: no verdict is known of these words."""


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """A mark of a sentence: its characters, what it is, and the reading of a name."""

    start: int
    end: int
    mark: str
    """`metaphor`, `idiom` or `name`."""
    reading: str = ""


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence without its marks, and the marks by themselves."""

    kind: str
    text: str
    spans: tuple[MarkedSpan, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The words, as the pipeline cuts them."""
        return tuple(self.text[start:end] for start, end in tokenise(self.text))

    def places(self, mark: str) -> set[int]:
        """The words that have a mark."""
        return {at for span in self.spans if span.mark == mark for at in self.inside(span)}

    def inside(self, span: MarkedSpan) -> range:
        """The words of a span."""
        at = [n for n, (a, b) in enumerate(tokenise(self.text)) if a < span.end and b > span.start]
        return range(at[0], at[-1] + 1)

    def verdicts(self, mark: str, *, unknown: str = "") -> tuple[int, ...]:
        """1 for words with the mark, 0 for others, UNKNOWN for those of another mark."""
        marked, open_ = self.places(mark), self.places(unknown)
        return tuple(
            1 if at in marked else UNKNOWN if at in open_ else 0 for at in range(len(self.words))
        )

    def content_verdicts(self) -> tuple[int, ...]:
        """Metaphors among content words; nobody judged the others, nor the words of idioms."""
        return tuple(
            UNKNOWN if word.lower() in _FUNCTION_WORDS or not _LETTERS.match(word) else verdict
            for word, verdict in zip(
                self.words, self.verdicts("metaphor", unknown="idiom"), strict=True
            )
        )


@cache
def own_sentences(path: Path | None = None) -> tuple[MarkedSentence, ...]:
    """All sentences of the file, each once.

    Raises:
        BadInput: for a line that is not a kind, a tab and a sentence with closed marks.
    """
    path = path or Path(__file__).with_name("own_sentences.tsv")
    lines = path.read_text("utf-8").splitlines()
    found = (_parse(line, f"{path}, line {n}") for n, line in enumerate(lines, 1))
    return tuple(dict.fromkeys(found))


def split_sentences(split: str, *, without: Collection[str] = ()) -> list[MarkedSentence]:
    """The sentences of "train" or "dev", without some kinds."""
    return [
        s for s in own_sentences() if in_dev(s.text) == (split == "dev") and s.kind not in without
    ]


def in_dev(group: str) -> bool:
    """Whether a group of sentences is development data, by its name alone."""
    digest = hashlib.md5(group.encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % _DEV_SHARE == 0


def _parse(line: str, place: str) -> MarkedSentence:
    kind, tab, marked = line.partition("\t")
    if not tab or kind not in KINDS:
        raise BadInput(f"{place}: write one of {', '.join(sorted(KINDS))}, a tab and a sentence")
    text, spans, last = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[last : match.start()]
        metaphor, idiom, name, reading = match.groups()
        mark = "metaphor" if metaphor else "idiom" if idiom else "name"
        words = metaphor or idiom or name
        spans.append(MarkedSpan(len(text), len(text) + len(words), mark, reading or ""))
        text += words
        last = match.end()
    text += marked[last:]
    if set(text) & set("*[]{}|"):
        raise BadInput(f"{place}: a mark is not closed, or stands inside another one")
    return MarkedSentence(kind, text.strip(), tuple(spans))


def name_class(span: MarkedSpan) -> NameClass | None:
    """The class of a marked name, by its reading; None for people.

    Raises:
        BadInput: for a reading that no class of names has.
    """
    if span.reading == PERSON:
        return None
    kind, _, reading = span.reading.partition(":")
    for own in NAME_CLASSES:
        if kind == own and reading in readings(own):
            return own
    raise BadInput(f"no reading of names is called {span.reading!r}")


def named(split: str) -> Iterator[tuple[MarkedSentence, MarkedSpan]]:
    """Each name of a split's sentences that may stand for something else."""
    for sentence in split_sentences(split):
        for span in sentence.spans:
            if span.mark == "name" and span.reading != PERSON:
                yield sentence, span
