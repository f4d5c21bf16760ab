"""The network in torch: a public encoder, a mix of its layers per task, and the heads of the tasks.

Training fits it, and the tier `base` runs it. The tier `small` does not need this module: its
network was written as an ONNX graph by `trope.train.encoder.export`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from trope.encoder.session import FIGURE_OUTPUTS, Labels
from trope.encoder.trunk import Trunk

_ARC_SIZE = 400
_LABEL_SIZE = 256
_METAPHOR_SIZE = 192
_HEAD_DROPOUT = 0.33
_METAPHOR_DROPOUT = 0.2
_SENTIMENT_SIZE = 192
LOWER_LAYERS = {"e5-small": 6}
"""How many layers of a base the heads for metaphors and figures read: a pass for these alone ends
there."""
_GLANCES = 2
"""How many attention heads the sentiment head has."""
_METONYMY_SIZE = 192
_FIGURE_SIZE = 192
_NAME_SIZE = 192


class LayerMix(nn.Module):
    """A weighted mean of the lower layers, as many as there are learned weights."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))

    def forward(self, layers: list[Tensor]) -> Tensor:
        """The mean."""
        shares = self.weights.softmax(0)
        read = layers[: len(shares)]
        return torch.stack([share * x for share, x in zip(shares, read, strict=True)]).sum(0)


@dataclass
class SyntaxScores:
    """The logits of the heads for a batch, before any decision."""

    upos: Tensor  # [batch, word, tag]
    xpos: Tensor
    lemma: Tensor
    arcs: Tensor  # [batch, word, head + 1], 0 = root
    label_dependents: Tensor  # [batch, word, _LABEL_SIZE]
    label_heads: Tensor  # [batch, word + 1, _LABEL_SIZE]


class SyntaxHeads(nn.Module):
    """Tags, lemma rules, arcs and their labels from word vectors."""

    def __init__(self, size: int, layers: int, labels: Labels) -> None:
        super().__init__()
        self.tag_mix, self.tree_mix = LayerMix(layers), LayerMix(layers)
        self.upos = nn.Linear(size, len(labels.upos))
        self.xpos = nn.Linear(size, len(labels.xpos))
        self.lemma = nn.Linear(size, len(labels.lemma_rules))
        self.arc_dependent, self.arc_head = nn.Linear(size, _ARC_SIZE), nn.Linear(size, _ARC_SIZE)
        self.arc_weight = nn.Linear(_ARC_SIZE, _ARC_SIZE)
        self.arc_root = nn.Parameter(torch.randn(_ARC_SIZE) * 0.02)
        self.label_dependent, self.label_head = (
            nn.Linear(size, _LABEL_SIZE),
            nn.Linear(size, _LABEL_SIZE),
        )
        self.label_root = nn.Parameter(torch.randn(_LABEL_SIZE) * 0.02)
        self.label_classes = nn.Linear(3 * _LABEL_SIZE, len(labels.deprels))
        self.dropout = nn.Dropout(_HEAD_DROPOUT)

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
        index = heads.clamp_min(0).unsqueeze(-1).expand(-1, -1, _LABEL_SIZE)
        head = scores.label_heads.gather(1, index)
        dependent = scores.label_dependents
        result: Tensor = self.label_classes(torch.cat([dependent, head, dependent * head], dim=-1))
        return result


def _with_root(heads: Tensor, root: Tensor) -> Tensor:
    return torch.cat([root.expand(len(heads), 1, -1), heads], dim=1)


@dataclass
class MetaphorScores:
    """How metaphorical, as logits, before any decision."""

    metaphor: Tensor  # [batch, word]: as the VU Amsterdam corpus would mark it
    target: Tensor  # [batch, word]: as those sets would that judge one word of a text
    figurative: Tensor  # [batch]: the whole sentence


