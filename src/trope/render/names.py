"""Names and what they stand for: in the terminal, on the page, counted over many texts."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from rich.text import Text

from trope.core.records import Analysis, Metonymy, SentenceSpan, Token
from trope.render.markup import printable

LITERAL = "literal"
NAME_LIMIT = 20
_WITH_ARTICLE = ("place-for-people", "organisation-for-members", "organisation-for-event")
"""Readings that are said of a name with its article: "people of the BBC"; but of "the Ford" that
somebody drives, the article is the car's."""

Names = Counter[tuple[str, str, str]]
"""How often a name (its class, its reading) occurs."""


def names_within(sentence: SentenceSpan, analysis: Analysis) -> tuple[Metonymy, ...]:
    """The names that begin in a sentence."""
    first, last = (
        bisect_left(analysis.metonymies, edge, key=lambda name: name.start)
        for edge in (sentence.start, sentence.end)
    )
    return analysis.metonymies[first:last]


def stands_for(name: Metonymy, analysis: Analysis) -> str:
    """What a name stands for in words, with the article that it has in the text."""
    first = bisect_left(analysis.tokens, name.start, key=lambda token: token.start)
    if name.reading in _WITH_ARTICLE and first:
        article = analysis.tokens[first - 1]
        head = analysis.tokens[article.head]
        if article.text.lower() == "the" and name.start <= head.start < name.end:
            return printable(name.stands_for.replace(" of ", " of the ", 1))
    return printable(name.stands_for)


def lines(found: Sequence[Metonymy], analysis: Analysis) -> Iterator[Text]:
    """One line per name: reading, probability, and what it stands for."""
    for name in found:
        other = name.reading != LITERAL
        line = Text("  ")
        line.append("▲ " if other else "△ ", "cyan" if other else "dim")
        line.append(_text(name, analysis), "bold")
        line.append(f"  {name.reading} {name.score:.2f}", "cyan" if other else "dim")
        line.append(f"  {stands_for(name, analysis)}")
        yield line


def most_frequent(names: Names) -> list[tuple[str, str, str, int]]:
    """Name, class, reading and count, the most frequent first."""
    ordered = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    return [(*key, count) for key, count in ordered]


def by_reading(names: Names) -> list[tuple[str, str, int]]:
    """Class, reading and how many names have it, the most frequent first."""
    found: Counter[tuple[str, str]] = Counter()
    for (_, name_class, reading), count in names.items():
        found[name_class, reading] += count
    return [
        (*key, count) for key, count in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    ]


def marked(token: Token, own: Sequence[Metonymy], text: str) -> str:
    """The word as it stands on the page, marked if it belongs to one of the sentence's names."""
    for name in names_over(token, own):
        return f'<span class="{_kind(name)}" title="{escape(_facts(name))}">{text}</span>'
    return text


def names_over(token: Token, own: Sequence[Metonymy]) -> tuple[Metonymy, ...]:
    """Those of the names that a word belongs to."""
    return tuple(name for name in own if name.start < token.end and token.start < name.end)


def listed(found: Sequence[Metonymy], analysis: Analysis) -> Iterator[str]:
    """Names with their readings as a list, for those who cannot see tooltips."""
    if not found:
        return
    yield '<ul class="names">'
    for name in found:
        yield (
            f'<li><bdi class="{_kind(name)}">{escape(_text(name, analysis))}</bdi> '
            f"{escape(stands_for(name, analysis))} "
            f"<small>{name.name_class}, {name.reading} {name.score:.2f}</small></li>"
        )
    yield "</ul>"


def table(names: Names) -> Iterator[str]:
    """The most frequent names with their readings."""
    rows = most_frequent(names)
    if not rows:
        return
    yield "<table><caption>Names and their readings</caption><tbody>"
    for name, name_class, reading, count in rows[:NAME_LIMIT]:
        yield f'<tr><th scope="row">{escape(printable(name))}<td class="kind">{name_class}'
        yield f'<td>{reading}<td class="count">{count:,}</tr>'
    if len(rows) > NAME_LIMIT:
        yield f'<tr><td colspan="4">and {len(rows) - NAME_LIMIT:,} more</tr>'
    yield "</tbody></table>"


def _text(name: Metonymy, analysis: Analysis) -> str:
    return printable(" ".join(analysis.text[name.start : name.end].split()))


def _kind(name: Metonymy) -> str:
    return "name" if name.reading == LITERAL else "name other"


def _facts(name: Metonymy) -> str:
    stands_for = printable(name.stands_for)
    return f"{name.name_class} · {name.reading} {name.score:.2f} · {stands_for}"
