"""A sentence on a page: its relations, its tree as arcs and as a table, alternatives for verbs.

Every text is escaped; `static/pieces.css` has the style.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from rich.cells import cell_len

from trope.core.export import expression
from trope.core.records import Analysis, Relation, SentenceSpan, Token
from trope.relations import REASONS
from trope.render import metaphor_page
from trope.render.markup import clean, printable
from trope.render.summary import relation_notes, relation_words
from trope.tasks.rewriting.rewriter import Candidate, Rewriting

_ALTERNATIVE_COLUMNS = ("instead", "fit", "meaning", "metaphor")

LONGEST = 120
"""Sentences with more words are not drawn: the arcs would be unreadable."""

_LEVEL = 26  # height of one arc over the next, in pixels
_WIDEST_WORD = 24  # letters of a word that are shown
_LETTER, _SMALL_LETTER = 8.4, 6.4  # widths of a letter in words and in labels
_STEP = 5  # distance of two arcs where they leave the same word


def relation_item(relation: Relation, analysis: Analysis, *, unfolded: bool = False) -> str:
    """A relation as an item of a list: kept or rejected, and why."""
    verdict = "kept" if relation.kept else "rejected"
    mark = "✓ kept" if relation.kept else "✗ rejected"
    why = f" <em>{clean(relation.reason)}</em>" if relation.reason else ""
    facts = [("Expression", expression(relation, analysis))]
    facts += [] if relation.kept else [("Rejected", REASONS.get(relation.reason, relation.reason))]
    facts += [("Verb", ", ".join(relation_notes(relation, analysis)))]
    listed = "".join(f'<dt>{name}<dd dir="auto">{clean(value)}' for name, value in facts)
    return (
        f'<li class="{verdict}"><details{" open" if unfolded else ""}><summary>'
        f'<span class="mark">{mark}</span> '
        f'<span class="kind">{relation.kind}</span> '
        f"<bdi>{clean(relation_words(relation, analysis))}</bdi>{why}"
        f"{metaphor_page.verb_score(relation, analysis)}</summary>"
        f"<dl>{listed}</dl></details></li>"
    )


def tree(sentence: SentenceSpan, analysis: Analysis) -> Iterator[str]:
    """The tree of a sentence, which unfolds: a drawing, and a table that says the same."""
    metaphor = "metaphor" in analysis.tasks
    tokens, heads = analysis.tokens_in(sentence), analysis.heads_in(sentence)
    yield '<details class="tree"><summary>Tree</summary>'
    if len(tokens) <= LONGEST:
        yield '<div class="scroll" tabindex="0" role="region" aria-label="Tree">'
        yield f"{draw_arcs(tokens, heads)}</div>"
    else:
        yield f"<p>Arcs over more than {LONGEST} words are not drawn.</p>"
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Table of words"><table><tr>'
    names = ["", "word", "class", "tag", "lemma", "relation", *(["metaphor"] if metaphor else [])]
    yield "".join(f'<th scope="col">{name}' for name in names)
    for number, (token, head) in enumerate(zip(tokens, heads, strict=True), start=1):
        of = "" if head < 0 else f" of {head + 1} <bdi>{clean(tokens[head].text)}</bdi>"
        cells = (token.text, token.upos, token.xpos, token.lemma)
        yield f"<tr><td>{number}" + "".join(f"<td>{clean(cell)}" for cell in cells)
        yield f"<td>{clean(token.deprel)}{of}"
        if metaphor and token.metaphor is not None:
            yield f"<td>{token.metaphor:.2f}"
    yield "</table></div></details>"


def rewriting_lists(sentence: SentenceSpan, rewritings: Sequence[Rewriting]) -> Iterator[str]:
    """The alternatives for the verbs of a sentence: a table per verb, which unfolds."""
    for rewriting in rewritings:
        if not sentence.start <= rewriting.start < sentence.end or not rewriting.candidates:
            continue
        verb = clean(rewriting.verb)
        how = "literally" if rewriting.to == "literal" else "figuratively"
        yield f'<details class="rewriting"><summary>Say <bdi>{verb}</bdi> {how}</summary><table>'
        yield "<tr>" + "".join(f'<th scope="col">{name}' for name in _ALTERNATIVE_COLUMNS)
        yield from map(_alternative_row, rewriting.candidates)
        yield "</table></details>"


def _alternative_row(candidate: Candidate) -> str:
    numbers = (f"{candidate.fit:+.2f}", f"{candidate.meaning:.2f}", f"{candidate.metaphor:.2f}")
    cells = "".join(f'<td class="count">{number}' for number in numbers)
    return f'<tr><th scope="row"><bdi>{clean(candidate.form)}</bdi>{cells}'


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc from a head to a dependent; `level` is 1 for those nearest to the words."""

    head: int
    dependent: int
    label: str
    level: int


