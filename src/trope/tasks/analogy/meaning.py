"""Vectors of meaning for texts: those of the shipped encoder, or of any sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trope.core.errors import MissingExtra
from trope.encoder.outputs import word_meanings
from trope.encoder.session import Encoder
from trope.tasks.analogy.small import Meaning
from trope.text.tokenise import tokenise

WIDTH = 256
_BATCH = 32


def meaning_of_encoder(encoder: Encoder) -> Meaning:
    """Vectors by the head of the shipped encoder: the mean over the words of a text."""
    known: dict[str, npt.NDArray[np.float32]] = {}

    def meaning(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = list(dict.fromkeys(text for text in texts if text not in known))
        words = [[text[start:end] for start, end in tokenise(text)] for text in new]
        for text, vectors in zip(new, word_meanings(encoder, words), strict=True):
            known[text] = vectors.mean(axis=0)
        return np.array([known[text] for text in texts])

    return meaning


def meaning_of_folder(folder: Path) -> Meaning:
    """Vectors by the sentence encoder of a folder; each text is encoded once.

    They are cut to `WIDTH` numbers by principal components of the texts that are asked for first.
    """
    try:
        import torch
        import transformers

        from trope.tasks.hub_folder import load_tokenizer, model_path
    except ModuleNotFoundError as error:
        raise MissingExtra("vectors of a sentence encoder", "hub", error.name or "") from None
    folder = model_path(folder)
    tokenizer = load_tokenizer(folder, "sentences")
    model = transformers.AutoModel.from_pretrained(
        folder, use_safetensors=True, local_files_only=True, trust_remote_code=False
    )
    model = model.float().eval()
    known: dict[str, npt.NDArray[np.float32]] = {}
    axes: list[npt.NDArray[np.float32]] = []

    def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        given = tokenizer(list(texts), padding=True, return_tensors="pt")
        mask = given["attention_mask"]
        with torch.inference_mode():
            states: Any = model(input_ids=given["input_ids"], attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).float()
        found: npt.NDArray[np.float32] = ((states * weights).sum(1) / weights.sum(1)).numpy()
        return found

    def meaning(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = sorted({text for text in texts if text not in known}, key=len)
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            known.update(zip(batch, encode(batch), strict=True))
        table = np.array([known[text] for text in texts])
        if not axes:
            axes.append(_components(table))
        return np.asarray(table @ axes[0].T, dtype=np.float32)

    return meaning


def _components(table: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The directions in which the vectors differ the most."""
    _, _, directions = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    return np.asarray(directions[:WIDTH], dtype=np.float32)
