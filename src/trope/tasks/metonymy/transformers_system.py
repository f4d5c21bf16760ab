"""`transformers`: any Hugging Face encoder that was fine-tuned to read a marked name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import exp
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, BadModel
from trope.lexicon.readings import NAME_CLASSES, readings
from trope.tasks.hub_folder import (
    folder_checksum,
    load_tokenizer,
    longest,
    model_path,
    sequence_logits,
    text_pieces,
    trained_model,
)
from trope.tasks.metonymy.task import NameInContext, Probabilities

LABELS = tuple(f"{kind}:{name}" for kind in NAME_CLASSES for name in readings(kind))
"""What the head of such a model tells apart: all readings of all classes of names."""
MARKS = "<<", ">>"
"""What stands before and after the name."""
CONTEXT = 60
"""Words on either side of the name that are read."""
MAX_LENGTH = 256


class TransformersMetonymy:
    """A large encoder that reads a sentence with its name between two marks.

    Paper: marked targets as in fine-tuned encoders for relations; nothing after 2007 has fine ones.
    Needs: a folder or a name of the Hub; safetensors; the extra `hub`.
    Gives: probabilities of the fine readings of the name's class.
    Differs: it is trained beforehand, by `trope train metonymy --model` or elsewhere.
    """

    def __init__(
        self, model: Any, tokenizer: Any, *, batch_size: int = 64, sha256: str = ""
    ) -> None:
        self.model_sha256 = sha256
        self._model, self._tokenizer, self._batch = model, tokenizer, batch_size

    def fit(self, names: Sequence[NameInContext], readings: Sequence[str]) -> None:
        """Refuse: this system is trained beforehand."""
        raise BadInput("this system is trained beforehand; give the folder of a trained model")

    def predict(self, names: Sequence[NameInContext]) -> list[Probabilities]:
        """The probabilities of the readings, one per name."""
        most = longest(self._model, MAX_LENGTH)
        texts = [marked(name) for name in names]
        items = text_pieces(self._tokenizer, texts, None, most)
        pad = self._tokenizer.pad_token_id
        rows = sequence_logits(self._model, items, pad, batch=self._batch)
        return [_shares(row, name) for row, name in zip(rows, names, strict=True)]


def marked(name: NameInContext) -> str:
    """The sentence, or what is near, with the name between two marks."""
    words, first, last = name.parse.words, name.first, name.last
    before, after = words[max(0, first - CONTEXT) : first], words[last : last + CONTEXT]
    return " ".join((*before, MARKS[0], *words[first:last], MARKS[1], *after))


def _shares(logits: Sequence[float], name: NameInContext) -> Probabilities:
    own = {r: logits[LABELS.index(f"{name.name_class}:{r}")] for r in readings(name.name_class)}
    highest = max(own.values())
    weights = {reading: exp(logit - highest) for reading, logit in own.items()}
    total = sum(weights.values())
    return {reading: weight / total for reading, weight in weights.items()}


def build(*, model: str | Path, device: str = "cpu", batch_size: int = 64) -> TransformersMetonymy:
    """The system of a folder or Hub name.

    Raises:
        BadModel: for a folder with a pickle, or whose labels are not the readings of names.
    """
    folder = model_path(model)
    _check_labels(folder)
    network = trained_model(folder, "sentences", LABELS).to(device)
    tokenizer = load_tokenizer(folder, "sentences")
    checksum = folder_checksum(folder)
    return TransformersMetonymy(network, tokenizer, batch_size=batch_size, sha256=checksum)


def _check_labels(folder: Path) -> None:
    path = folder / "config.json"
    try:
        labels = json.loads(path.read_text("utf-8")).get("id2label", {})
        found = [labels[number] for number in sorted(labels, key=int)]
    except (ValueError, AttributeError) as error:
        raise BadModel(path, f"is not the configuration of a model ({error})") from None
    if found != list(LABELS):
        raise BadModel(
            path,
            f"has the labels {', '.join(found[:3]) or 'of no head'} …, not the {len(LABELS)} from "
            f"{LABELS[0]} to {LABELS[-1]}; fine-tune the encoder with trope train metonymy --model",
        )
