"""Fine-tuning of one encoder: epochs, the best of them, and going on after an interruption.

What an epoch draws depends on the seed and its number alone, so a run that goes on after its last
whole epoch ends with the same weights as one that was never interrupted. Needs torch and
transformers alone.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from trope.core.errors import BadInput, UnknownName
from trope.core.files import atomic_write
from trope.core.progress import MessageWriter, track
from trope.tasks.hub_folder import NO_ANSWER, EncodedText
from trope.tasks.metaphor.hub_model import answer_logits, probabilities

_FOLDER = Path(__file__).with_name("presets")


_PRESETS = ("newsmet", "words", "sentiment", "metonymy")


@dataclass(frozen=True, slots=True)
class HubSettings:
    """How an encoder is fine-tuned; `best_by` is measured on validation data after every epoch."""

    level: Literal["words", "sentences"]
    model: str
    epochs: int
    rate: float
    dropout: float
    batch: int
    max_length: int
    clip: float
    seed: int
    best_by: Literal["accuracy", "f1", "cosine"]
    weight_decay: float = 0.0
    warm_up: float = 0.0


def read_preset(name: str) -> HubSettings:
    """A preset by name.

    Raises:
        UnknownName: for a name that no file has.
    """
    if name not in _PRESETS:
        raise UnknownName("preset", name, _PRESETS)
    return read_hub_settings(_FOLDER / f"{name}.toml")


def read_hub_settings(path: Path) -> HubSettings:
    """The settings of a TOML file, all its faults reported at once."""
    from trope.core.config import read_config  # needs msgspec, which fitting does without

    return read_config(path, HubSettings)


def hub_settings(preset: str, config: Path | None, seed: int | None) -> HubSettings:
    """The settings of a file or else of a preset, with another seed if one is given."""
    settings = read_preset(preset) if config is None else read_hub_settings(config)
    return settings if seed is None else replace(settings, seed=seed)


def numbered_seeds(seeds: str) -> tuple[int, ...]:
    """The seeds of a list such as 42,43,44."""
    try:
        found = tuple(int(seed) for seed in seeds.split(","))
    except ValueError:
        raise BadInput(f"--seeds {seeds!r} are not numbers such as 42,43,44") from None
    if len(set(found)) != len(found):
        raise BadInput(f"--seeds {seeds!r} has a seed twice; each is trained once")
    return found


@dataclass(frozen=True, slots=True)
class Epoch:
    """The result of one epoch; `score` decides which epoch is the best."""

    number: int
    loss: float
    score: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """All epochs of a run and the number of the best."""

    history: tuple[Epoch, ...]
    best: int

    @property
    def score(self) -> float:
        """The best epoch's score on validation data."""
        return self.history[self.best - 1].score


@dataclass(frozen=True, slots=True)
class FitContext:
    """Device, folder for the checkpoint (None: no checkpoint) and message writer of a run."""

    device: str
    work: Path | None
    say: MessageWriter
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Objective:
    """The loss of a batch, and the score (higher is better) on validation data."""

    loss: Callable[[Tensor, Tensor], Tensor]
    score: Callable[[Any, Sequence[EncodedText], HubSettings, int], float]


def best_device(name: str) -> str:
    """The name, or for "auto" the GPU where there is one."""
    if name != "auto":
        return name
    return "cuda" if torch.cuda.is_available() else "cpu"


def fit(
    model: Any,
    train: Sequence[EncodedText],
    validation: Sequence[EncodedText],
    settings: HubSettings,
    *,
    pad: int,
    seed: int,
    place: FitContext,
    on_best: Callable[[Any, Epoch], None],
    objective: Objective | None = None,
) -> Fitted:
    """Train for all epochs; `on_best` is called after every epoch that is better than all before.

    The default objective is metaphor detection.

    Raises:
        BadInput: where there is nothing to learn from or to choose by, or the work folder belongs
            to another run.
    """
    if not train or not validation:
        raise BadInput("nothing to train on or to validate with; give sets that hold both parts")
    objective = objective or Objective(
        partial(functional.cross_entropy, ignore_index=NO_ANSWER), validation_score
    )
    model.to(place.device)
    fused = place.device.startswith("cuda")
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=settings.rate, weight_decay=settings.weight_decay, fused=fused
    )
    mark = _fingerprint(settings, seed, train, validation)
    history = _resume(model, optimizer, place, mark)
    if history:
        place.say(f"going on after epoch {len(history)}")
    for number in range(len(history) + 1, settings.epochs + 1):
        start = time.perf_counter()
        loss = _epoch(model, optimizer, train, settings, number, pad, seed, place, objective.loss)
        with _precision(place.device):
            score = objective.score(model, validation, settings, pad)
        epoch = Epoch(number, loss, score, round(time.perf_counter() - start, 1))
        better = all(score > earlier.score for earlier in history)
        history.append(epoch)
        place.say(
            f"epoch {number} of {settings.epochs}: loss {loss:.4f}, {settings.best_by} "
            f"{score:.4f}{' (best)' if better else ''}, {epoch.seconds:.0f} s"
        )
        if better:
            with _precision(place.device):
                on_best(model, epoch)
        _checkpoint(model, optimizer, place, mark, history)
    best = max(history, key=lambda epoch: (epoch.score, -epoch.number))
    return Fitted(tuple(history), best.number)


