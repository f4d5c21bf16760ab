"""Analyses for the terminal: the text, what was found in it, and details that are asked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import IO

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group
from rich.text import Text

from trope.core.records import Analysis, SentenceSpan, Sentiment, Token
from trope.render import Named, names
from trope.render.figures import (
    figure_words,
    marked_stretches,
    marks,
    meaning,
    most_striking,
    paragraphs,
)
from trope.render.markup import printable
from trope.render.sentiment import bar, format_sentiment, mood
from trope.render.summary import Totals, relation_notes, relation_words

DEEPEST = 10
"""Trees deeper than this are given by numbers alone: their lines would push the words away."""

FIGURE_LIMIT = 50
"""Figures that are listed under a text."""

# number, tree, word, word class, tag, lemma, relation, and metaphor where it was asked for
_STYLES = ("dim", "dim", "", "cyan", "dim", "", "green", "magenta")
_WIDEST = (6, 2 * DEEPEST + 1, 24, 6, 6, 20, 24, 5)
_WIDEST_FIGURE = 32
_NARROWED, _NARROWEST = (2, 5, 6), 6
_MOODS = {"good": "green", "even": "dim", "bad": "red"}
_COLOURS = {
    "metaphor": "magenta",
    "idiom": "blue",
    "simile": "green",
    "metonymy": "cyan",
    "irony": "yellow",
}

_HANGING = 4
"""Blanks before the second line of what does not fit in one."""

_WRAPPED = 4_000  # characters; longer lines are left to the terminal, rich is slow with them
_BLANKS = re.compile(r"[^\S\n]+")


class _Console(Console):
    """A console that lets the command handle a closed pipe."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def write_text(analyses: Iterable[Named], file: IO[str], *, details: Collection[str] = ()) -> None:
    """Writes every text with what was found in it, then the totals if there were several.

    `details` are tasks of which everything is shown: trees (`syntax`), `relations`, and names that
    are literal too (`metonymy`).
    """
    console = _Console(file=file, highlight=False, markup=False, emoji=False, soft_wrap=False)
    totals = Totals()
    for name, analysis in analyses:
        totals.add(analysis)
        if totals.texts > 1:
            console.print()
        if name:
            console.print(Text(printable(name), style="dim"))
        _print_analysis(console, analysis, details)
    if totals.texts > 1:
        console.print()
        for row in _filled(totals.line(relations="relations" in details), console.width):
            console.print(Text(row, style="dim"))


def _print_analysis(console: Console, analysis: Analysis, details: Collection[str]) -> None:
    blocks = paragraphs(analysis.text)
    _print_prose(console, analysis, blocks)
    found = [*_figure_lines(analysis), *_disagreements(analysis)]
    if analysis.sentiment is not None:
        found.append(_sentiment(analysis.sentiment))
    if found and len(blocks) > 1:
        console.print()
    for line in found:
        _print_hanging(console, line)
    if details:
        for number, sentence in enumerate(analysis.sentences, start=1):
            _print_details(console, sentence, number, analysis, details)


def _print_prose(console: Console, analysis: Analysis, blocks: Sequence[tuple[int, int]]) -> None:
    """The text with its paragraphs, figures in colour, or between asterisks without colours."""
    coloured = console.is_terminal and not console.no_color
    found = marks(analysis.figures, analysis)
    for number, (start, end) in enumerate(blocks):
        if number:
            console.print()
        line = Text()
        for text, mark in marked_stretches(analysis.text, start, end, found):
            shown = printable(_BLANKS.sub(" ", text))
            if mark is None:
                line.append(shown)
            elif coloured:
                kind = analysis.figures[mark.figure].kind
                line.append(shown, f"bold {_COLOURS[kind]} underline")
            else:
                line.append(f"*{shown}*")
        if len(line) > _WRAPPED:
            console.print(line, soft_wrap=True)
            continue
        for row in line.wrap(console, console.width):
            row.rstrip()
            console.print(row)


def _print_hanging(console: Console, line: Text) -> None:
    """A line of a list; where it does not fit, the rest stands further in."""
    if line.cell_len <= console.width or len(line) > _WRAPPED:
        console.print(line, soft_wrap=True)
        return
    rows = line.wrap(console, max(console.width - _HANGING, _HANGING))
    for number, row in enumerate(rows):
        row.rstrip()
        console.print(Text(" " * _HANGING) + row if number else row)


