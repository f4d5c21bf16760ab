"""The run of `trope train rewriting`, which its stages share."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.tasks.rewriting.features import context_features
from trope.tasks.rewriting.meaning import Array, Meanings
from trope.tasks.rewriting.task import TaskParser, WordPlace

Asked = Sequence[tuple[WordPlace, Sequence[str]]]


def _read_in_place(asked: Asked, meanings: Meanings, work: Path | None) -> list[Array]:
    """The features of each place's words; from the folder `work` where they were read before."""
    if work is None:
        return context_features(asked, meanings)
    file = work / f"{meanings.kind}-{_digest(asked)}.npz"
    sizes = [len(forms) for _, forms in asked]
    if file.is_file():
        with np.load(file, allow_pickle=False) as arrays:
            return np.split(arrays["rows"], np.cumsum(sizes)[:-1])
    found = context_features(asked, meanings)
    with atomic_write(file, "wb") as out:
        np.savez_compressed(out, allow_pickle=False, rows=np.vstack(found))
    return found


def _digest(asked: Asked) -> str:
    """The key of a cached table: the sentences, the places and the candidate words."""
    digest = hashlib.sha256()
    for place, forms in asked:
        digest.update(repr((place.parse.words, place.at, place.form, tuple(forms))).encode())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """How much is read: of each substitution set for the shortlist and in place; headlines."""

    shortlist: int = 400
    in_place: int = 150
    open_headlines: int = 150
    noise_headlines: int = 150


@dataclass(frozen=True, slots=True)
class RewritingRun:
    """What the stages share.

    The small encoder was trained on NewsMet's train headlines, where accepted candidates have the
    opposite label: on these headlines alone, its vectors separate what should be near. So weights
    are learnt on the vectors of its `teacher`, scaled to its own mean and spread.
    """

    data: Path
    parser: TaskParser
    meanings: Meanings
    teacher: Meanings | None
    sizes: SampleSizes
    without: frozenset[str]
    seed: int
    say: MessageWriter
    work: Path | None = None

    def read(self, asked: Asked, *, by: Meanings | None = None) -> list[Array]:
        """Features of words in place by our own source of meanings, or by another."""
        return _read_in_place(asked, by or self.meanings, self.work)
