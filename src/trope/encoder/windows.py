"""Which pieces go through the network together: long sentences in windows, batches by length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from trope.encoder.pieces import Vocabulary, WordPieces

MAX_PIECES = 500
"""Longest sentence that goes through whole; the network has 512 places."""

_CORE_PIECES, CONTEXT_PIECES = 300, 90
"""A longer one goes in stretches of this many pieces, with this much context on either side."""

BATCH_PIECES = 384
"""Padded pieces per batch: enough to keep the kernels busy, few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class Window:
    """Words `first:last` of sentence `sentence`, of which `core_first:core_last` are wanted."""

    sentence: int
    first: int
    last: int
    core_first: int
    core_last: int
    pieces: WordPieces


def windows(sentence: int, pieces: WordPieces) -> Iterator[Window]:
    """The sentence as it is, or, where it is too long, overlapping stretches of it."""
    words = pieces.words
    if len(pieces.ids) <= MAX_PIECES:
        yield Window(sentence, 0, words, 0, words, pieces)
        return
    starts = np.asarray(pieces.starts)
    core_first = 0
    while core_first < words:
        core_last = _reach(starts, core_first, _CORE_PIECES)
        first = int(np.searchsorted(starts, starts[core_first] - CONTEXT_PIECES))
        last = _reach(starts, core_last, CONTEXT_PIECES) if core_last < words else words
        yield Window(sentence, first, last, core_first, core_last, _cut(pieces, first, last))
        core_first = core_last


def _reach(starts: npt.NDArray[np.int64], first: int, budget: int) -> int:
    """The word after the last one that still fits into the budget; at least one word further."""
    last = int(np.searchsorted(starts, starts[first] + budget, side="right")) - 1
    return max(last, first + 1)


def _cut(pieces: WordPieces, first: int, last: int) -> WordPieces:
    low, high = pieces.starts[first], pieces.starts[last]
    starts = [start - low for start in pieces.starts[first : last + 1]]
    return WordPieces(pieces.ids[low:high], pieces.types[low:high], starts)


def batches(items: Sequence[Window], most: int = BATCH_PIECES) -> Iterator[list[Window]]:
    """Windows of the same length together where there are many, of similar length elsewhere.

    A batch has at most this number of padded pieces, or one window. One that is half full takes no
    longer window, which would pad its shorter ones.
    """
    batch: list[Window] = []
    width = 0  # of the windows so far, with the two pieces that bracket each
    for window in sorted(items, key=lambda w: len(w.pieces.ids)):
        own = len(window.pieces.ids) + 2
        longer = own > width and len(batch) * width >= most // 2
        if batch and (longer or (len(batch) + 1) * own > most):
            yield batch
            batch = []
        batch.append(window)
        width = own
    if batch:
        yield batch


def network_input(
    batch: Sequence[Window], vocabulary: Vocabulary
) -> dict[str, npt.NDArray[np.generic]]:
    """Padded arrays of a batch; `pool` averages the pieces of a word."""
    counts = np.asarray([len(w.pieces.ids) for w in batch])
    words = np.asarray([w.pieces.words for w in batch])
    width, rows = counts.max() + 2, np.arange(len(batch))
    # all pieces of the batch one after the other: the row and the column of each
    row = np.repeat(rows, counts)
    column = _numbers(counts) + 1
    ids = np.full((len(batch), width), vocabulary.pad, dtype=np.int64)
    ids[:, 0] = vocabulary.cls
    ids[row, column] = _flat([w.pieces.ids for w in batch], counts.sum())
    ids[rows, counts + 1] = vocabulary.sep
    types = np.zeros((len(batch), width), dtype=np.int64)
    types[row, column] = _flat([w.pieces.types for w in batch], counts.sum())
    mask = (np.arange(width) < counts[:, None] + 2).astype(np.int32)
    starts = _flat([w.pieces.starts for w in batch], words.sum() + len(batch))
    sizes = np.delete(np.diff(starts), np.cumsum(words + 1)[:-1] - 1)  # not from row to row
    pool = np.zeros((len(batch), words.max(), width), dtype=np.float32)
    pool[row, np.repeat(_numbers(words), sizes), column] = np.repeat(1.0 / sizes, sizes)
    return {"ids": ids, "types": types, "mask": mask, "pool": pool}


def _numbers(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """0, 1, 2 … as many as each count, one after the other."""
    firsts = np.cumsum(counts) - counts
    return np.arange(counts.sum()) - np.repeat(firsts, counts)


def _flat(parts: Sequence[Sequence[int]], size: int) -> npt.NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(parts), dtype=np.int64, count=size)
