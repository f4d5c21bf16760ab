"""The network: a public encoder, a mix of its layers per head, and the heads of syntax.

The student computes with simulated 8-bit numbers while it learns, in the very way the exported
graph does (weights per column, activations per row), so that export costs it nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from trope.encoder.pieces import CaseType
from trope.encoder.session import Labels

ARC_SIZE = 400
LABEL_SIZE = 256
HEAD_DROPOUT = 0.33


def fake_int8(x: Tensor) -> Tensor:
    """x as 8 bits would keep it, one scale a row; the gradient passes as if nothing happened."""
    scale = x.detach().abs().amax(dim=-1, keepdim=True).clamp_min(1e-8) / 127
    return x + (torch.round(x / scale) * scale - x).detach()


class QuantLinear(nn.Linear):
    """A linear layer that computes with simulated 8-bit weights and inputs."""

    def forward(self, x: Tensor) -> Tensor:
        """The layer's output."""
        return functional.linear(fake_int8(x), fake_int8(self.weight), self.bias)


class QuantEmbedding(nn.Embedding):
    """A table whose rows are kept in simulated 8 bits."""

    def forward(self, ids: Tensor) -> Tensor:
        """The rows of the ids."""
        return fake_int8(super().forward(ids))


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

    def __init__(self, base: str, weights: dict[str, Tensor] | None, quantised: bool) -> None:
        super().__init__()
        import transformers

        config = base_config(base)
        if base == "e5-small":
            self.encoder = transformers.BertModel(config, add_pooling_layer=False)
        else:
            self.encoder = transformers.MPNetModel(config, add_pooling_layer=False)
            self.case = nn.Embedding(len(CaseType), config.hidden_size)
            nn.init.zeros_(self.case.weight)
        self.base = base
        self.size = config.hidden_size
        self.layers = config.num_hidden_layers + 1
        if weights is not None:
            self._load(weights)
        if quantised:
            _quantise(self)

    def _load(self, weights: dict[str, Tensor]) -> None:
        own = self.encoder.state_dict()
        types = "embeddings.token_type_embeddings.weight"
        if types in own:
            weights = {**weights, types: weights[types][:1].repeat(len(CaseType), 1)}
        self.encoder.load_state_dict(
            {k: weights[k].float() for k in own if "position_ids" not in k}, strict=False
        )

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> list[Tensor]:
        """The embedding layer and every layer above it."""
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


def _mpnet_ids(ids: Tensor) -> Tensor:
    """BERT's piece numbers in MPNet's vocabulary, which has four pieces before BERT's.

    Its own <s>, </s> and <pad> stand for [CLS], [SEP] and [PAD].
    """
    shifted = ids + 4
    for bert, mpnet in ((101, 0), (102, 2), (0, 1)):
        shifted = torch.where(ids == bert, torch.full_like(ids, mpnet), shifted)
    return shifted


def _quantise(module: nn.Module) -> None:
    """Every linear layer and the word table below now computes with simulated 8 bits."""
    for child in module.modules():
        if type(child) is nn.Linear:
            child.__class__ = QuantLinear
        elif type(child) is nn.Embedding and child.num_embeddings > 10_000:
            child.__class__ = QuantEmbedding


