"""`trope train encoder`: treebanks, metaphor sets and texts in, the shipped encoder out.

Each stage leaves a file in the work folder, so that an interrupted run can be resumed: prepare
(words to pieces, labels to numbers) → teachers of each task (a large public encoder) → their soft
labels of the corpora → student (a small encoder that learns all tasks at once) → export. Meaning
needs no trained teacher: a public encoder gives the vectors of words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.encoder.network import Network
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import SENTIMENT_OUTPUTS, Labels
from trope.train.encoder.corpus import (
    collect_labels,
    encode_treebank,
    encode_verdicts,
    encode_words,
)
from trope.train.encoder.development import (
    calibrations,
    export_seeds,
    fold,
    note_figures,
    rescale,
    seeded,
    thresholds,
)
from trope.train.encoder.export import export
from trope.train.encoder.figure_development import calibrate_figures
from trope.train.encoder.figure_sets import encode_figures, read_figure_set, read_metaphor_set
from trope.train.encoder.folds import train_folds
from trope.train.encoder.name_sets import (
    LABELS,
    TAGS,
    encode_names,
    encode_tags,
    read_name_set,
    read_tag_set,
)
from trope.train.encoder.run import (
    DEV_TAGS,
    TREEBANKS,
    EncoderRun,
    EncoderSettings,
    check_sets,
    fit_run,
    guard_choice,
    new_model,
    save_model,
)
from trope.train.encoder.sentiment_sets import encode_sentiment_texts, read_sentiment_set
from trope.train.encoder.synthetic_headlines import as_headline, raising_headlines
from trope.train.encoder.teachers import (
    lessons_with_soft_labels,
    train_stage,
    write_soft_labels,
)
from trope.train.encoder.text_sets import read_text_set, read_treebank

Module = TypeVar("Module", bound=nn.Module)

_IN_32_BITS = (
    "label_classes", "metaphor", "target", "attention", "figurative",
    "glances", "feelings", "readings", "figures", "tags",
)  # fmt: skip
"""Last layers of heads, which cost nothing: they stay exact."""


def train_student(run: EncoderRun, seed: int) -> Path:
    """The small encoder, fitted to labels and to the soft labels of the teachers."""
    path = run.work / f"student-{seed}.safetensors"
    if path.exists():
        return path
    model = fit_student(run, tuple(run.tasks()), seed)
    run.say(f"student of seed {seed}: {note_figures(run, model, path)}")
    save_model(model, path)
    return path


def fit_student(run: EncoderRun, tasks: tuple[str, ...], seed: int) -> Network:
    """A small network for these tasks, fitted to the labels and soft labels of the run."""
    for task in tasks:
        write_soft_labels(run, task)
    settings = run.settings.student
    model = quantise(new_model(run, settings, tasks, seed))
    lessons = lessons_with_soft_labels(run, "student_passes", list(tasks))
    fit_run(run, model, lessons, settings, seed)
    return model


def _export_student(run: EncoderRun, seed: int, out: Path) -> None:
    """The files that ship, with calibration folded into the last layers."""
    weights = load_file(train_student(run, seed))
    labels = run.labels()
    if "metaphor" in run.tasks():
        model = quantise(Network(run.settings.student.base, labels, None, tuple(run.tasks())))
        model.load_state_dict(weights)
        chosen = calibrations(run, model)
        fold(weights, chosen)
        rescale(run, model, weights)
        labels = msgspec.structs.replace(labels, metaphor=thresholds(chosen))
        if model.figures is not None:
            figures = calibrate_figures(run, model, chosen["metaphor"])
            figures.fold(weights)
            labels = msgspec.structs.replace(labels, figures=figures.thresholds)
    arrays = {name: value.float().numpy() for name, value in weights.items()}
    export(arrays, labels, run.vocabulary(), out)


def train_encoder(
    *,
    data: Path,
    out: Path,
    seeds: int = 1,
    folds: str | None = None,
    stage: str | None = None,
    **choices: Any,
) -> None:
    """All stages, or one; those whose files are there already are skipped."""
    run = begin(data=data, **choices)
    if stage is not None:
        train_stage(run, stage, run.tasks(), seeded(run, seeds, "student", train_student))
        return
    if folds is not None:
        train_folds(run, folds, "small", fit_student, data, out)
        return
    export_seeds(run, seeds, "student", train_student, _export_student, out)


def begin(
    *,
    settings: EncoderSettings,
    without: frozenset[str],
    data: Path,
    work: Path,
    device: str,
    say: MessageWriter,
    tasks: tuple[str, ...] = ("syntax",),
) -> EncoderRun:
    """A run whose corpora are prepared, with sets for these tasks at least."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")  # exact enough for numbers of 8 bits, and fast
    run = EncoderRun(settings, without, work, device, say)
    check_sets(run, tasks)
    guard_choice(run)
    if not (run.work / "prepared").exists():
        prepare(run, data)
    return run


