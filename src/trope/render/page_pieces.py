"""Pieces of pages: tinted words, a slider for the threshold, relations, trees, tables, and data.

Every text is escaped; `static/pieces.css` has the style. A word's score is a class (`p9526` for
0.9526) and style rules turn it into a tint, so moving the slider changes one variable of the style
and nothing in the document.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape
from typing import Any

import msgspec

from trope.core.export import expression
from trope.core.options import FigureView
from trope.core.records import Analysis, FigureThresholds, Relation, SentenceSpan, Token
from trope.metrics.intervals import Interval
from trope.relations import REASONS
from trope.render.markup import clean, printable
from trope.render.summary import relation_notes, relation_words
from trope.tasks.figures.views import show_figures
from trope.tasks.metaphor.corpus_rates import CorpusMetaphors
from trope.tasks.rewriting.rewriter import Candidate, Rewriting

LEAST = 0.05
"""Words of a lower score are not marked, wherever the slider stands."""

SCALE = 10_000
"""Scores on the page count in this part of one."""

GROUP_LIMIT = 20

_ALTERNATIVE_COLUMNS = ("instead", "fit", "meaning", "metaphor")


def score_rules(threshold: float, scores: Iterable[int]) -> str:
    """The style rules that tint the words with these scores, at or above a threshold."""
    rules = "".join(f".p{score}{{--p:{score}}}" for score in sorted(scores))
    return f":root {{ --from: {round(threshold * SCALE)}; }}\n{rules}"


def shaded_words(analysis: Analysis) -> dict[int, float]:
    """Position → score of the words that are marked at some place of the slider."""
    thresholds = FigureThresholds(noticed=LEAST, idiom=LEAST, simile=LEAST)
    shown = show_figures(analysis, FigureView(analysis.words, LEAST), thresholds)
    return {
        place: figure.score
        for figure in shown.figures
        if figure.kind == "metaphor"
        for place in figure.tokens
    }


def marked(token: Token, score: float | None, text: str) -> str:
    """The word, tinted by its score if it has one; its tooltip has lemma and score."""
    if score is None:
        return text
    tooltip = f"{printable(token.lemma)} · metaphor {score:.2f}".removeprefix(" · ")
    return f'<span class="m p{round(score * SCALE)}" title="{escape(tooltip)}">{text}</span>'


def verb_score(relation: Relation, analysis: Analysis) -> str:
    """The score of a relation's verb."""
    score = analysis.tokens[relation.verb].metaphor
    if "metaphor" not in analysis.tasks or score is None:
        return ""
    return f' <span class="score">metaphor {score:.2f}</span>'


def tables(metaphors: CorpusMetaphors) -> Iterator[str]:
    """Rates of the groups and the most metaphorical verbs."""
    yield '<div class="tables">'
    yield from _rates(metaphors)
    yield from _verbs(metaphors)
    yield "</div>"


def threshold_text(threshold: float) -> str:
    """A threshold with all its digits: thresholds have steps of 0.005."""
    return f"{threshold:.3f}".removesuffix("0")


def percent(interval: Interval) -> str:
    """A share as per cent with its interval, such as "3.5 % (2.9–4.1)"."""
    if interval.value is None or interval.low is None or interval.high is None:
        return "–"
    value, low, high = (100 * share for share in (interval.value, interval.low, interval.high))
    return f"{value:.1f} % ({low:.1f}–{high:.1f})"


def slider(threshold: float, scores: Collection[float]) -> str:
    """The slider of the threshold, hidden until `slider.js` moves it.

    It knows how many of the scores are at least each hundredth.
    """
    ordered = sorted(scores)
    above = (len(ordered) - bisect_left(ordered, step / 100) for step in range(101))
    marked = len(ordered) - bisect_left(ordered, threshold)
    noun = "word" if marked == 1 else "words"
    return (
        '<label class="slider" hidden>threshold '
        f'<input type="range" id="threshold" min="{LEAST}" max="1" step="0.01" '
        f'value="{threshold}" data-above="{" ".join(map(str, above))}"> '
        f'<output id="shown" for="threshold">{threshold_text(threshold)} ({marked:,} {noun})'
        "</output></label>"
    )


