"""`trope train figures`: heads for figures and for valence on a finished network.

They read the layers of the tier `small` as they are, so all that the model said before stays the
same, bit for bit, but for the scale of prose, which becomes an output of the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from trope.core.progress import MessageWriter
from trope.encoder.models import model_folder
from trope.encoder.network import FigureHead, SentimentHead
from trope.encoder.pieces import Vocabulary
from trope.encoder.pruning import keep_outputs, output_names
from trope.encoder.session import (
    FIGURE_OUTPUTS,
    FIGURES,
    SENTIMENT,
    SENTIMENT_OUTPUTS,
    Encoder,
)
from trope.train.encoder.calibration import Calibration
from trope.train.encoder.corpus import UNKNOWN, ZERO, EncodedCorpus
from trope.train.encoder.development import keep_best
from trope.train.encoder.export import Weights, figure_head, sentiment_head
from trope.train.encoder.figure_development import (
    DEV_SETS,
    FigureCalibration,
    JudgedWords,
    calibrate_figures,
    figure_figures,
)
from trope.train.encoder.figure_sets import encode_figures, read_figure_set
from trope.train.encoder.fit import CLIP, slope
from trope.train.encoder.graph import Graph
from trope.train.encoder.losses import NOVELTY_WEIGHT, RARE
from trope.train.encoder.sentiment_sets import encode_sentiment_texts, read_sentiment_set
from trope.train.encoder.student import quantise
from trope.train.headlines.settings import FigureWords, LowerHeadSettings
from trope.train.headlines.small_heads import (
    LayerBatch,
    arrays_of,
    drop_unused,
    layers_of,
    put_in,
    read_layers,
    weights_of,
    write_changed,
)

_NOVELTY = FIGURE_OUTPUTS.index("novelty")
_PROSE, _VALENCE = "emobank", "valence"


@dataclass(frozen=True, slots=True)
class SeenWords:
    """Words by themselves as the network reads them: [word, layer, dimension]; and the answers:
    [word, figure], NaN where nobody judged."""

    layers: Tensor
    answers: Tensor


@dataclass(frozen=True, slots=True)
class SeenTexts:
    """Whole texts as the network reads them, and the valence that people gave them."""

    batches: list[LayerBatch]
    valence: Tensor


@dataclass(frozen=True, slots=True)
class FrozenNetwork:
    """The network of a folder, whose layers new heads read."""

    folder: Path
    data: Path
    settings: LowerHeadSettings
    device: str

    def words(self, chosen: FigureWords) -> SeenWords:
        """The words of a set that are learnt from: those of figures, and a share of the others."""
        corpus = self.figures(chosen.name, "train")
        answers = _answers(corpus)
        drawn = np.random.default_rng(0).random(len(answers)) < chosen.share
        kept = torch.from_numpy(drawn | (np.nan_to_num(answers) > 0).any(1))
        kept &= torch.from_numpy(~np.isnan(answers).all(1))
        layers, places = [], []
        for seen in self.read(corpus):
            own = seen.there & kept[seen.word]
            layers.append(seen.layers[own])
            places.append(seen.word[own])
        return SeenWords(torch.cat(layers), torch.from_numpy(answers)[torch.cat(places)])

    def texts(self, split: str) -> SeenTexts:
        """The texts whose valence people gave."""
        texts = read_sentiment_set(self.data, _PROSE, split)
        corpus = encode_sentiment_texts(texts, self._vocabulary)
        given = (corpus.sentence_labels[_VALENCE] - ZERO) / 100
        own = self.settings.valence
        settings = replace(self.settings, layers=own.layers, words_per_batch=own.words_per_batch)
        batches = list(read_layers(self.folder, corpus, settings, self.device))
        return SeenTexts(batches, torch.from_numpy(given.astype(np.float32)))

    def figures(self, name: str, split: str) -> EncodedCorpus:
        """The sentences of a set with verdicts on figures."""
        return encode_figures(read_figure_set(self.data, name, split), self._vocabulary)

    def read(self, corpus: EncodedCorpus) -> Iterator[LayerBatch]:
        """The lower layers of the words of a corpus."""
        return read_layers(self.folder, corpus, self.settings, self.device)

    @property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self.folder / "vocab.txt")


def _answers(corpus: EncodedCorpus) -> npt.NDArray[np.float32]:
    """[word, figure]: verdicts and novelty, NaN where nobody judged."""
    answers = np.full((int(corpus.sentence_starts[-1]), len(FIGURE_OUTPUTS)), np.nan, np.float32)
    for place, name in enumerate(FIGURE_OUTPUTS):
        if name in corpus.labels:
            given = corpus.labels[name]
            scaled = (given - ZERO) / 1000 if place == _NOVELTY else given
            answers[:, place] = np.where(given == UNKNOWN, np.nan, scaled)
    return answers


def train_figure_heads(
    *,
    settings: LowerHeadSettings,
    data: Path,
    work: Path,
    out: Path,
    model: Path | None,
    device: str,
    say: MessageWriter,
) -> None:
    """Write the model of a folder (the shipped one) with these heads into another folder."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    network = FrozenNetwork(model or model_folder("small"), data, settings, device)
    words = _read_words(network, say)
    dev = {name: network.figures(name, "dev") for name in DEV_SETS}
    seen = {name: list(network.read(corpus)) for name, corpus in dev.items()}
    texts = {split: network.texts(split) for split in ("train", "dev")}
    quality = {}
    for seed in settings.seeds:
        figures = fit_figures(words, settings, seed)
        valence = fit_valence_head(texts["train"], settings, seed)
        sets = {name: judge(figures, seen[name], dev[name]) for name in dev}
        found = figure_figures(sets) | valence_quality(valence, texts["dev"])
        own = work / f"figures-{seed}"
        _write_model(figures, valence, calibrate_figures(sets, _metaphor(network)), network, own)
        say(f"heads of seed {seed}: {found}, in {own}")
        quality[own] = float(np.mean([v for k, v in found.items() if not k.endswith("error")]))
    keep_best(quality, out, say)


