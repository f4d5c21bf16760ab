"""Metaphors on pages: words tinted by their score, a slider for the threshold, tables.

A word's score is a class (`p9526` for 0.9526) and style rules (`static/pieces.css`) turn it into a
tint, so moving the slider changes one variable of the style and nothing in the document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from html import escape

from trope.core.options import FigureView
from trope.core.records import Analysis, FigureThresholds, Relation, Token
from trope.metrics.intervals import Interval
from trope.render.markup import printable
from trope.tasks.figures.views import show_figures
from trope.tasks.metaphor.corpus_rates import CorpusMetaphors

LEAST = 0.05
"""Words of a lower score are not marked, wherever the slider stands."""

SCALE = 10_000
"""Scores on the page count in this part of one."""

GROUP_LIMIT = 20


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
