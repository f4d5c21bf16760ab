"""Zero-shot choices: the likelihood of a template's sentence under a language model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from trope.core.errors import BadModel, MissingExtra
from trope.corpora.mean import Analogy
from trope.tasks.analogy.ranker import Floats
from trope.tasks.analogy.templates import Template


def by_likelihood(items: Sequence[Analogy], template: Template, folder: Path) -> Floats:
    """Mean log-probability of the pieces of each sentence, items × choices.

    A masked model is asked for each piece with that piece hidden.

    Raises:
        BadModel: for a model that has no head for words, such as a sentence encoder.
    """
    model, tokenizer, masked = _language_model(folder)
    score = _masked_score if masked else _causal_score
    return np.array(
        [
            [score(model, tokenizer, " ".join(template.fill(item, c))) for c in item.choices]
            for item in items
        ]
    )


def _language_model(folder: Path) -> tuple[Any, Any, bool]:
    try:
        import transformers

        from trope.tasks.hub_folder import load_tokenizer, model_path
    except ModuleNotFoundError as error:
        raise MissingExtra("likelihood of sentences", "hub", error.name or "") from None
    folder = model_path(folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    kinds = " ".join(config.get("architectures") or ())
    masked = "ForMaskedLM" in kinds
    if not masked and "CausalLM" not in kinds and "LMHeadModel" not in kinds:
        raise BadModel(
            folder / "config.json",
            f"names no head for words ({kinds or 'no architecture'}), so sentences have no "
            "likelihood; give a masked or causal language model",
        )
    loader = transformers.AutoModelForMaskedLM if masked else transformers.AutoModelForCausalLM
    model = loader.from_pretrained(
        folder, use_safetensors=True, local_files_only=True, trust_remote_code=False
    )
    return model.float().eval(), load_tokenizer(folder, "sentences"), masked


def _masked_score(model: Any, tokenizer: Any, text: str) -> float:
    import torch

    given = tokenizer(text, return_tensors="pt", return_special_tokens_mask=True)
    ids = given["input_ids"][0]
    places = (given["special_tokens_mask"][0] == 0).nonzero()[:, 0]
    hidden = ids.repeat(len(places), 1)
    rows = torch.arange(len(places))
    hidden[rows, places] = tokenizer.mask_token_id
    with torch.inference_mode():
        logits = model(input_ids=hidden).logits
    return float(logits[rows, places].log_softmax(-1)[rows, ids[places]].mean())


def _causal_score(model: Any, tokenizer: Any, text: str) -> float:
    import torch

    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        logits = model(input_ids=ids).logits
    chances = logits[0, :-1].log_softmax(-1)
    return float(chances.gather(1, ids[0, 1:, None]).mean())
