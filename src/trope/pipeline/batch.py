"""The way of a batch of texts: words, one encoder pass, parses, analyses."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from time import thread_time
from typing import TYPE_CHECKING

from trope.core.records import (
    NO_THRESHOLDS,
    Analysis,
    MetaphorThresholds,
    Parse,
    Sentiment,
    Text,
    TextKind,
)
from trope.encoder.decode import decode, decode_scores
from trope.encoder.session import (
    METAPHOR,
    SENTIMENT,
    SYNTAX,
    TAGS,
    AnyEncoder,
    BatchPass,
    Encoder,
)
from trope.lexicon.inflection import lemma
from trope.pipeline.assembly import assemble
from trope.tasks.metonymy.detection import find_metonymies
from trope.tasks.metonymy.encoder_head import EncoderMetonymy
from trope.tasks.sentiment.encoder_head import to_sentiments
from trope.text import read

if TYPE_CHECKING:
    from trope.encoder.base import BaseEncoder

BATCH_CHARACTERS = 500_000
"""A batch ends here if its texts are long, so that memory does not grow with their length."""

Passes = deque[Future[BatchPass]]
"""What is on its way through the network; taken out as it is read."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts whose sentences are on their way through the network.

    `whole` has the numbers of the texts that go through it once more as one sequence, for their
    sentiment.
    """

    texts: list[Text]
    words: list[tuple[str, ...]]
    passes: Passes
    whole: list[int]
    whole_passes: Passes
    kind: TextKind
    tasks: tuple[str, ...]


class BatchAnalyzer:
    """Texts in, analyses out: through the small encoder and, in the tier `base`, the large one."""

    def __init__(self, encoder: Encoder, base: BaseEncoder | None) -> None:
        self.encoder, self.base = encoder, base
        self.heads: AnyEncoder = encoder if base is None else base
        """The encoder that gives all but tags, trees and lemmas."""
        self.timings = dict.fromkeys(("text", "encoder", "decode", "relations"), 0.0)
        """Seconds of computing by stage, summed over threads."""

    @property
    def thresholds(self) -> MetaphorThresholds:
        """The lowest probability of a metaphor, and of a metaphorical sentence."""
        return self.heads.labels.metaphor or NO_THRESHOLDS

    def start(
        self, texts: list[str], kind: TextKind, tasks: tuple[str, ...], *, tags: bool = True
    ) -> Batch:
        """Split texts into words and send them to the network."""
        began = thread_time()
        split = [read(text, kind) for text in texts]
        words = [sentence.forms for text in split for sentence in text.sentences]
        self.timings["text"] += thread_time() - began
        outputs = self._outputs(tasks, tags=tags)
        passes = deque(self.encoder.submit(words, outputs) if outputs else ())
        whole: list[int] = []
        whole_passes: Passes = deque()
        if "sentiment" in tasks:
            # the pass over the sentences scores a text of one sentence already
            once = self.base is None or "metaphor" in tasks
            counts = [len(text.sentences) for text in split]
            whole, whole_passes = self._send_whole(
                words, counts, [once and count == 1 for count in counts]
            )
        return Batch(split, words, passes, whole, whole_passes, kind, tasks)

    def finish(self, batch: Batch) -> list[Analysis]:
        """The analyses of texts that were sent to the network."""
        parses = iter(self._decode(batch.words, batch.passes, batch.tasks))
        parsed = [list(islice(parses, len(text.sentences))) for text in batch.texts]
        sentiments: list[Sentiment | None] = [None] * len(parsed)
        if "sentiment" in batch.tasks:
            sentiments = self._sentiments(parsed, batch.whole, batch.whole_passes)
        thresholds = self.thresholds
        began = thread_time()
        analyses = [
            assemble(text, own, batch.kind, batch.tasks, thresholds, sentiment)
            for text, own, sentiment in zip(batch.texts, parsed, sentiments, strict=True)
        ]
        self.timings["relations"] += thread_time() - began
        return self.add_metonymies(analyses) if "metonymy" in batch.tasks else analyses

    def parse(self, sentences: list[tuple[str, ...]], tasks: Sequence[str]) -> list[Parse]:
        """The parses of sentences that have words, with what the tasks need."""
        passes = self.encoder.submit(sentences, self._outputs(tasks))
        return self._decode(sentences, deque(passes), tasks)

    def sentiments(self, texts: Sequence[Sequence[Parse]]) -> list[Sentiment | None]:
        """The sentiment of texts whose sentences are parsed; None for one without words."""
        words = [parse.words for text in texts for parse in text]
        known = [len(text) == 1 and text[0].sentiment is not None for text in texts]
        return self._sentiments(texts, *self._send_whole(words, [len(t) for t in texts], known))

    def add_metonymies(self, analyses: Sequence[Analysis]) -> list[Analysis]:
        """The same analyses, which have trees, with what the names in them stand for."""
        found = find_metonymies(analyses, self._metonymy)
        return [replace(a, metonymies=names) for a, names in zip(analyses, found, strict=True)]

    @cached_property
    def _metonymy(self) -> EncoderMetonymy:
        return EncoderMetonymy(self.heads)

    def _send_whole(
        self, words: Sequence[tuple[str, ...]], counts: Sequence[int], known: Sequence[bool]
    ) -> tuple[list[int], Passes]:
        """Send texts, of so many sentences each, as one sequence where no score is known."""
        sentences = iter(words)
        texts: dict[int, list[str]] = {}
        for number, (count, scored) in enumerate(zip(counts, known, strict=True)):
            own = list(islice(sentences, count))
            if own and not scored:
                texts[number] = [word for sentence in own for word in sentence]
        passes = self.heads.submit(list(texts.values()), SENTIMENT) if texts else ()
        return list(texts), deque(passes)

    def _sentiments(
        self, texts: Sequence[Sequence[Parse]], whole: list[int], passes: Passes
    ) -> list[Sentiment | None]:
        """The sentiment of each text: of the whole, or of its one sentence."""
        scores = dict(zip(whole, decode_scores(len(whole), _results(passes)), strict=True))
        for number, parses in enumerate(texts):
            if number not in scores and parses and parses[0].sentiment is not None:
                scores[number] = parses[0].sentiment
        found = dict(zip(scores, to_sentiments(scores.values()), strict=True))
        return [found.get(number) for number in range(len(texts))]

    def _decode(
        self, words: list[tuple[str, ...]], passes: Passes, tasks: Sequence[str]
    ) -> list[Parse]:
        began = thread_time()
        parses = decode(words, self._timed(passes), self.encoder, lemma)
        self.timings["decode"] += thread_time() - began
        if self.base is None or "metaphor" not in tasks:
            return parses
        small = [parse.figurative or 0.0 for parse in parses]
        verdicts = self.base.verdicts(words, sentiment="sentiment" in tasks, small=small)
        return [
            replace(parse, metaphor=v.metaphor, figurative=v.figurative, sentiment=v.sentiment)
            for parse, v in zip(parses, verdicts, strict=True)
        ]

    def _timed(self, passes: Passes) -> Iterator[BatchPass]:
        for done in _results(passes):
            self.timings["encoder"] += done.seconds
            yield done

    def _outputs(self, tasks: Sequence[str], *, tags: bool = True) -> tuple[str, ...]:
        """What the tasks need of the small network; metonymy needs trees to find names."""
        syntax: tuple[str, ...] = TAGS if tags else ()
        if {"syntax", "relations", "metonymy"} & {*tasks}:
            syntax = SYNTAX
        metaphor = METAPHOR if "metaphor" in tasks else ()
        if self.base is not None:  # whose sentence scores are blended with those of the small one
            return (*syntax, *metaphor)
        return (*syntax, *metaphor, *(SENTIMENT if "sentiment" in tasks else ()))


def _results(passes: Passes) -> Iterator[BatchPass]:
    """Each pass as it ends, forgotten once read: scores take far more room than trees."""
    while passes:
        yield passes.popleft().result()


def batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    """The texts in groups of so many, fewer where they are long."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        batch.append(text)
        characters += len(text)
        if len(batch) == size or characters > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
