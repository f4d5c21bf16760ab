"""The tier `base`: adapters of ours on a large public encoder, run by torch.

The public weights (all-mpnet-base-v2, 438 MB) do not come with the package. They are looked for in
the folder that was given, in the folder that `TROPE_BASE_WEIGHTS` names, then in the cache of the
Hugging Face Hub; the file must have the right checksum.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import thread_time
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from trope.core.errors import BadModel, MissingData, MissingExtra
from trope.core.files import sha256
from trope.core.records import FigureThresholds, MetaphorThresholds, Parse
from trope.encoder.decode import read_words
from trope.encoder.device import Inputs, in_halves
from trope.encoder.models import model_folder
from trope.encoder.session import (
    METAPHOR,
    Array,
    BatchPass,
    Encoder,
    Labels,
    renew_after_fork,
)
from trope.encoder.windows import BATCH_PIECES, Window, batches, network_input, windows

Floats = npt.NDArray[np.floating]

_WEIGHTS = "model.safetensors"
FOLDER_VARIABLE = "TROPE_BASE_WEIGHTS"
_HUB_NAME = "sentence-transformers/all-mpnet-base-v2"
_REVISION = "e8c3b32edf5434bc2275fc9bab85f82640a19130"
ADAPTERS = "adapters.safetensors"
_HEADS = ("sentiment", "metonymy", "figures", "names")
"""Heads that not all adapters have, as labels call them."""
_PLACES = 4  # decimals of a probability, as in the tier `small`


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """Probabilities: that each word of a sentence is a metaphor, and that the whole has one."""

    metaphor: tuple[float, ...]
    figurative: float


class TierMean(msgspec.Struct, frozen=True):
    """How a sentence's log-odds in the tiers `base` and `small` become one probability.

    Both tiers were trained on few headlines, so the mean of the two errs less than either.
    """

    slope: float
    shift: float

    def share(self, base: Floats, small: Floats) -> Floats:
        """Probabilities from those of both tiers."""
        mean = (log_odds(base) + log_odds(small)) / 2
        return np.asarray(1 / (1 + np.exp(-(self.slope * mean + self.shift))))


def log_odds(shares: Floats) -> Floats:
    """The log-odds of rounded probabilities; 0 and 1 count as one unit of the last decimal away."""
    sure = 10.0**-_PLACES
    kept = np.clip(shares.astype(np.float64), sure, 1 - sure)
    return np.asarray(np.log(kept / (1 - kept)))


def find_base_weights(folder: Path | None) -> Path:
    """The file with the public weights.

    Raises:
        MissingData: where there is none; the text says how to get it.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    for place in (folder, Path(named) if named else None):
        if place is not None:
            path = place / _WEIGHTS if place.is_dir() else place
            if path.is_file():
                return path
            raise MissingData(path, _REMEDY)
    cached = _in_hub_cache()
    if cached is None:
        raise MissingData(_WEIGHTS, _REMEDY)
    return cached


_REMEDY = (
    f"the tier 'base' needs {_WEIGHTS} of {_HUB_NAME}: download it once "
    f"(hf download {_HUB_NAME} {_WEIGHTS} --revision {_REVISION}), or set {FOLDER_VARIABLE} to the "
    "folder that holds it"
)


def _in_hub_cache() -> Path | None:
    try:
        from huggingface_hub import try_to_load_from_cache
    except ModuleNotFoundError:
        return None
    for revision in (
        _REVISION,
        None,
    ):  # what a bare name has brought has the same checksum, or none
        found = try_to_load_from_cache(_HUB_NAME, _WEIGHTS, revision=revision)
        if isinstance(found, str):
            return Path(found)
    return None


