"""What a model of `trope train encoder` says on development data: figures and calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import copytree

import msgspec
import numpy as np
import torch

from trope.core.files import atomic_write
from trope.core.progress import Say
from trope.core.records import MetaphorThresholds
from trope.encoder.network import Network
from trope.train.dev import (
    Calibration,
    calibrate,
    metaphor_figures,
    metaphor_logits,
    syntax_figures,
)
from trope.train.dev_whole import fit_scale, metonymy_figures, said_scores, sentiment_figures
from trope.train.encoder_run import TASKS, EncoderRun

DEV_SCORES, DEV_NAMES = "dev-semeval2015", "dev-semeval2007-names"


def note_figures(run: EncoderRun, model: Network, path: Path) -> dict[str, dict[str, float]]:
    """The model's figures on development data, which are kept beside its weights."""
    figures = dev_figures(run, model)
    with atomic_write(path.with_suffix(".json"), "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(figures)))  # type: ignore[arg-type]
    return figures


def dev_figures(run: EncoderRun, model: Network) -> dict[str, dict[str, float]]:
    """Figures of all heads on development data."""
    figures = {}
    if model.syntax is not None:
        for chosen in run.sets("syntax"):
            corpus = run.corpus(f"dev-{chosen.name}")
            figures[chosen.name] = syntax_figures(model, corpus, run.labels(), run.device)
    if model.metaphor is not None:
        corpora = {s.name: run.corpus(f"dev-{s.name}") for s in run.sets("metaphor")}
        figures["metaphor"] = metaphor_figures(model, corpora, run.device)
    if model.sentiment is not None and run.has(DEV_SCORES):
        figures["sentiment"] = sentiment_figures(model, run.corpus(DEV_SCORES), run.device)
    if model.metonymy is not None and run.has(DEV_NAMES):
        corpus = run.corpus(DEV_NAMES)
        figures["metonymy"] = metonymy_figures(model, corpus, run.labels(), run.device)
    return figures


def quality_of(path: Path) -> float:
    """The mean of the figures on development data that count, as kept beside the weights."""
    kept = path.with_suffix(".json").read_bytes()
    figures = msgspec.json.decode(kept, type=dict[str, dict[str, float]])
    counted = [
        value
        for name, values in figures.items()
        for kind, value in values.items()
        if kind == "las" or (name in TASKS and kind != "mse")
    ]
    return float(np.mean(counted))


def export_seeds(
    run: EncoderRun,
    seeds: int,
    kind: str,
    train: Callable[[EncoderRun, int], Path],
    export: Callable[[EncoderRun, int, Path], None],
    out: Path,
) -> None:
    """Train and export so many, each into a folder of the work folder; the best one goes out."""
    quality = {}
    for seed in range(run.settings.seed, run.settings.seed + seeds):
        own = run.work / f"{kind}-{seed}"
        export(run, seed, own)
        quality[own] = quality_of(train(run, seed))
    keep_best(quality, out, run.say)


def keep_best(quality: Mapping[Path, float], out: Path, say: Say) -> None:
    """Copy the best of the models, each in a folder that stays: their spread can be measured."""
    best = max(quality, key=lambda folder: quality[folder])
    copytree(best, out, dirs_exist_ok=True)
    which = f", that of {best.name}, the best on development data" if len(quality) > 1 else ""
    say(f"the model is in {out}{which}")


def calibrations(run: EncoderRun, model: Network) -> dict[str, Calibration]:
    """Calibration and thresholds of the metaphor heads, from development data."""
    vua, newsmet = run.corpus("dev-vua"), run.corpus("dev-newsmet")
    words = metaphor_logits(model, vua, run.device)["metaphor"]
    whole = metaphor_logits(model, newsmet, run.device)["figurative"]
    return {
        "metaphor": calibrate(words, vua.labels["metaphor"], by="f1"),
        "figurative": calibrate(whole, newsmet.sentence_labels["figurative"], by="macro_f1"),
    }


def fold(weights: dict[str, torch.Tensor], chosen: dict[str, Calibration]) -> None:
    """Make the last layers give calibrated logits."""
    for name, calibration in chosen.items():
        weight, bias = f"metaphor.{name}.weight", f"metaphor.{name}.bias"
        weights[weight] = weights[weight] * calibration.slope
        weights[bias] = weights[bias] * calibration.slope + calibration.shift


def rescale(run: EncoderRun, model: Network, weights: dict[str, torch.Tensor]) -> None:
    """Make the sentiment head's scores err least on development data."""
    if model.sentiment is None or not run.has(DEV_SCORES):
        return
    corpus = run.corpus(DEV_SCORES)
    slope, shift = fit_scale(said_scores(model, corpus, run.device), corpus)
    weight, bias = "sentiment.feelings.weight", "sentiment.feelings.bias"
    weights[weight][0] = weights[weight][0] * slope
    weights[bias][0] = weights[bias][0] * slope + shift


def thresholds(chosen: dict[str, Calibration]) -> MetaphorThresholds:
    """The thresholds as a model's labels keep them."""
    return MetaphorThresholds(chosen["metaphor"].threshold, chosen["figurative"].threshold)
