"""trope in spaCy: `trope.load()`, the component `trope` for any pipeline, extension attributes.

The component reads the words as the document has them, and its sentences if it has some. It sets
`pos_`, `tag_`, `lemma_`, `head` and `dep_` (with spaCy's ROOT for root), and thereby the sentences.
What it found beyond that is under `doc._.relations`, `span._.relations` and `token._.relations`;
`doc._.trope` is everything as one `Analysis`. Where the model has a head for metaphors, every
`token._.metaphor` is a probability, `doc._.metaphors` and `span._.metaphors` are the tokens from
the threshold on, and the `span._.metaphor` of a sentence is the probability that it has one. Where
it has heads for them, `doc._.metonymies` are the names as spans, the `span._.metonymy` of each says
what it stands for, and `doc._.sentiment` how the document feels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import spacy
from spacy.attrs import DEP, HEAD, LEMMA, POS, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.util import minibatch

import trope
from trope import relations
from trope.core.errors import BadInput
from trope.core.records import ROOT, Analysis, Metonymy, Parse, Relation, Sentiment, TextKind
from trope.core.records import Token as AnalysedToken
from trope.integrations.spacy_tokenizer import create_tokenizer
from trope.text.sentences import split_sentences

if TYPE_CHECKING:
    from trope.pipeline import Pipeline

_ATTRIBUTES = (POS, TAG, LEMMA, DEP, HEAD)
_ASSIGNED = [f"token.{name}" for name in ("pos", "tag", "lemma", "dep", "head", "is_sent_start")]
_USER_DATA = "trope.relations"  # plain lists, so that documents can be stored
_SCORES = "trope.metaphor"  # likewise: see `_keep_scores`
_NAMES = "trope.metonymies"
_FEELING = "trope.sentiment"
_FEELINGS = "trope.feelings"  # sentence by sentence
_EXTENDED = ["doc._.relations", "doc._.trope", "doc._.metaphors", "token._.metaphor"]
_EXTENDED += ["doc._.metonymies", "span._.metonymy", "doc._.sentiment"]
_TOKENIZER = "trope.Tokenizer.v1"

Places = list[int]
"""Where the words of a sentence stand in a document; blanks have no place."""


def load(*, tier: str = "small", threads: int | None = None, kind: TextKind = "plain") -> Language:
    """A spaCy pipeline for English: our words, our sentences, the component `trope`."""
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": {"@tokenizers": _TOKENIZER}}})
    nlp.add_pipe("trope", config={"tier": tier, "threads": threads, "kind": kind})
    return nlp


def create_component(
    nlp: Language,
    name: str,
    tier: str,
    threads: int | None,
    kind: str,
    threshold: float | None,
) -> TropeComponent:
    """The component `trope`, as spaCy makes it from its configuration."""
    return TropeComponent(name, tier=tier, threads=threads, kind=kind, threshold=threshold)


class TropeComponent:
    """Reads documents with one encoder pass a batch. The model is loaded when it is first used
    and is not stored with a pipeline: its configuration is enough to have it again.
    """

    def __init__(
        self,
        name: str = "trope",
        *,
        tier: str = "small",
        threads: int | None = None,
        kind: str = "plain",
        threshold: float | None = None,
        pipeline: Pipeline | None = None,
    ) -> None:
        if kind not in get_args(TextKind):
            raise BadInput(f"no kind of text is called {kind!r}; {get_args(TextKind)} are known")
        if threshold is not None and not 0 <= threshold <= 1:
            raise BadInput(f"a threshold is a probability, not {threshold}; give one from 0 to 1")
        self.name, self.tier, self.threads, self.threshold = name, tier, threads, threshold
        self.kind: TextKind = kind  # type: ignore[assignment]
        self._pipeline = pipeline

    @property
    def pipeline(self) -> Pipeline:
        """The model, loaded if it is not yet."""
        if self._pipeline is None:
            self._pipeline = trope.Pipeline(tier=self.tier, threads=self.threads)
        return self._pipeline

    def __call__(self, doc: Doc) -> Doc:
        """The same document, read."""
        self._read([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """The same documents, read a batch at a time."""
        for docs in minibatch(stream, size=batch_size):
            self._read(docs)
            yield from docs

    def _read(self, docs: Sequence[Doc]) -> None:
        sentences = [_sentences(doc, self.kind) for doc in docs]
        words = [
            [doc[place].text for place in places]
            for doc, own in zip(docs, sentences, strict=True)
            for places in own
        ]
        parses = iter(self.pipeline.parse(words) if words else [])
        found: list[list[Parse]] = []
        for doc, own in zip(docs, sentences, strict=True):
            read = [(places, next(parses)) for places in own]
            annotate(doc, read, self.kind)
            _keep_scores(doc, read, self._thresholds())
            for key in (_NAMES, _FEELING, _FEELINGS):
                doc.user_data.pop(key, None)
            found.append([parse for _, parse in read])
        self._read_names(docs)
        self._feel(docs, found)

    def _read_names(self, docs: Sequence[Doc]) -> None:
        """Puts what names stand for with the documents, if the model has a head for it."""
        if "metonymy" not in self.pipeline.tasks:
            return
        analyses = self.pipeline.find_metonymies([analysis_of_doc(doc) for doc in docs])
        for doc, analysis in zip(docs, analyses, strict=True):
            doc.user_data[_NAMES] = [list(astuple(name)) for name in analysis.metonymies]

    def _feel(self, docs: Sequence[Doc], parses: Sequence[Sequence[Parse]]) -> None:
        """Puts how they feel with the documents, if the model has a head for it."""
        if "sentiment" not in self.pipeline.tasks:
            return
        for doc, own, felt in zip(docs, parses, self.pipeline.feel(parses), strict=True):
            doc.user_data[_FEELING] = None if felt is None else list(astuple(felt))
            doc.user_data[_FEELINGS] = [p.feeling for p in own if p.feeling is not None]

    def _thresholds(self) -> tuple[float, float]:
        """From where on a word, and a sentence, is called metaphorical."""
        word, sentence = self.pipeline.thresholds
        return word if self.threshold is None else self.threshold, sentence

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pipeline": None}


def annotate(doc: Doc, sentences: Sequence[tuple[Places, Parse]], kind: TextKind = "plain") -> None:
    """Writes trees and relations into a document, whose sentences are known."""
    add = doc.vocab.strings.add
    rows = np.zeros((len(doc), len(_ATTRIBUTES)), dtype=np.uint64)
    for sentence in doc.sents if len(doc) else ():
        for place, head in _blanks(sentence):
            # the label that spaCy's own models give; without one, spaCy forgets the head
            label = add("ROOT" if head == place else "dep")
            rows[place] = add("SPACE"), add("_SP"), doc[place].orth, label, _offset(place, head)
    found: list[Relation] = []
    for places, parse in sentences:
        for word, place in enumerate(places):
            head = parse.heads[word]
            rows[place] = (
                add(parse.upos[word]),
                add(parse.xpos[word]),
                add(parse.lemmas[word]),
                add("ROOT" if head == ROOT else parse.deprels[word]),
                _offset(place, place if head == ROOT else places[head]),
            )
        found += [_moved(relation, places) for relation in relations.extract(parse)]
    doc.from_array(list(_ATTRIBUTES), rows)
    judged = relations.judge_together(found) if kind == "headline" else found
    doc.user_data[_USER_DATA] = [list(astuple(relation)) for relation in judged]


def _keep_scores(
    doc: Doc, sentences: Sequence[tuple[Places, Parse]], thresholds: tuple[float, float]
) -> None:
    """Puts the scores of words and sentences with the document, if the model gives any."""
    doc.user_data.pop(_SCORES, None)
    scored = [(places, parse) for places, parse in sentences if parse.figurative is not None]
    if not scored:
        return
    words = {
        place: score
        for places, parse in scored
        for place, score in zip(places, parse.metaphor, strict=True)
    }
    doc.user_data[_SCORES] = [
        list(thresholds),
        [words.get(token.i) for token in doc],
        [[places[0], parse.figurative] for places, parse in scored],
    ]


def _offset(place: int, head: int) -> int:
    """The way to a head as spaCy's arrays have it: unsigned, also where it leads back."""
    return (head - place) % 2**64


