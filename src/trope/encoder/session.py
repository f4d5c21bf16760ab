"""The encoder: words in, scores out, on ONNX Runtime and without torch."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from time import thread_time
from typing import Any, Protocol
from weakref import WeakSet

import msgspec
import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, BadModel, MissingData, TropeError
from trope.core.records import FigureThresholds, MetaphorThresholds
from trope.encoder.device import CardSession, GraphicsCard, open_card
from trope.encoder.models import model_folder
from trope.encoder.pieces import Vocabulary
from trope.encoder.pruning import (
    keep_outputs,
    map_outputs,
    with_faster_operators,
)
from trope.encoder.windows import BATCH_PIECES, Window, batches, network_input, windows

Array = npt.NDArray[np.float32]
FILES = ("encoder.onnx", "labeller.onnx", "labels.json", "vocab.txt")
"""What the folder of a model holds."""

TAGS = ("upos", "xpos", "lemma")
"""The outputs for every word by itself."""

SYNTAX = (*TAGS, "arcs", "label_dependents", "label_heads")
"""Outputs of the syntax heads; `trope.encoder.decode` makes trees of them."""

METAPHOR = ("metaphor", "figurative")
"""Calibrated logits: of each word, that it is a metaphor; of each sentence, that it has one."""

FIGURES = ("figures",)
"""Of each word, in the order of `FIGURE_OUTPUTS`: calibrated logits, then its novelty."""

FIGURE_OUTPUTS = ("noticed", "idiom", "simile", "novelty")
"""A metaphor that readers notice, part of an idiom, the comparator of a simile; and how new the
metaphor is, from 0 (dead) to 1 (never heard), not clipped to it."""

NAMES = ("names",)
"""Of each word, logits of the tags of names, in the order of the labels: O, B-LOC, I-LOC …"""

SENTIMENT = ("sentiment",)
"""Of a whole sequence: its score from −5 to 5, then logits, in the order of `SENTIMENT_OUTPUTS`."""

SENTIMENT_OUTPUTS = ("score", "negative", "neutral", "positive", "irony", "valence")
"""What the sentiment head says: the score on the scale of tweets, logits of polarity and irony,
and the score on the scale of prose. A model's labels name those that it has."""

METONYMY = ("metonymy",)
"""Logits of every reading, in the order of the labels, for words that are names."""

MEANING = ("meaning",)
"""A vector per word, and by their mean one per text: near for near meanings."""

_CARD_THREADS = 2
"""With a card: one batch is made ready, or its scores are fetched, while another is computed."""


class Labels(msgspec.Struct, frozen=True, omit_defaults=True):
    """The inventories that the heads choose from; no thresholds where there is no such head."""

    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    deprels: tuple[str, ...]
    lemma_rules: tuple[str, ...]
    metaphor: MetaphorThresholds | None = None
    sentiment: tuple[str, ...] = ()
    metonymy: tuple[str, ...] = ()
    """Class and reading of a name, with a colon between them."""
    figures: FigureThresholds | None = None
    names: tuple[str, ...] = ()
    """Tags of words in names: O, B-LOC, I-LOC …"""
    meaning: int = 0
    """Dimensions."""


@dataclass(frozen=True, slots=True)
class BatchPass:
    """One batch that went through the network: padded outputs, one row per window."""

    windows: list[Window]
    outputs: Mapping[str, Array]
    seconds: float


class AnyEncoder(Protocol):
    """What both tiers have: heads, by their labels, and what these say of sentences."""

    labels: Labels

    def submit(
        self, sentences: Sequence[Sequence[str]], outputs: Sequence[str]
    ) -> list[Future[BatchPass]]:
        """Send sentences (of at least one word) through the network, once, in batches."""


def passes(
    encoder: AnyEncoder, sentences: Sequence[Sequence[str]], outputs: Sequence[str]
) -> Iterator[BatchPass]:
    """The batches as they come out of the network, each forgotten before the next is waited for."""
    yield from results(deque(encoder.submit(sentences, outputs)))


def results(pending: deque[Future[BatchPass]]) -> Iterator[BatchPass]:
    """Each batch as it ends, forgotten once read: scores take far more room than trees."""
    while pending:
        yield pending.popleft().result()


class Forkable(Protocol):
    """Something that holds threads or sessions, which do not survive a fork."""

    def begin_process(self) -> None:
        """Forget them; they are opened again when they are needed."""


_forkable: WeakSet[Any] = WeakSet()


def renew_after_fork(holder: Forkable) -> None:
    """Make a holder of threads start again in every process forked later."""
    _forkable.add(holder)


def _begin_forked_process() -> None:
    for holder in tuple(_forkable):
        holder.begin_process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_forked_process)


