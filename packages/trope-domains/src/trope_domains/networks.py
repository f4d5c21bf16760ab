"""The networks: a hidden layer over vectors of words, and weights of the words themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from trope.core.files import atomic_write
from trope_domains.features import STRENGTHS, Array, SpanRows
from trope_domains.stored import as_bytes, compressed


@dataclass(frozen=True, slots=True)
class Settings:
    """How networks are trained; chosen by cross-validation on train."""

    networks: int = 5
    finders: int = 1
    """Networks that look for the spans of rows without one."""
    hidden: int = 512
    epochs: int = 10
    batch: int = 128
    rate: float = 2e-3
    word_rate: float = 1e-3
    decay: float = 1e-4
    word_decay: float = 0.02
    dropped: float = 0.5
    words_dropped: float = 0.5
    smoothed: float = 0.05
    group_share: float = 0.5
    """How much the probability of the group counts beside that of the concept."""
    warm: float = 0.15
    seldom: int = 3
    """How often a word has to occur to have weights of its own."""
    found_weight: float = 0.5
    """How much a span counts that networks found."""
    taught_weight: float = 1.0
    """How much a span counts of which a teacher spoke."""
    seed: int = 0


Ints = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Concepts:
    """The names of concepts and groups, and the group of each concept."""

    names: tuple[str, ...]
    groups: tuple[str, ...]
    group_of: Ints


@dataclass(frozen=True, slots=True)
class LabelledSpans:
    """Rows of spans with the number of the concept, and how much each counts."""

    rows: SpanRows
    labels: Ints
    weights: Array

    def part(self, chosen: npt.NDArray[np.bool_]) -> LabelledSpans:
        """Some of them."""
        rows = self.rows.part(np.flatnonzero(chosen).tolist())
        return LabelledSpans(rows, self.labels[chosen], self.weights[chosen])

    def joined(self, other: LabelledSpans) -> LabelledSpans:
        """These and others."""
        return LabelledSpans(
            SpanRows.joined([self.rows, other.rows]),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.weights, other.weights]),
        )


@dataclass(frozen=True, slots=True)
class TaughtSpans:
    """Rows of spans with the probabilities that a teacher gives each concept."""

    rows: SpanRows
    shares: Array


class Network(nn.Module):
    """A hidden layer over vectors, plus weights of words."""

    def __init__(self, numbers: int, words: int, concepts: int, settings: Settings) -> None:
        super().__init__()
        self.hidden = nn.Linear(numbers, settings.hidden)
        self.out = nn.Linear(settings.hidden, concepts)
        self.dropout = nn.Dropout(settings.dropped)
        self.words_dropped = settings.words_dropped
        self.words = nn.EmbeddingBag(words, concepts, mode="sum")
        nn.init.zeros_(self.words.weight)

    def forward(self, dense: Tensor, words: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """The scores of all concepts."""
        places, starts, values = words
        lexical = self.words(places, starts, per_sample_weights=values)
        if self.training:
            lexical = lexical * (torch.rand(len(dense), 1) > self.words_dropped).float()
        scores: Tensor = self.out(self.dropout(torch.relu(self.hidden(dense)))) + lexical
        return scores


@dataclass(slots=True)
class Trainer:
    """Fits networks to spans; `columns` are the words that have weights."""

    settings: Settings
    concepts: Concepts
    columns: dict[str, int]
    mean: Array
    scale: Array

    @classmethod
    def of(cls, settings: Settings, concepts: Concepts, rows: SpanRows) -> Trainer:
        """One for these spans."""
        counted = Counter(word for own in rows.words for word in own)
        kept = sorted(word for word, times in counted.items() if times >= settings.seldom)
        columns = {word: at for at, word in enumerate(kept)}
        dense = rows.dense
        strengths = np.concatenate(
            [np.full(size, length / size**0.5) for size, length in STRENGTHS]
        )
        scale = strengths / (dense.std(axis=0) + 1e-3)
        return cls(settings, concepts, columns, dense.mean(axis=0), scale.astype(np.float32))

    def fit(self, spans: LabelledSpans, seed: int, taught: TaughtSpans | None = None) -> Network:
        """A network for spans, and for those that a teacher spoke of."""
        own, rows = self.settings, spans.rows
        wanted, weights = self._wanted(spans), torch.from_numpy(spans.weights)
        if taught:
            rows = SpanRows.joined([rows, taught.rows])
            wanted = torch.cat([wanted, torch.from_numpy(taught.shares)])
            weights = torch.cat([weights, torch.full((len(taught.shares),), own.taught_weight)])
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        dense = self._dense(rows)
        groups = functional.one_hot(torch.from_numpy(self.concepts.group_of)).float()
        network = Network(dense.shape[1], len(self.columns), len(self.concepts.names), own)
        upper = [*network.hidden.parameters(), *network.out.parameters()]
        optimiser = torch.optim.AdamW(
            [
                {"params": upper, "weight_decay": own.decay},
                {"params": network.words.parameters(), "weight_decay": own.word_decay},
            ]
        )
        steps = own.epochs * -(-len(weights) // own.batch)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, [own.rate, own.word_rate], total_steps=steps, pct_start=own.warm
        )
        for chosen in _batches(rng, len(weights), own):
            scores = network(dense[chosen], self._words(rows, chosen))
            gold = wanted[chosen]
            losses = functional.cross_entropy(scores, gold, reduction="none")
            shares = (torch.softmax(scores, dim=1) @ groups).clamp_min(1e-8)
            losses = losses - own.group_share * ((gold @ groups) * shares.log()).sum(dim=1)
            optimiser.zero_grad()
            (losses * weights[chosen]).mean().backward()
            optimiser.step()
            schedule.step()
        network.eval()
        return network

    def _wanted(self, spans: LabelledSpans) -> Tensor:
        """[span, concept]: the probabilities that networks should give."""
        names, smoothed = len(self.concepts.names), self.settings.smoothed
        gold: Tensor = functional.one_hot(torch.from_numpy(spans.labels), names).float()
        return gold * (1 - smoothed) + smoothed / names

    def shares(self, networks: Sequence[Network], rows: SpanRows) -> Array:
        """[span, concept]: the mean of the probabilities."""
        every = np.arange(len(rows.words))
        with torch.inference_mode():
            inputs = self._dense(rows), self._words(rows, every)
            found = sum(torch.softmax(network(*inputs), dim=1) for network in networks)
        return np.asarray(found, dtype=np.float32) / np.float32(len(networks))

    def _dense(self, rows: SpanRows) -> Tensor:
        return torch.from_numpy((rows.dense - self.mean) * self.scale)

    def _words(self, rows: SpanRows, chosen: npt.NDArray[Any]) -> tuple[Tensor, Tensor, Tensor]:
        places: list[int] = []
        values: list[float] = []
        starts = []
        for row in chosen:
            starts.append(len(places))
            for word, value in rows.words[row].items():
                if word in self.columns:
                    places.append(self.columns[word])
                    values.append(value)
        numbers = torch.tensor(values, dtype=torch.float32)
        return (
            torch.tensor(places, dtype=torch.long),
            torch.tensor(starts, dtype=torch.long),
            numbers,
        )


def _batches(
    rng: np.random.Generator, rows: int, settings: Settings
) -> Iterator[npt.NDArray[np.int64]]:
    for _ in range(settings.epochs):
        order = rng.permutation(rows)
        for start in range(0, rows, settings.batch):
            yield order[start : start + settings.batch]


def save(
    trainer: Trainer,
    networks: Sequence[Network],
    path: Path,
    others: Mapping[str, npt.NDArray[Any]],
) -> None:
    """Write the weights of networks, as bytes with a factor per column, and other arrays."""
    concepts = trainer.concepts
    arrays: dict[str, npt.NDArray[Any]] = {
        "concepts": as_bytes("\n".join(concepts.names)),
        "groups": as_bytes("\n".join(concepts.groups)),
        "group_of": concepts.group_of.astype(np.uint8),
        "lexicon": as_bytes("\n".join(trainer.columns)),
        "mean": trainer.mean,
        "scale": trainer.scale,
        **others,
    }
    layers = {
        "hidden": [network.hidden.weight.T for network in networks],
        "out": [network.out.weight.T for network in networks],
        "lexical": [network.words.weight for network in networks],
    }
    for name, weights in layers.items():
        table = np.array([one.detach().numpy() for one in weights])
        arrays |= compressed(name, table, axis=-1 if name == "lexical" else 1)
    for name, offsets in (("hidden_offsets", "hidden"), ("offsets", "out")):
        biases = [getattr(network, offsets).bias.detach().numpy() for network in networks]
        arrays[name] = np.array(biases)
    with atomic_write(path, "wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # arrays by name
