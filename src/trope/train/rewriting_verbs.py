"""`trope train verbs`: what a large public encoder makes of verbs, as small vectors that ship.

Every verb of the inventory stands in the same few plain sentences, in the form that each asks for.
What the sentences add is the same for all verbs and is taken away; the main directions of what is
left are kept. No corpus is read, so nothing of any test set can come in.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from trope.lexicon.inflection import inflect
from trope.tasks.rewriting.inventory import FRAMED
from trope.tasks.rewriting.meaning import Array, Meanings

FRAMES = (
    ("They", "VBP", "it"),
    ("The", "company", "VBZ", "the", "plan"),
    ("She", "VBD", "him"),
    ("Officials", "are", "VBG", "the", "group"),
)
"""Sentences with the tag of the form that a verb has in them."""

DIMENSIONS = 64


def train_verbs(verbs: Sequence[str], meanings: Meanings, out: Path) -> Path:
    """Write the vectors of the verbs; the file comes back."""
    from trope.train.vectors import write_vectors  # torch, which the encoder needs anyway

    file = out / FRAMED.name
    out.mkdir(parents=True, exist_ok=True)
    write_vectors(list(verbs), in_main_directions(framed(verbs, meanings), DIMENSIONS), file)
    return file


def framed(verbs: Sequence[str], meanings: Meanings) -> Array:
    """[verb, dimension]: the mean over the sentences, each without what all verbs have there."""
    total: Array | None = None
    for frame in FRAMES:
        at = next(place for place, word in enumerate(frame) if word.startswith("VB"))
        sentences = [(*frame[:at], inflect(verb, frame[at]), *frame[at + 1 :]) for verb in verbs]
        found = np.array([rows[at] for rows in meanings.vectors(sentences)])
        found -= found.mean(axis=0)
        total = found if total is None else total + found
    assert total is not None
    return np.asarray(total / len(FRAMES), dtype=np.float32)


def in_main_directions(table: Array, dimensions: int) -> Array:
    """The table in so many of its own main directions."""
    centred = table - table.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left[:, :dimensions] * sizes[:dimensions], dtype=np.float32)
