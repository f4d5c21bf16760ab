"""`python -m trope_domains.words --bases FOLDER`: vectors of lemmas by all-mpnet-base-v2, once.

Each lemma is read by itself, in a middle layer, and as the first of its synonyms and classes of
WordNet, as a whole text. Both are cut to their principal components and kept as bytes.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import torch

from trope.core.files import sha256
from trope.encoder.models import model_folder
from trope.encoder.pieces import Vocabulary
from trope.encoder.trunk import Trunk
from trope.encoder.windows import Window, network_input
from trope.lexicon.vectors import read_vectors
from trope.lexicon.wordnet import PARTS, read_wordnet
from trope.train.encoder.bases import fetch, read_weights
from trope_domains.features import WORDS, Array, described

_BASE = "all-mpnet-base-v2"
_LAYER, _KEPT, _PIECES = 8, 64, 768
_RANGE = 3.5
"""Standard deviations that the bytes reach."""


def vocabulary() -> list[str]:
    """The lemmas of WordNet that are frequent or that the free system lists."""
    wanted = listed_words() | {word.lower() for word in read_vectors().words}
    lemmas = {lemma for part in PARTS for lemma in read_wordnet(part).lemmas}
    return sorted(lemma for lemma in lemmas & wanted if lemma.isalpha())


def listed_words() -> set[str]:
    """The words that the free system lists: those that metaphors are drawn from."""
    listed = tomllib.loads(files("trope.lexicon").joinpath("domains.toml").read_text("utf-8"))
    return {word for entry in listed.values() for word in (*entry["words"], *entry["frame_words"])}


class LargeEncoder:
    """The public encoder: a middle layer of single words, the mean of the last one of texts."""

    def __init__(self, bases: Path) -> None:
        self._vocabulary = Vocabulary(model_folder("small") / "vocab.txt")
        self._trunk = Trunk(_BASE, read_weights(_BASE, fetch(_BASE, bases))).eval().bfloat16()

    def read(self, texts: Sequence[list[str]], *, layer: int) -> Array:
        """A vector per text: of its first word in a layer, or in the last one of all its pieces."""
        pieces = [self._vocabulary.pieces(words) for words in texts]
        order = sorted(range(len(texts)), key=lambda at: len(pieces[at].ids))
        found = np.zeros((len(texts), self._trunk.size), dtype=np.float32)
        for batch in _batches(order, [len(own.ids) + 2 for own in pieces]):
            windows = [Window(at, 0, len(texts[at]), 0, len(texts[at]), pieces[at]) for at in batch]
            arrays = network_input(windows, self._vocabulary)
            ids, types, mask, pool = (
                torch.from_numpy(arrays[name]) for name in ("ids", "types", "mask", "pool")
            )
            with torch.inference_mode():
                states = self._trunk(ids, types, mask.long())[layer].float()
            if layer == _LAYER:
                found[batch] = (pool @ states)[:, 0].numpy()
            else:
                seen = mask.float()[..., None]
                found[batch] = ((states * seen).sum(1) / seen.sum(1)).numpy()
        return found


def _batches(order: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Texts in this order, from the shortest on, in batches of so many padded pieces."""
    batch: list[int] = []
    for at in order:
        if batch and (len(batch) + 1) * sizes[at] > _PIECES:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def components(vectors: Array, typical: Sequence[int], kept: int = _KEPT) -> Array:
    """Unit vectors along the first principal components of those that are typical."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    centred = units - units[typical].mean(axis=0)
    _, axes = np.linalg.eigh(np.cov(centred[typical].T))
    return np.asarray(centred @ axes[:, -kept:], dtype=np.float32)


def main() -> None:
    """Write the table of vectors."""
    given = argparse.ArgumentParser(description=main.__doc__)
    given.add_argument("--bases", type=Path, required=True, help="folder for the public encoder")
    given.add_argument("--out", type=Path, default=WORDS)
    given.add_argument("--threads", type=int, default=1)
    options = given.parse_args()
    torch.set_num_threads(options.threads)
    encoder, lemmas = LargeEncoder(options.bases), vocabulary()
    drawn = listed_words()
    typical = [at for at, lemma in enumerate(lemmas) if lemma in drawn]
    single = components(encoder.read([[lemma] for lemma in lemmas], layer=_LAYER), typical)
    texts = components(encoder.read([described(lemma) for lemma in lemmas], layer=-1), typical)
    table = np.hstack([single, texts])
    scale = (table.std(axis=0) * _RANGE / 127).astype(np.float32)
    q = np.clip(np.rint(table / scale), -127, 127).astype(np.int8)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    words = np.frombuffer("\n".join(lemmas).encode(), dtype=np.uint8)
    np.savez_compressed(options.out, words=words, q=q, scale=scale)
    print(f"{options.out}: {len(lemmas):,} words, SHA-256 {sha256(options.out)}")


if __name__ == "__main__":
    main()
