"""Analyses for the terminal: each sentence as a tree in the order of its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import IO

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group
from rich.text import Text

from trope.core.records import Analysis, SentenceSpan, Sentiment, Token
from trope.render import Named, names
from trope.render.markup import printable
from trope.render.sentiment import bar, format_sentiment
from trope.render.summary import Totals, relation_notes, relation_words

DEEPEST = 10
"""Trees deeper than this are given by numbers alone: their lines would push the words away."""

# number, tree, word, word class, tag, lemma, relation, and metaphor where it was asked for
_STYLES = ("dim", "dim", "", "cyan", "dim", "", "green", "magenta")
_WIDEST = (6, 2 * DEEPEST + 1, 24, 6, 6, 20, 24, 5)
_METAPHOR = "bold magenta underline"
_NARROWED, _NARROWEST = (2, 5, 6), 6

_WRAPPED = 4_000  # characters; longer lines are left to the terminal, rich is slow with them
_BLANKS = re.compile(r"\s+")


class _Console(Console):
    """A console that lets the command handle a closed pipe."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def write_text(analyses: Iterable[Named], file: IO[str]) -> None:
    """Writes every text with its trees and relations, then the totals if there were several."""
    console = _Console(file=file, highlight=False, markup=False, emoji=False, soft_wrap=False)
    totals = Totals()
    for name, analysis in analyses:
        totals.add(analysis)
        if totals.texts > 1:
            console.print()
        if name:
            console.print(Text(printable(name), style="dim"))
        _print_analysis(console, analysis)
    if totals.texts > 1:
        console.print(Text(f"\n{totals.line(relations=True)}", style="dim"))


def _print_analysis(console: Console, analysis: Analysis) -> None:
    for number, sentence in enumerate(analysis.sentences):
        if number:
            console.print()
        line = _marked(sentence, analysis, coloured=console.is_terminal and not console.no_color)
        console.print(line, soft_wrap=len(line) > _WRAPPED)
        if "syntax" in analysis.tasks:
            console.print(_tree_table(sentence, analysis, console.width))
        if "metaphor" in analysis.tasks:
            console.print(_metaphors(sentence, analysis, number))
        for line in names.lines(sentence, analysis):
            console.print(line)
        _print_relations(console, sentence, analysis)
    if analysis.sentiment is not None:
        console.print(_sentiment(analysis.sentiment))


def _sentiment(sentiment: Sentiment) -> Text:
    """The score of a text, and where that is on the scale."""
    line = Text("\nsentiment ")
    line.append(format_sentiment(sentiment), "bold")
    line.append("  ")
    line.append(bar(sentiment.score), "green" if sentiment.score > 0 else "red")
    return line


def _marked(sentence: SentenceSpan, analysis: Analysis, *, coloured: bool) -> Text:
    """The sentence on one line, its metaphors in colour, or between asterisks without colours."""
    line = Text(style="bold")
    at = sentence.start
    for place in _metaphor_places(sentence, analysis):
        token = analysis.tokens[place]
        line.append(_on_one_line(analysis.text[at : token.start]))
        word = _on_one_line(token.text)
        line.append(word if coloured else f"*{word}*", _METAPHOR if coloured else "")
        at = token.end
    line.append(_on_one_line(analysis.text[at : sentence.end]))
    return line


def _metaphor_places(sentence: SentenceSpan, analysis: Analysis) -> list[int]:
    places = range(sentence.first, sentence.last)
    return [place for place in places if analysis.is_metaphor(place)]


def _on_one_line(text: str) -> str:
    return printable(_BLANKS.sub(" ", text))


def _metaphors(sentence: SentenceSpan, analysis: Analysis, number: int) -> Text:
    """The verdict on a sentence and its metaphors with their scores."""
    score = analysis.figurative[number]
    figurative = score >= analysis.sentence_threshold
    line = Text("  ")
    line.append("◆ metaphorical" if figurative else "◇ literal", "magenta" if figurative else "dim")
    line.append(f" {score:.2f}", "dim")
    words = [
        f"{printable(token.text)} {token.metaphor:.2f}"
        for token in (analysis.tokens[place] for place in _metaphor_places(sentence, analysis))
    ]
    line.append(f"  {', '.join(words)}" if words else "")
    return line