def _blanks(sentence: Span) -> Iterator[tuple[int, int]]:
    """Each blank token with the token that it hangs on: the word before it, else the one after,
    of its sentence; among blanks alone, the first.
    """
    words = [token.i for token in sentence if not token.is_space]
    last = words[0] if words else sentence.start
    for token in sentence:
        if token.is_space:
            yield token.i, last
        else:
            last = token.i


def _sentences(doc: Doc, kind: TextKind) -> list[Places]:
    """The words of each sentence of a document, which is split if it is not yet."""
    if not doc.has_annotation("SENT_START"):
        _split(doc, kind)
    sentences = ([token.i for token in sent if not token.is_space] for sent in doc.sents)
    return [places for places in sentences if places]


def _split(doc: Doc, kind: TextKind) -> None:
    """Sets the beginnings of sentences, which are never blanks but for the first."""
    words = [token.i for token in doc if not token.is_space]
    spans = [(doc[place].idx, doc[place].idx + len(doc[place])) for place in words]
    starts = {words[first] for first, _ in split_sentences(doc.text, spans, kind)[1:]}
    for token in doc:
        token.is_sent_start = token.i in starts or token.i == 0


def _moved(relation: Relation, places: Sequence[int]) -> Relation:
    """A relation of a sentence with positions of the whole, given where its words stand there."""

    def at(word: int | None) -> int | None:
        return None if word is None else places[word]

    return replace(
        relation,
        verb=places[relation.verb],
        subject=at(relation.subject),
        object=at(relation.object),
        particle=at(relation.particle),
        start=places[relation.start],
        end=places[relation.end - 1] + 1,
    )


