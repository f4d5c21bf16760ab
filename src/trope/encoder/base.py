"""The tier `base`: adapters of ours on a large public encoder, run by torch.

The public weights (all-mpnet-base-v2, 438 MB) do not come with the package. They are looked for in
the folder that was given, in the folder that `TROPE_BASE_WEIGHTS` names, then in the cache of the
Hugging Face Hub; whatever is found must have the right checksum.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from trope.core.errors import BadModel, MissingData, MissingExtra
from trope.core.files import sha256
from trope.encoder.models import model_folder
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import MetaphorThresholds
from trope.encoder.windows import Window, batches, network_input, windows

WEIGHTS = "model.safetensors"
FOLDER_VARIABLE = "TROPE_BASE_WEIGHTS"
HUB_NAME = "sentence-transformers/all-mpnet-base-v2"
ADAPTERS = "adapters.safetensors"
PLACES = 4  # decimals of a probability, as in the tier `small`


@dataclass(frozen=True, slots=True)
class Verdict:
    """Probabilities: that each word of a sentence is a metaphor, and that the whole has one."""

    metaphor: tuple[float, ...]
    figurative: float


def find_base_weights(folder: Path | None) -> Path:
    """The file with the public weights.

    Raises:
        MissingData: where there is none; the text says how to get it.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    for place in (folder, Path(named) if named else None):
        if place is not None:
            path = place / WEIGHTS if place.is_dir() else place
            if path.is_file():
                return path
            raise MissingData(path, _REMEDY)
    cached = _in_hub_cache()
    if cached is None:
        raise MissingData(WEIGHTS, _REMEDY)
    return cached


_REMEDY = (
    f"the tier 'base' needs {WEIGHTS} of {HUB_NAME}: download it once "
    f"(hf download {HUB_NAME} {WEIGHTS}), or set {FOLDER_VARIABLE} to the folder that holds it"
)


def _in_hub_cache() -> Path | None:
    try:
        from huggingface_hub import try_to_load_from_cache
    except ModuleNotFoundError:
        return None
    found = try_to_load_from_cache(HUB_NAME, WEIGHTS)
    return Path(found) if isinstance(found, str) else None


class BaseEncoder:
    """The network of the tier `base`, with its adapters merged into the public weights."""

    def __init__(
        self,
        *,
        vocabulary: Vocabulary,
        weights: Path | None = None,
        adapters: Path | None = None,
        threads: int | None = None,
    ) -> None:
        try:
            import torch
            import transformers  # noqa: F401
        except ModuleNotFoundError:
            raise MissingExtra("the tier 'base'", "hub") from None
        self.vocabulary = vocabulary
        self.adapters = adapters or model_folder("base") / ADAPTERS
        if threads:
            torch.set_num_threads(threads)
        self.thresholds, self._network = _load(find_base_weights(weights), self.adapters)

    @property
    def model_sha256(self) -> str:
        """The checksum of the adapters."""
        return sha256(self.adapters)

    def verdicts(self, sentences: Sequence[Sequence[str]]) -> list[Verdict]:
        """What the network says of each sentence (of at least one word)."""
        pieces = self.vocabulary.pieces
        pending = [
            w for number, words in enumerate(sentences) for w in windows(number, pieces(words))
        ]
        words: list[list[float]] = [[0.0] * len(sentence) for sentence in sentences]
        whole = [0.0] * len(sentences)
        for batch in batches(pending):
            for window, scores, score in self._read(batch):
                words[window.sentence][window.core_first : window.core_last] = scores
                # a sentence is as metaphorical as the most metaphorical of its stretches
                whole[window.sentence] = max(whole[window.sentence], score)
        return [Verdict(tuple(w), f) for w, f in zip(words, whole, strict=True)]

    def _read(self, batch: list[Window]) -> Iterator[tuple[Window, list[float], float]]:
        """Each window with the probabilities of its core words and of the whole."""
        import torch

        arrays = network_input(batch, self.vocabulary)
        tensors = {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
        tensors["mask"] = tensors["mask"].long()
        with torch.inference_mode():
            found = self._network(tensors).metaphor
        words, whole = (logits.sigmoid().numpy() for logits in (found.metaphor, found.figurative))
        for row, window in enumerate(batch):
            core = slice(window.core_first - window.first, window.core_last - window.first)
            yield (
                window,
                [round(float(p), PLACES) for p in words[row, core]],
                round(float(whole[row]), PLACES),
            )


def _load(weights: Path, adapters: Path) -> tuple[MetaphorThresholds, Any]:
    """Thresholds and network; the base must be the one that the adapters were trained on."""
    if not adapters.is_file():
        raise MissingData(adapters, "give a folder that `trope train base` has written")
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import load_file

    from trope.encoder.network import Network

    try:
        with safe_open(adapters, "pt") as file:
            told: Mapping[str, str] = file.metadata() or {}
            trained = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
        thresholds = msgspec.json.decode(told["metaphor"], type=MetaphorThresholds)
        wanted, base = told["base_sha256"], told["base"]
    except (SafetensorError, KeyError, msgspec.MsgspecError) as error:
        raise BadModel(adapters, f"holds no adapters ({error}); install trope again") from None
    found = sha256(weights)
    if found != wanted:
        raise BadModel(
            weights, f"has SHA-256 {found}, but the adapters were trained on {wanted}; {_REMEDY}"
        )
    network = Network(base, None, dict(load_file(weights)), ("metaphor",))
    _merge(network, trained, adapters)
    return thresholds, network.eval()


def _merge(network: Any, trained: dict[str, Any], adapters: Path) -> None:
    """Add the products of low rank to the matrices they stand beside, and take over the rest."""
    import torch

    own = network.state_dict()
    with torch.no_grad():
        for name, value in trained.items():
            if name.endswith(".down"):
                layer = name.removesuffix(".down")
                target, change = f"{layer}.weight", trained[f"{layer}.up"] @ value
            elif name.endswith(".up"):
                continue
            else:
                target, change = name, None
            place = own.get(target)
            new = value if change is None else change
            if place is None or place.shape != new.shape:
                raise BadModel(adapters, f"does not fit the network at {target}; install it again")
            place.copy_(place + new if change is not None else new)
