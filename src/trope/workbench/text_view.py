"""A text on its page: words shade_words by score, the facts of one word, a table of all words."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trope.annotate.exchange.files import protect
from trope.core.records import Analysis, Metonymy, SentenceSpan, Token
from trope.render import metaphor_page, names
from trope.render.markup import clean
from trope.render.sentence_html import relation_item, tree
from trope.render.sentiment import signed
from trope.workbench.requests import RequestRefused

COLUMNS = (
    "sentence", "word", "text", "start", "end", "lemma", "upos", "xpos", "head", "deprel",
    "metaphor", "is_metaphor",
)  # fmt: skip


def shade_words(analysis: Analysis, address: str) -> str:
    """The text as HTML; each word is a link to the address followed by its number."""
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


def shade_css(analysis: Analysis) -> str:
    """The style sheet of the shaded text: a rule for every score that occurs."""
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


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The head or a dependent of a word."""

    number: int
    text: str
    deprel: str


@dataclass(frozen=True, slots=True)
class WordFacts:
    """The facts of a word; the parts that are HTML are already escaped."""

    number: int
    token: Token
    metaphor: bool
    head: Neighbour | None
    dependents: tuple[Neighbour, ...]
    relations: str
    names: str
    tree: str
    sentence: str
    figurative: float | None
    sentence_metaphorical: bool
    sentiment: str


def word_facts(analysis: Analysis, number: int) -> WordFacts:
    """The facts of the word with a number.

    Raises:
        RequestRefused: the text has no such word.
    """
    if not 0 <= number < len(analysis.tokens):
        message = f"the text has {len(analysis.tokens)} words, and no word {number}"
        raise RequestRefused(404, "no-such-word", message)
    place, sentence = sentence_of(analysis, number)
    token = analysis.tokens[number]
    inside = range(sentence.first, sentence.last)
    relations = analysis.relations_in(sentence)
    own = [r for r in relations if number in (r.verb, r.subject, r.object, r.particle)]
    here = names.names_within(sentence, analysis)
    score = analysis.figurative[place] if analysis.figurative else None
    sentiment = analysis.sentence_sentiments[place] if analysis.sentence_sentiments else None
    return WordFacts(
        number=number,
        token=token,
        metaphor=analysis.is_metaphor(number),
        head=_neighbour(analysis, token.head, token.deprel) if token.head in inside else None,
        dependents=tuple(
            _neighbour(analysis, at, analysis.tokens[at].deprel)
            for at in inside
            if analysis.tokens[at].head == number
        ),
        relations="".join(relation_item(r, analysis, unfolded=True) for r in own),
        names="".join(names.listed(names.names_over(token, here), analysis)),
        tree="".join(tree(sentence, analysis)),
        sentence=analysis.text[sentence.start : sentence.end],
        figurative=score,
        sentence_metaphorical=score is not None and score >= analysis.sentence_threshold,
        sentiment="" if sentiment is None else signed(sentiment),
    )


def sentence_of(analysis: Analysis, number: int) -> tuple[int, SentenceSpan]:
    """The sentence of a word, with its place in the text."""
    for place, sentence in enumerate(analysis.sentences):
        if number < sentence.last:
            return place, sentence
    raise AssertionError("every word is in a sentence")


def _neighbour(analysis: Analysis, number: int, deprel: str) -> Neighbour:
    return Neighbour(number, analysis.tokens[number].text, deprel)


def words_csv(analysis: Analysis) -> str:
    """A row per word; sentences, words and heads are counted from 0 as in the JSON."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(COLUMNS)
    for place, sentence in enumerate(analysis.sentences):
        for number, token in enumerate(analysis.tokens_in(sentence), start=sentence.first):
            cells = (
                place, number, token.text, token.start, token.end, token.lemma, token.upos,
                token.xpos, token.head, token.deprel,
                "" if token.metaphor is None else token.metaphor, int(analysis.is_metaphor(number)),
            )  # fmt: skip
            rows.writerow([protect(str(cell)) for cell in cells])
    return file.getvalue()
