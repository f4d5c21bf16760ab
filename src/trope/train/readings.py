"""Features of words read in place, kept on disk: a run that was interrupted reads nothing twice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from trope.core.files import atomic_write
from trope.tasks.rewriting.features import context_features
from trope.tasks.rewriting.meaning import Array, Meanings
from trope.tasks.rewriting.task import WordPlace

Asked = Sequence[tuple[WordPlace, Sequence[str]]]


def read_in_place(asked: Asked, meanings: Meanings, work: Path | None) -> list[Array]:
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
        np.savez_compressed(out, allow_pickle=False, rows=np.vstack(found))  # type: ignore[arg-type]
    return found


def _digest(asked: Asked) -> str:
    """What tells one reading from another: the sentences, the places and the words put there."""
    digest = hashlib.sha256()
    for place, forms in asked:
        digest.update(repr((place.parse.words, place.at, place.form, tuple(forms))).encode())
    return digest.hexdigest()[:16]
