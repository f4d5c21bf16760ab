"""The encoder: words in, scores out, on ONNX Runtime and without torch."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import thread_time
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, BadModel, MissingData
from trope.encoder.models import model_folder
from trope.encoder.pieces import Vocabulary
from trope.encoder.windows import Window, batches, network_input, windows

Array = npt.NDArray[np.float32]
FILES = ("encoder.onnx", "labeller.onnx", "labels.json", "vocab.txt")
"""What the folder of a model holds."""

SYNTAX = ("upos", "xpos", "lemma", "arcs", "label_dependents", "label_heads")
"""What the heads of syntax say; `trope.encoder.decode` makes trees of it."""


class MetaphorThresholds(msgspec.Struct, frozen=True):
    """The probability from which a word, or a whole sentence, is called metaphorical."""

    threshold: float
    sentence_threshold: float


class Labels(msgspec.Struct, frozen=True):
    """The inventories that the heads choose from; `metaphor` is None without such a head."""

    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    deprels: tuple[str, ...]
    lemma_rules: tuple[str, ...]
    metaphor: MetaphorThresholds | None = None


@dataclass(frozen=True, slots=True)
class BatchPass:
    """One batch that went through the network: padded outputs, a row a window."""

    windows: list[Window]
    outputs: Mapping[str, Array]
    seconds: float


class Encoder:
    """The network of one tier. Threads share it: ONNX Runtime sessions are safe to share."""

    def __init__(
        self, tier: str = "small", *, threads: int | None = None, folder: Path | None = None
    ) -> None:
        self.tier = tier
        self.threads = _usable_cores() if threads is None else threads
        if self.threads < 1:
            raise BadInput(f"threads must be at least 1, got {threads}")
        self.folder = model_folder(tier) if folder is None else _complete(folder)
        self.vocabulary = Vocabulary(self.folder / "vocab.txt")
        self.labels = _read_labels(self.folder / "labels.json")

    @cached_property
    def _session(self) -> Any:
        return _open_session(self.folder / "encoder.onnx")

    @cached_property
    def _labeller(self) -> Any:
        return _open_session(self.folder / "labeller.onnx")

    def label_arcs(self, dependents: Array, heads: Array) -> Array:
        """Scores of the relations between words and the heads that were chosen for them.

        A product for ONNX Runtime, not for numpy, whose many threads would take the cores away
        from the batches that are under way.
        """
        scores: Array = self._labeller.run(None, {"dependents": dependents, "heads": heads})[0]
        return scores

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads, thread_name_prefix="trope-encoder")

    def submit(
        self, sentences: Sequence[Sequence[str]], outputs: Sequence[str] = SYNTAX
    ) -> list[Future[BatchPass]]:
        """Send sentences (of at least one word) through the network, once, in batches."""
        session, pieces = self._session, self.vocabulary.pieces
        pending = [
            w for number, words in enumerate(sentences) for w in windows(number, pieces(words))
        ]
        return [
            self._workers.submit(self._run_batch, session, batch, outputs)
            for batch in batches(pending)
        ]

    def _run_batch(self, session: Any, batch: list[Window], outputs: Sequence[str]) -> BatchPass:
        began = thread_time()
        arrays = session.run(list(outputs), network_input(batch, self.vocabulary))
        named = dict(zip(outputs, arrays, strict=True))
        return BatchPass(batch, named, thread_time() - began)


def _complete(folder: Path) -> Path:
    """The folder of a model, if all its files are there."""
    for name in FILES:
        if not (folder / name).is_file():
            raise MissingData(folder / name, "give a folder that `trope train syntax` has written")
    return folder


def _read_labels(path: Path) -> Labels:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Labels)
    except msgspec.MsgspecError as error:
        raise BadModel(path, f"holds no labels ({error}); train or install it again") from None


def _open_session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # batches run side by side, one thread each: no waiting for each other inside a product
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises many unrelated types here
        remedy = "train or install it again"
        raise BadModel(path, f"ONNX Runtime cannot load it ({error}); {remedy}") from error


def _usable_cores() -> int:
    """Cores that this process may use, which on a shared machine are fewer than it has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
