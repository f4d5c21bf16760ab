"""trope in spaCy: `trope.load()`, the component `trope` for any pipeline, extension attributes.

The component uses the tokens of the document, and its sentences if it has any. It sets
`pos_`, `tag_`, `lemma_`, `head` and `dep_` (with spaCy's ROOT for root), and thereby the sentences.
What it found beyond that is under `doc._.relations`, `span._.relations` and `token._.relations`;
`doc._.trope` is everything as one `Analysis`. Where the model has a head for metaphors, every
`token._.metaphor` is a probability, `doc._.metaphors` and `span._.metaphors` are the tokens at or
above the threshold, and the `span._.metaphor` of a sentence is the probability that it has one.
Where it has heads for them, `doc._.metonymies` are the names as spans, the `span._.metonymy` of
each says what it stands for, and `doc._.sentiment` is the sentiment of the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
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
from trope.core.records import ROOT, Parse, Relation, TextKind
from trope.integrations.spacy_attributes import (
    NAMES,
    RELATIONS,
    SCORES,
    SENTENCE_SENTIMENTS,
    SENTIMENT,
    analysis_of_doc,
    metaphor_of_span,
    metaphor_of_token,
    metaphors_of_doc,
    metaphors_of_span,
    metonymies_of_doc,
    metonymy_of_span,
    relations_of_doc,
    relations_of_span,
    relations_of_token,
    sentiment_of_doc,
)
from trope.integrations.spacy_tokenizer import create_tokenizer
from trope.text.sentences import split_sentences

if TYPE_CHECKING:
    from trope.pipeline import Pipeline

_ATTRIBUTES = (POS, TAG, LEMMA, DEP, HEAD)
_ASSIGNED = [f"token.{name}" for name in ("pos", "tag", "lemma", "dep", "head", "is_sent_start")]
_EXTENDED = ["doc._.relations", "doc._.trope", "doc._.metaphors", "token._.metaphor"]
_EXTENDED += ["doc._.metonymies", "span._.metonymy", "doc._.sentiment"]
_TOKENIZER = "trope.Tokenizer.v1"

Places = list[int]
"""Where the words of a sentence stand in a document; blanks have no place."""


def load(*, tier: str = "small", threads: int | None = None, kind: TextKind = "plain") -> Language:
    """A spaCy pipeline for English: our words, our sentences, the component `trope`.

    If spaCy is not imported yet, it is imported without torch, which halves time and memory. Write
    `import spacy` before if other pipelines of your process need torch.
    """
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
    """Reads documents with one encoder pass per batch. The model is loaded when it is first used
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
            for key in (NAMES, SENTIMENT, SENTENCE_SENTIMENTS):
                doc.user_data.pop(key, None)
            found.append([parse for _, parse in read])
        self._read_names(docs)
        self._add_sentiment(docs, found)

    def _read_names(self, docs: Sequence[Doc]) -> None:
        """Stores what names stand for in the documents, if the model has a head for it."""
        if "metonymy" not in self.pipeline.tasks:
            return
        analyses = self.pipeline.find_metonymies([analysis_of_doc(doc) for doc in docs])
        for doc, analysis in zip(docs, analyses, strict=True):
            doc.user_data[NAMES] = [list(astuple(name)) for name in analysis.metonymies]

    def _add_sentiment(self, docs: Sequence[Doc], parses: Sequence[Sequence[Parse]]) -> None:
        """Stores the sentiment of the documents, if the model has a head for it."""
        if "sentiment" not in self.pipeline.tasks:
            return
        for doc, own, score in zip(docs, parses, self.pipeline.sentiments(parses), strict=True):
            doc.user_data[SENTIMENT] = None if score is None else list(astuple(score))
            doc.user_data[SENTENCE_SENTIMENTS] = [
                p.sentiment for p in own if p.sentiment is not None
            ]

    def _thresholds(self) -> tuple[float, float]:
        """The thresholds for words and for sentences."""
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
        found += [relation.moved(places) for relation in relations.extract(parse)]
    doc.from_array(list(_ATTRIBUTES), rows)
    judged = relations.judge_together(found) if kind == "headline" else found
    doc.user_data[RELATIONS] = [list(astuple(relation)) for relation in judged]


def _keep_scores(
    doc: Doc, sentences: Sequence[tuple[Places, Parse]], thresholds: tuple[float, float]
) -> None:
    """Stores the scores of words and sentences in the document, if the model has any."""
    doc.user_data.pop(SCORES, None)
    scored = [(places, parse) for places, parse in sentences if parse.figurative is not None]
    if not scored:
        return
    words = {
        place: score
        for places, parse in scored
        for place, score in zip(places, parse.metaphor, strict=True)
    }
    doc.user_data[SCORES] = [
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


def _register() -> None:
    """Registers factory, tokenizer and extension attributes with spaCy; may be called again."""
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
