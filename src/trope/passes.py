"""Texts on their way through the network: cut and sent off, then read and put together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import islice
from time import thread_time
from typing import TYPE_CHECKING

from trope.core.records import Analysis, Parse, Sentiment, Text, TextKind
from trope.encoder.decode import Stretches, read_batch
from trope.encoder.outputs import SentimentScores
from trope.encoder.session import (
    METAPHOR,
    SENTIMENT,
    SYNTAX,
    TAGS,
    AnyEncoder,
    BatchPass,
    Encoder,
    MetaphorThresholds,
)
from trope.lexicon.inflection import lemma
from trope.relations.assembly import assemble
from trope.tasks.sentiment.encoder_head import WholeTexts, send_whole, sentiments
from trope.text import read

if TYPE_CHECKING:
    from trope.encoder.base import BaseEncoder

CHUNK_CHARACTERS = 500_000
"""A chunk ends here if its texts are long, so that memory does not grow with their length."""

NO_THRESHOLDS = MetaphorThresholds(0.5, 0.5)
"""What an analysis without metaphors carries."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Texts whose sentences are on their way through the network."""

    texts: list[Text]
    words: list[tuple[str, ...]]
    passes: deque[Future[BatchPass]]
    whole: WholeTexts
    kind: TextKind
    tasks: tuple[str, ...]


class Passes:
    """Sends texts through the small encoder and, in the tier `base`, through the large one."""

    def __init__(self, encoder: Encoder, base: BaseEncoder | None) -> None:
        self.encoder, self.base = encoder, base
        self.timings = dict.fromkeys(("text", "encoder", "decode", "relations"), 0.0)
        """Seconds of computing by stage, summed over threads."""

    @property
    def heads(self) -> AnyEncoder:
        """The encoder that says all but tags, trees and lemmas."""
        return self.encoder if self.base is None else self.base

    @property
    def thresholds(self) -> MetaphorThresholds:
        """From which probability on a word, and a sentence, is called metaphorical."""
        if self.base is not None:
            return self.base.thresholds
        return self.encoder.labels.metaphor or NO_THRESHOLDS

    def start(
        self, chunk: list[str], kind: TextKind, tasks: tuple[str, ...], *, tags: bool = True
    ) -> Chunk:
        """Cut texts into words and send them off."""
        began = thread_time()
        texts = [read(text, kind) for text in chunk]
        words = [sentence.forms for text in texts for sentence in text.sentences]
        self.timings["text"] += thread_time() - began
        outputs = self._outputs(tasks, tags=tags)
        passes = deque(self.encoder.submit(words, outputs) if outputs else ())
        whole = WholeTexts()
        if "sentiment" in tasks:
            # the pass that is made anyway tells the sentiment of a text of one sentence
            passed = self.base is None or "metaphor" in tasks
            known = [passed and len(text.sentences) == 1 for text in texts]
            whole = send_whole(self.heads, [[s.forms for s in t.sentences] for t in texts], known)
        return Chunk(texts, words, passes, whole, kind, tasks)

    def finish(self, chunk: Chunk) -> Iterator[Analysis]:
        """The analyses of texts that were sent off, still without readings of names."""
        thresholds = self.thresholds
        parses = iter(self._decode(chunk.words, chunk.passes, chunk.tasks))
        own = [list(islice(parses, len(text.sentences))) for text in chunk.texts]
        of_texts: list[Sentiment | None] = [None] * len(own)
        if "sentiment" in chunk.tasks:
            of_texts = sentiments(own, chunk.whole)
        for text, read_sentences, sentiment in zip(chunk.texts, own, of_texts, strict=True):
            began = thread_time()
            analysis = assemble(
                text, read_sentences, chunk.kind, chunk.tasks, thresholds, sentiment
            )
            self.timings["relations"] += thread_time() - began
            yield analysis

    def parse(self, sentences: list[tuple[str, ...]], tasks: Sequence[str]) -> list[Parse]:
        """Trees of sentences that have words, with what the tasks ask for."""
        passes = self.encoder.submit(sentences, self._outputs(tasks))
        return self._decode(sentences, deque(passes), tasks)

    def _decode(
        self,
        words: list[tuple[str, ...]],
        passes: deque[Future[BatchPass]],
        tasks: Sequence[str],
    ) -> list[Parse]:
        stretches = Stretches(words, self.encoder, lemma)
        sentiment = SentimentScores(len(words))
        while passes:
            done = passes.popleft().result()  # gone once read: scores take far more room than trees
            began = thread_time()
            stretches.add(read_batch(done, self.encoder))
            sentiment.add(done)
            self.timings["decode"] += thread_time() - began
            self.timings["encoder"] += done.seconds
        began = thread_time()
        parses = stretches.parses()
        self.timings["decode"] += thread_time() - began
        if self.base is None:
            if "sentiment" not in tasks:
                return parses
            scores = sentiment.scores()
            return [replace(parse, sentiment=s) for parse, s in zip(parses, scores, strict=True)]
        if "metaphor" not in tasks:
            return parses
        small = [parse.figurative or 0.0 for parse in parses]
        verdicts = self.base.verdicts(words, sentiment="sentiment" in tasks, small=small)
        return [
            replace(parse, metaphor=v.metaphor, figurative=v.figurative, sentiment=v.sentiment)
            for parse, v in zip(parses, verdicts, strict=True)
        ]

    def _outputs(self, tasks: Sequence[str], *, tags: bool = True) -> tuple[str, ...]:
        """What the tasks need of the small network; a tree is made if needed.

        Names are found by their place in the tree.
        """
        syntax: tuple[str, ...] = TAGS if tags else ()
        if {"syntax", "relations", "metonymy"} & {*tasks}:
            syntax = SYNTAX
        metaphor = METAPHOR if "metaphor" in tasks else ()
        if self.base is not None:  # both tiers are heard on whole sentences
            return (*syntax, *metaphor)
        return (*syntax, *metaphor, *(SENTIMENT if "sentiment" in tasks else ()))


def chunks(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    """The texts in groups of so many, fewer where they are long."""
    chunk: list[str] = []
    characters = 0
    for text in texts:
        chunk.append(text)
        characters += len(text)
        if len(chunk) == size or characters > CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk
