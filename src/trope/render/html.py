"""Analyses as one self-contained page: nothing is fetched, every text is escaped.

A text stands on the page as prose with its figures marked, and a list of them beside it; so far
the page works without scripts. Word classes, trees, relations and histograms are drawn by scripts
from data in the page when they are switched on, so that a long text opens at once.

Texts go to a spool on disk while they are counted, because their number stands above them; memory
does not grow with it.
"""

from __future__ import annotations

import shutil
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template
from tempfile import SpooledTemporaryFile
from typing import IO

from trope import __version__
from trope.core.records import Analysis, Figure
from trope.relations import REASONS
from trope.render import Named, names, page_pieces
from trope.render.figures import (
    KINDS,
    Mark,
    blocks,
    count_of,
    entry,
    facts,
    figure_words,
    marked_stretches,
    marks,
    most_striking,
    paragraphs,
    plural,
    tint,
)
from trope.render.markup import clean, static_file
from trope.render.page_pieces import rewriting_lists
from trope.render.sentiment import format_sentiment, sentiment_scale, sentiment_table, signed
from trope.render.summary import Summary
from trope.tasks.rewriting.rewriter import Rewriting

Rewrite = Callable[[Analysis], Sequence[Rewriting]]

PAGE_LIMIT = 16_000_000
"""Characters of texts on a page; browsers become slow with more."""

FRAGMENT_LIMIT = 20
"""Figures that are listed under a text in a notebook."""

_SPOOL_IN_MEMORY = 1_000_000
_STYLES = ("figures.css", "pieces.css", "page.css")
_SCRIPTS = ("tree.js", "page.js")
_SWITCHES = (
    ("syntax", "classes", "word classes"),
    ("syntax", "trees", "trees"),
    ("relations", "relations", "relations"),
)
_FIGURE_TOOLS = """
<label>score at least <input type="range" id="least" min="0" max="100" value="0">
<output id="from" for="least">0.00</output></label>
<label>order <select id="order"><option value="rank">most striking</option>
<option value="text">in the text</option></select></label>
<span id="count" role="status"></span>"""


def write_html(
    analyses: Iterable[Named],
    file: IO[str],
    *,
    title: str = "",
    limit: int = PAGE_LIMIT,
    rewrite: Rewrite | None = None,
    details: Collection[str] = (),
) -> None:
    """Writes the page; texts beyond `limit` characters are counted, but not shown.

    With `rewrite`, which finds candidates for the verbs of a text, these stand under paragraphs.
    Trees (`syntax`) and `relations` among the `details` are switched on from the start.
    """
    summary = Summary()
    shown = size = 0
    with SpooledTemporaryFile(_SPOOL_IN_MEMORY, "w+", encoding="utf-8", newline="") as spool:
        for name, analysis in analyses:
            summary.add(analysis)
            if size >= limit:
                continue
            own = rewrite(analysis) if rewrite else ()
            article = _article(name, analysis, summary.totals.texts, own)
            size += len(article)
            shown += 1
            spool.write(article)
        before, after = _page(title or "Analysis", summary, shown, details)
        spool.seek(0)
        file.write(before)
        shutil.copyfileobj(spool, file)
        file.write(after)