def _rates(metaphors: CorpusMetaphors) -> Iterator[str]:
    groups = list(metaphors.by_rate())
    yield "<table><caption>Rates of metaphor (95 % intervals)</caption><tbody>"
    yield '<tr><th scope="col"><th scope="col">words<th scope="col">sentences</tr>'
    rows = [("all", metaphors.total), *(groups[:GROUP_LIMIT] if len(groups) > 1 else [])]
    for name, rates in rows:
        yield f'<tr><th scope="row">{escape(printable(name)) or "–"}'
        yield f"<td>{percent(rates.words.interval())}<td>{percent(rates.sentences.interval())}</tr>"
    yield "</tbody></table>"


def _verbs(metaphors: CorpusMetaphors) -> Iterator[str]:
    uses = metaphors.verbs(12)
    if not uses:
        return
    yield '<table class="verbs"><caption>Most metaphorical verbs and their objects</caption><tbody>'
    for use in uses:
        objects = ", ".join(escape(printable(thing)) for thing, _, times in use.objects if times)
        yield f'<tr><th scope="row">{escape(printable(use.lemma))}'
        yield f'<td class="count">{use.metaphors:,} of {use.count:,}<td>{objects}</tr>'
    yield "</tbody></table>"


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
        f"{verb_score(relation, analysis)}</summary>"
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


def page_data(analysis: Analysis, paragraphs: Sequence[tuple[int, int]]) -> str:
    """The words and relations of a text as compact JSON that may stand in a script element.

    Words have columns, each a list with an entry per word: how far the word begins after the last
    one, its length, the number of its class, tag and relation among `names`, its head counted
    within the sentence, its lemma (0 if that is the word in small letters) and its score in
    hundredths.
    """
    starts = [sentence.start for sentence in analysis.sentences]
    data: dict[str, Any] = {
        "paragraphs": [(start, bisect_left(starts, end)) for start, end in paragraphs],
        "sentences": [sentence.last - sentence.first for sentence in analysis.sentences],
        "words": _places(analysis.tokens),
    }
    if "syntax" in analysis.tasks:
        data["syntax"] = _syntax(analysis)
    if "relations" in analysis.tasks:
        data["relations"] = _relations(analysis)
    if "metaphor" in analysis.tasks:
        data["scores"] = [round(100 * (token.metaphor or 0)) for token in analysis.tokens]
    if analysis.sentence_sentiments:
        data["sentiments"] = [round(score, 1) for score in analysis.sentence_sentiments]
    return encode(data)


def encode(data: Any) -> str:
    """Plain data as JSON without a character that HTML understands."""
    return msgspec.json.encode(data).decode().replace("<", "\\u003c").replace("&", "\\u0026")


def _relations(analysis: Analysis) -> list[list[Any]]:
    """The relations of every sentence: kind, words, notes, and the reason if it is left out."""
    firsts = [sentence.first for sentence in analysis.sentences]
    found: list[list[Any]] = [[] for _ in firsts]
    for relation in analysis.relations:
        words = printable(relation_words(relation, analysis))
        notes = ", ".join(relation_notes(relation, analysis))
        row = (relation.kind, words, notes, relation.reason)
        found[bisect_right(firsts, relation.verb) - 1].append(row)
    return found


def _places(tokens: Sequence[Token]) -> dict[str, list[int]]:
    ends = [0, *(token.end for token in tokens)]
    return {
        "gaps": [token.start - end for token, end in zip(tokens, ends, strict=False)],
        "lengths": [token.end - token.start for token in tokens],
    }


def _syntax(analysis: Analysis) -> dict[str, Any]:
    tokens = analysis.tokens
    heads = [head for sentence in analysis.sentences for head in analysis.heads_in(sentence)]
    columns: dict[str, Any] = {
        "heads": heads,
        "lemmas": [0 if t.lemma == t.text.lower() else printable(t.lemma) for t in tokens],
    }
    for name in ("upos", "xpos", "deprel"):
        columns |= _numbered(name, [printable(getattr(token, name)) for token in tokens])
    return columns


def _numbered(name: str, values: Iterable[str]) -> dict[str, Any]:
    """A column as numbers, and the names that these stand for."""
    numbers: dict[str, int] = {}
    column = [numbers.setdefault(value, len(numbers)) for value in values]
    return {name: column, f"{name}_names": list(numbers)}
