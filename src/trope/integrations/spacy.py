"""trope in spaCy: `trope.load()`, the component `trope` for any pipeline, extension attributes.

The component uses the tokens of the document, and its sentences if it has any. It sets
`pos_`, `tag_`, `lemma_`, `head` and `dep_` (with spaCy's ROOT for root), and thereby the sentences.
What it found beyond that is under `doc._.relations`, `span._.relations` and `token._.relations`;
`doc._.trope` is everything as one `Analysis`. Where the model has a head for metaphors, every
`token._.metaphor` is a probability (`token._.noticed` and `token._.novelty` are there if the model
has them too), `doc._.figures` is what a reader would call figurative, `doc._.metaphors` and
`span._.metaphors` are the tokens that are shown as metaphors, and the `span._.metaphor` of a
sentence is the probability that it has one. Where it has heads for them, `doc._.metonymies` are the
names as spans, the `span._.metonymy` of each says what it stands for, and `doc._.sentiment` is the
sentiment of the document.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np
import spacy
from spacy.attrs import DEP, HEAD, LEMMA, POS, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.util import minibatch

import trope
from trope.core.options import DEFAULT_WORDS, FigureView, check_kind, parse_tasks
from trope.core.records import ROOT, Parse, TextKind, WordView
from trope.integrations.spacy_attributes import (
    ENTITIES,
    FIGURES,
    NAMES,
    RELATIONS,
    SCORES,
    SENTENCE_SENTIMENTS,
    SENTIMENT,
    VIEW,
    analysis_of_doc,
    figures_of_doc,
    figures_of_span,
    keep_figures,
    metaphor_of_span,
    metaphor_of_token,
    metaphors_of_doc,
    metaphors_of_span,
    metonymies_of_doc,
    metonymy_of_span,
    noticed_of_token,
    novelty_of_token,
    relations_of_doc,
    relations_of_span,
    relations_of_token,
    sentiment_of_doc,
)
from trope.integrations.spacy_tokenizer import create_tokenizer
from trope.relations import extract_all
from trope.tasks.sentiment.encoder_head import sentence_scores
from trope.text.sentences import split_sentences

if TYPE_CHECKING:
    from trope.encoder.decode import ReadSentences
    from trope.pipeline import Pipeline

_ATTRIBUTES = (POS, TAG, LEMMA, DEP, HEAD)
_ASSIGNED = [f"token.{name}" for name in ("pos", "tag", "lemma", "dep", "head", "is_sent_start")]
_EXTENDED = ["doc._.relations", "doc._.trope", "doc._.metaphors", "token._.metaphor"]
_EXTENDED += ["doc._.metonymies", "span._.metonymy", "doc._.sentiment"]
_EXTENDED += ["doc._.figures", "token._.noticed", "token._.novelty"]
_LANGUAGES = ("en", "xx")
"""English, and pipelines for no language in particular."""
_TOKENIZER = "trope.Tokenizer.v1"

Places = list[int]
"""Where the words of a sentence stand in a document; blanks have no place."""


def load(
    *,
    tier: str = "small",
    threads: int | None = None,
    kind: TextKind = "plain",
    only: str | Sequence[str] | None = None,
    threshold: float | None = None,
    words: WordView = DEFAULT_WORDS,
    systems: Sequence[str] = (),
    device: str = "cpu",
) -> Language:
    """A spaCy pipeline for English: our words, our sentences, the component `trope`.

    `only` names the tasks to run beside syntax, which always runs; `threshold` and `words` say
    which words are shown as metaphors, as in `trope.analyze`. `systems` are folders of your own
    systems and `device` what runs the network, as in `trope.Pipeline`.

    If spaCy is not imported yet, it is imported without torch, which halves time and memory. Write
    `import spacy` before if other pipelines of your process need torch.
    """
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": {"@tokenizers": _TOKENIZER}}})
    listed = None if only is None else list(parse_tasks(only))
    config: dict[str, Any] = {"tier": tier, "threads": threads, "kind": kind, "only": listed}
    config |= {"threshold": threshold, "words": words, "systems": list(map(str, systems))}
    config |= {"device": device}
    nlp.add_pipe("trope", config=config)
    return nlp


def create_component(
    nlp: Language,
    name: str,
    tier: str,
    threads: int | None,
    kind: str,
    threshold: float | None,
    only: list[str] | None,
    words: str,
    systems: list[str],
    device: str,
) -> TropeComponent:
    """The component `trope`, as spaCy makes it from its configuration."""
    if nlp.lang not in _LANGUAGES:
        warnings.warn(
            f"trope reads English, but this pipeline is for {nlp.lang!r}; "
            "what it finds in other languages means nothing",
            stacklevel=2,
        )
    return TropeComponent(
        name,
        tier=tier,
        threads=threads,
        kind=kind,
        threshold=threshold,
        only=only,
        words=words,
        systems=systems,
        device=device,
    )


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
        only: Sequence[str] | None = None,
        words: str = DEFAULT_WORDS,
        systems: Sequence[str] = (),
        device: str = "cpu",
        pipeline: Pipeline | None = None,
    ) -> None:
        self.kind = check_kind(kind)
        self.view = FigureView(words, threshold)  # type: ignore[arg-type]  # which is checked there
        self.only = None if only is None else parse_tasks(("syntax", *only))
        self.name, self.tier, self.threads, self.systems = name, tier, threads, tuple(systems)
        self.device = device
        self._pipeline = pipeline

    @property
    def pipeline(self) -> Pipeline:
        """The model, loaded if it is not yet."""
        if self._pipeline is None:
            self._pipeline = trope.Pipeline(
                tier=self.tier, threads=self.threads, systems=self.systems, device=self.device
            )
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
        tasks = self.tasks
        all_read = self.pipeline.read(words, tasks)
        parses = iter(all_read.parses)
        found: list[list[Parse]] = []
        for doc, own in zip(docs, sentences, strict=True):
            read = [(places, next(parses)) for places in own]
            annotate(doc, read, self.kind, relations_too="relations" in tasks)
            for key in (SCORES, NAMES, ENTITIES, SENTIMENT, SENTENCE_SENTIMENTS, VIEW, FIGURES):
                doc.user_data.pop(key, None)
            _keep_scores(doc, read, self.pipeline.thresholds)
            found.append([parse for _, parse in read])
        if "metonymy" in tasks:
            self._read_names(docs, found, all_read)
        if "sentiment" in tasks:
            self._add_sentiment(docs, found)
        for doc, parsed in zip(docs, found, strict=True):
            self._show(doc, parsed)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that run: those that were asked for, or all that the model has heads for."""
        if self.only is None:
            return self.pipeline.tasks
        self.pipeline.check_tasks(self.only)
        return self.only

    def _read_names(
        self, docs: Sequence[Doc], parses: Sequence[Sequence[Parse]], read: ReadSentences
    ) -> None:
        """Stores names, and what they stand for, in the documents."""
        analyses = [analysis_of_doc(doc) for doc in docs]
        named = self.pipeline.find_metonymies(analyses, parses, read)
        for doc, analysis in zip(docs, named, strict=True):
            doc.user_data[NAMES] = [list(astuple(name)) for name in analysis.metonymies]
            doc.user_data[ENTITIES] = [list(astuple(name)) for name in analysis.names]

    def _add_sentiment(self, docs: Sequence[Doc], parses: Sequence[Sequence[Parse]]) -> None:
        """Stores the sentiment of the documents, of the whole and of each sentence."""
        found = self.pipeline.sentiments(parses, self.kind)
        for doc, own, sentiment in zip(docs, parses, found, strict=True):
            scores = sentence_scores(own, sentiment.scale) if sentiment else ()
            doc.user_data[SENTIMENT] = None if sentiment is None else list(astuple(sentiment))
            doc.user_data[SENTENCE_SENTIMENTS] = list(scores)
        if self.pipeline.own is not None:
            scored = self.pipeline.own_sentiments([analysis_of_doc(doc) for doc in docs])
            for doc, one in zip(docs, scored, strict=True):
                score = None if one.sentiment is None else list(astuple(one.sentiment))
                doc.user_data |= {SENTIMENT: score, SENTENCE_SENTIMENTS: []}

    def _show(self, doc: Doc, parses: Sequence[Parse]) -> None:
        """Stores the figures of a document by the view of the component."""
        if SCORES not in doc.user_data and NAMES not in doc.user_data:
            return
        analysis = self.pipeline.show(analysis_of_doc(doc), self.view, parses)
        if SCORES in doc.user_data:
            doc.user_data[SCORES][0][0] = analysis.threshold
        keep_figures(doc, analysis)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pipeline": None}