def _page(title: str, summary: Summary, shown: int, details: Collection[str]) -> tuple[str, str]:
    """What stands before and after the texts."""
    template = files("trope.render").joinpath("page.html").read_text("utf-8")
    before, after = template.split("<!-- texts -->")
    scripts = [static_file(name) for name in _SCRIPTS]
    values = {
        "title": clean(title),
        "version": clean(__version__),
        "style": "\n".join(static_file(name) for name in _STYLES),
        "script_hashes": " ".join(_script_hash(script) for script in scripts),
        "line": clean(summary.totals.short_line()),
        "tools": _tools(summary, details),
        "statistics": _statistics(summary),
        "note": _note(summary, shown),
        "reasons": page_pieces.encode(REASONS if "relations" in summary.tasks else {}),
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    return Template(before).substitute(values), Template(after).substitute(values)


def _script_hash(script: str) -> str:
    """How the policy of the page names a script that may run."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def _tools(summary: Summary, details: Collection[str]) -> str:
    """Filters of the figures and switches, hidden until the script that they need has run."""
    parts = []
    kinds = summary.totals.figures
    if kinds:
        parts.append('<fieldset class="kinds"><legend>Kinds</legend>')
        for kind in KINDS:
            if kinds[kind]:
                box = f'<input type="checkbox" value="{kind}" checked>'
                count = f"<small>{kinds[kind]:,}</small>"
                parts.append(f'<label class="{kind}">{box}{kind} {count}</label>')
        parts.append("</fieldset>")
        parts.append(_FIGURE_TOOLS)
    switches = [each for each in _SWITCHES if each[0] in summary.tasks]
    if switches:
        parts.append("<fieldset><legend>Show</legend>")
        for task, name, label in switches:
            on = " checked" if task in details and name != "classes" else ""
            parts.append(f'<label><input type="checkbox" id="{name}"{on}>{label}</label>')
        parts.append("</fieldset>")
    return f'<div class="tools scripted" hidden>{"".join(parts)}</div>' if parts else ""


def _statistics(summary: Summary) -> str:
    inside = "".join(_summary(summary))
    return (
        '<details class="statistics" id="statistics"><summary>Statistics</summary>'
        f'{inside}<div id="histograms"></div></details>'
    )


def _note(summary: Summary, shown: int) -> str:
    if shown == summary.totals.texts:
        return ""
    return (
        f'<p class="note">The first {shown:,} of {summary.totals.texts:,} texts are shown, to keep '
        "the page usable; the summary counts all of them. For all texts: "
        "<code>trope analyze --format jsonl</code>.</p>"
    )


def _summary(summary: Summary) -> Iterator[str]:
    kinds = summary.totals.figures
    numbers = [
        ("texts", summary.totals.texts),
        ("sentences", summary.totals.sentences),
        ("words", summary.totals.words),
        *((plural(kind, kinds[kind]), kinds[kind]) for kind in KINDS if kinds[kind]),
    ]
    if "metonymy" in summary.tasks:
        numbers.append(("names", summary.names.total()))
    if "relations" in summary.tasks:
        kept, rejected = summary.kept.total(), summary.rejected.total()
        numbers += [("relations kept", kept), ("relations left out", rejected)]
    yield '<dl class="numbers">'
    for noun, number in numbers:
        yield f"<div><dt>{noun}</dt><dd>{number:,}</dd></div>"
    if summary.totals.sentiment.mean is not None:
        mean = signed(summary.totals.sentiment.mean)
        yield f"<div><dt>mean sentiment</dt><dd>{mean}</dd></div>"
    yield "</dl>"
    if "metaphor" in summary.tasks:
        yield from page_pieces.tables(summary.metaphors)
    if summary.names or summary.totals.sentiment.texts > 1:
        yield '<div class="tables">'
        yield from names.table(summary.names)
        yield from (
            sentiment_table(summary.totals.sentiment) if summary.totals.sentiment.texts > 1 else ()
        )
        yield "</div>"
    if "relations" in summary.tasks:
        yield '<div class="tables">'
        yield from _verdicts(summary)
        yield from _verbs(summary)
        yield "</div>"


def _verdicts(summary: Summary) -> Iterator[str]:
    rows = [(kind, "kept", count) for kind, count in sorted(summary.kept.items())]
    rejected = sorted(summary.rejected.items(), key=lambda item: (-item[1], item[0]))
    rows += [(kind, f"left out: {reason}", count) for (kind, reason), count in rejected]
    if not rows:
        return
    most = max(count for *_, count in rows)
    yield "<table><caption>Relations, and why they were left out</caption><tbody>"
    for kind, verdict, count in rows:
        bar = f'<meter min="0" max="{most}" value="{count}" aria-hidden="true"></meter>'
        yield f'<tr><td class="kind">{clean(kind)}<th scope="row">{clean(verdict)}'
        yield f'<td class="count">{count:,}<td>{bar}</tr>'
    yield "</tbody></table>"


def _verbs(summary: Summary) -> Iterator[str]:
    verbs = summary.verbs()
    if not verbs:
        return
    yield '<table class="verbs"><caption>Most frequent verbs and their objects (kept relations)'
    yield "</caption><tbody>"
    for verb, count, objects in verbs:
        shown = ", ".join(
            clean(thing) + (f" <small>×{times:,}</small>" if times > 1 else "")
            for thing, times in objects
        )
        yield f'<tr><th scope="row">{clean(verb)}<td class="count">{count:,}<td>{shown}</tr>'
    yield "</tbody></table>"


def _article(
    name: str, analysis: Analysis, number: int, rewritten: Sequence[Rewriting] = ()
) -> str:
    """A text as prose with its figures beside it."""
    figures = most_striking(analysis)
    found = marks(figures, analysis)
    parted = blocks(analysis)
    heading = f"Text {number:,}" + (f" <small>{clean(name)}</small>" if name else "")
    parts = [f'<article id="t{number}"><h2>{heading}</h2><div class="prose">']
    for start, end in parted:
        inside = "".join(_stretches(analysis, start, end, found, figures, number))
        parts.append(f'<p dir="auto">{inside}</p>')
        own = [each for each in rewritten if start <= each.start < end]
        parts += rewriting_lists(own)
    parts.append("</div><aside>")
    parts.append(sentiment_scale(analysis))
    parts += _listed(figures, found, analysis, number)
    data = page_pieces.page_data(analysis, parted)
    parts.append(f'</aside><script type="application/json">{data}</script></article>\n')
    return "".join(parts)


def _stretches(
    analysis: Analysis,
    start: int,
    end: int,
    found: Sequence[Mark],
    figures: Sequence[Figure],
    number: int,
) -> Iterator[str]:
    """A paragraph with its figures marked, each a link to its entry in the list."""
    for text, mark in marked_stretches(analysis.text, start, end, found):
        if mark is None:
            yield clean(text)
            continue
        figure = figures[mark.figure]
        place = f' id="f{number}-{mark.figure}"' if mark.first else ""
        yield (
            f'<a class="f {figure.kind} {tint(figure)}"{place} href="#l{number}-{mark.figure}" '
            f'title="{clean(facts(figure, analysis))}" data-kind="{figure.kind}" '
            f'data-score="{round(100 * figure.score)}">{clean(text)}</a>'
        )


def _listed(
    figures: Sequence[Figure], found: Sequence[Mark], analysis: Analysis, number: int
) -> Iterator[str]:
    """The figures of a text as a list; each entry is a link to its place."""
    if not figures:
        return
    yield f'<h3>{count_of(len(figures), "figure")}</h3><ol class="found">'
    in_text = sorted(range(len(figures)), key=lambda rank: figures[rank].start)
    place_of = {rank: place for place, rank in enumerate(in_text)}
    own = {mark.figure for mark in found}
    over = {mark.start: mark.figure for mark in found}
    for rank, figure in enumerate(figures):
        # all words of a figure may belong to shorter ones, which are marked in its place
        marked = rank if rank in own else over.get(figure.start)
        target = f"t{number}" if marked is None else f"f{number}-{marked}"
        words = clean(figure_words(figure, analysis))
        yield (
            f'<li id="l{number}-{rank}" class="{figure.kind}" data-kind="{figure.kind}" '
            f'data-score="{round(100 * figure.score)}" data-rank="{rank}" '
            f'data-place="{place_of[rank]}"><a href="#{target}"><bdi>{words}</bdi></a>'
            f"{entry(figure, analysis)}</li>"
        )
    yield "</ol>"


def fragment(analysis: Analysis) -> str:
    """A text with its figures for a notebook: HTML with its own style and no script."""
    figures = most_striking(analysis)
    found = marks(figures, analysis)
    parts = [
        f"<style>{static_file('figures.css')}</style>"
        '<div class="trope"><div class="notebook"><div class="prose">'
    ]
    for start, end in paragraphs(analysis.text):
        parts.append('<p dir="auto">')
        for text, mark in marked_stretches(analysis.text, start, end, found):
            parts.append(
                clean(text) if mark is None else _noted(text, figures[mark.figure], analysis)
            )
        parts.append("</p>")
    parts.append('</div><ol class="found">')
    for figure in figures[:FRAGMENT_LIMIT]:
        words = clean(figure_words(figure, analysis))
        parts.append(
            f'<li class="{figure.kind}"><b><bdi>{words}</bdi></b>{entry(figure, analysis)}</li>'
        )
    rest = len(figures) - FRAGMENT_LIMIT
    parts.append(f'<li class="rest">and {rest:,} more</li>' if rest > 0 else "")
    parts.append("</ol>")
    if analysis.sentiment is not None:
        shown = format_sentiment(analysis.sentiment)
        parts.append(f"<p>sentiment {shown}, {analysis.sentiment.scale} scale</p>")
    parts.append("</div></div>")
    return "".join(parts)


def _noted(text: str, figure: Figure, analysis: Analysis) -> str:
    classes = f"f {figure.kind} {tint(figure)}"
    return f'<span class="{classes}" title="{clean(facts(figure, analysis))}">{clean(text)}</span>'
