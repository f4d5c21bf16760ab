"""One encoder pass a batch; every head and every layer above reads what it needs from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING

from trope.core.errors import BadInput
from trope.core.files import sha256
from trope.core.records import ROOT, Analysis, Parse, Relation, Text, TextKind, Token
from trope.encoder.decode import Stretches, read_batch
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import (
    METAPHOR,
    SYNTAX,
    TAGS,
    BatchPass,
    Encoder,
    MetaphorThresholds,
)
from trope.lexicon.inflection import lemma
from trope.relations import extract, judge_together
from trope.text import read

if TYPE_CHECKING:
    from trope.encoder.base import BaseEncoder
    from trope.tasks.metaphor.encoder_heads import Heads
    from trope.tasks.rewriting.rewriter import Rewriter, Rewriting
    from trope.tasks.rewriting.task import Direction

BASE = "base"
"""The tier whose metaphors need public weights that do not come with the package."""

AHEAD = 2
"""Chunks under way at a time, so that the network never waits for the rest."""

CHUNK_CHARACTERS = 500_000
"""A chunk ends here if its texts are long, so that memory does not grow with their length."""

NO_THRESHOLDS = MetaphorThresholds(0.5, 0.5)
"""What an analysis without metaphors carries."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Texts whose sentences are on their way through the network."""

    texts: list[Text]
    words: list[tuple[str, ...]]
    passes: deque[Future[BatchPass]]
    kind: TextKind
    tasks: tuple[str, ...]