def _epoch(
    model: Any,
    optimizer: Any,
    train: Sequence[EncodedText],
    settings: HubSettings,
    number: int,
    pad: int,
    seed: int,
    place: FitContext,
    loss_of: Callable[[Tensor, Tensor], Tensor],
) -> float:
    """One pass in a new order; the mean loss of its steps."""
    model.train()
    torch.manual_seed(seed * 1009 + number)
    order = np.random.default_rng([seed, number]).permutation(len(train))
    steps = -(-len(order) // settings.batch)
    total = torch.zeros((), device=place.device)
    label = f"epoch {number}"
    for step in track(range(steps), label, total=steps, quiet=place.quiet):
        chosen = order[step * settings.batch : (step + 1) * settings.batch]
        rate = settings.rate * _slope(
            (number - 1) * steps + step, settings.epochs * steps, settings.warm_up
        )
        for group in optimizer.param_groups:
            group["lr"] = rate
        with _precision(place.device):
            logits, right = answer_logits(model, [train[at] for at in chosen], pad)
            loss = loss_of(logits, right)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        total += loss.detach()
    mean = float(total) / steps
    if not np.isfinite(mean):
        raise BadInput(f"the loss of epoch {number} is {mean}; try a lower learning rate")
    return mean


def _slope(step: int, steps: int, warm_up: float) -> float:
    """Learning rate as a share of its peak: a rise if one is wanted, then straight down."""
    rise = int(warm_up * steps)
    if step < rise:
        return (step + 1) / rise
    return (steps - step) / (steps - rise)


def validation_score(
    model: Any, items: Sequence[EncodedText], settings: HubSettings, pad: int
) -> float:
    """Accuracy, or F1 of the metaphors, where a probability of at least 0.5 means metaphor."""
    scores, labels = labelled_scores(model, items, pad)
    called, right = np.array(scores) >= 0.5, np.array(labels)
    if settings.best_by == "accuracy":
        return float((called == right).mean())
    return float(2 * (called & right).sum() / max(1, called.sum() + right.sum()))


def labelled_scores(
    model: Any, items: Sequence[EncodedText], pad: int
) -> tuple[list[float], list[bool]]:
    """The probability of metaphor of everything that has a label, and the labels."""
    scores = (score for row in probabilities(model, items, pad) for score in row)
    answers = (answer for item in items for answer in item.answers)
    known = [(s, a == 1) for s, a in zip(scores, answers, strict=True) if a != NO_ANSWER]
    return [score for score, _ in known], [label for _, label in known]


def _precision(device: str) -> Any:
    """Half precision on a GPU, whole precision elsewhere."""
    on_gpu = device.startswith("cuda")
    return torch.autocast("cuda", dtype=torch.bfloat16) if on_gpu else nullcontext()


def _fingerprint(
    settings: HubSettings,
    seed: int,
    train: Sequence[EncodedText],
    validation: Sequence[EncodedText],
) -> str:
    """What a checkpoint belongs to: settings, seed and data."""
    digest = hashlib.sha256(json.dumps([asdict(settings), seed]).encode())
    for item in (*train, *validation):
        digest.update(repr((item.ids, item.owner, item.answers)).encode())
    return digest.hexdigest()


def _checkpoint(
    model: Any, optimizer: Any, place: FitContext, mark: str, history: Sequence[Epoch]
) -> None:
    """Weights and moments in safetensors, then the note that makes them count."""
    if place.work is None:
        return
    place.work.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{k}": v.detach().cpu().clone() for k, v in model.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{k}": v.detach().cpu() for k, v in state.items()}
    name = f"epoch-{len(history)}.safetensors"
    save_file({k: v.contiguous() for k, v in tensors.items()}, place.work / name)
    with atomic_write(place.work / "checkpoint.json") as file:
        content = {"run": mark, "weights": name, "history": [asdict(e) for e in history]}
        file.write(json.dumps(content, indent=1))
    for path in place.work.glob("epoch-*.safetensors"):
        if path.name != name:
            path.unlink()


def _resume(model: Any, optimizer: Any, place: FitContext, mark: str) -> list[Epoch]:
    """The epochs that are done; model and optimiser as the last of them left them."""
    note = None if place.work is None else place.work / "checkpoint.json"
    if note is None or not note.is_file():
        return []
    content = json.loads(note.read_text("utf-8"))
    if content["run"] != mark:
        raise BadInput(
            f"{note.parent} holds a run with other settings or data; give another folder"
        )
    tensors = load_file(note.parent / content["weights"])
    model.load_state_dict(
        {k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")}
    )
    state: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        if key.startswith("optimizer."):
            _, number, name = key.split(".", 2)
            state.setdefault(int(number), {})[name] = value
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})
    return [Epoch(**epoch) for epoch in content["history"]]