class Encoder:
    """The network of one tier. Threads share it: its sessions are safe to share."""

    def __init__(
        self,
        tier: str = "small",
        *,
        threads: int | None = None,
        folder: Path | None = None,
        device: str = "cpu",
    ) -> None:
        self.tier = tier
        self.threads = usable_cores() if threads is None else threads
        if not isinstance(self.threads, int) or self.threads < 1:
            raise BadInput(f"threads must be a number of at least 1, got {threads!r}")
        self.card = open_card(device)
        """The graphics processor that runs the network, if one does."""
        self.folder = model_folder(tier) if folder is None else _complete(folder)
        self.vocabulary = Vocabulary(self.folder / "vocab.txt")
        self.labels = _read_labels(self.folder / "labels.json")
        self.begin_process()

    def begin_process(self) -> None:
        """Forget sessions and threads, which a forked process does not have; it opens its own."""
        self._sessions: dict[frozenset[str], Any] = {}
        self._opening = Lock()
        for cached in ("_labeller", "_workers"):
            self.__dict__.pop(cached, None)
        renew_after_fork(self)

    @property
    def outputs(self) -> tuple[str, ...]:
        """All that the heads of this model say."""
        heads = (
            (METAPHOR, self.labels.metaphor is not None),
            (SENTIMENT, self.labels.sentiment),
            (METONYMY, self.labels.metonymy),
            (FIGURES, self.labels.figures is not None),
            (NAMES, self.labels.names),
            (MEANING, self.labels.meaning),
        )
        return (*SYNTAX, *(name for names, there in heads if there for name in names))

    def _session(self, outputs: Sequence[str]) -> Any:
        """The network with the heads that these outputs need, loaded when it is first used."""
        wanted = frozenset(outputs)
        with self._opening:
            if wanted not in self._sessions:
                path = self.folder / "encoder.onnx"
                session = _open_part(path, wanted, self.card)
                _check_outputs(session, wanted, path)
                self._sessions[wanted] = session
            return self._sessions[wanted]

    @cached_property
    def _labeller(self) -> Any:
        return open_session(self.folder / "labeller.onnx")

    def label_arcs(self, dependents: Array, heads: Array) -> Array:
        """Scores of the relations between words and the heads that were chosen for them.

        A product for ONNX Runtime, not for numpy, whose many threads would take the cores away
        from the batches that are under way.
        """
        scores: Array = self._labeller.run(None, {"dependents": dependents, "heads": heads})[0]
        return scores

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        threads = self.threads if self.card is None else _CARD_THREADS
        return ThreadPoolExecutor(threads, thread_name_prefix="trope-encoder")

    def submit(
        self,
        sentences: Sequence[Sequence[str]],
        outputs: Sequence[str] = SYNTAX,
        read: Callable[[BatchPass], Any] | None = None,
    ) -> list[Future[Any]]:
        """Send sentences (of at least one word) through the network, once, in batches.

        Each batch comes back as it is, or as what `read` makes of it in the thread that computed
        it: scores take far more room than what is read from them.
        """
        session, pieces = self._session(outputs), self.vocabulary.pieces
        pending = [
            w for number, words in enumerate(sentences) for w in windows(number, pieces(words))
        ]
        return [
            self._workers.submit(self._run_batch, session, batch, outputs, read)
            for batch in batches(pending, BATCH_PIECES if self.card is None else self.card.pieces)
        ]

    def _run_batch(
        self,
        session: Any,
        batch: list[Window],
        outputs: Sequence[str],
        read: Callable[[BatchPass], Any] | None,
    ) -> Any:
        began = thread_time()
        arrays = session.run(list(outputs), network_input(batch, self.vocabulary))
        named = dict(zip(outputs, arrays, strict=True))
        done = BatchPass(batch, named, thread_time() - began)
        return done if read is None else read(done)


def _complete(folder: Path) -> Path:
    """The folder of a model, if all its files are there."""
    for name in FILES:
        if not (folder / name).is_file():
            raise MissingData(folder / name, "give a folder that `trope train encoder` has written")
    return folder


def _read_labels(path: Path) -> Labels:
    try:
        labels = msgspec.json.decode(path.read_bytes(), type=Labels)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadModel(path, f"holds no labels ({error}); train or install it again") from None
    if "root" not in labels.deprels or not (labels.upos and labels.xpos and labels.lemma_rules):
        problem = "lacks the relation 'root', or tags or rules of lemmas"
        raise BadModel(path, f"{problem}; train or install it again")
    return labels


def _open_part(path: Path, outputs: frozenset[str], card: GraphicsCard | None = None) -> Any:
    """The model of a file without what these outputs do not need."""
    path = path.resolve()  # ONNX Runtime reads weights from the folder of the model, not by links
    try:
        if card is not None:
            return CardSession(keep_outputs(path.read_bytes(), outputs), card, choices=TAGS)
        part = map_outputs(path, outputs)
        if _has_faster_operators():
            return open_session(path, with_faster_operators(part))
    except TropeError:
        raise
    except ValueError as error:
        raise BadModel(path, f"is not an ONNX model ({error}); train or install it again") from None
    return open_session(path, part)


def _check_outputs(session: Any, wanted: frozenset[str], path: Path) -> None:
    missing = sorted(wanted - {output.name for output in session.get_outputs()})
    if missing:
        problem = f"has no output {', '.join(missing)}, which labels.json promises"
        raise BadModel(path, f"{problem}; train or install it again")


def open_session(path: Path, content: bytes | None = None) -> Any:
    """A session for the model of a file, or for a graph whose weights may lie in that file.

    Args:
        path: the file.
        content: the graph.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # batches run side by side, one thread each: no waiting for each other inside a product
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # planning how nodes share memory takes most of the time of opening, and saves none at work
    options.enable_mem_reuse = False
    # a block for every length of batch would take a third of all memory, and saves no time
    options.enable_mem_pattern = False
    options.add_session_config_entry(
        "session.model_external_initializers_file_folder_path", str(path.parent)
    )
    try:
        source = str(path) if content is None else content
        return onnxruntime.InferenceSession(
            source,
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=["BiasGeluFusion"],  # slower than its parts
        )
    except Exception as error:  # ONNX Runtime raises many unrelated types here
        remedy = "train or install it again"
        raise BadModel(path, f"ONNX Runtime cannot load it ({error}); {remedy}") from error


def _has_faster_operators() -> bool:
    """Whether this ONNX Runtime computes Attention on processors: 1.24 is the first."""
    import onnxruntime

    major, minor = onnxruntime.__version__.split(".")[:2]
    return (int(major), int(minor)) >= (1, 24)


def usable_cores() -> int:
    """Cores that this process may use, which on a shared machine are fewer than it has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
