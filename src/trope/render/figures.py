"""The figures of a text as a reader sees them: marked in the text, and listed beside it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import get_args

from trope.core.records import Analysis, Figure, FigureKind
from trope.render.markup import clean, printable
from trope.render.names import stands_for

KINDS: tuple[FigureKind, ...] = get_args(FigureKind)
"""Kinds of figures, in the order in which they are named."""

WHOLE: FigureKind = "irony"
"""The kind that is said of a whole text, where no words are marked."""

LONGEST_BLOCK = 6_000
"""Characters of a paragraph on a page that is not cut."""

_OBJECT_FORMS = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them", "who": "whom"}
_OWNERS = ("My ", "Your ", "His ", "Her ", "Its ", "Our ", "Their ")
_BLANK_LINE = re.compile(r"\s*\n[^\S\n]*\n\s*")
_NEW_LINE = re.compile(r"\s*\n\s*")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the text that belongs to the figure with a number.

    `first` says whether it is the first stretch of that figure.
    """

    start: int
    end: int
    figure: int
    first: bool


def most_striking(analysis: Analysis) -> list[Figure]:
    """The figures of a text: the most novel first, then those with the highest score."""
    return sorted(
        analysis.figures, key=lambda each: (-(each.novelty or 0.0), -each.score, each.start)
    )


def figure_words(figure: Figure, analysis: Analysis) -> str:
    """The words of a figure on one line; "…" where words between them do not belong to it."""
    if figure.kind == WHOLE:
        return "the whole text"
    return _words(figure.tokens, analysis)


def meaning(figure: Figure, analysis: Analysis) -> str:
    """What a figure means, stands for or compares; nothing where that is not known."""
    if figure.topic and figure.vehicle:
        topic, vehicle = _topic(figure, analysis), _words(figure.vehicle, analysis)
        ground = f" ({_words(figure.ground, analysis)})" if figure.ground else ""
        return f"compares {topic} with {vehicle}{ground}"
    names = analysis.metonymies if figure.kind == "metonymy" else ()
    at = bisect_left(names, figure.start, key=lambda name: name.start)
    if at < len(names) and names[at].stands_for == figure.stands_for:
        return stands_for(names[at], analysis)
    return printable(figure.meaning or figure.stands_for)


def _topic(figure: Figure, analysis: Analysis) -> str:
    """What a simile compares, as it stands inside a sentence: "the fog", "him"."""
    topic = _words(figure.topic, analysis)
    first = analysis.tokens[figure.topic[0]]
    if (first.upos in ("DET", "PRON") and first.text != "I") or topic.startswith(_OWNERS):
        topic = topic[0].lower() + topic[1:]
    return _OBJECT_FORMS.get(topic, topic)


def _words(places: Sequence[int], analysis: Analysis) -> str:
    words: list[str] = []
    for before, place in zip((None, *places), places, strict=False):
        token = analysis.tokens[place]
        if before is not None:
            between = analysis.text[analysis.tokens[before].end : token.start]
            words.append(between if place == before + 1 else " … ")
        words.append(token.text)
    return printable(_BLANKS.sub(" ", "".join(words)))


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Where the paragraphs of a text begin and end: at blank lines, or at line breaks if there
    are no blank lines."""
    bounds = _BLANK_LINE if _BLANK_LINE.search(text.strip()) else _NEW_LINE
    found = []
    at = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    for gap in bounds.finditer(text, at, end):
        found.append((at, gap.start()))
        at = gap.end()
    return [*found, (at, end)] if at < end else found


def blocks(analysis: Analysis) -> list[tuple[int, int]]:
    """The paragraphs of a text, those that are very long cut between sentences, so that a page can
    draw what is in the window alone."""
    found = []
    sentences = analysis.sentences
    for start, end in paragraphs(analysis.text):
        at = start
        first = bisect_left(sentences, start + 1, key=lambda sentence: sentence.start) - 1
        for before, sentence in pairwise(sentences[max(first, 0) :]):
            if sentence.start >= end:
                break
            if sentence.end - at > LONGEST_BLOCK and before.end > at:
                found.append((at, before.end))
                at = sentence.start
        found.append((at, end))
    return found


def marks(figures: Sequence[Figure], analysis: Analysis) -> list[Mark]:
    """The stretches to mark, in the order of the text; a word of several figures belongs to the
    shortest of them, and no stretch goes over a line break."""
    owner: dict[int, int] = {}
    shown = [number for number, figure in enumerate(figures) if figure.kind != WHOLE]
    for number in sorted(shown, key=lambda n: len(figures[n].tokens)):
        for place in figures[number].tokens:
            owner.setdefault(place, number)
    found: list[Mark] = []
    seen: set[int] = set()
    last = -2
    for place in sorted(owner):
        token, number = analysis.tokens[place], owner[place]
        joined = (
            place == last + 1
            and found[-1].figure == number
            and "\n" not in analysis.text[found[-1].end : token.start]
        )
        if joined:
            found[-1] = Mark(found[-1].start, token.end, number, found[-1].first)
        else:
            found.append(Mark(token.start, token.end, number, number not in seen))
        seen.add(number)
        last = place
    return found


def marked_stretches(
    text: str, start: int, end: int, found: Sequence[Mark]
) -> Iterator[tuple[str, Mark | None]]:
    """A part of the text in stretches, each with its mark or None."""
    at = start
    first = bisect_left(found, start, key=lambda mark: mark.end - 1)
    for mark in found[first:]:
        if mark.start >= end:
            break
        if mark.start > at:
            yield text[at : mark.start], None
        yield text[max(mark.start, start) : min(mark.end, end)], mark
        at = min(mark.end, end)
    if at < end:
        yield text[at:end], None


def plural(noun: str, number: int) -> str:
    """The form of a noun for so many things."""
    if number == 1:
        return noun
    return f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"


def count_of(number: int, noun: str) -> str:
    """So many things in words, such as "1 metonymy" or "2,000 metaphors"."""
    return f"{number:,} {plural(noun, number)}"


def scores(figure: Figure) -> str:
    """The score of a figure, and its novelty if that is known."""
    novelty = "" if figure.novelty is None else f", novelty {figure.novelty:.2f}"
    return f"{figure.score:.2f}{novelty}"


def facts(figure: Figure, analysis: Analysis) -> str:
    """A figure in one line: kind, score, novelty, meaning."""
    more = meaning(figure, analysis)
    return f"{figure.kind} {scores(figure)}" + (f" · {more}" if more else "")


def entry(figure: Figure, analysis: Analysis) -> str:
    """What stands after the words of a figure in a list."""
    more = clean(meaning(figure, analysis))
    note = f'<span class="meaning">{more}</span>' if more else ""
    return f'<span class="facts">{figure.kind} {scores(figure)}</span>{note}'


def tint(figure: Figure) -> str:
    """The class that tints a figure by its score."""
    return f"p{min(9, int(10 * figure.score))}"