def prepare(run: EncoderRun, data: Path) -> None:
    """Read treebanks, verdicts and texts once; write them as arrays."""
    vocabulary = Vocabulary(run.vocabulary())
    _prepare_treebanks(run, data, vocabulary)
    for chosen in run.sets("metaphor"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            sentences = read_metaphor_set(data, chosen.name, split)
            encode_verdicts(sentences, vocabulary).save(run.work / f"{file}.npz")
            run.say(f"{chosen.name} {split}: {len(sentences)} sentences with verdicts")
    _prepare_figures(run, data, vocabulary)
    _prepare_sentiment(run, data, vocabulary)
    _prepare_names(run, data, vocabulary)
    _prepare_tags(run, data, vocabulary)
    for chosen in run.sets("text"):
        drawn = _draw(read_text_set(data, chosen.name, run.say), chosen.share)
        corpus, _ = encode_words(drawn, vocabulary)
        corpus.save(run.work / f"{chosen.name}.npz")
    (run.work / "prepared").touch()


def _draw(sentences: Iterable[tuple[str, ...]], share: float) -> Iterator[tuple[str, ...]]:
    """A share of the sentences, the same ones in every run: their wording decides."""
    for words in sentences:
        digest = hashlib.md5(" ".join(words).encode(), usedforsecurity=False).digest()
        if int.from_bytes(digest[:4], "big") < share * 2**32:
            yield words


def _prepare_treebanks(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    gold = {s.name: read_treebank(data, s.name, "train") for s in run.sets("syntax")}
    labels = collect_labels([s for sentences in gold.values() for s in sentences])
    _write_labels(run, labels)
    rng = np.random.default_rng(run.settings.seed)
    headlines = [h for s in gold.get("ewt", []) if (h := as_headline(s, rng))]
    headlines += raising_headlines(len(headlines) // 4, rng)
    together = [*(s for sentences in gold.values() for s in sentences), *headlines]
    encode_treebank(together, labels, vocabulary).save(run.work / f"{TREEBANKS}.npz")
    for name in gold:
        dev = encode_treebank(read_treebank(data, name, "dev"), labels, vocabulary)
        dev.save(run.work / f"dev-{name}.npz")
    run.say(f"treebanks: {len(together)} sentences, {len(headlines)} of them made headlines")


def _prepare_figures(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("figures"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            sentences = read_figure_set(data, chosen.name, split)
            encode_figures(sentences, vocabulary).save(run.work / f"{file}.npz")
            run.say(f"{chosen.name} {split}: {len(sentences)} sentences with figures")


def _prepare_tags(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("names"):
        sentences = read_tag_set(data, chosen.name, "train")
        encode_tags(sentences, vocabulary).save(run.work / f"{chosen.name}.npz")
        run.say(f"{chosen.name}: {len(sentences)} sentences with tagged names")
    if run.sets("names"):
        dev = read_tag_set(data, "", "dev")
        encode_tags(dev, vocabulary).save(run.work / f"{DEV_TAGS}.npz")
        _write_labels(run, msgspec.structs.replace(run.labels(), names=TAGS))


def _prepare_sentiment(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("sentiment"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            texts = read_sentiment_set(data, chosen.name, split)
            if texts:
                encode_sentiment_texts(texts, vocabulary).save(run.work / f"{file}.npz")
                run.say(f"{chosen.name} {split}: {len(texts)} texts with sentiment")
    if run.sets("sentiment"):
        _write_labels(run, msgspec.structs.replace(run.labels(), sentiment=SENTIMENT_OUTPUTS))


def _prepare_names(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("metonymy"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            names = read_name_set(data, chosen.name, split, run.settings.seed, without=run.without)
            if names:
                encode_names(names, vocabulary).save(run.work / f"{file}.npz")
                run.say(f"{chosen.name} {split}: {len(names)} sentences with names")
    if run.sets("metonymy"):
        _write_labels(run, msgspec.structs.replace(run.labels(), metonymy=LABELS))


def _write_labels(run: EncoderRun, labels: Labels) -> None:
    labels = msgspec.structs.replace(labels, meaning=run.settings.meaning)
    with atomic_write(run.work / "labels.json", "wb") as file:
        file.write(msgspec.json.encode(labels))  # type: ignore[arg-type]


# simulated 8-bit arithmetic, exactly as the graph computes: weights are kept per column and
# activations per row, so that export costs the student nothing


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
