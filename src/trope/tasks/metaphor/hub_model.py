"""Metaphor detectors from Hugging Face encoders: pieces and scores of words and sentences.

Words are the mean of their pieces' scores. Needs torch and transformers alone, so that training can
run where the rest of trope is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from trope.core.errors import BadModel
from trope.tasks.hub_folder import (
    NO_ANSWER,
    NOTES_FILE,
    EncodedText,
    Level,
    new_model,
    padded,
    save_folder,
    trained_model,
)

LABELS = ("literal", "metaphorical")


@dataclass(frozen=True, slots=True)
class DetectorNotes:
    """The settings of a detector besides its weights."""

    level: Level
    threshold: float = 0.5
    chosen_on: str = ""
    max_length: int = 80


def new_detector(folder: Path, level: Level, *, dropout: float | None = None) -> Any:
    """The encoder of a folder with a head for metaphors, still untrained."""
    return new_model(folder, level, LABELS, dropout=dropout)


def trained_detector(folder: Path, level: Level) -> Any:
    """A detector, whole: every weight there and of the right shape."""
    return trained_model(folder, level, LABELS)


def save_detector(model: Any, tokenizer: Any, notes: DetectorNotes, out: Path) -> None:
    """Write weights (safetensors), tokeniser, configuration and notes into a folder."""
    save_folder(model, tokenizer, asdict(notes), out)


def read_notes(folder: Path) -> DetectorNotes:
    """The notes of a folder; of a model from elsewhere, what its configuration tells.

    Raises:
        BadModel: where nothing says whether it judges words or sentences.
    """
    path = folder / NOTES_FILE
    if path.is_file():
        try:
            notes = DetectorNotes(**json.loads(path.read_text("utf-8")))
        except (ValueError, TypeError) as error:
            raise BadModel(path, f"was not written by trope train ({error})") from None
        if notes.level not in ("words", "sentences"):
            raise BadModel(path, f"has the level {notes.level!r}; known: words, sentences")
        return notes
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except ValueError as error:
        raise BadModel(folder / "config.json", f"is not JSON ({error})") from None
    kinds = " ".join(config.get("architectures") or ())
    if "ForTokenClassification" in kinds:
        return DetectorNotes("words")
    if "ForSequenceClassification" in kinds:
        return DetectorNotes("sentences")
    raise BadModel(
        folder / "config.json",
        f"names no head for words or sentences ({kinds or 'no architecture'}); fine-tune the "
        "encoder with trope train metaphor --model",
    )


def word_pieces(
    tokenizer: Any, words: Sequence[str], answers: Sequence[int] | None, max_length: int
) -> list[EncodedText]:
    """A sentence in as many parts as its length asks for; every word is in one of them."""
    given = list(answers) if answers is not None else [NO_ANSWER] * len(words)
    return [
        _part(tokenizer, words[start:end], given[start:end], max_length)
        for start, end in _windows(tokenizer, words, max_length)
    ]


def _windows(tokenizer: Any, words: Sequence[str], most: int) -> Iterator[tuple[int, int]]:
    room = most - tokenizer.num_special_tokens_to_add()
    owners = tokenizer(list(words), is_split_into_words=True, add_special_tokens=False).word_ids()
    sizes = [0] * len(words)
    for owner in owners:
        sizes[owner] += 1
    start, used = 0, 0
    for at, size in enumerate(sizes):
        if at > start and used + size > room:
            yield start, at
            start, used = at, 0
        used += size
    if words:
        yield start, len(words)


def _part(tokenizer: Any, words: Sequence[str], answers: Sequence[int], most: int) -> EncodedText:
    encoding = tokenizer(list(words), is_split_into_words=True, truncation=True, max_length=most)
    owner = tuple(-1 if word is None else word for word in encoding.word_ids())
    return EncodedText(tuple(encoding["input_ids"]), owner, tuple(answers))


def answer_logits(model: Any, batch: Sequence[EncodedText], pad: int) -> tuple[Tensor, Tensor]:
    """Scores of both classes and the right class of every answer in the batch.

    The mean over the pieces of a word; a word without pieces (a lone blank) scores 0 for both.
    """
    device = next(model.parameters()).device
    ids, mask = padded(batch, pad)
    width = ids.shape[1]
    right = torch.tensor([answer for item in batch for answer in item.answers], device=device)
    logits = model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits.float()
    if logits.dim() == 2:
        return logits, right
    owner = torch.full((len(batch), width), -1, dtype=torch.long)
    first = 0
    for row, item in enumerate(batch):
        own = torch.tensor(item.owner)
        owner[row, : len(item.ids)] = torch.where(own >= 0, own + first, own)
        first += len(item.answers)
    known = (owner >= 0).flatten().to(device)
    flat, place = logits.flatten(0, 1)[known], owner.flatten().to(device)[known]
    sums = logits.new_zeros((first, logits.shape[-1])).index_add(0, place, flat)
    counts = logits.new_zeros(first).index_add(0, place, torch.ones_like(flat[:, 0]))
    return sums / counts.clamp_min(1).unsqueeze(-1), right


def probabilities(
    model: Any, items: Sequence[EncodedText], pad: int, *, batch: int = 64
) -> list[list[float]]:
    """The probability of metaphor for every answer of every item, in order."""
    model.eval()
    order = sorted(range(len(items)), key=lambda at: len(items[at].ids))
    found: list[list[float]] = [[] for _ in items]
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        with torch.inference_mode():
            logits, _ = answer_logits(model, [items[at] for at in chosen], pad)
        values = iter(logits.softmax(-1)[:, 1].tolist())
        for at in chosen:
            found[at] = [next(values) for _ in items[at].answers]
    return found
