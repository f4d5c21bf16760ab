"""Scores of tags and trees from raw text, where the parser chose the words.

Words are matched as in the scorer of the CoNLL 2018 shared task: by their characters, and where
either side has a multiword token ("don't" as one token of two words), the words inside it by the
longest common subsequence of their lower-cased forms. Scores are F over words: 2 · right over
gold + parsed. A head is right when it is matched to the gold head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trope.core.records import ROOT
from trope.metrics.figures import Share
from trope.metrics.parsing import universal

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word of a text: its characters, and `head` counted over the whole text.

    The words of a multiword token all have the span of the token.
    """

    form: str
    start: int
    end: int
    upos: str
    head: int
    deprel: str
    multiword: bool = False


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The words of a text in their order, and the span of each sentence."""

    words: tuple[PlacedWord, ...]
    sentences: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class AlignedCounts:
    """What one text adds to the scores; `words` and the fields below it count right answers."""

    gold_words: int
    parsed_words: int
    gold_sentences: int
    parsed_sentences: int
    words: int
    upos: int
    uas: int
    las: int
    sentences: int


def _of_words(right: int, c: AlignedCounts) -> Share:
    return Share(2 * right, c.gold_words + c.parsed_words, n=c.gold_words)


def _of_sentences(c: AlignedCounts) -> Share:
    return Share(2 * c.sentences, c.gold_sentences + c.parsed_sentences, n=c.gold_sentences)


SHARES: Mapping[str, Callable[[AlignedCounts], Share]] = {
    "upos": lambda c: _of_words(c.upos, c),
    "uas": lambda c: _of_words(c.uas, c),
    "las": lambda c: _of_words(c.las, c),
    "words_f": lambda c: _of_words(c.words, c),
    "sentences_f": _of_sentences,
}
"""Score → what a text adds to it; the score is the ratio of the sums."""


def score_text(gold: PlacedText, parsed: PlacedText) -> AlignedCounts:
    """The counts of one text; both sides must be of the same characters."""
    pairs = align_words(gold.words, parsed.words)
    partner = dict(pairs)
    partner[ROOT] = ROOT
    attached = [
        (gold.words[i], parsed.words[j])
        for i, j in pairs
        if partner.get(gold.words[i].head) == parsed.words[j].head
    ]
    return AlignedCounts(
        gold_words=len(gold.words),
        parsed_words=len(parsed.words),
        gold_sentences=len(gold.sentences),
        parsed_sentences=len(parsed.sentences),
        words=len(pairs),
        upos=sum(gold.words[i].upos == parsed.words[j].upos for i, j in pairs),
        uas=len(attached),
        las=sum(universal(a.deprel) == universal(b.deprel) for a, b in attached),
        sentences=len(set(gold.sentences) & set(parsed.sentences)),
    )


def align_words(gold: Sequence[PlacedWord], parsed: Sequence[PlacedWord]) -> list[tuple[int, int]]:
    """Positions of gold and parsed words that are the same word, in order."""
    pairs: list[tuple[int, int]] = []
    gold_left, parsed_left = dict(enumerate(gold)), dict(enumerate(parsed))
    for span in _multiword_spans([*gold, *parsed]):
        ours = _take_inside(gold_left, span)
        theirs = _take_inside(parsed_left, span)
        pairs += _common_forms(ours, theirs, gold, parsed)
    places = {(word.start, word.end): at for at, word in parsed_left.items()}
    for at, word in gold_left.items():
        if (word.start, word.end) in places:
            pairs.append((at, places[word.start, word.end]))
    return sorted(pairs)


def _multiword_spans(words: Sequence[PlacedWord]) -> Iterator[Span]:
    """The stretches covered by multiword tokens; tokens that overlap make one stretch."""
    spans = sorted({(word.start, word.end) for word in words if word.multiword})
    while spans:
        start, end = spans.pop(0)
        while spans and spans[0][0] < end:
            end = max(end, spans.pop(0)[1])
        yield start, end


def _take_inside(words: dict[int, PlacedWord], span: Span) -> list[int]:
    """Positions of the words that lie in the span; they are removed from `words`."""
    start, end = span
    inside = [at for at, word in words.items() if start <= word.start and word.end <= end]
    for at in inside:
        del words[at]
    return inside


def _common_forms(
    ours: Sequence[int],
    theirs: Sequence[int],
    gold: Sequence[PlacedWord],
    parsed: Sequence[PlacedWord],
) -> list[tuple[int, int]]:
    """The longest common subsequence of the lower-cased forms, as pairs of positions."""
    left = [gold[at].form.lower() for at in ours]
    right = [parsed[at].form.lower() for at in theirs]
    # lengths[i][j]: of the longest common subsequence of left[i:] and right[j:]
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            same = lengths[i + 1][j + 1] + 1 if left[i] == right[j] else 0
            lengths[i][j] = max(same, lengths[i + 1][j], lengths[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            pairs.append((ours[i], theirs[j]))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
