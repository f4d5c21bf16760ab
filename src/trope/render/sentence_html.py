"""A sentence on a page: its relations, its tree, alternatives for its verbs.

Every text is escaped; `static/pieces.css` has the style.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape

from trope.core.export import expression
from trope.core.records import Analysis, Relation, SentenceSpan
from trope.relations import REASONS
from trope.render import metaphor_page
from trope.render.markup import clean, printable
from trope.render.summary import relation_notes, relation_words
from trope.tasks.rewriting.rewriter import Candidate, Rewriting

_ALTERNATIVE_COLUMNS = ("instead", "fit", "meaning", "metaphor")


def relation_item(relation: Relation, analysis: Analysis, *, unfolded: bool = False) -> str:
    """A relation as an item of a list: kept or left out, and why."""
    verdict = "kept" if relation.kept else "rejected"
    mark = "kept" if relation.kept else "left out"
    why = f" <em>{clean(relation.reason)}</em>" if relation.reason else ""
    facts = [("Expression", expression(relation, analysis))]
    facts += [] if relation.kept else [("Left out", REASONS.get(relation.reason, relation.reason))]
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
    """The tree of a sentence, which unfolds: a table, over which `tree.js` draws arcs."""
    metaphor = "metaphor" in analysis.tasks
    tokens, heads = analysis.tokens_in(sentence), analysis.heads_in(sentence)
    columns = {
        "words": [printable(token.text) for token in tokens],
        "tags": [printable(token.upos) for token in tokens],
        "heads": heads,
        "labels": [printable(token.deprel) for token in tokens],
    }
    data = escape(json.dumps(columns, ensure_ascii=False))
    yield '<details class="tree"><summary>Tree</summary>'
    yield f'<div class="arcs" data-tree="{data}"></div>'
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


def rewriting_lists(rewritings: Sequence[Rewriting]) -> Iterator[str]:
    """The alternatives for verbs: a table per verb, which unfolds."""
    for rewriting in rewritings:
        if not rewriting.candidates:
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
