"""Simulated 8-bit arithmetic for training, exactly as the graph computes.

Weights are kept per column and activations per row, so that export costs the student nothing.
"""

from __future__ import annotations

from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

Module = TypeVar("Module", bound=nn.Module)

_IN_32_BITS = (
    "label_classes", "metaphor", "target", "attention", "figurative",
    "glances", "feelings", "readings", "figures", "tags",
)  # fmt: skip
"""Last layers of heads, which cost nothing: they stay exact."""


class _Rounded(torch.autograd.Function):
    """x on the grid of 127 steps up to `largest`; the gradient passes unchanged."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, largest: Tensor) -> Tensor:
        scale = largest.clamp_min(1e-8) / 127
        return (x / scale).round_().mul_(scale)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0], None


def _rounded(x: Tensor, largest: Tensor) -> Tensor:
    found: Tensor = _Rounded.apply(x, largest)
    return found


def _fake_int8(x: Tensor) -> Tensor:
    """x as 8 bits would keep it, one scale per row."""
    return _rounded(x, x.detach().abs().amax(dim=-1, keepdim=True))


def fake_factors(weight: Tensor) -> Tensor:
    """The same for a factor of products, whose neighbours share the range: `graph.int8_factors`.

    Takes one matrix or several of the same shape.
    """
    pairs = functional.pad(weight.detach(), (0, weight.shape[-1] % 2)).unflatten(-1, (-1, 2))
    sums = torch.maximum(pairs.relu().sum(-1), (-pairs).relu().sum(-1))
    return _rounded(weight, sums.amax(dim=-1, keepdim=True))


class QuantLinear(nn.Linear):
    """A linear layer that computes with simulated 8-bit weights and inputs.

    `simulated` holds its weights of this pass, where `_simulate` made them.
    """

    simulated: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """The layer's output."""
        weight = fake_factors(self.weight) if self.simulated is None else self.simulated
        return functional.linear(_fake_int8(x), weight, self.bias)


def _simulate(model: nn.Module, _inputs: Any) -> None:
    """Simulate the weights of all layers at once: on a GPU, single calls are what takes time."""
    shapes: dict[torch.Size, list[QuantLinear]] = {}
    for layer in model.modules():
        if isinstance(layer, QuantLinear):
            shapes.setdefault(layer.weight.shape, []).append(layer)
    for layers in shapes.values():
        weights = fake_factors(torch.stack([layer.weight for layer in layers]))
        if torch.is_autocast_enabled(weights.device.type):
            weights = weights.to(torch.get_autocast_dtype(weights.device.type))
        for layer, weight in zip(layers, weights.unbind(), strict=True):
            layer.simulated = weight


def _forget(model: nn.Module, _inputs: Any, _outputs: Any) -> None:
    """Drop what `_simulate` made: the weights may change before the next pass."""
    for layer in model.modules():
        if isinstance(layer, QuantLinear):
            layer.simulated = None


class QuantEmbedding(nn.Embedding):
    """A table whose rows are kept in simulated 8 bits."""

    def forward(self, ids: Tensor) -> Tensor:
        """The rows of the ids."""
        return _fake_int8(super().forward(ids))


def quantise(model: Module) -> Module:
    """The model, whose linear layers and word table now compute with simulated 8 bits."""
    for name, child in model.named_modules():
        if type(child) is nn.Linear and name.split(".")[-1] not in _IN_32_BITS:
            child.__class__ = QuantLinear
        elif type(child) is nn.Embedding and child.num_embeddings > 10_000:
            child.__class__ = QuantEmbedding
    model.register_forward_pre_hook(_simulate)
    model.register_forward_hook(_forget, always_call=True)
    return model