class BaseEncoder:
    """The network of the tier `base`, with its adapters merged into the public weights."""

    def __init__(
        self,
        *,
        small: Encoder,
        weights: Path | None = None,
        adapters: Path | None = None,
        threads: int | None = None,
    ) -> None:
        try:
            import torch
            import transformers  # noqa: F401
        except ModuleNotFoundError:
            raise MissingExtra("the tier 'base'", "hub") from None
        self.small = small
        self.card = small.card
        self.vocabulary = small.vocabulary
        self.adapters = adapters or model_folder("base") / ADAPTERS
        if threads:
            torch.set_num_threads(threads)
        self.labels, self.agreement, self.network = _load(find_base_weights(weights), self.adapters)
        assert self.labels.metaphor is not None
        self.thresholds: MetaphorThresholds = self.labels.metaphor
        self._place = torch.device("cpu" if self.card is None else self.card.place)
        self.network.to(self._place)
        renew_after_fork(self)

    def begin_process(self) -> None:
        """Forget the thread, which a forked process does not have; it starts its own."""
        import torch

        self.__dict__.pop("_worker", None)
        torch.set_num_threads(1)  # the threads of OpenMP are lost, and waiting for them never ends

    @property
    def model_sha256(self) -> str:
        """The checksum of the adapters."""
        return sha256(self.adapters)

    @cached_property
    def _worker(self) -> ThreadPoolExecutor:
        """One thread: a batch already takes all that torch has."""
        return ThreadPoolExecutor(1, thread_name_prefix="trope-base")

    def submit(
        self, sentences: Sequence[Sequence[str]], outputs: Sequence[str] = METAPHOR
    ) -> list[Future[BatchPass]]:
        """Send sentences (of at least one word) through the network, once, in batches."""
        pieces = self.vocabulary.pieces
        pending = [
            w for number, words in enumerate(sentences) for w in windows(number, pieces(words))
        ]
        # its layers are twice as wide as those that a card counts its pieces by
        most = BATCH_PIECES if self.card is None else self.card.pieces // 2
        return [self._worker.submit(self._run_batch, b, outputs) for b in batches(pending, most)]

    def _run_batch(self, batch: list[Window], outputs: Sequence[str]) -> BatchPass:
        began = thread_time()
        arrays = network_input(batch, self.vocabulary)
        if self.card is None:
            found = self._compute(arrays, outputs)
        else:
            found = in_halves(lambda part: self._compute(part, outputs), arrays)
        return BatchPass(batch, dict(zip(outputs, found, strict=True)), thread_time() - began)

    def _compute(self, arrays: Inputs, outputs: Sequence[str]) -> list[Array]:
        import torch

        tensors = {
            name: torch.from_numpy(np.array(array)).to(self._place)
            for name, array in arrays.items()
        }
        tensors["mask"] = tensors["mask"].long()
        floats = torch.float32 if self.card is None else getattr(torch, self.card.floats)
        narrow = torch.autocast(self._place.type, floats, enabled=floats != torch.float32)
        with torch.inference_mode(), narrow:
            found = _outputs(self.network(tensors))
        return [found[name] for name in outputs]

    def verdicts(self, sentences: Sequence[Sequence[str]]) -> list[SentenceVerdict]:
        """The scores of each sentence (of at least one word)."""
        return [SentenceVerdict(p.metaphor, p.figurative or 0.0) for p in self.read(sentences)]

    def read(
        self,
        sentences: Sequence[Sequence[str]],
        outputs: Sequence[str] = METAPHOR,
        *,
        small: Sequence[float] | None = None,
        later: list[BatchPass] | None = None,
    ) -> list[Parse]:
        """Sentences (of at least one word) with what is asked for.

        The scores of whole sentences also use those of the tier `small`, which `small` holds where
        they are known already. Scores to be decided on later are added to `later`.
        """
        parses = read_words(self, sentences, outputs, later)
        if self.agreement is None or not parses or "figurative" not in outputs:
            return parses
        if small is None:
            small = _figurative(self.small, sentences)
        whole = np.asarray([parse.figurative for parse in parses], dtype=np.float64)
        agreed = self.agreement.share(whole, np.asarray(small))
        return [
            replace(parse, figurative=round(float(share), _PLACES))
            for parse, share in zip(parses, agreed, strict=True)
        ]


