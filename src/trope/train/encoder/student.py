"""`trope train encoder`: treebanks, metaphor sets and texts in, the shipped encoder out.

Each stage leaves a file in the work folder, so that an interrupted run can be resumed: prepare
(words to pieces, labels to numbers) → teachers of each task (a large public encoder) → their soft
labels of the corpora → student (a small encoder that learns all tasks at once) → export. Meaning
needs no trained teacher: a public encoder gives the vectors of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from trope.core.errors import BadInput
from trope.core.progress import MessageWriter
from trope.encoder.network import MetaphorHeads, Network
from trope.encoder.pieces import Vocabulary
from trope.train.encoder.bases import fetch, has_base, has_half, keep_half
from trope.train.encoder.development import (
    calibrations,
    choose_seed,
    fold,
    is_exported,
    mark_exported,
    note_figures,
    rescale,
    thresholds,
)
from trope.train.encoder.export import export
from trope.train.encoder.figure_development import (
    calibrate_figures,
    doubt_of_names,
    judge_sets,
)
from trope.train.encoder.fit import FitSettings
from trope.train.encoder.folds import train_folds
from trope.train.encoder.headline_head import (
    HeadlineRun,
    average_teachers,
    learn_opinion,
    take_over,
)
from trope.train.encoder.headline_settings import read_headline_settings
from trope.train.encoder.run import (
    EncoderRun,
    EncoderSettings,
    check_sets,
    fit_run,
    guard_choice,
    is_prepared,
    new_model,
    prepare,
    save_model,
)
from trope.train.encoder.stages import (
    EXPORT,
    HALF,
    PREPARE,
    WEIGHTS,
    SideBySide,
    Stage,
    do_stage,
    run_side_by_side,
)
from trope.train.encoder.teachers import (
    LABELS_OF,
    fitting_work,
    lessons_with_soft_labels,
    teacher_stages,
    write_soft_labels,
)

HEADLINES = "headlines"
"""The stage in which teachers judge headlines that nobody labelled."""
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
    model = quantise(Network(run.settings.student.base, labels, None, tuple(run.tasks())))
    model.load_state_dict(weights)
    if model.names is not None:
        weights["names.tags.bias"][labels.names.index("O")] += doubt_of_names(run, model)
    if "metaphor" in run.tasks():
        if run.judges_headlines():
            weights |= _learn_headlines(run, model)
        chosen = calibrations(run, model)
        fold(weights, chosen)
        rescale(run, model, weights)
        labels = msgspec.structs.replace(labels, metaphor=thresholds(chosen))
        if model.figures is not None:
            figures = calibrate_figures(judge_sets(run, model), chosen["metaphor"])
            figures.fold(weights)
            labels = msgspec.structs.replace(labels, figures=figures.thresholds)
    arrays = {name: value.float().numpy() for name, value in weights.items()}
    export(arrays, labels, run.vocabulary(), out)


def _headline_run(run: EncoderRun, data: Path = Path()) -> HeadlineRun:
    vocabulary = Vocabulary(run.vocabulary())
    settings = read_headline_settings(None)
    return HeadlineRun(settings, data, run.work, vocabulary, run.device, run.say)


def _learn_headlines(run: EncoderRun, model: Network) -> dict[str, Tensor]:
    """The layers that judge whole sentences, as the teachers of headlines would have them."""
    assert model.metaphor is not None
    sizes = model.trunk.size, len(model.metaphor.mix.weights)
    model.to(run.device)
    own = learn_opinion(_headline_run(run), model, lambda: quantise(MetaphorHeads(*sizes)))
    take_over(model, own, run.device)
    return {name: value.cpu() for name, value in own.items()}


def train_encoder(
    *, data: Path, out: Path, seeds: int = 1, folds: str | None = None, **choices: Any
) -> None:
    """All stages, or one; those whose files are there already are skipped."""
    run, way = begin(**choices, folds=folds)
    if folds is not None:
        prepare(run, data)
        train_folds(run, folds, "small", fit_student, data, out)
        return
    tier = TrainedTier("student", tuple(run.tasks()), train_student, _export_student)
    train_tier(run, tier, data, out, seeds, way)


@dataclass(frozen=True, slots=True)
class TrainedTier:
    """A tier that a run trains: its settings and files are called `kind`."""

    kind: Literal["student", "base"]
    tasks: tuple[str, ...]
    train: Callable[[EncoderRun, int], Path]
    export: Callable[[EncoderRun, int, Path], None]


@dataclass(frozen=True, slots=True)
class Way:
    """How a run goes: one stage alone, stages side by side, or one after the other here."""

    stage: str | None = None
    side_by_side: SideBySide | None = None


def begin(
    *,
    settings: EncoderSettings,
    without: frozenset[str],
    work: Path,
    device: str,
    say: MessageWriter,
    tasks: tuple[str, ...] = ("syntax",),
    folds: str | None = None,
    stage: str | None = None,
    jobs: int = 1,
    until: tuple[str, ...] = (),
    minutes: float | None = None,
    given: tuple[str, ...] = (),
) -> tuple[EncoderRun, Way]:
    """A run with sets for these tasks at least, and how it goes.

    Raises:
        BadInput: for sets that make no model, and for two ways at once.
    """
    several = None
    if jobs > 1 or until or minutes is not None:
        several = SideBySide(jobs, given, until, minutes)
    if sum(way is not None for way in (folds, stage, several)) > 1:
        kinds = "--folds, --stage and --jobs (or --until, --minutes)"
        raise BadInput(f"{kinds} are different ways of a run; give one of them")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")  # exact enough for numbers of 8 bits, and fast
    run = EncoderRun(settings, without, work, device, say)
    check_sets(run, tasks)
    guard_choice(run)
    return run, Way(stage, several)


def train_tier(
    run: EncoderRun, tier: TrainedTier, data: Path, out: Path, seeds: int, way: Way
) -> None:
    """The stages of a tier; at the end the best of the models goes to OUT."""
    stages = {stage.name: stage for stage in _stages(run, tier, data, seeds)}
    if way.stage is not None:
        do_stage(stages, way.stage, run.work)
        return
    if way.side_by_side is not None:
        done = run_side_by_side(stages, way.side_by_side, run.work, run.say, f"-{tier.kind}")
        if not done or way.side_by_side.until:
            return
    else:
        prepare(run, data)
        for name, stage in stages.items():
            if name.startswith((HEADLINES, EXPORT)) and not stage.done():
                stage.do()
    choose_seed(run, seeds, tier.kind, out)


def _stages(run: EncoderRun, tier: TrainedTier, data: Path, seeds: int) -> Iterator[Stage]:
    """All stages of a run, those that others need before them."""
    settings: FitSettings = getattr(run.settings, tier.kind)
    taught = [run.settings.teachers[task].each() for task in run.settings.teachers]
    used = [settings.base, run.settings.base.base, *(one.base for fits in taught for one in fits)]
    for base in dict.fromkeys(("bert-vocabulary", *used)):
        public = f"{WEIGHTS}-{base}"
        yield Stage(public, partial(fetch, base, run.work), partial(has_base, base, run.work))
        if base != "bert-vocabulary":
            half = partial(keep_half, base, run.work)
            yield Stage(f"{HALF}-{base}", half, partial(has_half, base, run.work), (public,))
    ready = partial(is_prepared, run)
    yield Stage(PREPARE, partial(prepare, run, data), ready, (f"{WEIGHTS}-bert-vocabulary",))
    yield from teacher_stages(run, tier.tasks)
    judges = run.judges_headlines() and tier.kind == "student"
    if judges:
        yield Stage(
            HEADLINES,
            lambda: average_teachers(_headline_run(run, data)),
            (run.work / "opinion.npy").exists,
            (PREPARE, f"{WEIGHTS}-all-mpnet-base-v2"),
        )
    for seed in run.seeds(seeds):
        name = f"{tier.kind}-{seed}"
        weights = run.work / f"{name}.safetensors"
        yield Stage(
            name,
            partial(tier.train, run, seed),
            weights.exists,
            (PREPARE, f"{WEIGHTS}-{settings.base}", *(f"{LABELS_OF}-{t}" for t in tier.tasks)),
            partial(fitting_work, run, settings, f"{tier.kind}_passes"),
        )
        yield Stage(
            f"{EXPORT}-{name}",
            partial(_export, run, tier, seed),
            partial(is_exported, weights),
            (PREPARE, name, *((HEADLINES,) if judges else ())),
        )


def _export(run: EncoderRun, tier: TrainedTier, seed: int) -> None:
    """Write what ships of one model into a folder of the work folder."""
    name = f"{tier.kind}-{seed}"
    tier.export(run, seed, run.work / name)
    mark_exported(run.work / f"{name}.safetensors")


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