def _score(token: Token, analysis: Analysis) -> str:
    """The score of a word, with an asterisk if it is called a metaphor."""
    if token.metaphor is None or not token.is_word:
        return ""
    return f"{token.metaphor:.2f}" + ("*" if token.metaphor >= analysis.threshold else "")


def _tree_table(sentence: SentenceSpan, analysis: Analysis, width: int) -> Group:
    """Number, tree, word, tags, lemma, relation and score of every word, in columns that fit."""
    heads = analysis.heads_in(sentence)
    rows = [
        (
            str(number).rjust(len(str(len(heads)))),
            branch,
            printable(token.text),
            printable(token.upos),
            printable(token.xpos),
            printable(token.lemma),
            printable(token.deprel if head < 0 else f"{token.deprel} → {head + 1}"),
            _score(token, analysis) if "metaphor" in analysis.tasks else "",
        )
        for number, (token, head, branch) in enumerate(
            zip(analysis.tokens_in(sentence), heads, draw_tree(heads), strict=True), start=1
        )
    ]
    widths = _fit([max(map(cell_len, column)) for column in zip(*rows, strict=True)], width)
    return Group(*(_line(row, widths) for row in rows))


def _line(row: tuple[str, ...], widths: list[int]) -> Text:
    line = Text(no_wrap=True)
    for cell, size, style in zip(row, widths, _STYLES, strict=True):
        line.append(_sized(cell, size), style)
        line.append(" ")
    line.rstrip()
    return line


def _fit(widths: list[int], total: int) -> list[int]:
    """The widths, with words, lemmas and relations narrowed until the columns fit."""
    widths = [min(size, most) for size, most in zip(widths, _WIDEST, strict=True)]
    while sum(widths) + len(widths) - 1 > total:
        widest = max(_NARROWED, key=lambda column: widths[column])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _sized(cell: str, size: int) -> str:
    if cell_len(cell) > size:
        return set_cell_size(cell, size - 1) + "…"
    return set_cell_size(cell, size)


def _print_relations(console: Console, sentence: SentenceSpan, analysis: Analysis) -> None:
    for relation in analysis.relations_in(sentence):
        verdict = "✓ kept    " if relation.kept else "✗ rejected"
        line = Text("  ")
        line.append(verdict, style="green" if relation.kept else "red")
        line.append(f" {relation.kind:<3}  ", style="dim")
        line.append(printable(relation_words(relation, analysis)), style="bold")
        if relation.reason:
            line.append(f"  {relation.reason}", style="red")
        line.append(f"  ({', '.join(relation_notes(relation, analysis))})", style="dim")
        console.print(line)


def draw_tree(heads: Sequence[int]) -> list[str]:
    """One string per word that, one below the other, join every word to its head.

    The line of a head's children stands in the column of the head's depth. Trees that are too
    deep, or are not trees, become empty strings.
    """
    depths = _depths(heads)
    deepest = max(depths, default=0)
    if not depths or deepest > DEEPEST:
        return [""] * len(heads)
    canvas = [[" "] * (2 * deepest + 1) for _ in heads]
    families = _children(heads)
    for head, depth in enumerate(depths):
        children, column = families[head], 2 * depth
        if not children:
            canvas[head][column] = "╴" if heads[head] >= 0 else "─"
            continue
        top, bottom = min(head, *children), max(head, *children)
        for row in range(top, bottom + 1):
            canvas[row][column] = "│"
        for child in children:
            canvas[child][column : column + 2] = _corner(child, top, bottom), "─"
        canvas[head][column] = {top: "┐", bottom: "┘"}.get(head, "┤")
    return ["".join(row) for row in canvas]


def _children(heads: Sequence[int]) -> list[list[int]]:
    families: list[list[int]] = [[] for _ in heads]
    for child, head in enumerate(heads):
        if head >= 0:
            families[head].append(child)
    return families


def _corner(row: int, top: int, bottom: int) -> str:
    return {top: "┌", bottom: "└"}.get(row, "├")


def _depths(heads: Sequence[int]) -> list[int]:
    """The distance of every word from its root; nothing where heads run in a circle."""
    depths: list[int] = []
    for word in range(len(heads)):
        depth, at = 0, word
        while heads[at] >= 0:
            depth, at = depth + 1, heads[at]
            if depth > min(len(heads), 4 * DEEPEST):
                return []
        depths.append(depth)
    return depths