def _read_words(network: FrozenNetwork, say: MessageWriter) -> SeenWords:
    parts = []
    for chosen in network.settings.figures.sets:
        parts.append(network.words(chosen))
        say(f"{chosen.name}: {len(parts[-1].answers)} words")
    return SeenWords(
        torch.cat([part.layers for part in parts]), torch.cat([part.answers for part in parts])
    )


def _metaphor(network: FrozenNetwork) -> Calibration:
    """The metaphor head of a finished model says calibrated logits."""
    labels = Encoder(folder=network.folder).labels
    assert labels.metaphor is not None
    return Calibration(1.0, 0.0, labels.metaphor.threshold)


def fit_figures(words: SeenWords, settings: LowerHeadSettings, seed: int) -> FigureHead:
    """A head with simulated 8-bit numbers, fitted to words in random order."""
    torch.manual_seed(seed)
    number, _, size = words.layers.shape
    head: FigureHead = quantise(FigureHead(size, settings.layers + 1))
    head.to(words.layers.device).train()
    head.dropout.p = settings.figures.dropout
    steps = [
        step
        for _ in range(settings.figures.passes)
        for step in torch.randperm(number).split(settings.figures.words_per_step)
    ]
    optimizer = _Optimizer(head, settings.figures.rate, len(steps))
    for step in steps:
        said = judge_words(head, words.layers[step])
        optimizer.step(_figure_loss(said, words.answers[step].to(said.device)))
    head.eval()
    return head


class _Optimizer:
    """AdamW with a rate that rises and falls."""

    def __init__(self, head: nn.Module, rate: float, steps: int) -> None:
        self._weights = list(head.parameters())
        self._optimizer = torch.optim.AdamW(self._weights, lr=rate, weight_decay=0.01)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, slope(steps))

    def step(self, loss: Tensor) -> None:
        """Follow the loss downhill."""
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._weights, CLIP)
        self._optimizer.step()
        self._schedule.step()


def judge_words(head: FigureHead, layers: Tensor) -> Tensor:
    """[…, figure] of words of which all layers are given: […, layer, dimension]."""
    wide = [layer.float() for layer in layers.unbind(-2)]
    return head.judge_words(head.mix(wide), wide[0])


def _figure_loss(said: Tensor, answers: Tensor) -> Tensor:
    """Cross-entropy of verdicts and squared error of novelty, each over the words that have it."""
    loss = torch.zeros((), device=said.device)
    for place in range(len(FIGURE_OUTPUTS)):
        known = ~answers[:, place].isnan()
        own, given = said[known, place], answers[known, place]
        if not len(given):
            continue
        if place == _NOVELTY:
            loss = loss + NOVELTY_WEIGHT * functional.mse_loss(own, given)
        else:
            rare = torch.tensor(RARE, device=said.device)
            loss = loss + functional.binary_cross_entropy_with_logits(own, given, pos_weight=rare)
    return loss


