"""Source domains of metaphors, learnt from LCC: 26 groups, and their concepts.

CC BY-NC-SA 4.0. trope finds `open_system` by its entry point.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadModel, MissingData
from trope.core.files import sha256
from trope.encoder.session import Encoder
from trope.tasks.figures.views import DomainSpan, SourceDomain
from trope_domains.features import Array, SpanReader, read_words

SHIPPED = Path(__file__).parent / "weights"
MODEL = "model.npz"
_BATCH = 512


class LearntDomains:
    """Several networks of one hidden layer, and weights of words; their mean decides.

    The group is the one whose concepts are the most probable together; the concept is the most
    probable one of all.
    """

    name = "lcc"

    def __init__(self, encoder: Encoder, folder: Path | None = None) -> None:
        path = (folder or SHIPPED) / MODEL
        if not path.is_file():
            raise MissingData(path, "give a folder that `python -m trope_domains.train` wrote")
        self.sha256 = sha256(path)
        with np.load(path, allow_pickle=False) as arrays:
            stored = {name: arrays[name] for name in arrays.files}
        if text(stored["encoder"]) != sha256(encoder.folder / "encoder.onnx"):
            problem = "was trained with another encoder than the one that is used"
            remedy = "train it again: python -m trope_domains.train --from DATA --out FOLDER"
            raise BadModel(path, f"{problem}; {remedy}")
        self.concepts = tuple(text(stored["concepts"]).split("\n"))
        self.groups = tuple(text(stored["groups"]).split("\n"))
        self._group_of = stored["group_of"].astype(np.intp)
        self._columns = {word: at for at, word in enumerate(text(stored["lexicon"]).split("\n"))}
        self._mean, self._scale = stored["mean"], stored["scale"]
        self._hidden = _restored(stored, "hidden")
        self._out = _restored(stored, "out")
        self._lexical = _restored(stored, "lexical")
        self._hidden_offsets, self._offsets = stored["hidden_offsets"], stored["offsets"]
        self._reader = SpanReader(encoder, read_words())

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
        """[span, concept]: the mean of the probabilities of all networks."""
        dense, words = self._reader.read(spans)
        rows = (dense - self._mean) * self._scale
        known = [
            [(self._columns[word], value) for word, value in own.items() if word in self._columns]
            for own in words
        ]
        total = np.zeros((len(spans), len(self.concepts)))
        for network in range(len(self._hidden)):
            inner = np.maximum(rows @ self._hidden[network] + self._hidden_offsets[network], 0)
            scores = inner @ self._out[network] + self._offsets[network]
            for at, own in enumerate(known):
                for column, value in own:
                    scores[at] += value * self._lexical[network, column]
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            total += scores / scores.sum(axis=1, keepdims=True)
        return total / len(self._hidden)


def open_system(encoder: Encoder, folder: Path | None = None) -> LearntDomains:
    """The system with the weights that are installed, or with those of a folder."""
    return LearntDomains(encoder, folder)


def text(stored: npt.NDArray[np.uint8]) -> str:
    """A string that was stored as bytes."""
    return bytes(stored).decode()


def _restored(stored: dict[str, npt.NDArray[np.generic]], name: str) -> Array:
    """[network, row, column] of numbers that were stored as bytes with a factor per row."""
    return np.asarray(stored[name].astype(np.float32) * stored[f"{name}_scale"].astype(np.float32))
