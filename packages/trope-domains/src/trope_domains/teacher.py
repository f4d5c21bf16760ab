"""`python -m trope_domains.teacher --from DATA --bases FOLDER`: what a large encoder says of spans.

all-mpnet-base-v2 is tuned on the spans of train: once without each fold of the cross-validation,
and twice on all. Each model reads metaphors in the rows of target_train whose texts are in neither
source_train nor in dev or a test set.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from trope.corpora.conceptual_metaphors import ConceptText, read_concept_texts
from trope.corpora.leaks import read_leaks, wording
from trope.encoder.models import model_folder
from trope.encoder.pieces import Vocabulary
from trope.encoder.trunk import Trunk
from trope.pipeline import Pipeline
from trope.tasks.figures.views import DomainSpan
from trope.train.encoder.bases import fetch, read_weights
from trope_domains.features import Array, SpanReader, described, read_words, stems_of, word_key
from trope_domains.networks import Concepts
from trope_domains.taught import CORPUS, TAUGHT, TaughtShares, best, read_unmarked
from trope_domains.train import (
    TrainingSpans,
    analyses_of,
    candidates,
    concepts_of,
    read_spans,
    span_of,
    training_texts,
)

_BASE = "all-mpnet-base-v2"
_SIDE, _DESCRIBED = 56, 20
"""Pieces of a sentence around a span, and of what WordNet says of its words."""
_LIKELY, _EACH, _SAME = 0.5, 3, 12
"""How sure a metaphor must be where none is marked, how many are read of a text, and how many with
the same stems."""
_MIDDLE = 9


@dataclass(frozen=True, slots=True)
class TeacherSettings:
    """How the encoder is tuned."""

    folds: int = 5
    whole: int = 2
    """Models tuned on all folds, of which the mean is taken."""
    epochs: int = 4
    batch: int = 64
    rate: float = 4e-5
    top_rate: float = 8e-4
    warm: float = 0.1
    decay: float = 0.01
    dropped: float = 0.1
    undescribed: float = 0.2
    """How often what WordNet says is left out in training."""
    smoothed: float = 0.05
    group_share: float = 0.5
    guessed_weight: float = 0.75


@dataclass(frozen=True, slots=True)
class SpanPieces:
    """The pieces of a sentence, and, from `described` on, those of what WordNet says of a span."""

    ids: list[int]
    inside: list[int]
    described: int


class PieceReader:
    """Reads spans as pieces."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary(model_folder("small") / "vocab.txt")

    def read(self, span: DomainSpan) -> SpanPieces:
        """A span in its sentence, cut to what is near, with its words in WordNet behind it."""
        own = set(span.places)
        ids: list[int] = []
        inside: list[int] = []
        nearest = range(max(span.first, min(own) - _SIDE), min(span.last, max(own) + _SIDE))
        for at in nearest:
            pieces = self._pieces([span.tokens[at].text])
            if at in own:
                inside += range(len(ids), len(ids) + len(pieces))
            ids += pieces
        half = max(0, _SIDE - (inside[-1] + 1 - inside[0])) // 2
        last = min(len(ids), max(inside[-1] + 1 + half, max(0, inside[0] - half) + _SIDE))
        first = max(0, min(inside[0] - half, last - _SIDE))
        words = [word for at in span.content for word in described(word_key(span, at)[0])]
        cls, sep = self._vocabulary.cls, self._vocabulary.sep
        sentence = [cls, *ids[first:last], sep]
        said = [sep, *self._pieces(words)[:_DESCRIBED], sep]
        places = [at - first + 1 for at in inside if at < last]
        return SpanPieces(sentence + said, places, len(sentence))

    def _pieces(self, words: Sequence[str]) -> list[int]:
        return [piece for word in words for piece in self._vocabulary.of_word(word)[0]]


class Teacher(nn.Module):
    """The encoder, and scores of concepts from a span in two layers and from the whole."""

    def __init__(self, bases: Path, concepts: int, dropped: float) -> None:
        super().__init__()
        self.trunk = Trunk(_BASE, read_weights(_BASE, fetch(_BASE, bases)))
        self.trunk.case.requires_grad_(False)
        self.trunk.encoder.embeddings.word_embeddings.requires_grad_(False)
        self.dropout = nn.Dropout(dropped)
        self.out = nn.Linear(3 * self.trunk.size, concepts)
        nn.init.normal_(self.out.weight, std=0.02)
        nn.init.zeros_(self.out.bias)

    def forward(self, ids: Tensor, pool: Tensor) -> Tensor:
        """[span, concept]: scores; `pool` is the share of each piece in the span."""
        mask = ids.ne(0)
        layers = self.trunk(ids, torch.zeros_like(ids), mask.long())
        seen = mask.to(layers[-1].dtype)[..., None]
        both = torch.cat([layers[-1], layers[_MIDDLE]], dim=2)
        span = (pool[:, None].to(both.dtype) @ both)[:, 0]
        whole = (layers[-1] * seen).sum(1) / seen.sum(1)
        scores: Tensor = self.out(self.dropout(torch.cat([span, whole], dim=1)))
        return scores.float()


