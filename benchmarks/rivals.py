"""Systems to compare with: the shape of RoBERTa-base with random weights.

What a pass costs depends on the shape of the model and of its input, not on what it has learned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from trope.core.errors import MissingExtra

LONGEST = 512
_IDS_FROM = 10  # past the special pieces


class Rival:
    """A model of RoBERTa-base's shape in inference mode, on a fixed number of threads."""

    def __init__(self, threads: int, seed: int, **smaller: int) -> None:
        try:
            import torch
            from transformers import RobertaConfig, RobertaModel
        except ModuleNotFoundError as error:
            raise MissingExtra("the speed benchmark", "hub", error.name or "") from error
        torch.set_num_threads(threads)
        torch.manual_seed(seed)
        shape = {"vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1}
        config = RobertaConfig(**{**shape, **smaller})
        self.torch: Any = torch
        self.model = RobertaModel(config, add_pooling_layer=False).eval()

    def forward(self, lengths: Sequence[int]) -> None:
        """One pass over a padded batch of sequences of these lengths."""
        lengths = [min(length, LONGEST) for length in lengths]
        shape = (len(lengths), max(lengths))
        ids = self.torch.randint(_IDS_FROM, self.model.config.vocab_size, shape)
        mask = self.torch.arange(shape[1])[None] < self.torch.tensor(lengths)[:, None]
        with self.torch.inference_mode():
            self.model(input_ids=ids, attention_mask=mask.long())


def batches_by_length(lengths: Sequence[int], batch_size: int = 32) -> list[list[int]]:
    """The lengths in batches of like ones, the shortest first."""
    ordered = sorted(lengths)
    return [ordered[at : at + batch_size] for at in range(0, len(ordered), batch_size)]


def single_pass(rival: Rival, batches: Sequence[Sequence[int]]) -> None:
    """One pass per sentence, batch by batch."""
    for lengths in batches:
        rival.forward(lengths)


def pass_per_word(
    rival: Rival, sentences: Sequence[Sequence[str]], count_pieces: Callable[[Sequence[str]], int]
) -> None:
    """MelBERT's way: for every word one pass over the sentence and one over the word alone.

    The passes of one sentence are one batch.
    """
    for words in sentences:
        rival.forward([count_pieces(words)] * len(words))
        rival.forward([count_pieces([word]) for word in words])
