"""Analyses as one self-contained page: nothing fetched, every text escaped, no script but the one
that moves the threshold of metaphors, without which the page works too.

Texts go to a spool on disk while they are counted, because the summary stands above them; memory
does not grow with their number.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from string import Template
from tempfile import SpooledTemporaryFile
from typing import IO

from trope import __version__
from trope.core.records import Analysis, Relation, SentenceSpan, Token
from trope.render import Named, metaphor_page, names
from trope.render.markup import clean, static_file
from trope.render.sentence_html import relation_item, rewriting_lists, tree
from trope.render.sentiment import sentiment_scale, sentiment_table, signed
from trope.render.summary import Summary
from trope.tasks.rewriting.rewriter import Rewriting

Rewrite = Callable[[Analysis], Sequence[Rewriting]]

PAGE_LIMIT = 16_000_000
"""Characters of texts on a page; browsers become slow with more."""

_SPOOL_IN_MEMORY = 4_000_000
_UNBROKEN = 30  # characters of touching words that are kept on one line
_ROLES = ("subject", "verb", "object")
_SUBJECTS = (("metaphor", "metaphors"), ("metonymy", "names"), ("sentiment", "sentiment"))

# the class that colours a tag; tags of one colour belong together
_GROUPS = {
    "n": ("NOUN", "PROPN", "PRON"),
    "v": ("VERB", "AUX"),
    "a": ("ADJ", "ADV"),
    "f": ("ADP", "DET", "CCONJ", "SCONJ", "PART"),
    "x": ("NUM", "INTJ", "SYM", "X"),
}
_GROUP = {tag: group for group, tags in _GROUPS.items() for tag in tags}


def write_html(
    analyses: Iterable[Named],
    file: IO[str],
    *,
    title: str = "",
    limit: int = PAGE_LIMIT,
    rewrite: Rewrite | None = None,
) -> None:
    """Writes the page; texts beyond `limit` characters are counted, but not shown.

    With `rewrite`, which finds candidates for the verbs of a text, these stand under sentences.
    """
    summary = Summary()
    scores: set[int] = set()
    shown = size = 0
    with SpooledTemporaryFile(_SPOOL_IN_MEMORY, "w+", encoding="utf-8", newline="") as spool:
        for name, analysis in analyses:
            summary.add(analysis)
            if size >= limit:
                continue
            own = rewrite(analysis) if rewrite else ()
            article = _article(name, analysis, summary.totals.texts, own)
            scores.update(metaphor_page.shown_scores(analysis))
            size += len(article)
            shown += 1
            spool.write(article)
        before, after = _page(title or "Analysis", summary, shown, scores)
        spool.seek(0)
        file.write(before)
        shutil.copyfileobj(spool, file)
        file.write(after)


def _page(title: str, summary: Summary, shown: int, scores: set[int]) -> tuple[str, str]:
    """What stands before and after the texts."""
    template = files("trope.render").joinpath("page.html").read_text("utf-8")
    before, after = template.split("<!-- texts -->")
    values = {
        "title": clean(title),
        "version": clean(__version__),
        "pieces_style": static_file("pieces.css"),
        "summary": "".join(_summary(summary)),
        "note": _note(summary, shown),
        **metaphor_page.parts(summary, scores),
        "subjects": "".join(f", {name}" for task, name in _SUBJECTS if task in summary.tasks),
    }
    return Template(before).substitute(values), Template(after).substitute(values)


def _note(summary: Summary, shown: int) -> str:
    if shown == summary.totals.texts:
        return ""
    return (
        f'<p class="note">The first {shown:,} of {summary.totals.texts:,} texts are shown, to keep '
        "the page usable; the summary counts all of them. For all texts: "
        "<code>trope analyze --format jsonl</code>.</p>"
    )


def _summary(summary: Summary) -> Iterator[str]:
    numbers = [
        ("texts", summary.totals.texts),
        ("sentences", summary.totals.sentences),
        ("words", summary.totals.words),
    ]
    if "relations" in summary.tasks:
        kept, rejected = summary.kept.total(), summary.rejected.total()
        numbers += [("relations kept", kept), ("relations rejected", rejected)]
    if "metaphor" in summary.tasks:
        total = summary.metaphors.total
        numbers += [
            ("metaphors", total.words.part),
            ("metaphorical sentences", total.sentences.part),
        ]
    if "metonymy" in summary.tasks:
        numbers += [("names", summary.names.total())]
    yield '<dl class="numbers">'
    for noun, number in numbers:
        yield f"<div><dt>{noun}</dt><dd>{number:,}</dd></div>"
    if summary.totals.sentiment.mean is not None:
        mean = signed(summary.totals.sentiment.mean)
        yield f"<div><dt>mean sentiment</dt><dd>{mean}</dd></div>"
    yield "</dl>"
    if "metaphor" in summary.tasks:
        yield from metaphor_page.tables(summary.metaphors)
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
    rows += [(kind, f"rejected: {reason}", count) for (kind, reason), count in rejected]
    if not rows:
        return
    most = max(count for *_, count in rows)
    yield "<table><caption>Relations and why they were rejected</caption><tbody>"
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
    heading = f"Text {number:,}" + (f" <small>{clean(name)}</small>" if name else "")
    parts = [f'<article id="t{number}"><h3>{heading}</h3>', sentiment_scale(analysis)]
    for place, sentence in enumerate(analysis.sentences):
        parts += _sentence(sentence, analysis, place)
        parts += rewriting_lists(sentence, rewritten)
    parts.append("</article>\n")
    return "".join(parts)


def _sentence(sentence: SentenceSpan, analysis: Analysis, place: int) -> Iterator[str]:
    yield f'<p dir="auto" class="s">{"".join(_words(sentence, analysis))}</p>'
    if "metaphor" in analysis.tasks:
        yield metaphor_page.verdict(analysis, place)
    yield from names.listed(names.names_within(sentence, analysis), analysis)
    if relations := analysis.relations_in(sentence):
        yield '<ul class="relations">'
        yield from (relation_item(relation, analysis) for relation in relations)
        yield "</ul>"
    if "syntax" in analysis.tasks:
        yield from tree(sentence, analysis)


def _words(sentence: SentenceSpan, analysis: Analysis) -> Iterator[str]:
    """The sentence with its words marked; words that touch stay on one line."""
    roles = _roles(analysis.relations_in(sentence))
    all_tokens = analysis.tokens_in(sentence)
    own = names.names_within(sentence, analysis)
    at = sentence.start
    for first, last in _touching(all_tokens):
        tokens = all_tokens[first:last]
        yield clean(analysis.text[at : tokens[0].start])
        at = tokens[-1].end
        together = last - first > 1 and at - tokens[0].start <= _UNBROKEN
        yield '<span class="g">' if together else ""
        for place, token in enumerate(tokens, start=sentence.first + first):
            text = names.marked(token, own, clean(token.text))
            yield _word(token, text, "syntax" in analysis.tasks, roles.get(place))
        yield "</span>" if together else ""
    yield clean(analysis.text[at : sentence.end])


def _touching(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Ranges of words between which there is nothing, not even a blank."""
    first = 0
    for place in range(1, len(tokens) + 1):
        if place == len(tokens) or tokens[place].start > tokens[place - 1].end:
            yield first, place
            first = place


def _word(token: Token, text: str, syntax: bool, role: tuple[str, bool] | None) -> str:
    classes, data = ["w"], ""
    if syntax and token.upos in _GROUP:
        classes.append(_GROUP[token.upos])
        data += f' data-tag="{token.upos}"'
    if role is not None:
        names, kept = role
        classes.append("kept" if kept else "rejected")
        data += f' data-role="{names}"'
    shown = metaphor_page.marked(token, text)
    return f'<span class="{" ".join(classes)}"{data}>{shown}</span>'


def _roles(relations: Iterable[Relation]) -> dict[int, tuple[str, bool]]:
    """Position → the roles that a word has, those of kept relations if there is one."""
    found: dict[int, dict[bool, set[str]]] = {}
    for relation in relations:
        for role in _ROLES:
            place = getattr(relation, role)
            if place is not None:
                found.setdefault(place, {}).setdefault(relation.kept, set()).add(role)
    return {
        place: (", ".join(role for role in _ROLES if role in verdicts[kept]), kept)
        for place, verdicts in found.items()
        for kept in [max(verdicts)]
    }
