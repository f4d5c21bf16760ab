"""The tier `base`: small matrices of low rank that turn a public encoder into ours.

The public weights stay as they are; what is trained, and ships, are the adapters, the norms, the
biases and the heads.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors.torch import load_file, save
from torch import Tensor, nn
from torch.nn import functional

from trope.core.files import atomic_write
from trope.encoder.network import Network
from trope.train.encoder.bases import BASES
from trope.train.encoder.development import (
    calibrations,
    fold,
    note_figures,
    rescale,
    thresholds,
)
from trope.train.encoder.figure_development import calibrate_figures, judge_sets
from trope.train.encoder.folds import train_folds
from trope.train.encoder.run import EncoderRun, fit_run, new_model, prepare
from trope.train.encoder.student import TrainedTier, begin, train_tier
from trope.train.encoder.teachers import (
    lessons_with_soft_labels,
    write_soft_labels,
)

_ADAPTED_TASKS = ("metaphor", "figures", "sentiment", "metonymy")


class AdaptedLinear(nn.Linear):
    """A linear layer whose own matrix is frozen, plus a product of low rank."""

    down: nn.Parameter
    up: nn.Parameter

    def forward(self, x: Tensor) -> Tensor:
        """The layer's output."""
        return super().forward(x) + functional.linear(functional.linear(x, self.down), self.up)


def adapt(model: Network, rank: int) -> Network:
    """The model with adapters in all layers of its trunk, whose matrices are frozen."""
    trunk = model.trunk.encoder
    for parameter in trunk.parameters():
        parameter.requires_grad_(parameter.ndim == 1)  # biases and norms learn
    for child in trunk.encoder.modules():
        if type(child) is nn.Linear:
            child.__class__ = AdaptedLinear
            child.down = nn.Parameter(torch.empty(rank, child.in_features))
            child.up = nn.Parameter(torch.zeros(child.out_features, rank))
            nn.init.kaiming_uniform_(child.down, a=math.sqrt(5))
    return model


def trained_weights(model: Network) -> dict[str, Tensor]:
    """What was trained, in 16 bits."""
    return {
        name: parameter.detach().half().cpu().contiguous()
        for name, parameter in model.named_parameters()
        if parameter.requires_grad
    }


def _tasks_of(run: EncoderRun) -> tuple[str, ...]:
    """The tasks of the tier that the run has sets for."""
    return tuple(task for task in _ADAPTED_TASKS if task in run.tasks())


def _train_base(run: EncoderRun, seed: int) -> Path:
    """Adapters and heads of the tier `base`, fitted to labels and soft labels."""
    path = run.work / f"base-{seed}.safetensors"
    if path.exists():
        return path
    model = fit_adapters(run, _tasks_of(run), seed)
    run.say(f"base of seed {seed}: {note_figures(run, model, path)}")
    with atomic_write(path, "wb") as file:
        file.write(save(trained_weights(model)))
    return path


def fit_adapters(run: EncoderRun, tasks: tuple[str, ...], seed: int) -> Network:
    """Adapters and heads for these tasks, fitted to the labels and soft labels of the run."""
    for task in tasks:
        write_soft_labels(run, task)
    settings = run.settings.base
    model = adapt(new_model(run, settings, tasks, seed), run.settings.base_rank)
    lessons = lessons_with_soft_labels(run, "base_passes", list(tasks))
    fit_run(run, model, lessons, settings, seed)
    return model


def _export_base(run: EncoderRun, seed: int, out: Path) -> None:
    """The file that ships: calibrated, with its thresholds and the checksum of its base."""
    weights = load_file(_train_base(run, seed))
    settings = run.settings.base
    out.mkdir(parents=True, exist_ok=True)
    model = adapt(new_model(run, settings, _tasks_of(run), seed), run.settings.base_rank)
    model.load_state_dict({k: v.float() for k, v in weights.items()}, strict=False)
    chosen = calibrations(run, model)
    fold(weights, chosen)
    rescale(run, model, weights)
    metadata = {
        "base": settings.base,
        "base_sha256": BASES[settings.base].sha256,
        "metaphor": msgspec.json.encode(thresholds(chosen)).decode(),
        "sentiment": msgspec.json.encode(run.labels().sentiment).decode(),
        "metonymy": msgspec.json.encode(run.labels().metonymy).decode(),
    }
    if model.figures is not None:
        figures = calibrate_figures(judge_sets(run, model), chosen["metaphor"])
        figures.fold(weights)
        metadata["figures"] = msgspec.json.encode(figures.thresholds).decode()
    with atomic_write(out / "adapters.safetensors", "wb") as file:
        file.write(save({k: v.contiguous() for k, v in weights.items()}, metadata=metadata))


def train_adapters(
    *, data: Path, out: Path, seeds: int = 1, folds: str | None = None, **choices: Any
) -> None:
    """All stages, or one; those whose files are there already are skipped."""
    run, way = begin(**choices, folds=folds, tasks=("syntax", "metaphor"))
    if folds is not None:
        prepare(run, data)
        train_folds(run, folds, "base", fit_adapters, data, out)
        return
    tier = TrainedTier("base", _tasks_of(run), _train_base, _export_base)
    train_tier(run, tier, data, out, seeds, way)
