"""A text whose words are shaded by their scores, each a link to what is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trope.core.records import Analysis, Metonymy, SentenceSpan, Token
from trope.render import metaphor_page, names
from trope.render.pieces import clean


def shaded(analysis: Analysis, address: str) -> str:
    """The text as HTML; words lead to the address, which ends where their number belongs."""
    parts: list[str] = []
    address = clean(address)
    at = 0
    for place, sentence in enumerate(analysis.sentences):
        parts.append(clean(analysis.text[at : sentence.start]))
        parts.append(f'<span class="sentence" id="s{place}">')
        parts += _words(sentence, analysis, address)
        parts.append("</span>")
        at = sentence.end
    parts.append(clean(analysis.text[at:]))
    return "".join(parts)


def shades(analysis: Analysis) -> str:
    """The style sheet that goes with it: a rule for every score that occurs."""
    return metaphor_page.score_rules(analysis.threshold, set(metaphor_page.shown_scores(analysis)))


def _words(sentence: SentenceSpan, analysis: Analysis, address: str) -> Iterator[str]:
    own = names.names_within(sentence, analysis)
    at = sentence.start
    for number, token in enumerate(analysis.tokens_in(sentence), start=sentence.first):
        yield clean(analysis.text[at : token.start])
        at = token.end
        text = _marked(token, own)
        link = f'<a class="w" id="w{number}" href="{address}{number}#panel">{text}</a>'
        yield link if token.is_word else text
    yield clean(analysis.text[at : sentence.end])


def _marked(token: Token, own: Sequence[Metonymy]) -> str:
    return metaphor_page.marked(token, names.marked(token, own, clean(token.text)))