@torch.inference_mode()
def judge(head: FigureHead, seen: Sequence[LayerBatch], corpus: EncodedCorpus) -> JudgedWords:
    """What the head says of the words of a corpus, and its answers."""
    number = int(corpus.sentence_starts[-1])
    figures, metaphor = np.zeros((number, len(FIGURE_OUTPUTS))), np.zeros(number)
    for batch in seen:
        there, places = batch.there, batch.word[batch.there].cpu().numpy()
        figures[places] = judge_words(head, batch.layers[there]).cpu().numpy()
        metaphor[places] = torch.logit(batch.predicted[there], eps=1e-6).cpu().numpy()
    return JudgedWords(figures, metaphor, corpus.labels, corpus.sentence_starts)


def fit_valence_head(texts: SeenTexts, settings: LowerHeadSettings, seed: int) -> SentimentHead:
    """A head for valence alone with simulated 8-bit numbers, fitted to texts."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    chosen, first = settings.valence, texts.batches[0].layers
    head: SentimentHead = quantise(SentimentHead(first.shape[-1], chosen.layers + 1, 1))
    head.to(first.device).train()
    head.dropout.p = chosen.dropout
    plan = [batch for batch in texts.batches for _ in range(chosen.passes)]
    optimizer = _Optimizer(head, chosen.rate, len(plan))
    for number in rng.permutation(len(plan)):
        batch = plan[number]
        given = texts.valence[batch.sentence.cpu()].to(first.device)
        optimizer.step(functional.mse_loss(valences(head, batch), given))
    head.eval()
    return head


def valences(head: SentimentHead, batch: LayerBatch) -> Tensor:
    """What the head says of each text of a batch."""
    layers = [layer.float() for layer in batch.layers.unbind(2)]
    return head.judge_texts(head.mix(layers), batch.there).squeeze(-1)


@torch.inference_mode()
def valence_quality(head: SentimentHead, texts: SeenTexts) -> dict[str, float]:
    """Correlation and mean error on texts."""
    said = torch.cat([valences(head, batch).cpu() for batch in texts.batches]).numpy()
    given = texts.valence[torch.cat([batch.sentence.cpu() for batch in texts.batches])].numpy()
    return {
        "valence_pearson": round(float(np.corrcoef(said, given)[0, 1]), 4),
        "valence_error": round(float(abs(said - given).mean()), 4),
    }


def _write_model(
    figures: FigureHead,
    valence: SentimentHead,
    chosen: FigureCalibration,
    network: FrozenNetwork,
    out: Path,
) -> None:
    weights = weights_of(figures, "figures") | weights_of(valence, _VALENCE)
    chosen.fold(weights)
    model = (network.folder / "encoder.onnx").read_bytes()
    changed = with_figure_heads(model, arrays_of(weights))
    write_changed(
        network.folder,
        out,
        changed,
        figures=chosen.thresholds,
        sentiment=SENTIMENT_OUTPUTS,
        valence=(),
    )


def with_figure_heads(model: bytes, weights: Weights) -> bytes:
    """The model with these heads for figures and valence, in the place of any that it has."""
    layers = layers_of(model)
    opened = onnx.load_from_string(model)
    tweets = _without_valence(opened)
    others = [name for name in output_names(model) if name not in (*FIGURES, *SENTIMENT)]
    opened = onnx.load_from_string(keep_outputs(opened.SerializeToString(), [*others, tweets]))
    drop_unused(opened)
    graph = Graph(prefix="figures_")
    shape = graph.add("Shape", "ids")
    words = graph.add("Shape", "pool", start=0, end=2)
    figure_head(graph, layers, weights, shape, words)
    valence = sentiment_head(graph, layers, weights, shape, words, head=_VALENCE)
    graph.add("Concat", tweets, valence, axis=1, name=SENTIMENT[0])
    outputs = {FIGURES[0]: ["batch", "word", len(FIGURE_OUTPUTS)]}
    put_in(opened, graph, {**outputs, SENTIMENT[0]: ["batch", len(SENTIMENT_OUTPUTS)]})
    changed: bytes = opened.SerializeToString()
    return changed


_TWEETS = "tweet_sentiment"


def _without_valence(model: Any) -> str:
    """Take the output for sentiment away, and name what it says without valence."""
    nodes = model.graph.node
    [last] = [node for node in nodes if SENTIMENT[0] in node.output]
    if last.op_type == "Concat":
        nodes.remove(last)
    else:
        last.output[0] = _TWEETS
    return _TWEETS