class MetaphorHeads(nn.Module):
    """Words whose meaning here differs from the one they have by themselves; whole sentences."""

    def __init__(self, size: int, layers: int, *, normed: bool = False) -> None:
        super().__init__()
        self.mix = LayerMix(layers)
        self.norm_here = nn.LayerNorm(size) if normed else nn.Identity()
        self.norm_alone = nn.LayerNorm(size) if normed else nn.Identity()
        self.here = nn.Linear(size, _METAPHOR_SIZE)
        self.alone = nn.Linear(size, _METAPHOR_SIZE)
        self.hidden = nn.Linear(3 * _METAPHOR_SIZE, _METAPHOR_SIZE)
        self.sentence_hidden = nn.Linear(3 * _METAPHOR_SIZE, _METAPHOR_SIZE)
        self.metaphor = nn.Linear(_METAPHOR_SIZE, 1)
        self.target = nn.Linear(_METAPHOR_SIZE, 1)
        self.attention = nn.Linear(_METAPHOR_SIZE, 1)
        self.figurative = nn.Linear(_METAPHOR_SIZE, 1)
        self.dropout = nn.Dropout(_METAPHOR_DROPOUT)

    def forward(self, layers: list[Tensor], pool: Tensor) -> MetaphorScores:
        """Scores of every word and sentence; `pool` averages the pieces of a word."""
        both = self.dropout(self.compare(layers, pool))
        words = self.dropout(functional.relu(self.hidden(both)))
        return MetaphorScores(
            metaphor=self.metaphor(words).squeeze(-1),
            target=self.target(words).squeeze(-1),
            figurative=self.whole(both, pool.sum(-1) > 0),
        )

    def compare(self, layers: list[Tensor], pool: Tensor) -> Tensor:
        """[batch, word, dimension]: each word here, by itself, and where both are alike."""
        here = self.here(self.dropout(self.norm_here(pool @ self.mix(layers))))
        alone = self.alone(self.norm_alone(pool @ layers[0]))
        return torch.cat([here, alone, here * alone], dim=-1)

    def whole(self, both: Tensor, there: Tensor) -> Tensor:
        """[batch]: the sentence, from what `compare` gave of those of its words that are there."""
        sentence = functional.relu(self.sentence_hidden(both))
        weight = self.attention(sentence).squeeze(-1).float().masked_fill(~there, -1e4).softmax(-1)
        seen = self.dropout((weight.unsqueeze(-1) * sentence).sum(1))
        result: Tensor = self.figurative(seen).squeeze(-1)
        return result


class FigureHead(nn.Module):
    """What a reader would call a figure: one output of each word for every one of
    `FIGURE_OUTPUTS`."""

    def __init__(self, size: int, layers: int, *, normed: bool = False) -> None:
        super().__init__()
        self.mix = LayerMix(layers)
        self.norm_here = nn.LayerNorm(size) if normed else nn.Identity()
        self.norm_alone = nn.LayerNorm(size) if normed else nn.Identity()
        self.here = nn.Linear(size, _FIGURE_SIZE)
        self.alone = nn.Linear(size, _FIGURE_SIZE)
        self.hidden = nn.Linear(3 * _FIGURE_SIZE, _FIGURE_SIZE)
        self.figures = nn.Linear(_FIGURE_SIZE, len(FIGURE_OUTPUTS))
        self.dropout = nn.Dropout(_METAPHOR_DROPOUT)

    def forward(self, layers: list[Tensor], pool: Tensor) -> Tensor:
        """[batch, word, figure]; `pool` averages the pieces of a word."""
        here = self.here(self.dropout(self.norm_here(pool @ self.mix(layers))))
        alone = self.alone(self.norm_alone(pool @ layers[0]))
        both = self.dropout(torch.cat([here, alone, here * alone], dim=-1))
        result: Tensor = self.figures(self.dropout(functional.relu(self.hidden(both))))
        return result


class SentimentHead(nn.Module):
    """The sentiment of a whole text: a score from −5 to 5, then logits, as `SENTIMENT_OUTPUTS`."""

    def __init__(self, size: int, layers: int, outputs: int) -> None:
        super().__init__()
        self.mix = LayerMix(layers)
        self.hidden = nn.Linear(size, _SENTIMENT_SIZE)
        self.glances = nn.Linear(_SENTIMENT_SIZE, _GLANCES)
        # "feelings" is the name in stored weights
        self.feelings = nn.Linear(_GLANCES * _SENTIMENT_SIZE, outputs)
        self.dropout = nn.Dropout(_METAPHOR_DROPOUT)

    def forward(self, layers: list[Tensor], pool: Tensor) -> Tensor:
        """[batch, output]; `pool` averages the pieces of a word."""
        there = pool.sum(-1, keepdim=True) > 0
        words = functional.relu(self.hidden(self.dropout(pool @ self.mix(layers))))
        weight = self.glances(words).float().masked_fill(~there, -1e4).softmax(1)
        seen = self.dropout(weight.transpose(1, 2) @ words)
        result: Tensor = self.feelings(seen.flatten(1))
        return result


