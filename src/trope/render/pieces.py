"""Pieces of pages about a sentence: a relation with its verdict, a tree with its table.

Every text is escaped; `static/pieces.css` has their style.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from trope.core.export import expression
from trope.core.records import Analysis, Relation, SentenceSpan
from trope.relations import REASONS
from trope.render import metaphor_page
from trope.render.arcs import LONGEST, draw_arcs
from trope.render.printable import printable
from trope.render.summary import relation_notes, relation_words


def clean(text: str) -> str:
    """The text as it may stand anywhere in the page."""
    return escape(printable(text))


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