class Pipeline:
    """Texts in, analyses out. Loading takes a moment: keep one and use it again."""

    def __init__(
        self,
        *,
        tier: str = "small",
        threads: int | None = None,
        folder: Path | None = None,
        base_weights: Path | None = None,
    ) -> None:
        """Load a tier, or the model of that tier which `trope train` left in a folder.

        Trees are those of the tier `small` in every tier. With `base`, metaphors are those of our
        adapters on a public encoder, whose weights are looked for in the folder `base_weights`.
        """
        self.tier = tier
        self._base_weights = base_weights
        self.base: BaseEncoder | None = None
        if tier != BASE:
            self.encoder = Encoder(tier, threads=threads, folder=folder)
        else:
            from trope.encoder.base import ADAPTERS, BaseEncoder

            self.encoder = Encoder("small", threads=threads)
            self.base = BaseEncoder(
                vocabulary=self.encoder.vocabulary,
                weights=base_weights,
                adapters=folder / ADAPTERS if folder else None,
                threads=threads,
            )
        self.timings = dict.fromkeys(("text", "encoder", "decode", "relations"), 0.0)
        """Seconds of computing by stage, summed over threads."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """What the model can be asked for."""
        syntax = ("syntax", "relations")
        return syntax if self.encoder.labels.metaphor is None else (*syntax, "metaphor")

    @property
    def thresholds(self) -> tuple[float, float]:
        """From which probability on a word, and a sentence, is called metaphorical."""
        chosen = self._thresholds
        return chosen.threshold, chosen.sentence_threshold

    @property
    def _thresholds(self) -> MetaphorThresholds:
        if self.base is not None:
            return self.base.thresholds
        return self.encoder.labels.metaphor or NO_THRESHOLDS

    @property
    def model_sha256(self) -> str:
        """The checksum of the file that tells this model from others."""
        if self.base is not None:
            return self.base.model_sha256
        return sha256(self.encoder.folder / "encoder.onnx")

    @property
    def vocabulary(self) -> Vocabulary:
        """The word pieces that the network reads."""
        return self.encoder.vocabulary

    def check_tasks(self, tasks: Iterable[str]) -> None:
        """Raises BadInput if the model cannot be asked for one of the tasks."""
        for task in tasks:
            if task not in self.tasks:
                raise BadInput(
                    f"the model of tier {self.tier!r} has no head for {task!r}; "
                    f"ask it for {', '.join(self.tasks)}, or install a trope whose model has one"
                )

    def analyze(
        self, text: str, *, kind: TextKind = "plain", tasks: Sequence[str] | None = None
    ) -> Analysis:
        """Everything about one text, or no more than the given tasks."""
        return next(self.analyze_many([text], kind=kind, tasks=tasks))

    def analyze_many(
        self,
        texts: Iterable[str],
        *,
        kind: TextKind = "plain",
        batch_size: int = 1024,
        tasks: Sequence[str] | None = None,
    ) -> Iterator[Analysis]:
        """One analysis a text, in order, in constant memory: up to `batch_size` texts at a time.

        Only what the given tasks need is computed; without any, all that the model has.
        """
        wanted = self.tasks if tasks is None else tuple(tasks)
        self.check_tasks(wanted)
        under_way: deque[_Chunk] = deque()
        for chunk in _chunks(texts, batch_size):
            under_way.append(self._start(chunk, kind, wanted))
            if len(under_way) == AHEAD:
                yield from self._finish(under_way.popleft())
        while under_way:
            yield from self._finish(under_way.popleft())

    def rewrite(
        self,
        text: str,
        *,
        to: Direction,
        verb: str | None = None,
        top: int = 6,
        kind: TextKind = "plain",
    ) -> list[Rewriting]:
        """Candidates for verbs of a text: literal ones for metaphors, or metaphors for others.

        Raises:
            BadInput: where the text has no such verb, the named one twice, or in an idiom.
        """
        from trope.tasks.rewriting.texts import rewrite_analysis

        return rewrite_analysis(
            self.analyze(text, kind=kind), self.rewriter, self.detector,
            to=to, verb=verb, top=top,
        )  # fmt: skip

    @cached_property
    def rewriter(self) -> Rewriter:
        """What finds substitutes, loaded when it is first used."""
        from trope.tasks.rewriting.meaning import open_meanings
        from trope.tasks.rewriting.ranker import ranker_file, read_ranker
        from trope.tasks.rewriting.rewriter import Rewriter

        meanings = open_meanings(self.encoder, self.tier, base_weights=self._base_weights)
        return Rewriter(read_ranker(ranker_file(meanings.kind)), meanings)

    @cached_property
    def detector(self) -> Heads:
        """The heads for metaphors of this tier."""
        from trope.tasks.metaphor.encoder_heads import SmallHeads

        return SmallHeads(self.encoder) if self.base is None else self.base

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """Trees of sentences that are already split into words."""
        words = [tuple(sentence) for sentence in sentences]
        forms = [sentence for sentence in words if sentence]
        passes = self.encoder.submit(forms, _outputs(self.tasks))
        parses = iter(self._decode(forms, deque(passes), self.tasks))
        empty = Parse((), (), (), (), (), ())
        return [next(parses) if sentence else empty for sentence in words]

    def _start(self, chunk: list[str], kind: TextKind, tasks: tuple[str, ...]) -> _Chunk:
        """Cut texts into words and send them off."""
        began = thread_time()
        texts = [read(text, kind) for text in chunk]
        words = [sentence.forms for text in texts for sentence in text.sentences]
        self.timings["text"] += thread_time() - began
        passes = deque(self.encoder.submit(words, _outputs(tasks)))
        return _Chunk(texts, words, passes, kind, tasks)

    def _finish(self, chunk: _Chunk) -> Iterator[Analysis]:
        thresholds = self._thresholds
        parses = iter(self._decode(chunk.words, chunk.passes, chunk.tasks))
        for text in chunk.texts:
            own = list(islice(parses, len(text.sentences)))
            began = thread_time()
            analysis = _assemble(text, own, chunk.kind, chunk.tasks, thresholds)
            self.timings["relations"] += thread_time() - began
            yield analysis

    def _decode(
        self,
        words: list[tuple[str, ...]],
        passes: deque[Future[BatchPass]],
        tasks: Sequence[str],
    ) -> list[Parse]:
        stretches = Stretches(words, self.encoder, lemma)
        while passes:
            done = passes.popleft().result()  # gone once read: scores take far more room than trees
            began = thread_time()
            stretches.add(read_batch(done, self.encoder))
            self.timings["decode"] += thread_time() - began
            self.timings["encoder"] += done.seconds
        began = thread_time()
        parses = stretches.parses()
        self.timings["decode"] += thread_time() - began
        if self.base is not None and "metaphor" in tasks:
            return [
                replace(parse, metaphor=verdict.metaphor, figurative=verdict.figurative)
                for parse, verdict in zip(parses, self.base.verdicts(words), strict=True)
            ]
        return parses


def _chunks(texts: Iterable[str], size: int) -> Iterator[list[str]]:
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


def _outputs(tasks: Sequence[str]) -> tuple[str, ...]:
    """What the tasks need of the network; a word is always tagged, a tree is made if need be."""
    tree = "syntax" in tasks or "relations" in tasks
    return (*(SYNTAX if tree else TAGS), *(METAPHOR if "metaphor" in tasks else ()))


def _assemble(
    text: Text,
    parses: list[Parse],
    kind: TextKind,
    tasks: tuple[str, ...],
    thresholds: MetaphorThresholds,
) -> Analysis:
    """The analysis of a text from those of its sentences; positions count over the whole text."""
    tokens: list[Token] = []
    relations: list[Relation] = []
    for sentence, parse in zip(text.sentences, parses, strict=True):
        first = len(tokens)
        for number, word in enumerate(sentence.words):
            head = parse.heads[number] if parse.heads else ROOT
            tokens.append(
                Token(
                    word.text,
                    word.start,
                    word.end,
                    parse.upos[number],
                    parse.xpos[number],
                    parse.lemmas[number],
                    ROOT if head == ROOT else head + first,
                    parse.deprels[number] if parse.deprels else "",
                    parse.metaphor[number] if parse.metaphor else None,
                )
            )
        if "relations" in tasks:
            relations.extend(_moved(relation, first) for relation in extract(parse))
    bounds = tuple((sentence.start, sentence.end) for sentence in text.sentences)
    if kind == "headline" and len(parses) > 1:
        relations = list(judge_together(relations))
    figurative = tuple(parse.figurative for parse in parses if parse.figurative is not None)
    return Analysis(
        text.original,
        tuple(tokens),
        bounds,
        tuple(relations),
        tasks,
        figurative,
        thresholds.threshold,
        thresholds.sentence_threshold,
    )


def _moved(relation: Relation, by: int) -> Relation:
    """A relation of a sentence with positions of the whole text."""
    if not by:
        return relation

    def at(word: int | None) -> int | None:
        return None if word is None else word + by

    return replace(
        relation,
        verb=relation.verb + by,
        subject=at(relation.subject),
        object=at(relation.object),
        particle=at(relation.particle),
        start=relation.start + by,
        end=relation.end + by,
    )


@cache
def _shipped() -> Pipeline:
    return Pipeline()


def analyze(text: str, *, kind: TextKind = "plain") -> Analysis:
    """Everything about one text, with the shipped model."""
    return _shipped().analyze(text, kind=kind)


def analyze_many(
    texts: Iterable[str], *, kind: TextKind = "plain", batch_size: int = 1024
) -> Iterator[Analysis]:
    """One analysis a text, in order, with the shipped model."""
    return _shipped().analyze_many(texts, kind=kind, batch_size=batch_size)


def rewrite(
    text: str, *, to: Direction, verb: str | None = None, top: int = 6, kind: TextKind = "plain"
) -> list[Rewriting]:
    """Candidates for verbs of a text, with the shipped model."""
    return _shipped().rewrite(text, to=to, verb=verb, top=top, kind=kind)