def load_encoder(
    *,
    tier: str = "small",
    folder: Path | None = None,
    base_weights: Path | None = None,
    threads: int | None = None,
    device: str = "cpu",
) -> Encoder | BaseEncoder:
    """The network of a tier, or of the model in a folder, whose heads the tasks read."""
    if tier != "base":
        return Encoder(tier, threads=threads, folder=folder, device=device)
    return BaseEncoder(
        small=Encoder("small", threads=threads, device=device),
        weights=base_weights,
        adapters=folder / ADAPTERS if folder else None,
        threads=threads,
    )


def _outputs(scores: Any) -> dict[str, Array]:
    """The outputs of the heads, named as those of the tier `small`."""
    found = {"metaphor": scores.metaphor.metaphor, "figurative": scores.metaphor.figurative}
    for name in _HEADS:
        found[name] = getattr(scores, name, None)
    return {name: v.float().cpu().numpy() for name, v in found.items() if v is not None}


def _figurative(small: Encoder, sentences: Sequence[Sequence[str]]) -> list[float]:
    """The scores of whole sentences from the tier `small`."""
    return [parse.figurative or 0.0 for parse in read_words(small, sentences, METAPHOR)]


def _load(weights: Path, adapters: Path) -> tuple[Labels, TierMean | None, Any]:
    """Labels, how the tiers agree, and network.

    The base must be the one that the adapters were trained on.
    """
    if not adapters.is_file():
        raise MissingData(adapters, "give a folder that `trope train base` has written")
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import load_file

    from trope.encoder.network import Network

    try:
        with safe_open(adapters, "pt") as file:
            metadata: Mapping[str, str] = file.metadata() or {}
            trained = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
        labels = _labels(metadata)
        agreement = _agreement(metadata)
        wanted, base = metadata["base_sha256"], metadata["base"]
    except (SafetensorError, KeyError, msgspec.MsgspecError) as error:
        raise BadModel(adapters, f"holds no adapters ({error}); install trope again") from None
    found = sha256(weights)
    if found != wanted:
        raise BadModel(
            weights, f"has SHA-256 {found}, but the adapters were trained on {wanted}; {_REMEDY}"
        )
    heads = [name for name in _HEADS if getattr(labels, name)]
    normed = any(name.startswith("metaphor.norm_") for name in trained)
    tasks = ("metaphor", *heads)
    network = Network(base, labels, dict(load_file(weights)), tasks, normed=normed)
    _merge(network, trained, adapters)
    return labels, agreement, network.eval()


def _agreement(metadata: Mapping[str, str]) -> TierMean | None:
    """None for adapters whose own scores of whole sentences count alone."""
    if "agreement" not in metadata:
        return None
    return msgspec.json.decode(metadata["agreement"], type=TierMean)


def _labels(metadata: Mapping[str, str]) -> Labels:
    """What the heads choose from; only metaphors are in all adapters."""

    def names(head: str) -> tuple[str, ...]:
        return msgspec.json.decode(metadata.get(head, "[]"), type=tuple[str, ...])

    return Labels(
        upos=(),
        xpos=(),
        deprels=(),
        lemma_rules=(),
        metaphor=msgspec.json.decode(metadata["metaphor"], type=MetaphorThresholds),
        sentiment=names("sentiment"),
        metonymy=names("metonymy"),
        figures=msgspec.json.decode(metadata.get("figures", "null"), type=FigureThresholds | None),
        names=names("names"),
    )


def _merge(network: Any, trained: dict[str, Any], adapters: Path) -> None:
    """Add the products of low rank to their matrices, and copy the rest."""
    import torch

    own = network.state_dict()
    for name in own:
        if not name.startswith("trunk.") and name not in trained:
            raise BadModel(adapters, f"promises a head but has no {name}; install it again")
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
