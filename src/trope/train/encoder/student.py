"""`trope train encoder`: treebanks, metaphor sets and texts in, the shipped encoder out.

Each stage leaves a file in the work folder, so that an interrupted run can be resumed: prepare
(words to pieces, labels to numbers) → teachers of each task (a large public encoder) → their soft
labels of the corpora → student (a small encoder that learns all tasks at once) → export. Meaning
needs no trained teacher: a public encoder gives the vectors of words.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors.torch import load_file

from trope.core.progress import MessageWriter
from trope.encoder.network import Network
from trope.train.encoder.development import (
    calibrations,
    export_seeds,
    fold,
    note_figures,
    rescale,
    thresholds,
)
from trope.train.encoder.export import export
from trope.train.encoder.figure_development import calibrate_figures
from trope.train.encoder.folds import train_folds
from trope.train.encoder.preparation import prepare
from trope.train.encoder.quantisation import quantise
from trope.train.encoder.run import (
    EncoderRun,
    EncoderSettings,
    check_sets,
    fit_run,
    guard_choice,
    new_model,
    save_model,
)
from trope.train.encoder.teachers import lessons_with_soft_labels, write_soft_labels


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
    *, data: Path, out: Path, seeds: int = 1, folds: str | None = None, **choices: Any
) -> None:
    """All stages; those whose files are there already are skipped."""
    run = begin(data=data, **choices)
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