class LayerMix(nn.Module):
    """A weighted mean of all layers, with learned weights."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))

    def forward(self, layers: list[Tensor]) -> Tensor:
        """The mean."""
        shares = self.weights.softmax(0)
        return torch.stack(
            [share * layer for share, layer in zip(shares, layers, strict=True)]
        ).sum(0)


@dataclass
class SyntaxScores:
    """What the heads say of a batch, before any decision."""

    upos: Tensor  # [batch, word, tag]
    xpos: Tensor
    lemma: Tensor
    arcs: Tensor  # [batch, word, head + 1], 0 = root
    label_dependents: Tensor  # [batch, word, LABEL_SIZE]
    label_heads: Tensor  # [batch, word + 1, LABEL_SIZE]


class SyntaxHeads(nn.Module):
    """Tags, lemma rules, arcs and their labels from word vectors."""

    def __init__(self, size: int, layers: int, labels: Labels) -> None:
        super().__init__()
        self.tag_mix, self.tree_mix = LayerMix(layers), LayerMix(layers)
        self.upos = nn.Linear(size, len(labels.upos))
        self.xpos = nn.Linear(size, len(labels.xpos))
        self.lemma = nn.Linear(size, len(labels.lemma_rules))
        self.arc_dependent, self.arc_head = nn.Linear(size, ARC_SIZE), nn.Linear(size, ARC_SIZE)
        self.arc_weight = nn.Linear(ARC_SIZE, ARC_SIZE)
        self.arc_root = nn.Parameter(torch.randn(ARC_SIZE) * 0.02)
        self.label_dependent, self.label_head = (
            nn.Linear(size, LABEL_SIZE),
            nn.Linear(size, LABEL_SIZE),
        )
        self.label_root = nn.Parameter(torch.randn(LABEL_SIZE) * 0.02)
        self.label_classes = nn.Linear(3 * LABEL_SIZE, len(labels.deprels))
        self.dropout = nn.Dropout(HEAD_DROPOUT)

    def forward(self, layers: list[Tensor], pool: Tensor) -> SyntaxScores:
        """Scores of every word; `pool` averages the pieces of a word."""
        tags = self.dropout(pool @ self.tag_mix(layers))
        tree = self.dropout(pool @ self.tree_mix(layers))
        dependent = self.dropout(torch.relu(self.arc_dependent(tree)))
        head = _with_root(self.dropout(torch.relu(self.arc_head(tree))), self.arc_root)
        return SyntaxScores(
            upos=self.upos(tags),
            xpos=self.xpos(tags),
            lemma=self.lemma(tags),
            arcs=self.arc_weight(dependent) @ head.transpose(1, 2),
            label_dependents=self.dropout(torch.relu(self.label_dependent(tree))),
            label_heads=_with_root(
                self.dropout(torch.relu(self.label_head(tree))), self.label_root
            ),
        )

    def labels(self, scores: SyntaxScores, heads: Tensor) -> Tensor:
        """Scores of the relation between each word and the head it was given (0 = root)."""
        index = heads.clamp_min(0).unsqueeze(-1).expand(-1, -1, LABEL_SIZE)
        head = scores.label_heads.gather(1, index)
        dependent = scores.label_dependents
        result: Tensor = self.label_classes(torch.cat([dependent, head, dependent * head], dim=-1))
        return result


def _with_root(heads: Tensor, root: Tensor) -> Tensor:
    return torch.cat([root.expand(len(heads), 1, -1), heads], dim=1)


class SyntaxModel(nn.Module):
    """Trunk and heads."""

    def __init__(
        self, base: str, labels: Labels, weights: dict[str, Tensor] | None, quantised: bool
    ) -> None:
        super().__init__()
        self.trunk = Trunk(base, weights, quantised)
        self.heads = SyntaxHeads(self.trunk.size, self.trunk.layers, labels)
        if quantised:
            _quantise(self.heads)
            # labels are decided after the tree, in 32 bits
            self.heads.label_classes.__class__ = nn.Linear

    def forward(self, batch: dict[str, Tensor]) -> SyntaxScores:
        """Scores of a batch of sentences."""
        layers = self.trunk(batch["ids"], batch["types"], batch["mask"])
        scores: SyntaxScores = self.heads(layers, batch["pool"])
        return scores


def parameter_groups(
    model: SyntaxModel, encoder_rate: float, head_rate: float
) -> list[dict[str, Any]]:
    """The parameters by learning rate, without weight decay on biases and norms."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        rate = encoder_rate if name.startswith("trunk.encoder") else head_rate
        decay = 0.01 if parameter.ndim > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return [{"params": p, "lr": rate, "weight_decay": decay} for (rate, decay), p in groups.items()]