class MetonymyHead(nn.Module):
    """What each word would stand for if it were a name: logits of all readings of all classes."""

    def __init__(self, size: int, layers: int, readings: int) -> None:
        super().__init__()
        self.mix = LayerMix(layers)
        self.hidden = nn.Linear(size, _METONYMY_SIZE)
        self.readings = nn.Linear(_METONYMY_SIZE, readings)
        self.dropout = nn.Dropout(_METAPHOR_DROPOUT)

    def forward(self, layers: list[Tensor], pool: Tensor) -> Tensor:
        """[batch, word, reading]; `pool` averages the pieces of a word."""
        words = functional.relu(self.hidden(self.dropout(pool @ self.mix(layers))))
        result: Tensor = self.readings(self.dropout(words))
        return result


class NameHead(nn.Module):
    """Which words are names, and of what: logits of the tags of each word."""

    def __init__(self, size: int, layers: int, tags: int) -> None:
        super().__init__()
        self.mix = LayerMix(layers)
        self.hidden = nn.Linear(size, _NAME_SIZE)
        self.tags = nn.Linear(_NAME_SIZE, tags)
        self.dropout = nn.Dropout(_METAPHOR_DROPOUT)

    def forward(self, layers: list[Tensor], pool: Tensor) -> Tensor:
        """[batch, word, tag]; `pool` averages the pieces of a word."""
        words = functional.relu(self.hidden(self.dropout(pool @ self.mix(layers))))
        result: Tensor = self.tags(self.dropout(words))
        return result


class MeaningHead(nn.Module):
    """What each word means where it stands, as a vector; the mean of a text's is its own."""

    def __init__(self, size: int, layers: int, width: int) -> None:
        super().__init__()
        self.mix = LayerMix(layers)
        self.vector = nn.Linear(size, width)

    def forward(self, layers: list[Tensor], pool: Tensor) -> Tensor:
        """[batch, word, dimension]; `pool` averages the pieces of a word."""
        result: Tensor = self.vector(pool @ self.mix(layers))
        return result


@dataclass
class NetworkScores:
    """The outputs of all heads of a network; None for heads that it does not have."""

    syntax: SyntaxScores | None = None
    metaphor: MetaphorScores | None = None
    figures: Tensor | None = None
    names: Tensor | None = None
    sentiment: Tensor | None = None
    metonymy: Tensor | None = None
    meaning: Tensor | None = None


class Network(nn.Module):
    """Trunk and heads."""

    def __init__(
        self,
        base: str,
        labels: Labels | None,
        weights: dict[str, Tensor] | None,
        tasks: Sequence[str] = ("syntax", "metaphor"),
        *,
        normed: bool = False,
    ) -> None:
        super().__init__()
        self.trunk = Trunk(base, weights)
        size, layers = self.trunk.size, self.trunk.layers
        self.syntax = self.metaphor = self.sentiment = self.metonymy = self.meaning = None
        self.figures = self.names = None
        lower = min(layers, 1 + LOWER_LAYERS.get(base, layers))
        if "metaphor" in tasks:
            self.metaphor = MetaphorHeads(size, lower, normed=normed)
        if "figures" in tasks:
            self.figures = FigureHead(size, lower, normed=normed)
        if {*tasks} <= {"metaphor", "figures"}:
            return
        assert labels is not None
        if "syntax" in tasks:
            self.syntax = SyntaxHeads(size, layers, labels)
        if "sentiment" in tasks:
            self.sentiment = SentimentHead(size, layers, len(labels.sentiment))
        if "metonymy" in tasks:
            self.metonymy = MetonymyHead(size, layers, len(labels.metonymy))
        if "names" in tasks:
            self.names = NameHead(size, layers, len(labels.names))
        if "meaning" in tasks:
            self.meaning = MeaningHead(size, layers, labels.meaning)

    def forward(self, batch: dict[str, Tensor]) -> NetworkScores:
        """Scores of a batch of sentences."""
        layers = self.trunk(batch["ids"], batch["types"], batch["mask"])
        pool = batch["pool"]
        return NetworkScores(
            syntax=self.syntax(layers, pool) if self.syntax else None,
            metaphor=self.metaphor(layers, pool) if self.metaphor else None,
            figures=self.figures(layers, pool) if self.figures else None,
            names=self.names(layers, pool) if self.names else None,
            sentiment=self.sentiment(layers, pool) if self.sentiment else None,
            metonymy=self.metonymy(layers, pool) if self.metonymy else None,
            meaning=self.meaning(layers, pool) if self.meaning else None,
        )
