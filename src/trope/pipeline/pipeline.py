"""The pipeline: a model that is loaded once and analyses and rewrites texts."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING

from trope.core.errors import BadInput
from trope.core.files import sha256
from trope.core.options import (
    DEFAULT_WORDS,
    FURTHER_TASKS,
    FigureView,
    check_kind,
    parse_tasks,
)
from trope.core.records import Analysis, Parse, Sentiment, TextKind, WordView
from trope.encoder.decode import ReadSentences
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import AnyEncoder, Encoder
from trope.pipeline.batch import BatchAnalyzer, TextBatch, batches, check_text, checked_texts
from trope.tasks.figures.views import add_figures, show_figures, shown_places
from trope.tasks.metonymy.detection import add_metonymies
from trope.tasks.own_systems import OwnSystems, open_systems

if TYPE_CHECKING:
    from trope.encoder.base import BaseEncoder
    from trope.tasks.metaphor.encoder_heads import Heads
    from trope.tasks.rewriting.rewriter import Rewriter, Rewriting
    from trope.tasks.rewriting.task import Direction

BASE = "base"
"""The tier whose public weights do not come with the package."""

AHEAD = 2
"""Batches under way at a time, so that the network never waits for the rest."""


class Pipeline:
    """Texts in, analyses out. Loading takes a moment: create one and use it again."""

    def __init__(
        self,
        *,
        tier: str = "small",
        threads: int | None = None,
        folder: Path | None = None,
        base_weights: Path | None = None,
        systems: Sequence[str | Path] = (),
        device: str = "cpu",
    ) -> None:
        """Load a tier, or the model of that tier in a folder that `trope train` wrote.

        `systems` are folders of your own systems (`trope train metaphor --on FILE`, also sentiment
        and metonymy), at most one for each task, which are used instead of the heads that ship.

        Both tiers have the trees of `small`. Everything else comes, with `base`, from adapters on
        a public encoder, whose weights are in the folder `base_weights`.

        `device` is what runs the networks: "cpu", "cuda" for a graphics processor, which needs
        torch, or "auto" for one where there is one.
        """
        self.tier = tier
        self._base_weights = base_weights
        self.base: BaseEncoder | None = None
        if tier != BASE:
            self.encoder = Encoder(tier, threads=threads, folder=folder, device=device)
        else:
            from trope.encoder.base import ADAPTERS, BaseEncoder

            self.encoder = Encoder("small", threads=threads, device=device)
            self.base = BaseEncoder(
                small=self.encoder,
                weights=base_weights,
                adapters=folder / ADAPTERS if folder else None,
                threads=threads,
            )
        own = open_systems(systems) if systems else None
        self._analyzer = BatchAnalyzer(self.encoder, self.base, own)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of computing by stage, summed over threads."""
        return self._analyzer.timings

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that the model has heads for."""
        labels = self.heads.labels
        heads = {
            "metaphor": labels.metaphor is not None,
            "metonymy": bool(labels.metonymy),
            "sentiment": bool(labels.sentiment),
        }
        return ("syntax", "relations", *(task for task, there in heads.items() if there))

    @property
    def device(self) -> str:
        """What runs the networks: "cpu", or "cuda" for a graphics processor."""
        return "cpu" if self.encoder.card is None else "cuda"

    @property
    def own(self) -> OwnSystems | None:
        """The systems that are used instead of the heads, if there are any."""
        return self._analyzer.own

    @property
    def heads(self) -> AnyEncoder:
        """The encoder that gives all but tags, trees and lemmas."""
        return self._analyzer.heads

    @property
    def thresholds(self) -> tuple[float, float]:
        """The lowest probability of a metaphor, and of a metaphorical sentence."""
        chosen = self._analyzer.thresholds
        return chosen.threshold, chosen.sentence_threshold

    @property
    def model_sha256(self) -> str:
        """The checksum of the model's weights."""
        own = self.own.sha256 if self.own else ()
        if self.base is not None:
            shipped = self.base.model_sha256
        else:
            shipped = sha256(self.encoder.folder / "encoder.onnx")
        return hashlib.sha256("".join((shipped, *own)).encode()).hexdigest() if own else shipped

    @property
    def vocabulary(self) -> Vocabulary:
        """The word pieces that the network reads."""
        return self.encoder.vocabulary

    def check_tasks(self, tasks: Iterable[str]) -> None:
        """Raises BadInput if the model has no head for one of the tasks."""
        for task in tasks:
            if task not in (*self.tasks, *FURTHER_TASKS):
                raise BadInput(
                    f"the model of tier {self.tier!r} has no head for {task!r}; "
                    f"choose from {', '.join(self.tasks)}, or load another model"
                )

    def analyze(
        self,
        text: str,
        *,
        kind: TextKind = "plain",
        only: str | Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        threshold: float | None = None,
        words: WordView = DEFAULT_WORDS,
    ) -> Analysis:
        """Everything about one text, or no more than some tasks; see `analyze_many`."""
        check_text(text)
        many = self.analyze_many(
            [text], kind=kind, only=only, tasks=tasks, threshold=threshold, words=words
        )
        return next(many)

    def analyze_many(
        self,
        texts: Iterable[str],
        *,
        kind: TextKind = "plain",
        batch_size: int = 1024,
        only: str | Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        tags: bool = True,
        threshold: float | None = None,
        words: WordView = DEFAULT_WORDS,
    ) -> Iterator[Analysis]:
        """One analysis per text, in order, in constant memory: up to `batch_size` texts at a time.

        Only what the given tasks need is computed; without any, all that the model has. `only`
        names them as a command does ("syntax,metaphor"), or as a list, in any order. `words` says
        which words are shown as metaphors, and `threshold` the lowest score of one, instead of the
        model's. Without `tags`, parts of speech and lemmas are empty unless a task needs them, or
        metaphors are shown by another view than `all`; that is faster.
        """
        if only is not None:
            tasks = parse_tasks(only)
        wanted = self.tasks if tasks is None else tuple(tasks)
        self.check_tasks(wanted)
        view = FigureView(words, threshold)
        kind = check_kind(kind)
        given = checked_texts(texts)
        return self._analyze_batches(batches(given, batch_size), kind, wanted, view, tags)

    def _analyze_batches(
        self,
        texts: Iterable[list[str]],
        kind: TextKind,
        tasks: tuple[str, ...],
        view: FigureView,
        tags: bool,
    ) -> Iterator[Analysis]:
        under_way: deque[TextBatch] = deque()
        try:
            for batch in texts:
                under_way.append(self._analyzer.start(batch, kind, tasks, view, tags=tags))
                if len(under_way) == AHEAD:
                    yield from self._analyzer.finish(under_way[0])
                    under_way.popleft()
            while under_way:
                yield from self._analyzer.finish(under_way[0])
                under_way.popleft()
        finally:
            for batch_left in under_way:
                batch_left.cancel()

    def find_metonymies(
        self,
        analyses: Sequence[Analysis],
        parses: Sequence[Sequence[Parse]],
        read: ReadSentences | None = None,
    ) -> list[Analysis]:
        """The same analyses with their names and what these stand for, given the parses of their
        sentences, and what `read` gave of these, without which they are read again."""
        known = (read.words, read.later) if read else ((), ())
        reader = self._analyzer.names_reader(*known)
        return add_metonymies(analyses, parses, reader)

    def show(self, analysis: Analysis, view: FigureView, parses: Sequence[Parse] = ()) -> Analysis:
        """The same analysis with the figures of a view; idioms and similes are found in the parses
        of its sentences, if these are given."""
        thresholds, view = self.heads.labels.figures, self._analyzer.view(view)
        if not parses:
            return show_figures(analysis, view, thresholds)
        [shown] = add_figures([analysis], [parses], view, thresholds)
        return shown

    def shown_places(self, analysis: Analysis, view: FigureView) -> frozenset[int]:
        """The positions of the words that a view shows as metaphors."""
        return shown_places(analysis, self._analyzer.view(view), self.heads.labels.figures)

    def sentiments(
        self, texts: Sequence[Sequence[Parse]], kind: TextKind = "plain"
    ) -> list[Sentiment | None]:
        """The sentiment of texts whose sentences are parsed; None for one without words."""
        return self._analyzer.sentiments(texts, kind)

    def own_sentiments(self, analyses: Sequence[Analysis]) -> list[Analysis]:
        """The same analyses, scored by a system of the user's own if the pipeline has one."""
        return self._analyzer.own_sentiments(list(analyses))

    def rewrite(
        self,
        text: str,
        *,
        to: Direction,
        verb: str | None = None,
        top: int = 6,
        kind: TextKind = "plain",
        candidates: Sequence[str] | None = None,
    ) -> list[Rewriting]:
        """Candidates for verbs of a text: literal ones for metaphors, or metaphors for others.

        Where `candidates` are given, these are ranked and no others.

        Raises:
            BadInput: where the text has no such verb, the named one twice, or in an idiom, or
                where none of the given candidates is a known verb.
        """
        from trope.tasks.rewriting.texts import rewrite_analysis

        return rewrite_analysis(
            self.analyze(text, kind=kind), self.rewriter, self.detector,
            to=to, verb=verb, top=top, candidates=candidates,
        )  # fmt: skip

    def rewrite_many(
        self,
        texts: Iterable[str],
        *,
        to: Direction,
        verbs: Iterable[str | None] | None = None,
        top: int = 6,
        kind: TextKind = "plain",
        candidates: Sequence[str] | None = None,
        batch_size: int = 32,
    ) -> Iterator[list[Rewriting] | BadInput]:
        """The same for many texts, in order; for one that cannot be rewritten, the reason.

        `verbs` names a verb for each text, or None for all of its verbs.
        """
        from trope.tasks.rewriting.texts import rewrite_analyses

        named = iter(repeat(None) if verbs is None else verbs)
        for batch in batches(texts, batch_size):
            yield from rewrite_analyses(
                list(self.analyze_many(batch, kind=kind)),
                list(islice(named, len(batch))),
                self.rewriter,
                self.detector,
                to=to,
                top=top,
                candidates=candidates,
            )

    def rewritings(self, analysis: Analysis, *, top: int = 6) -> list[Rewriting]:
        """Candidates for the verbs of an analysis that has trees and metaphors, both ways."""
        from trope.tasks.rewriting.texts import all_rewritings

        return all_rewritings(analysis, self.rewriter, self.detector, top=top)

    @cached_property
    def rewriter(self) -> Rewriter:
        """The rewriter, loaded when it is first used."""
        from trope.tasks.rewriting.rewriter import open_rewriter

        return open_rewriter(self.encoder, self.tier, base_weights=self._base_weights)

    @cached_property
    def detector(self) -> Heads:
        """The heads for metaphors of this tier."""
        from trope.tasks.metaphor.encoder_heads import SmallHeads

        return SmallHeads(self.encoder) if self.base is None else self.base

    def parse(
        self, sentences: Sequence[Sequence[str]], tasks: Sequence[str] | None = None
    ) -> list[Parse]:
        """Trees of sentences that are split into words, with what the tasks (or all) ask for."""
        words = [tuple(sentence) for sentence in sentences]
        parses = iter(self.read([sentence for sentence in words if sentence], tasks).parses)
        empty = Parse((), (), (), (), (), ())
        return [next(parses) if sentence else empty for sentence in words]

    def read(
        self, sentences: Sequence[Sequence[str]], tasks: Sequence[str] | None = None
    ) -> ReadSentences:
        """Sentences of at least one word as `parse` reads them, for `find_metonymies`."""
        wanted = self.tasks if tasks is None else tasks
        return self._analyzer.read([tuple(sentence) for sentence in sentences], wanted)
