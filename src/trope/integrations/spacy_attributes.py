"""What trope stores in spaCy documents, and the extension attributes that read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from typing import Any

from spacy.tokens import Doc, Span, Token

from trope.core.records import (
    ROOT,
    Analysis,
    Figure,
    Metonymy,
    Name,
    Relation,
    SentenceSpan,
    Sentiment,
)
from trope.core.records import Token as AnalysedToken
from trope.tasks.figures.views import move_figure

# where a document keeps them: as plain lists, so that documents can be stored
RELATIONS = "trope.relations"
SCORES = "trope.metaphor"
"""Both thresholds, the score of each token, each sentence as its first token and its score; then
how probably each token is noticed, and how new it is."""
VIEW = "trope.words"
"""The view of words, and the lowest score of a metaphor in it."""
FIGURES = "trope.figures"
"""Figures, whose tokens are those of the document."""
ENTITIES = "trope.names"
NAMES = "trope.metonymies"
SENTIMENT = "trope.sentiment"
SENTENCE_SENTIMENTS = "trope.sentence_sentiments"


def relations_of_doc(doc: Doc) -> list[Relation]:
    """The relations of a document; none if the component has not read it."""
    return [Relation(*values) for values in doc.user_data.get(RELATIONS, ())]


def relations_of_span(span: Span) -> list[Relation]:
    """The relations whose expression lies within a span."""
    return [r for r in relations_of_doc(span.doc) if span.start <= r.start and r.end <= span.end]


def relations_of_token(token: Token) -> list[Relation]:
    """The relations that a token is the verb, the subject, the object or the particle of."""
    return [
        r
        for r in relations_of_doc(token.doc)
        if token.i in (r.verb, r.subject, r.object, r.particle)
    ]


def metaphor_of_token(token: Token) -> float | None:
    """How probably a token is a metaphor; None for blanks, and without a model for it."""
    found = token.doc.user_data.get(SCORES)
    return None if found is None else found[1][token.i]


def metaphor_of_span(span: Span) -> float | None:
    """How probably a sentence has a metaphor; None for a span that is not a sentence."""
    if span.start >= span.end or not span.doc.has_annotation("SENT_START"):
        return None
    sentence = span.sent
    if (sentence.start, sentence.end) != (span.start, span.end):
        return None
    scores = dict(span.doc.user_data.get(SCORES, (0, 0, ()))[2])
    return next((scores[token.i] for token in span if token.i in scores), None)


def novelty_of_token(token: Token) -> float | None:
    """How new a metaphor is, from 0 to 1; None for blanks, and where the model does not say."""
    return _score(token, 4)


def noticed_of_token(token: Token) -> float | None:
    """How probably readers notice a token as a metaphor; None where the model does not say."""
    return _score(token, 3)


def _score(token: Token, kind: int) -> float | None:
    found = token.doc.user_data.get(SCORES, ())
    return found[kind][token.i] if len(found) > kind else None


def figures_of_doc(doc: Doc) -> list[Figure]:
    """What a reader would call figurative; the tokens are positions in the document."""
    rows: Iterable[list[Any]] = doc.user_data.get(FIGURES, ())
    return [Figure(*map(_as_stored, row)) for row in rows]


def _as_stored(value: Any) -> Any:
    """The value of a field of a record; stored documents have lists in place of tuples."""
    return tuple(value) if isinstance(value, list) else value


def figures_of_span(span: Span) -> list[Figure]:
    """The figures that begin in a span, without those of the whole text."""
    return [
        figure
        for figure in figures_of_doc(span.doc)
        if figure.kind != "irony" and span.start_char <= figure.start < span.end_char
    ]


def metaphors_of_doc(doc: Doc) -> list[Token]:
    """The tokens that are shown as metaphors, by the view of the component."""
    return metaphors_of_span(doc[:])


def metaphors_of_span(span: Span) -> list[Token]:
    """The metaphors among the tokens of a span."""
    figures = figures_of_doc(span.doc)
    shown = {place for figure in figures if figure.kind == "metaphor" for place in figure.tokens}
    return [token for token in span if token.i in shown]


def metonymies_of_doc(doc: Doc) -> list[Span]:
    """The names of a document that the model has read; `span._.metonymy` is what it says."""
    return [_span_of(name, doc) for name in _names(doc)]


def metonymy_of_span(span: Span) -> Metonymy | None:
    """What a name stands for; None for a span that is not a name."""
    for name in _names(span.doc):
        own = _span_of(name, span.doc)
        if (own.start, own.end) == (span.start, span.end):
            return name
    return None


def _names(doc: Doc) -> list[Metonymy]:
    return [Metonymy(*values) for values in doc.user_data.get(NAMES, ())]


def _span_of(name: Metonymy, doc: Doc) -> Span:
    """The tokens that a name has a part of, however they were cut."""
    span = doc.char_span(name.start, name.end, alignment_mode="expand")
    assert span is not None
    return span


def sentiment_of_doc(doc: Doc) -> Sentiment | None:
    """The sentiment of a document; None where it has no words or the model has no such head."""
    found = doc.user_data.get(SENTIMENT)
    return None if found is None else Sentiment(*found)


def analysis_of_doc(doc: Doc) -> Analysis:
    """What `trope.analyze` would give for a document that was read: blanks are not words there."""
    words = [token for token in doc if not token.is_space]
    position = {token.i: place for place, token in enumerate(words)}
    tokens = tuple(
        AnalysedToken(
            token.text,
            token.idx,
            token.idx + len(token),
            token.pos_,
            token.tag_,
            token.lemma_,
            ROOT if token.head == token else position[token.head.i],
            "root" if token.dep_ == "ROOT" else token.dep_,
            metaphor_of_token(token),
            noticed_of_token(token),
            novelty_of_token(token),
        )
        for token in words
    )
    places = [position.get(place, -1) for place in range(len(doc))]
    found = tuple(relation.moved(places) for relation in relations_of_doc(doc))
    analysis = Analysis(doc.text, tokens, tuple(_sentence_spans(doc, position)), found)
    scored = doc.user_data.get(SCORES)
    if scored is not None:
        (threshold, sentence_threshold), _, sentences = scored[:3]
        analysis = replace(
            analysis,
            tasks=(*analysis.tasks, "metaphor"),
            figurative=tuple(score for _, score in sentences),
            threshold=threshold,
            sentence_threshold=sentence_threshold,
        )
    if VIEW in doc.user_data:
        view, limit = doc.user_data[VIEW]
        figures = tuple(move_figure(figure, position.__getitem__) for figure in figures_of_doc(doc))
        analysis = replace(analysis, words=view, shown_threshold=limit, figures=figures)
    if NAMES in doc.user_data:
        tasks = (*analysis.tasks, "metonymy")
        analysis = replace(analysis, tasks=tasks, metonymies=tuple(_names(doc)))
    if ENTITIES in doc.user_data:
        analysis = replace(analysis, names=tuple(Name(*own) for own in doc.user_data[ENTITIES]))
    if SENTIMENT in doc.user_data:
        tasks = (*analysis.tasks, "sentiment")
        analysis = replace(
            analysis,
            tasks=tasks,
            sentiment=sentiment_of_doc(doc),
            sentence_sentiments=tuple(doc.user_data.get(SENTENCE_SENTIMENTS, ())),
        )
    return analysis


def keep_figures(doc: Doc, analysis: Analysis) -> None:
    """Store the figures of an analysis of the document, and its view, in the document."""
    words = [token.i for token in doc if not token.is_space]
    doc.user_data[VIEW] = [analysis.words, analysis.shown_threshold]
    doc.user_data[FIGURES] = [
        [
            list(v) if isinstance(v, tuple) else v
            for v in astuple(move_figure(figure, words.__getitem__))
        ]
        for figure in analysis.figures
    ]


def _sentence_spans(doc: Doc, position: dict[int, int]) -> Iterator[SentenceSpan]:
    for sentence in doc.sents if doc.has_annotation("SENT_START") else ():
        words = [token for token in sentence if not token.is_space]
        if words:
            start, end = words[0].idx, words[-1].idx + len(words[-1])
            yield SentenceSpan(start, end, position[words[0].i], position[words[-1].i] + 1)