def annotate(
    doc: Doc,
    sentences: Sequence[tuple[Places, Parse]],
    kind: TextKind = "plain",
    *,
    relations_too: bool = True,
) -> None:
    """Writes trees, and relations unless these are not wanted, into a document, whose sentences are
    known."""
    add = doc.vocab.strings.add
    rows = np.zeros((len(doc), len(_ATTRIBUTES)), dtype=np.uint64)
    for sentence in doc.sents if len(doc) else ():
        for place, head in _blanks(sentence):
            # the label that spaCy's own models give; without one, spaCy forgets the head
            label = add("ROOT" if head == place else "dep")
            rows[place] = add("SPACE"), add("_SP"), doc[place].orth, label, _offset(place, head)
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
    doc.from_array(list(_ATTRIBUTES), rows)
    found = extract_all(sentences, kind) if relations_too else ()
    doc.user_data[RELATIONS] = [list(astuple(relation)) for relation in found]


def _keep_scores(
    doc: Doc, sentences: Sequence[tuple[Places, Parse]], thresholds: tuple[float, float]
) -> None:
    """Stores the scores of words and sentences in the document, if the model has any."""
    scored = [(places, parse) for places, parse in sentences if parse.figurative is not None]
    if not scored:
        return
    doc.user_data[SCORES] = [
        list(thresholds),
        _by_token(doc, [(places, parse.metaphor) for places, parse in scored]),
        [[places[0], parse.figurative] for places, parse in scored],
        _by_token(doc, [(places, parse.noticed) for places, parse in scored]),
        _by_token(doc, [(places, parse.novelty) for places, parse in scored]),
    ]


def _by_token(
    doc: Doc, sentences: Sequence[tuple[Places, tuple[float, ...]]]
) -> list[float | None]:
    """The scores of a document's tokens; None for blanks, and for sentences without scores."""
    found = {
        place: score
        for places, scores in sentences
        if scores
        for place, score in zip(places, scores, strict=True)
    }
    return [found.get(place) for place in range(len(doc))]


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
        default_config={
            "tier": "small",
            "threads": None,
            "kind": "plain",
            "threshold": None,
            "only": None,
            "words": DEFAULT_WORDS,
            "systems": [],
            "device": "cpu",
        },
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
    Token.set_extension("noticed", getter=noticed_of_token, force=True)
    Token.set_extension("novelty", getter=novelty_of_token, force=True)
    Doc.set_extension("figures", getter=figures_of_doc, force=True)
    Span.set_extension("figures", getter=figures_of_span, force=True)
    Doc.set_extension("metonymies", getter=metonymies_of_doc, force=True)
    Span.set_extension("metonymy", getter=metonymy_of_span, force=True)
    Doc.set_extension("sentiment", getter=sentiment_of_doc, force=True)


_register()
