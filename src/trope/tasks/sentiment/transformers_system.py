"""`transformers`: any Hugging Face encoder that was fine-tuned to give a text a number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trope.core.records import Analysis
from trope.tasks.hub_folder import (
    folder_checksum,
    load_tokenizer,
    longest,
    model_path,
    sequence_logits,
    text_pieces,
    trained_model,
)
from trope.tasks.sentiment.task import clipped

SCORE = ("score",)
"""What the head of such a model gives: one number."""
MAX_LENGTH = 128
"""Pieces of a text that are read; a tweet has fewer."""


class TransformersSentiment:
    """A large encoder with a head for regression.

    Paper: none; fine-tuned encoders are what later work on the task compares with.
    Needs: a folder or a name of the Hub; safetensors; the extra `hub`.
    Gives: real scores of texts as they were written.
    Differs: tags, trees and the output of the shipped encoder are not used.
    """

    def __init__(
        self, model: Any, tokenizer: Any, *, batch_size: int = 64, sha256: str = ""
    ) -> None:
        self.model_sha256 = sha256
        self._model, self._tokenizer, self._batch = model, tokenizer, batch_size

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """A real number from −5 to 5 per tweet."""
        most = longest(self._model, MAX_LENGTH)
        items = text_pieces(self._tokenizer, [tweet.text for tweet in tweets], None, most)
        pad = self._tokenizer.pad_token_id
        rows = sequence_logits(self._model, items, pad, batch=self._batch)
        return [clipped(score) for (score,) in rows]


def build(*, model: str | Path, device: str = "cpu", batch_size: int = 64) -> TransformersSentiment:
    """The system of a folder or Hub name.

    Raises:
        BadModel: for a folder with a pickle, or whose head does not give one number.
    """
    folder = model_path(model)
    network = trained_model(folder, "sentences", SCORE).to(device)
    tokenizer = load_tokenizer(folder, "sentences")
    checksum = folder_checksum(folder)
    return TransformersSentiment(network, tokenizer, batch_size=batch_size, sha256=checksum)