def _filled(line: str, width: int) -> list[str]:
    """Parts between points in lines of a width, none of them torn."""
    rows: list[str] = []
    for part in line.split(" · "):
        if rows and cell_len(rows[-1]) + 3 + cell_len(part) <= width:
            rows[-1] += f" · {part}"
        else:
            rows.append(part)
    return rows


def _figure_lines(analysis: Analysis) -> Iterator[Text]:
    """The figures of a text, the most striking first: kind, words, score, novelty, meaning."""
    if not {"metaphor", "metonymy"} & {*analysis.tasks}:
        return
    figures = most_striking(analysis)
    shown = figures[:FIGURE_LIMIT]
    words = [figure_words(figure, analysis) for figure in shown]
    kinds = max((len(figure.kind) for figure in shown), default=0)
    width = min(max(map(cell_len, words), default=0), _WIDEST_FIGURE)
    for figure, own in zip(shown, words, strict=True):
        line = Text("  ")
        line.append(f"{figure.kind:<{kinds}}  ", _COLOURS[figure.kind])
        line.append(_sized(own, width), "bold")
        line.append(f"  {figure.score:.2f}")
        line.append("" if figure.novelty is None else f"  novelty {figure.novelty:.2f}", "dim")
        line.append(f"  {meaning(figure, analysis)}")
        line.rstrip()
        yield line
    if len(figures) > FIGURE_LIMIT:
        more = f"  and {len(figures) - FIGURE_LIMIT:,} more (--format html or --json has all)"
        yield Text(more, "dim")
    if not figures:
        yield Text("  no figures", "dim")


def _disagreements(analysis: Analysis) -> Iterator[Text]:
    """The sentences whose own score contradicts what is shown in them."""
    for number, sentence in enumerate(analysis.sentences, start=1):
        verdict = analysis.sentence_verdict(sentence)
        if verdict.disagrees:
            where = f"sentence {number:,}: " if len(analysis.sentences) > 1 else ""
            yield Text(f"  {where}{verdict} ({verdict.score:.2f})", "dim")


def _sentiment(sentiment: Sentiment) -> Text:
    """The score of a text, and where that is on the scale."""
    line = Text("  sentiment ")
    line.append(format_sentiment(sentiment), "bold")
    line.append("  ")
    line.append(bar(sentiment.score), _MOODS[mood(sentiment)])
    line.append(f"  {sentiment.scale} scale", "dim")
    return line


def _print_details(
    console: Console,
    sentence: SentenceSpan,
    number: int,
    analysis: Analysis,
    details: Collection[str],
) -> None:
    """A sentence with what was asked for: its tree, its names, its relations."""
    relations = analysis.relations_in(sentence) if "relations" in details else ()
    own = names.names_within(sentence, analysis) if "metonymy" in details else ()
    if "syntax" not in details and not relations and not own:
        return
    heading = Text(f"\n{number}  ", style="dim")
    words = printable(" ".join(analysis.text[sentence.start : sentence.end].split()))
    heading.append(words, "not dim")
    console.print(heading, soft_wrap=len(words) > _WRAPPED)
    if "syntax" in details and "syntax" in analysis.tasks:
        console.print(_tree_table(sentence, analysis, console.width))
    for line in names.lines(own, analysis):
        console.print(line)
    for relation in relations:
        line = Text("  ")
        line.append(f"{relation.kind:<3}  ", style="dim")
        line.append(printable(relation_words(relation, analysis)), style="bold")
        line.append("  kept" if relation.kept else f"  left out: {relation.reason}",
                    style="green" if relation.kept else "dim")  # fmt: skip
        line.append(f"  ({', '.join(relation_notes(relation, analysis))})", style="dim")
        console.print(line)


def _score(token: Token, *, shown: bool) -> str:
    """The score of a word, with an asterisk if it is shown as a metaphor."""
    if token.metaphor is None or not token.is_word:
        return ""
    return f"{token.metaphor:.2f}" + ("*" if shown else "")


def _tree_table(sentence: SentenceSpan, analysis: Analysis, width: int) -> Group:
    """Number, tree, word, tags, lemma, relation and score of every word, in columns that fit."""
    heads = analysis.heads_in(sentence)
    shown = {
        place - sentence.first + 1
        for figure in analysis.figures_in(sentence)
        if figure.kind == "metaphor"
        for place in figure.tokens
    }
    rows = [
        (
            str(number).rjust(len(str(len(heads)))),
            branch,
            printable(token.text),
            printable(token.upos),
            printable(token.xpos),
            printable(token.lemma),
            printable(token.deprel if head < 0 else f"{token.deprel} → {head + 1}"),
            _score(token, shown=number in shown),
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