def draw_arcs(tokens: Sequence[Token], heads: Sequence[int]) -> str:
    """The tree of a sentence as an SVG element; its colours come from the page around it."""
    arcs = stack(heads, [token.deprel for token in tokens])
    words = [_short(token.text) for token in tokens]
    centres = _centres(words, [token.upos for token in tokens], arcs)
    ground = (max((arc.level for arc in arcs), default=0) + 1) * _LEVEL + 14
    exits = _exits(arcs, centres)
    parts = [_draw_arc(arc, exits[arc], centres[arc.dependent], ground) for arc in arcs]
    parts += [_draw_root(centres[n], ground) for n, head in enumerate(heads) if head < 0]
    for x, word, token in zip(centres, words, tokens, strict=True):
        parts.append(f'<text x="{x}" y="{ground + 20}">{escape(word)}</text>')
        parts.append(f'<text class="t" x="{x}" y="{ground + 36}">{escape(token.upos)}</text>')
    width, height = centres[-1] + _half(words[-1], tokens[-1].upos), ground + 44
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="Tree; the table below says the same in words">{"".join(parts)}</svg>'
    )


def stack(heads: Sequence[int], labels: Sequence[str]) -> list[Arc]:
    """An arc for every word but the roots, short ones low, none upon another."""
    pairs = [(head, word) for word, head in enumerate(heads) if head >= 0]
    pairs.sort(key=lambda pair: (abs(pair[0] - pair[1]), min(pair)))
    heights = [0] * max(len(heads) - 1, 0)  # of the arcs so far, over each gap between two words
    arcs = []
    for head, word in pairs:
        gaps = range(min(head, word), max(head, word))
        level = 1 + max(heights[gap] for gap in gaps)
        for gap in gaps:
            heights[gap] = level
        arcs.append(Arc(head, word, labels[word], level))
    return arcs


def _short(word: str) -> str:
    word = printable(word)
    return word if len(word) <= _WIDEST_WORD else word[: _WIDEST_WORD - 1] + "…"


def _half(word: str, tag: str) -> int:
    return round(max(cell_len(word) * _LETTER, len(tag) * _SMALL_LETTER, 24) / 2) + 8


def _centres(words: Sequence[str], tags: Sequence[str], arcs: Sequence[Arc]) -> list[int]:
    """Where the words stand: apart enough for themselves and for a label between neighbours."""
    needed = {
        min(arc.head, arc.dependent): round(len(arc.label) * _SMALL_LETTER) + 24
        for arc in arcs
        if abs(arc.head - arc.dependent) == 1
    }
    centres: list[int] = []
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if not centres:
            centres.append(_half(word, tag))
            continue
        apart = _half(words[place - 1], tags[place - 1]) + _half(word, tag)
        centres.append(centres[-1] + max(apart, needed.get(place - 1, 0)))
    return centres


def _exits(arcs: Sequence[Arc], centres: Sequence[int]) -> dict[Arc, int]:
    """Where each arc leaves its head: on its own side, the longest nearest to the middle."""
    sides: dict[tuple[int, bool], int] = {}
    exits = {}
    for arc in sorted(arcs, key=lambda arc: -arc.level):
        rightward = arc.dependent > arc.head
        nth = sides[arc.head, rightward] = sides.get((arc.head, rightward), 0) + 1
        offset = min(nth * _STEP, 20)
        exits[arc] = centres[arc.head] + (offset if rightward else -offset)
    return exits


def _draw_arc(arc: Arc, leaves: int, arrives: int, ground: int) -> str:
    top = ground - arc.level * _LEVEL
    left, right = min(leaves, arrives), max(leaves, arrives)
    bend = min(8, (right - left) // 2)
    path = (
        f"M{left} {ground}V{top + bend}q0-{bend} {bend}-{bend}"
        f"H{right - bend}q{bend} 0 {bend} {bend}V{ground}"
    )
    label = f'<text class="l" x="{(left + right) // 2}" y="{top + 4}">{escape(arc.label)}</text>'
    return f'<path d="{path}"/>{_arrow(arrives, ground)}{label}'


def _draw_root(x: int, ground: int) -> str:
    label = f'<text class="l" x="{x}" y="16">root</text>'
    return f'<path d="M{x} 22V{ground}"/>{_arrow(x, ground)}{label}'


def _arrow(x: int, ground: int) -> str:
    return f'<path class="h" d="M{x - 4} {ground - 6}h8l-4 7z"/>'
