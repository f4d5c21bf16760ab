"""`trope train vectors`: the static word vectors that ship, distilled from a large encoder.

Each word goes through the encoder by itself; the mean of its layer's vectors represents the word
without context. The table is centred and turned into its main directions, so
that a few numbers per word keep most of it, and stored in 8 bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.encoder.pieces import Vocabulary
from trope.encoder.trunk import Trunk
from trope.train.encoder.bases import fetch, read_weights
from trope.train.encoder.corpus import batches, encode_words
from trope.train.encoder.fit import on_device
from trope.train.encoder.run import EncoderSettings
from trope.train.encoder.text_sets import GENERATED, read_text_set, read_treebank

_WORDS, DIMENSIONS = 24_000, 128
_BASE = "all-mpnet-base-v2"
Floats = npt.NDArray[np.float32]


def train_vectors(
    *,
    settings: EncoderSettings,
    without: frozenset[str],
    data: Path,
    work: Path,
    out: Path,
    device: str,
    say: MessageWriter,
    **_: Any,
) -> None:
    """The vectors of the most frequent words of the texts, written as `vectors.npz`."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    left_out = without | GENERATED
    texts = [s.name for s in settings.sets if s.use == "text" and s.name not in left_out]
    words = frequent_words(
        (sentence for name in texts for sentence in read_text_set(data, name, say)),
        (form for s in read_treebank(data, "ewt", "train") for form in s.lemmas),
    )
    vocabulary = Vocabulary(fetch("bert-vocabulary", work) / "vocab.txt")
    trunk = Trunk(_BASE, read_weights(_BASE, fetch(_BASE, work)))
    table = principal(_word_table(trunk, words, vocabulary, device), DIMENSIONS)
    out.mkdir(parents=True, exist_ok=True)
    write_vectors(words, table, out / "vectors.npz")
    say(f"{len(words)} words of {DIMENSIONS} dimensions are in {out / 'vectors.npz'}")


def frequent_words(sentences: Iterable[Sequence[str]], lemmas: Iterable[str]) -> list[str]:
    """Words of letters, the most frequent first; lemmas count too, as users look those up."""
    counts = Counter(word.lower() for sentence in sentences for word in sentence)
    counts.update(lemma.lower() for lemma in lemmas)
    known = ((word, n) for word, n in counts.items() if word.isascii() and word.isalpha())
    return [word for word, _ in sorted(known, key=lambda pair: (-pair[1], pair[0]))][:_WORDS]


@torch.inference_mode()
def _word_table(trunk: Trunk, words: Sequence[str], vocabulary: Vocabulary, device: str) -> Floats:
    """The mean vector of each word's pieces, with the two that bracket them, in the last layer."""
    trunk.to(device).eval()
    corpus, _ = encode_words([(word,) for word in words], vocabulary)
    table = np.zeros((len(words), trunk.size), dtype=np.float32)
    for arrays in batches(corpus, 256, None):
        batch = on_device(arrays, device)
        last = trunk(batch["ids"], batch["types"], batch["mask"])[-1].float()
        mask = batch["mask"].unsqueeze(-1)
        mean = (last * mask).sum(1) / mask.sum(1)
        table[arrays["sentence"]] = mean.cpu().numpy()
    return table


def principal(table: Floats, dimensions: int) -> Floats:
    """The table's main directions, after centring vectors of length 1."""
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    centred = unit - unit.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    turned: Floats = centred @ directions[:, ::-1][:, :dimensions]
    return turned


def write_vectors(words: Sequence[str], table: Floats, path: Path) -> None:
    """The table in 8 bits with one scale per word, as `trope.lexicon.vectors` reads it."""
    scale = np.maximum(np.abs(table).max(axis=1), 1e-8) / 127
    arrays = {
        "words": np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        "q": np.rint(table / scale[:, None]).astype(np.int8),
        "scale": scale.astype(np.float32),
    }
    with atomic_write(path, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