def relations_of_doc(doc: Doc) -> list[Relation]:
    """The relations of a document; none if the component has not read it."""
    return [Relation(*values) for values in doc.user_data.get(_USER_DATA, ())]


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
    """How probably a token is a metaphor; None for blanks, and where no model has said so."""
    found = token.doc.user_data.get(_SCORES)
    return None if found is None else found[1][token.i]


def metaphor_of_span(span: Span) -> float | None:
    """How probably a sentence has a metaphor; None for a span that is no sentence."""
    if span.start >= span.end or not span.doc.has_annotation("SENT_START"):
        return None
    sentence = span.sent
    if (sentence.start, sentence.end) != (span.start, span.end):
        return None
    scores = dict(span.doc.user_data.get(_SCORES, (0, 0, ()))[2])
    return next((scores[token.i] for token in span if token.i in scores), None)


def metaphors_of_doc(doc: Doc) -> list[Token]:
    """The tokens that are metaphors: those whose score reaches the threshold."""
    return metaphors_of_span(doc[:])


def metaphors_of_span(span: Span) -> list[Token]:
    """The metaphors among the tokens of a span."""
    found = span.doc.user_data.get(_SCORES)
    if found is None:
        return []
    (threshold, _), scores, _ = found
    return [t for t in span if scores[t.i] is not None and scores[t.i] >= threshold]


def metonymies_of_doc(doc: Doc) -> list[Span]:
    """The names of a document that the model has read; `span._.metonymy` is what it says."""
    return [_span_of(name, doc) for name in _names(doc)]


def metonymy_of_span(span: Span) -> Metonymy | None:
    """What a name stands for; None for a span that is no name."""
    for name in _names(span.doc):
        own = _span_of(name, span.doc)
        if (own.start, own.end) == (span.start, span.end):
            return name
    return None


def _names(doc: Doc) -> list[Metonymy]:
    return [Metonymy(*values) for values in doc.user_data.get(_NAMES, ())]


def _span_of(name: Metonymy, doc: Doc) -> Span:
    """The tokens that a name has a part of, however they were cut."""
    span = doc.char_span(name.start, name.end, alignment_mode="expand")
    assert span is not None
    return span


def sentiment_of_doc(doc: Doc) -> Sentiment | None:
    """How a document feels; None where it has no words, or no model has said so."""
    found = doc.user_data.get(_FEELING)
    return None if found is None else Sentiment(*found)


def analysis_of_doc(doc: Doc) -> Analysis:
    """What `trope.analyze` would give for a document that was read: blanks are no words there."""
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
        )
        for token in words
    )
    moved = [position.get(place, -1) for place in range(len(doc))]
    found = tuple(_moved(relation, moved) for relation in relations_of_doc(doc))
    analysis = Analysis(doc.text, tokens, tuple(_bounds(doc)), found)
    scored = doc.user_data.get(_SCORES)
    if scored is not None:
        (threshold, sentence_threshold), _, sentences = scored
        analysis = replace(
            analysis,
            tasks=(*analysis.tasks, "metaphor"),
            figurative=tuple(score for _, score in sentences),
            threshold=threshold,
            sentence_threshold=sentence_threshold,
        )
    if _NAMES in doc.user_data:
        tasks = (*analysis.tasks, "metonymy")
        analysis = replace(analysis, tasks=tasks, metonymies=tuple(_names(doc)))
    if _FEELING in doc.user_data:
        tasks = (*analysis.tasks, "sentiment")
        feelings = tuple(doc.user_data.get(_FEELINGS, ()))
        felt = sentiment_of_doc(doc)
        analysis = replace(analysis, tasks=tasks, sentiment=felt, feelings=feelings)
    return analysis


def _bounds(doc: Doc) -> Iterator[tuple[int, int]]:
    for sentence in doc.sents if doc.has_annotation("SENT_START") else ():
        words = [token for token in sentence if not token.is_space]
        if words:
            yield words[0].idx, words[-1].idx + len(words[-1])


def _register() -> None:
    """Makes factory, tokenizer and extension attributes known to spaCy; again does no harm."""
    Language.factory(
        "trope",
        default_config={"tier": "small", "threads": None, "kind": "plain", "threshold": None},
        assigns=[*_ASSIGNED, "doc.sents", *_EXTENDED],
        func=create_component,
    )
    spacy.registry.tokenizers(_TOKENIZER, func=create_tokenizer)
    Doc.set_extension("trope", getter=analysis_of_doc, force=True)
    Doc.set_extension("relations", getter=relations_of_doc, force=True)
    Span.set_extension("relations", getter=relations_of_span, force=True)
    Token.set_extension("relations", getter=relations_of_token, force=True)
    Doc.set_extension("metaphors", getter=metaphors_of_doc, force=True)
    Span.set_extension("metaphors", getter=metaphors_of_span, force=True)
    Span.set_extension("metaphor", getter=metaphor_of_span, force=True)
    Token.set_extension("metaphor", getter=metaphor_of_token, force=True)
    Doc.set_extension("metonymies", getter=metonymies_of_doc, force=True)
    Span.set_extension("metonymy", getter=metonymy_of_span, force=True)
    Doc.set_extension("sentiment", getter=sentiment_of_doc, force=True)


_register()
