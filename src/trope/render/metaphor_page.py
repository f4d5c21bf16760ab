"""Metaphors on the page: words tinted by their score, a slider for the threshold, tables.

A word's score is a class (`p9526` for 0.9526) and style rules (`static/pieces.css`) turn it into a
tint, so moving the slider changes one variable of the style and nothing in the document. The page
allows this one script by its checksum and no other.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from itertools import accumulate

from trope.core.records import Analysis, Relation, Token
from trope.metrics.intervals import Interval
from trope.render.markup import printable, static_file
from trope.render.summary import Summary
from trope.tasks.metaphor.corpus_rates import CorpusMetaphors

LEAST = 0.05
"""Words of a lower score are not marked, wherever the slider stands."""

SCALE = 10_000
"""Scores on the page count in this part of one."""

GROUP_LIMIT = 20


def parts(summary: Summary, scores: set[int]) -> dict[str, str]:
    """What the frame of the page needs; nothing where metaphors were not asked for."""
    if "metaphor" not in summary.tasks:
        names = ("script_policy", "metaphor_style", "metaphor_tools", "script")
        return dict.fromkeys(names, "")
    script = static_file("slider.js")
    checksum = b64encode(sha256(script.encode()).digest()).decode()
    return {
        "script_policy": f"; script-src 'sha256-{checksum}'",
        "metaphor_style": score_rules(summary.metaphors.threshold, scores),
        "metaphor_tools": slider(summary.metaphors),
        "script": f"<script>{script}</script>",
    }


def score_rules(threshold: float, scores: Iterable[int]) -> str:
    """The style rules that tint the words with these scores, at or above a threshold."""
    rules = "".join(f".p{score}{{--p:{score}}}" for score in sorted(scores))
    return f":root {{ --from: {round(threshold * SCALE)}; }}\n{rules}"


def shown_scores(analysis: Analysis) -> Iterator[int]:
    """The scores of an analysis for which the page needs a rule."""
    if "metaphor" in analysis.tasks:
        for token in analysis.tokens:
            if token.metaphor is not None and token.metaphor >= LEAST:
                yield round(token.metaphor * SCALE)


def marked(token: Token, text: str) -> str:
    """The word, tinted by its score; its tooltip has lemma and score."""
    if token.metaphor is None or token.metaphor < LEAST:
        return text
    tooltip = f"{printable(token.lemma)} · metaphor {token.metaphor:.2f}".removeprefix(" · ")
    place = round(token.metaphor * SCALE)
    return f'<span class="m p{place}" title="{escape(tooltip)}">{text}</span>'


def verdict(analysis: Analysis, sentence: int) -> str:
    """Whether a sentence is metaphorical, with its score."""
    score = analysis.figurative[sentence]
    label = "metaphorical" if score >= analysis.sentence_threshold else "literal"
    return f'<p class="verdict"><b>{label}</b> {score:.2f}</p>'


def verb_score(relation: Relation, analysis: Analysis) -> str:
    """The score of a relation's verb, tinted like the verb."""
    score = analysis.tokens[relation.verb].metaphor
    if "metaphor" not in analysis.tasks or score is None:
        return ""
    tint = f" m p{round(score * SCALE)}" if score >= LEAST else ""
    return f' <span class="score{tint}">metaphor {score:.2f}</span>'


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


def slider(metaphors: CorpusMetaphors) -> str:
    """The slider of the threshold, hidden until `slider.js` moves it."""
    # how many words are marked with the slider at each hundredth
    above = list(accumulate(reversed(metaphors.histogram)))[::-1]
    threshold, shown = metaphors.threshold, threshold_text(metaphors.threshold)
    words = metaphors.total.words.part
    noun = "word" if words == 1 else "words"
    return (
        '<label class="slider" hidden>threshold '
        f'<input type="range" id="threshold" min="{LEAST}" max="1" step="0.01" '
        f'value="{threshold}" data-above="{" ".join(map(str, above))}"> '
        f'<output id="shown" for="threshold">{shown} ({words:,} {noun})</output></label>'
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
