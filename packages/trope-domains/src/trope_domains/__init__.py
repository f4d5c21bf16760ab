"""Source domains of metaphors, learnt from LCC: 26 groups, and their concepts.

CC BY-NC-SA 4.0. trope finds `open_system` by its entry point.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadModel, MissingData
from trope.core.files import read_text, sha256
from trope.encoder.session import Encoder
from trope.tasks.figures.views import DomainSpan, SourceDomain
from trope_domains.features import (
    WORDS,
    Array,
    SpanReader,
    SpanRows,
    StemMemory,
    probe_rows,
    read_words,
    stems_of,
)
from trope_domains.kernel import KernelMachine, together
from trope_domains.stored import as_text, restored

SHIPPED = Path(__file__).parent / "weights"
MODEL, RECORD = "model.npz", "training.json"
_BATCH = 512
_INSTALL = "install trope-domains again: pip install ./packages/trope-domains"
_TRAIN = "python -m trope_domains.train --from DATA --out FOLDER"
_LEAST_COSINE = 0.99
"""Of what is read of a sentence with what was read in training; processors round differently."""


class LearntDomains:
    """Several networks of one hidden layer with weights of words, a kernel machine, and a memory of
    the training spans.

    The group is the one whose concepts are the most probable together; the concept is the most
    probable one of all.
    """

    name = "lcc"

    def __init__(self, encoder: Encoder, folder: Path | None = None) -> None:
        path, remedy = (folder or SHIPPED) / MODEL, f"write it: {_TRAIN}"
        self.sha256 = _checked(path, _INSTALL if folder is None else remedy)
        with np.load(path, allow_pickle=False) as arrays:
            stored = {name: arrays[name] for name in arrays.files}
        self.concepts = tuple(as_text(stored["concepts"]).split("\n"))
        self.groups = tuple(as_text(stored["groups"]).split("\n"))
        self._group_of = stored["group_of"].astype(np.intp)
        lexicon = as_text(stored["lexicon"]).split("\n")
        self._columns = {word: at for at, word in enumerate(lexicon)}
        self._mean, self._scale = stored["mean"], stored["scale"]
        self._hidden = restored(stored, "hidden")
        self._out = restored(stored, "out")
        self._lexical = restored(stored, "lexical")
        self._hidden_offsets, self._offsets = stored["hidden_offsets"], stored["offsets"]
        self._kernel, self._memory = KernelMachine.of(stored), StemMemory.stored(stored)
        self._reader = SpanReader(encoder, read_words())
        _check_encoder(path, probe_rows(self._reader), stored["probe"])

    def label(self, spans: Sequence[DomainSpan]) -> list[SourceDomain]:
        """The group and the concept of each span."""
        found = []
        for first in range(0, len(spans), _BATCH):
            shares = self.shares(spans[first : first + _BATCH])
            groups = np.zeros((len(shares), len(self.groups)))
            np.add.at(groups.T, self._group_of, shares.T)
            found += [
                SourceDomain(self.groups[group], self.concepts[concept])
                for group, concept in zip(groups.argmax(1), shares.argmax(1), strict=True)
            ]
        return found

    def shares(self, spans: Sequence[DomainSpan]) -> npt.NDArray[np.float64]:
        """[span, concept]: probabilities by the networks, the kernel machine and the memory."""
        read = self._reader.read(spans)
        mixed = together(self._network_shares(read), self._kernel.scores(read))
        return self._memory.mixed(mixed, [stems_of(span) for span in spans])

    def _network_shares(self, read: SpanRows) -> npt.NDArray[np.float64]:
        """[span, concept]: the mean of all networks."""
        rows = (read.dense - self._mean) * self._scale
        known = [
            [(self._columns[word], value) for word, value in own.items() if word in self._columns]
            for own in read.words
        ]
        total = np.zeros((len(rows), len(self.concepts)))
        for network in range(len(self._hidden)):
            inner = np.maximum(rows @ self._hidden[network] + self._hidden_offsets[network], 0)
            scores = inner @ self._out[network] + self._offsets[network]
            for at, own in enumerate(known):
                for column, value in own:
                    scores[at] += value * self._lexical[network, column]
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            total += scores / scores.sum(axis=1, keepdims=True)
        return np.asarray(total / len(self._hidden))


def _checked(path: Path, remedy: str) -> str:
    """The checksum of weights that are whole and fit the vectors of words."""
    for needed, how in ((path, remedy), (path.parent / RECORD, remedy), (WORDS, _INSTALL)):
        if not needed.is_file():
            raise MissingData(needed, how)
    try:
        record = json.loads(read_text(path.parent / RECORD))
        made = {name: record[name] for name in ("sha256", "words")}
    except (ValueError, KeyError, TypeError):
        raise BadModel(path.parent / RECORD, f"is altered or damaged; {remedy}") from None
    if sha256(path) != made["sha256"]:
        raise BadModel(path, f"is altered or damaged ({RECORD} has another SHA-256); {remedy}")
    if sha256(WORDS) != made["words"]:
        raise BadModel(WORDS, f"is not the file that {path} was trained with; {_INSTALL}")
    return str(made["sha256"])


def _check_encoder(path: Path, read: Array, trained: Array) -> None:
    """Raises BadModel where the vectors of an encoder are others than those of training."""
    products = (read * trained).sum(axis=1)
    lengths = np.linalg.norm(read, axis=1) * np.linalg.norm(trained, axis=1)
    if (products < _LEAST_COSINE * lengths).any():
        problem = "was trained with another encoder than that of this trope"
        ways = f"train it again ({_TRAIN}), or do without: pip uninstall trope-domains"
        raise BadModel(path, f"{problem}; install the version that belongs to it, {ways}")


def open_system(encoder: Encoder, folder: Path | None = None) -> LearntDomains:
    """The system with the weights that are installed, or with those of a folder."""
    return LearntDomains(encoder, folder)
