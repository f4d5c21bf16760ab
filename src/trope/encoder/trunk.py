"""Public encoders in torch: pieces in, all layers out.

The one with turned positions and gated inner layers, of nomic-embed-text-v1.5, is a teacher in
training; nothing that ships needs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from trope.encoder.pieces import CaseType

ROTARY_BASE = "nomic-embed-text-v1.5"
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


def base_config(base: str) -> Any:
    """The sizes that a public encoder was trained with."""
    import transformers

    if base == "e5-small":
        return transformers.BertConfig(
            hidden_size=384,
            num_hidden_layers=12,
            num_attention_heads=12,
            intermediate_size=1536,
            type_vocab_size=len(CaseType),
        )
    return transformers.MPNetConfig(
        vocab_size=30527, max_position_embeddings=514, layer_norm_eps=1e-5
    )


class Trunk(nn.Module):
    """The encoder: pieces in, all its layers out."""

    def __init__(self, base: str, weights: dict[str, Tensor] | None) -> None:
        super().__init__()
        self.base = base
        if base == ROTARY_BASE:
            self.encoder: Any = RotaryEncoder()
            self.size, self.layers = self.encoder.size, len(self.encoder.layers) + 1
        else:
            self.encoder = _public_model(base)
            self.size = self.encoder.config.hidden_size
            self.layers = self.encoder.config.num_hidden_layers + 1
        if base != "e5-small":  # whose table of segments holds the case of words
            self.case = nn.Embedding(len(CaseType), self.size)
            nn.init.zeros_(self.case.weight)
        if weights is not None:
            self._load(weights)

    def _load(self, weights: dict[str, Tensor]) -> None:
        if self.base == ROTARY_BASE:
            self.encoder.load(weights)
            return
        own = self.encoder.state_dict()
        types = "embeddings.token_type_embeddings.weight"
        if types in own:
            weights = {**weights, types: weights[types][:1].repeat(len(CaseType), 1)}
        self.encoder.load_state_dict(
            {k: weights[k].float() for k in own if "position_ids" not in k}, strict=False
        )

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> list[Tensor]:
        """The embedding layer and every layer above it."""
        if self.base == ROTARY_BASE:
            found: list[Tensor] = self.encoder(self.encoder.words(ids) + self.case(types), mask)
            return found
        if self.base == "e5-small":
            out = self.encoder(
                input_ids=ids, token_type_ids=types, attention_mask=mask, output_hidden_states=True
            )
        else:
            embedded = self.encoder.embeddings.word_embeddings(_mpnet_ids(ids)) + self.case(types)
            out = self.encoder(
                inputs_embeds=embedded, attention_mask=mask, output_hidden_states=True
            )
        return list(out.hidden_states)


def _public_model(base: str) -> Any:
    """A model of `transformers` without weights."""
    import transformers

    config = base_config(base)
    if base == "e5-small":
        return transformers.BertModel(config, add_pooling_layer=False)
    return transformers.MPNetModel(config, add_pooling_layer=False)


def _mpnet_ids(ids: Tensor) -> Tensor:
    """BERT's piece numbers in MPNet's vocabulary, which has four pieces before BERT's.

    Its own <s>, </s>, <pad> and <mask> stand for [CLS], [SEP], [PAD] and [MASK].
    """
    shifted = ids + 4
    for bert, mpnet in ((101, 0), (102, 2), (0, 1), (103, 30526)):
        shifted = torch.where(ids == bert, torch.full_like(ids, mpnet), shifted)
    return shifted


class LastLayer:
    """The last layer of a public encoder as it was published, without any training of ours."""

    def __init__(self, base: str, weights: Path) -> None:
        from safetensors.torch import load_file

        self._trunk = Trunk(base, dict(load_file(weights))).eval()

    def words(self, arrays: Mapping[str, npt.NDArray[np.generic]]) -> npt.NDArray[np.float32]:
        """[sentence, word, dimension] of one batch: the mean over the pieces of each word."""
        torch.set_num_threads(1)  # torch keeps this setting per thread
        ids, types, mask, pool = (
            torch.from_numpy(arrays[name].copy()) for name in ("ids", "types", "mask", "pool")
        )
        with torch.inference_mode():
            return np.asarray((pool @ self._trunk(ids, types, mask.long())[-1]).numpy())

    @contextmanager
    def one_thread_each(self) -> Iterator[None]:
        """While it lasts, a batch is computed by the thread that asks for it alone."""
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)