@dataclass(frozen=True, slots=True)
class TeacherTraining:
    """Tunes encoders on the spans of train."""

    settings: TeacherSettings
    concepts: Concepts
    bases: Path
    device: str

    def fit(
        self, pieces: Sequence[SpanPieces], labels: Tensor, weights: Tensor, seed: int
    ) -> Teacher:
        """An encoder that knows the concepts of spans."""
        own = self.settings
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        teacher = Teacher(self.bases, len(self.concepts.names), own.dropped)
        teacher.to(self.device)
        optimiser = self._optimiser(teacher)
        batches = [one for _ in range(own.epochs) for one in self._batches(rng, pieces)]
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser,
            lambda step: min(
                (step + 1) / (own.warm * len(batches)),
                (len(batches) - step) / ((1 - own.warm) * len(batches)),
                1,
            ),
        )
        for chosen in batches:
            left_out = rng.random(len(chosen)) < own.undescribed
            scores = self._scores(teacher, [pieces[at] for at in chosen], left_out)
            losses = self._losses(scores.cpu(), labels[chosen])
            (losses * weights[chosen]).mean().backward()
            nn.utils.clip_grad_norm_(teacher.trunk.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad()
            schedule.step()
        teacher.eval()
        return teacher

    def shares(self, teacher: Teacher, pieces: Sequence[SpanPieces]) -> Array:
        """[span, concept]: the probabilities that an encoder gives."""
        found = np.zeros((len(pieces), len(self.concepts.names)), dtype=np.float32)
        order = np.argsort([len(one.ids) for one in pieces], kind="stable")
        for start in range(0, len(order), 4 * self.settings.batch):
            chosen = order[start : start + 4 * self.settings.batch]
            with torch.inference_mode():
                scores = self._scores(
                    teacher, [pieces[at] for at in chosen], np.zeros(len(chosen), np.bool_)
                )
            found[chosen] = torch.softmax(scores, dim=1).cpu().numpy()
        return found

    def _losses(self, scores: Tensor, gold: Tensor) -> Tensor:
        own = self.settings
        groups = functional.one_hot(torch.from_numpy(self.concepts.group_of)).float()
        shares = (torch.softmax(scores, dim=1) @ groups).clamp_min(1e-8)
        in_group = torch.log((shares * groups[gold]).sum(dim=1))
        losses: Tensor = functional.cross_entropy(
            scores, gold, reduction="none", label_smoothing=own.smoothed
        )
        return losses - own.group_share * in_group

    def _optimiser(self, teacher: Teacher) -> torch.optim.Optimizer:
        own = self.settings
        tuned = [one for one in teacher.trunk.parameters() if one.requires_grad]
        return torch.optim.AdamW(
            [
                {"params": [one for one in tuned if one.ndim > 1], "weight_decay": own.decay},
                {"params": [one for one in tuned if one.ndim < 2], "weight_decay": 0.0},
                {"params": teacher.out.parameters(), "lr": own.top_rate},
            ],
            lr=own.rate,
            weight_decay=own.decay,
        )

    def _batches(
        self, rng: np.random.Generator, pieces: Sequence[SpanPieces]
    ) -> Iterator[npt.NDArray[np.int64]]:
        """Spans of similar lengths together, in any order."""
        lengths = np.array([len(one.ids) for one in pieces])
        size, order = self.settings.batch, rng.permutation(len(pieces))
        found = []
        for start in range(0, len(order), 16 * size):
            part = order[start : start + 16 * size]
            part = part[np.argsort(lengths[part], kind="stable")]
            found += [part[at : at + size] for at in range(0, len(part), size)]
        yield from (found[at] for at in rng.permutation(len(found)))

    def _scores(
        self, teacher: Teacher, pieces: Sequence[SpanPieces], left_out: npt.NDArray[np.bool_]
    ) -> Tensor:
        rows = [
            one.ids[: one.described] if out else one.ids
            for one, out in zip(pieces, left_out, strict=True)
        ]
        ids = torch.zeros((len(rows), max(map(len, rows))), dtype=torch.long)
        pool = torch.zeros(ids.shape)
        for at, (row, one) in enumerate(zip(rows, pieces, strict=True)):
            ids[at, : len(row)] = torch.tensor(row)
            pool[at, one.inside] = 1 / len(one.inside)
        short = torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda")
        with short:
            scores: Tensor = teacher(ids.to(self.device), pool.to(self.device))
        return scores


def texts_to_read(data: Path) -> list[ConceptText]:
    """The rows of target_train with metaphors, each text once, that training may read."""
    folder = data / CORPUS
    leaked = {row.id for row in read_leaks(folder / "leaks.tsv")}
    taken = {
        wording(" ".join(text.words))
        for name in ("source_train", "source_dev", "target_dev")
        for text in read_concept_texts(folder / f"{name}.csv.gz")
    }
    rows = read_unmarked(data)
    taken |= {wording(" ".join(row.words)) for row in rows if row.id in leaked}
    found: dict[tuple[str, ...], ConceptText] = {}
    for row in rows:
        if row.metaphor is not False and wording(" ".join(row.words)) not in taken:
            before = found.get(row.words)
            if before is None or not before.span:
                found[row.words] = row
    return list(found.values())


def spans_to_read(
    texts: Sequence[ConceptText], pipeline: Pipeline
) -> tuple[list[str], list[DomainSpan]]:
    """The rows and their metaphors: those that are marked, elsewhere those that are likely."""
    rows: list[str] = []
    spans: list[DomainSpan] = []
    for text, analysis in zip(texts, analyses_of(texts, pipeline), strict=True):
        own = [span_of(text, analysis, text.span)] if text.span else candidates(analysis)[:_EACH]
        if not text.span:
            own = [one for one in own if (one.tokens[one.places[0]].metaphor or 0) >= _LIKELY]
        rows += [text.id] * len(own)
        spans += own
    times: Counter[str] = Counter()
    kept = []
    for at in np.random.default_rng(0).permutation(len(spans)):
        stems = stems_of(spans[at])
        times[stems] += 1
        if times[stems] <= _SAME:
            kept.append(int(at))
    kept.sort()
    return [rows[at] for at in kept], [spans[at] for at in kept]


def teach(
    training: TeacherTraining, spans: TrainingSpans, others: Sequence[SpanPieces]
) -> list[Array]:
    """What the model without each fold says of other spans, and the mean of those with all."""
    own, reader = training.settings, PieceReader()
    pieces = [reader.read(span) for span in spans.spans]
    labels = torch.from_numpy(spans.given.labels)
    weights = torch.where(torch.from_numpy(spans.known), 1.0, own.guessed_weight)
    fold_of = spans.fold_of(own.folds)
    said = []
    for seed in range(own.folds + own.whole):
        chosen = np.flatnonzero(spans.without(fold_of == seed))
        model = training.fit([pieces[at] for at in chosen], labels[chosen], weights[chosen], seed)
        said.append(training.shares(model, others))
        if (held := np.flatnonzero((fold_of == seed) & spans.known)).size:
            shares = training.shares(model, [pieces[at] for at in held])
            right = (shares.argmax(axis=1) == spans.given.labels[held]).mean()
            print(f"fold {seed + 1}: {right:.4f} of names right", file=sys.stderr, flush=True)
    whole = np.array(said[own.folds :]).mean(axis=0)
    return [*said[: own.folds], np.asarray(whole, dtype=np.float32)]


def main() -> None:
    """Tune the encoders and write what they say of other spans."""
    given = argparse.ArgumentParser(prog="trope_domains.teacher", description=main.__doc__)
    given.add_argument("--from", dest="data", type=Path, required=True, help="research data")
    given.add_argument("--bases", type=Path, required=True, help="folder for the public encoder")
    given.add_argument("--out", type=Path, default=TAUGHT)
    given.add_argument("--device", default="cuda", help="cpu takes hours")
    options = given.parse_args()
    pipeline = Pipeline()
    texts = training_texts(options.data)
    concepts = concepts_of(texts)
    reader = SpanReader(pipeline.encoder, read_words())
    spans = read_spans(texts, analyses_of(texts, pipeline), concepts, reader)
    rows, others = spans_to_read(texts_to_read(options.data), pipeline)
    training = TeacherTraining(TeacherSettings(), concepts, options.bases, options.device)
    said = teach(training, spans, [PieceReader().read(span) for span in others])
    names, values = zip(*map(best, said), strict=True)
    ends = [
        (span.tokens[span.places[0]].start, span.tokens[span.places[-1]].end) for span in others
    ]
    places = np.array(ends, dtype=np.uint16)
    taught = TaughtShares(concepts.names, tuple(rows), places, np.array(names), np.array(values))
    taught.write(options.out)


if __name__ == "__main__":
    main()
