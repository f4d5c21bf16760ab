"""The encoder of nomic-embed-text-v1.5 in torch: turned positions, gated inner layers, no biases.

A teacher in training; nothing that ships needs it.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

_PIECES, _SIZE, _INNER, _HEADS, _LAYERS = 30522, 768, 3072, 12, 12
_PERIOD = 1000.0
"""Of the slowest turn; the published model was trained with it."""
_EPSILON, _DROPOUT = 1e-12, 0.1


class RotaryLayer(nn.Module):
    """One layer: attention, then a gated inner layer, each normalised after it was added."""

    def __init__(self) -> None:
        super().__init__()
        self.attn_qkv = nn.Linear(_SIZE, 3 * _SIZE, bias=False)
        self.attn_output = nn.Linear(_SIZE, _SIZE, bias=False)
        self.attn_output_norm = nn.LayerNorm(_SIZE, eps=_EPSILON)
        self.ffn_up = nn.Linear(_SIZE, _INNER, bias=False)
        self.ffn_gate = nn.Linear(_SIZE, _INNER, bias=False)
        self.ffn_down = nn.Linear(_INNER, _SIZE, bias=False)
        self.layer_output_norm = nn.LayerNorm(_SIZE, eps=_EPSILON)
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, x: Tensor, mask: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
        """The layer's output; `turns` are the cosine and sine of every position."""
        batch, pieces, size = x.shape
        parts = self.attn_qkv(x).reshape(batch, pieces, 3, _HEADS, size // _HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        query, key = (_turned(part, *turns).to(value.dtype) for part in (query, key))
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        seen = self.attn_output(seen.transpose(1, 2).reshape(batch, pieces, size))
        x = self.attn_output_norm(x + self.dropout(seen))
        inner = self.ffn_down(self.ffn_up(x) * functional.silu(self.ffn_gate(x)))
        result: Tensor = self.layer_output_norm(x + self.dropout(inner))
        return result


class RotaryEncoder(nn.Module):
    """All layers. Its tensors have the names that the published file gives them."""

    size = _SIZE

    def __init__(self) -> None:
        super().__init__()
        self.token_embd = nn.Embedding(_PIECES, _SIZE)
        self.token_types = nn.Parameter(torch.zeros(_SIZE))
        self.token_embd_norm = nn.LayerNorm(_SIZE, eps=_EPSILON)
        self.layers = nn.ModuleList(RotaryLayer() for _ in range(_LAYERS))
        self.dropout = nn.Dropout(_DROPOUT)

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Take the weights of the published file."""
        named = {name.replace("blk.", "layers.", 1): value for name, value in weights.items()}
        named["token_types"] = named.pop("token_types.weight").reshape(-1, _SIZE)[0]
        own = self.state_dict()
        self.load_state_dict({name: named[name].float() for name in own})

    def words(self, ids: Tensor) -> Tensor:
        """The vectors of pieces before any context."""
        result: Tensor = self.token_embd(ids)
        return result

    def forward(self, embedded: Tensor, mask: Tensor) -> list[Tensor]:
        """The embedding layer and every layer above it."""
        x = self.dropout(self.token_embd_norm(embedded + self.token_types))
        turns = _turns(embedded.shape[1], embedded.device)
        visible = mask[:, None, None, :].bool()
        layers = [x]
        for layer in self.layers:
            x = layer(x, visible, turns)
            layers.append(x)
        return layers


def _turns(pieces: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """[piece, half a head]: how far each position is turned."""
    half = torch.arange(0, _SIZE // _HEADS, 2, device=device).float() / (_SIZE // _HEADS)
    angles = torch.outer(torch.arange(pieces, device=device).float(), _PERIOD**-half)
    return angles.cos(), angles.sin()


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
