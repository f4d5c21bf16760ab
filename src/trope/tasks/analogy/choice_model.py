"""Multiple-choice models of analogies: an encoder that scores every choice, and folders of them.

Needs torch and transformers alone, so that training can run where the rest of trope is not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from trope.core.errors import BadModel
from trope.core.files import atomic_write
from trope.tasks.hub_folder import NOTES_FILE, folder_checksum, load_tokenizer, model_path

if TYPE_CHECKING:
    from trope.corpora.mean import Analogy

CHOICE = "choice"
"""The kind of system that the notes of such a folder name."""
_HEAD, _SEEN = "head.safetensors", "seen.json"
_BATCH = 64


@dataclass(slots=True)
class ChoiceTexts:
    """All choices of all items as pieces, padded: items × choices × pieces; the right ones."""

    ids: Tensor
    mask: Tensor
    types: Tensor
    gold: Tensor
    places: Tensor
    """For every item where its choices stand, in the order of MEAN's columns."""

    def __len__(self) -> int:
        return len(self.ids)


class ChoiceModel(nn.Module):
    """An encoder with a head that gives every text one score."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        transformers.utils.logging.disable_progress_bar()
        self.encoder = transformers.AutoModel.from_pretrained(
            folder, use_safetensors=True, local_files_only=True, trust_remote_code=False
        ).float()
        width = int(self.encoder.config.hidden_size)
        rate = float(getattr(self.encoder.config, "hidden_dropout_prob", 0.1))
        self.dropout, self.head = nn.Dropout(rate), nn.Linear(width, 1)
        kinds = int(getattr(self.encoder.config, "type_vocab_size", 1) or 1)
        self._has_types = kinds > 1

    def forward(self, texts: ChoiceTexts, rows: Tensor, pooling: str) -> Tensor:
        """Scores, rows × choices."""
        ids, mask = texts.ids[rows], texts.mask[rows]
        count, choices, width = ids.shape
        inputs = {"input_ids": ids.view(-1, width), "attention_mask": mask.view(-1, width)}
        if self._has_types:
            inputs["token_type_ids"] = texts.types[rows].view(-1, width)
        pooled = self._pooled(self.encoder(**inputs), inputs["attention_mask"], pooling)
        scores: Tensor = self.head(self.dropout(pooled))
        return scores.view(count, choices).float()

    def _pooled(self, output: Any, mask: Tensor, pooling: str) -> Tensor:
        if pooling == "mean":
            states: Tensor = output.last_hidden_state
            weights = mask.unsqueeze(-1).to(states.dtype)
            return (states * weights).sum(1) / weights.sum(1)
        found: Tensor | None = getattr(output, "pooler_output", None)
        if found is None:
            name = type(self.encoder).__name__
            raise BadModel(name, "has no pooler, which the paper's settings need; pool by the mean")
        return found


def choice_pieces(
    tokenizer: Any, texts: Sequence[Any], orders: Sequence[Sequence[int]], device: str
) -> ChoiceTexts:
    """Items as pieces: start and end of every choice; `orders` says which choice stands where."""
    starts = [start for item in texts for start, _ in item]
    ends = [end for item in texts for _, end in item]
    found = tokenizer(starts, ends, padding=True, return_tensors="pt", return_token_type_ids=True)
    shape = len(texts), len(texts[0]), -1
    order = torch.tensor(orders)
    places = order.argsort(dim=1)
    return ChoiceTexts(
        found["input_ids"].view(shape).to(device),
        found["attention_mask"].view(shape).to(device),
        found["token_type_ids"].view(shape).to(device),
        places[:, 0].to(device),
        places.to(device),
    )


def choice_scores(
    model: ChoiceModel, texts: ChoiceTexts, items: Sequence[int], pooling: str
) -> list[list[float]]:
    """The scores of the choices of these items, in the order of their columns."""
    model.eval()
    found = []
    rows = torch.tensor(items, device=texts.ids.device)
    for batch in rows.split(_BATCH):
        with torch.inference_mode():
            scores = model(texts, batch, pooling)
        found.append(scores.gather(1, texts.places[batch]).cpu())
    table: list[list[float]] = torch.cat(found).tolist()
    return table


def save_choices(
    model: ChoiceModel, tokenizer: Any, notes: Mapping[str, str], seen: Sequence[int], out: Path
) -> None:
    """Write encoder, head and tokeniser; the notes come last: a folder with notes is whole."""
    out.mkdir(parents=True, exist_ok=True)
    (out / NOTES_FILE).unlink(missing_ok=True)
    model.encoder.save_pretrained(out)
    tokenizer.save_pretrained(out)
    save_file({k: v.contiguous() for k, v in model.head.state_dict().items()}, out / _HEAD)
    with atomic_write(out / _SEEN) as file:
        file.write(json.dumps(sorted(set(seen))) + "\n")
    with atomic_write(out / NOTES_FILE) as file:
        file.write(json.dumps({"task": "analogy", "kind": CHOICE, **notes}, indent=1) + "\n")


class FineTunedChoice:
    """A fine-tuned encoder that chooses the end of an analogy.

    Paper: the models of Pitarch et al. (2023), section 4.1, pooled by the mean.
    Needs: a folder that `trope train analogy --on FILE --model MODEL` wrote; the extra `hub`.
    Gives: a score per choice; the highest is the answer.
    Differs: the head is trained with a rate of its own.
    """

    def __init__(self, folder: Path) -> None:
        folder = model_path(folder)
        try:
            notes = json.loads((folder / NOTES_FILE).read_text("utf-8"))
            self.template, self.pooling = str(notes["template"]), str(notes["pooling"])
            self.seen = frozenset[int](json.loads((folder / _SEEN).read_text("utf-8")))
            self._model = ChoiceModel(folder)
            self._model.head.load_state_dict(load_file(folder / _HEAD))
        except (SafetensorError, OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            cause = str(error).splitlines()[0]
            raise BadModel(folder, f"cannot be read ({cause}); train it again") from None
        self._tokenizer = load_tokenizer(folder, "sentences")
        self.model_sha256 = folder_checksum(folder)

    def score(self, items: Sequence[Analogy]) -> Any:
        """Scores, items × choices, as an array."""
        from trope.tasks.analogy.templates import read_templates  # training does without these

        template = read_templates()[self.template]
        texts = [[template.fill(item, choice) for choice in item.choices] for item in items]
        order = list(range(len(texts[0])))
        pieces = choice_pieces(self._tokenizer, texts, [order] * len(texts), "cpu")
        scores = choice_scores(self._model, pieces, range(len(texts)), self.pooling)
        return np.array(scores, dtype=np.float64)
