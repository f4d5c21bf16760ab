"""`python -m trope_domains.train --from DATA --out FOLDER`: the networks, from lcc-domains train.

Rows that share a text with dev or a test set (`leaks.tsv`) are left out. Where the span of a row is
not known, a guess of the corpus is taken; where there is none, the content word that networks
trained on the other rows find most probable for the label.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from trope.core.files import sha256
from trope.core.records import Analysis
from trope.corpora.conceptual_metaphors import ConceptText, read_concept_texts
from trope.corpora.leaks import read_leaks
from trope.pipeline import Pipeline
from trope.tasks.figures.views import CONTENT, DomainSpan, domain_span
from trope_domains import MODEL, SHIPPED
from trope_domains.features import Array, SpanReader, SpanRows, read_words

CORPUS, TRAIN = "lcc-domains", "source_train"
_NETWORKS, _FINDERS = 5, 2
_HIDDEN, _DROPPED, _WORDS_DROPPED = 512, 0.5, 0.5
_EPOCHS, _BATCH, _RATE, _WORD_RATE = 10, 128, 2e-3, 1e-3
_DECAY, _WORD_DECAY, _SMOOTHED, _GROUP_SHARE = 1e-4, 0.02, 0.05, 0.5
_WARM = 0.15
_STRENGTHS = ((256, 16.0), (128, 11.0), (64, 8.0), (64, 11.0), (256, 14.0), (26, 5.0))
"""The sizes of the parts of a row, and the length that each is scaled to: context, static vectors,
the two of the large encoder, senses, the free system."""

_SELDOM = 2
"""How often a word has to occur to have weights of its own."""

_FOUND_WEIGHT, _CANDIDATES, _LEAST_METAPHOR = 0.5, 8, 0.05
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
        words = [own for own, kept in zip(self.rows.words, chosen, strict=True) if kept]
        rows = SpanRows(self.rows.dense[chosen], words)
        return LabelledSpans(rows, self.labels[chosen], self.weights[chosen])

    def joined(self, other: LabelledSpans) -> LabelledSpans:
        """These and others."""
        return LabelledSpans(
            SpanRows(
                np.vstack([self.rows.dense, other.rows.dense]), self.rows.words + other.rows.words
            ),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.weights, other.weights]),
        )


def concepts_of(texts: Sequence[ConceptText]) -> Concepts:
    """The concepts of texts, in alphabetical order."""
    group = {text.name: text.group for text in texts}
    names, groups = tuple(sorted(group)), tuple(sorted(set(group.values())))
    return Concepts(names, groups, np.array([groups.index(group[name]) for name in names]))


def training_texts(data: Path) -> list[ConceptText]:
    """The rows to train on."""
    folder = data / CORPUS
    leaks = {row.id for row in read_leaks(folder / "leaks.tsv") if row.file == TRAIN}
    rows = read_concept_texts(folder / f"{TRAIN}.csv.gz")
    return [row for row in rows if row.id not in leaks]


def analyses_of(texts: Sequence[ConceptText], pipeline: Pipeline) -> list[Analysis]:
    """The texts with tags, trees and scores of metaphor."""
    joined = (" ".join(text.words) for text in texts)
    return list(pipeline.analyze_many(joined, tasks=("syntax", "metaphor")))


def span_of(text: ConceptText, analysis: Analysis, place: tuple[int, int]) -> DomainSpan:
    """The tokens that overlap the blank-separated words of a place."""
    starts = np.cumsum([0, *(len(word) + 1 for word in text.words)])
    start, end = int(starts[place[0]]), int(starts[place[1]]) - 1
    tokens = enumerate(analysis.tokens)
    found = tuple(at for at, token in tokens if token.start < end and start < token.end)
    return domain_span(analysis, found)


def _candidates(analysis: Analysis) -> list[DomainSpan]:
    """The content words that are most probably metaphors."""
    places = [
        (token.metaphor or 0.0, at)
        for at, token in enumerate(analysis.tokens)
        if token.upos in CONTENT and (token.metaphor or 0.0) >= _LEAST_METAPHOR
    ]
    return [domain_span(analysis, (at,)) for _, at in sorted(places, reverse=True)[:_CANDIDATES]]


class _Network(nn.Module):
    """A hidden layer over vectors, plus weights of words."""

    def __init__(self, numbers: int, words: int, concepts: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(numbers, _HIDDEN)
        self.out = nn.Linear(_HIDDEN, concepts)
        self.dropout = nn.Dropout(_DROPPED)
        self.words = nn.EmbeddingBag(words, concepts, mode="sum")
        nn.init.zeros_(self.words.weight)

    def forward(self, dense: Tensor, words: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """The scores of all concepts."""
        places, starts, values = words
        lexical = self.words(places, starts, per_sample_weights=values)
        if self.training:
            lexical = lexical * (torch.rand(len(dense), 1) > _WORDS_DROPPED).float()
        scores: Tensor = self.out(self.dropout(torch.relu(self.hidden(dense)))) + lexical
        return scores


@dataclass(slots=True)
class Trainer:
    """Fits networks to spans; `columns` are the words that have weights."""

    concepts: Concepts
    columns: dict[str, int]
    mean: Array
    scale: Array

    @classmethod
    def of(cls, concepts: Concepts, spans: LabelledSpans) -> Trainer:
        """One for these spans."""
        counted = Counter(word for own in spans.rows.words for word in own)
        kept = sorted(word for word, times in counted.items() if times >= _SELDOM)
        columns = {word: at for at, word in enumerate(kept)}
        dense = spans.rows.dense
        strengths = np.concatenate(
            [np.full(size, length / size**0.5) for size, length in _STRENGTHS]
        )
        scale = strengths / (dense.std(axis=0) + 1e-3)
        return cls(concepts, columns, dense.mean(axis=0), scale.astype(np.float32))

    def fit(self, spans: LabelledSpans, seed: int) -> _Network:
        """A network for spans."""
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        dense = self._dense(spans.rows)
        labels, weights = torch.from_numpy(spans.labels), torch.from_numpy(spans.weights)
        groups = functional.one_hot(torch.from_numpy(self.concepts.group_of)).float()
        network = _Network(dense.shape[1], len(self.columns), len(self.concepts.names))
        upper = [*network.hidden.parameters(), *network.out.parameters()]
        optimiser = torch.optim.AdamW(
            [
                {"params": upper, "lr": _RATE, "weight_decay": _DECAY},
                {
                    "params": network.words.parameters(),
                    "lr": _WORD_RATE,
                    "weight_decay": _WORD_DECAY,
                },
            ]
        )
        steps = _EPOCHS * -(-len(labels) // _BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, [_RATE, _WORD_RATE], total_steps=steps, pct_start=_WARM
        )
        for chosen in _batches(rng, len(labels)):
            scores = network(dense[chosen], self._words(spans.rows, chosen))
            own = labels[chosen]
            losses = functional.cross_entropy(
                scores, own, reduction="none", label_smoothing=_SMOOTHED
            )
            shares = (torch.softmax(scores, dim=1) @ groups).clamp_min(1e-8)
            losses = losses - _GROUP_SHARE * torch.log((shares * groups[own]).sum(dim=1))
            optimiser.zero_grad()
            (losses * weights[chosen]).mean().backward()
            optimiser.step()
            schedule.step()
        return network.eval()

    def shares(self, networks: Sequence[_Network], rows: SpanRows) -> Array:
        """[span, concept]: the mean of the probabilities."""
        every = np.arange(len(rows.words))
        with torch.inference_mode():
            inputs = self._dense(rows), self._words(rows, every)
            found = sum(torch.softmax(network(*inputs), dim=1) for network in networks)
        return np.asarray(found) / len(networks)

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
        return torch.tensor(places, dtype=torch.long), torch.tensor(starts), numbers


def _batches(rng: np.random.Generator, rows: int) -> Iterator[npt.NDArray[np.int64]]:
    for _ in range(_EPOCHS):
        order = rng.permutation(rows)
        for start in range(0, rows, _BATCH):
            yield order[start : start + _BATCH]


@dataclass(frozen=True, slots=True)
class TrainingSpans:
    """Spans that are known or guessed, and candidates of the other rows."""

    given: LabelledSpans
    known: npt.NDArray[np.bool_]
    candidates: list[tuple[int, SpanRows]]
    """The concept of a row, and the rows of its candidates."""


def read_spans(
    texts: Sequence[ConceptText],
    analyses: Sequence[Analysis],
    concepts: Concepts,
    reader: SpanReader,
) -> TrainingSpans:
    """The spans of texts."""
    spans: list[DomainSpan] = []
    labels: list[int] = []
    known: list[bool] = []
    others: list[tuple[int, list[DomainSpan]]] = []
    for text, analysis in zip(texts, analyses, strict=True):
        label = concepts.names.index(text.name)
        if place := text.span or text.guess:
            spans.append(span_of(text, analysis, place))
            labels.append(label)
            known.append(text.span is not None)
        elif found := _candidates(analysis):
            others.append((label, found))
    given = LabelledSpans(reader.read(spans), np.array(labels), np.ones(len(spans), np.float32))
    every = reader.read([span for _, own in others for span in own])
    candidates = []
    at = 0
    for label, own in others:
        rows = SpanRows(every.dense[at : at + len(own)], every.words[at : at + len(own)])
        candidates.append((label, rows))
        at += len(own)
    return TrainingSpans(given, np.array(known), candidates)


def find_spans(
    trainer: Trainer, networks: Sequence[_Network], spans: TrainingSpans
) -> LabelledSpans:
    """Of each row without a span, the candidate that is most probably of its concept."""
    every = SpanRows(
        np.vstack([rows.dense for _, rows in spans.candidates]),
        [own for _, rows in spans.candidates for own in rows.words],
    )
    shares = trainer.shares(networks, every)
    best, labels, at = [], [], 0
    for label, rows in spans.candidates:
        best.append(at + int(shares[at : at + len(rows.words), label].argmax()))
        labels.append(label)
        at += len(rows.words)
    dense, words = every.dense[best], [every.words[row] for row in best]
    weights = np.full(len(labels), _FOUND_WEIGHT, np.float32)
    return LabelledSpans(SpanRows(dense, words), np.array(labels), weights)


def train(spans: TrainingSpans, concepts: Concepts) -> tuple[Trainer, list[_Network]]:
    """The networks that ship."""
    first = Trainer.of(concepts, spans.given)
    finders = [first.fit(spans.given, seed) for seed in range(_FINDERS)]
    every = spans.given.joined(find_spans(first, finders, spans))
    trainer = Trainer.of(concepts, every)
    return trainer, [trainer.fit(every, seed) for seed in range(_NETWORKS)]


def cross_validate(spans: TrainingSpans, concepts: Concepts, folds: int) -> dict[str, float]:
    """Accuracy on known spans of train that the networks have not seen."""
    drawn = np.random.default_rng(0).integers(0, folds, len(spans.known))
    right: Counter[str] = Counter()
    for fold in range(folds):
        kept = TrainingSpans(spans.given.part(drawn != fold), spans.known, spans.candidates)
        held = spans.given.part((drawn == fold) & spans.known)
        trainer, networks = train(kept, concepts)
        shares = trainer.shares(networks, held.rows)
        groups = shares @ np.eye(len(concepts.groups))[concepts.group_of]
        right["n"] += len(held.labels)
        right["names"] += int((shares.argmax(1) == held.labels).sum())
        right["groups"] += int((groups.argmax(1) == concepts.group_of[held.labels]).sum())
    return {name: right[name] / right["n"] for name in ("names", "groups")}


def save(trainer: Trainer, networks: Sequence[_Network], encoder: str, out: Path) -> None:
    """Write the weights, as bytes with a factor per column."""
    concepts = trainer.concepts
    arrays: dict[str, npt.NDArray[Any]] = {
        "encoder": _as_bytes(encoder),
        "concepts": _as_bytes("\n".join(concepts.names)),
        "groups": _as_bytes("\n".join(concepts.groups)),
        "group_of": concepts.group_of.astype(np.uint8),
        "lexicon": _as_bytes("\n".join(trainer.columns)),
        "mean": trainer.mean,
        "scale": trainer.scale,
    }
    layers = {
        "hidden": [network.hidden.weight.T for network in networks],
        "out": [network.out.weight.T for network in networks],
        "lexical": [network.words.weight for network in networks],
    }
    for name, weights in layers.items():
        table = np.array([one.detach().numpy() for one in weights])
        factor = np.abs(table).max(axis=-1 if name == "lexical" else 1, keepdims=True) / 127 + 1e-9
        arrays[name] = np.rint(table / factor).astype(np.int8)
        arrays[f"{name}_scale"] = factor.astype(np.float32)
    for name, offsets in (("hidden_offsets", "hidden"), ("offsets", "out")):
        biases = [getattr(network, offsets).bias.detach().numpy() for network in networks]
        arrays[name] = np.array(biases)
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / MODEL, **arrays)  # type: ignore[arg-type]  # arrays by name


def _as_bytes(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def main() -> None:
    """Train the networks and write their weights."""
    given = argparse.ArgumentParser(description=main.__doc__)
    given.add_argument("--from", dest="data", type=Path, required=True, help="research data")
    given.add_argument("--out", type=Path, default=SHIPPED, help="folder for the weights")
    given.add_argument("--folds", type=int, help="cross-validate, and write nothing")
    given.add_argument("--threads", type=int, default=1)
    options = given.parse_args()
    torch.set_num_threads(options.threads)
    pipeline = Pipeline(threads=options.threads)
    texts = training_texts(options.data)
    concepts = concepts_of(texts)
    reader = SpanReader(pipeline.encoder, read_words())
    spans = read_spans(texts, analyses_of(texts, pipeline), concepts, reader)
    if options.folds:
        for name, value in cross_validate(spans, concepts, options.folds).items():
            print(f"{name}: {value:.4f}")
        return
    trainer, networks = train(spans, concepts)
    encoder = sha256(pipeline.encoder.folder / "encoder.onnx")
    save(trainer, networks, encoder, options.out)
    print(f"{options.out / MODEL}: {len(spans.known):,} spans, {len(networks)} networks")


if __name__ == "__main__":
    main()
