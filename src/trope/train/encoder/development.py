"""Figures on development data, and what is chosen by them: calibration and thresholds."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from shutil import copytree

import msgspec
import numpy as np
import numpy.typing as npt
import torch

from trope.core.files import atomic_write
from trope.core.records import MetaphorThresholds
from trope.encoder.network import Network
from trope.encoder.session import Labels
from trope.encoder.trees import best_heads
from trope.tasks.sentiment.task import to_integers
from trope.train.encoder.calibration import Calibration, Floats, calibrate, figures_when
from trope.train.encoder.corpus import UNKNOWN, ZERO, EncodedCorpus, batches, universal_relations
from trope.train.encoder.figure_development import (
    figure_figures,
    judge_sets,
    name_figures,
    valence_figures,
)
from trope.train.encoder.fit import on_device
from trope.train.encoder.losses import as_float
from trope.train.encoder.name_sets import PLACE
from trope.train.encoder.run import DEV_TAGS, TASKS, EncoderRun


@torch.inference_mode()
def syntax_figures(
    model: Network, corpus: EncodedCorpus, labels: Labels, device: str
) -> dict[str, float]:
    """Shares of right tags, lemmas, heads and labelled heads (universal relations) on dev data."""
    model.to(device).eval()
    assert model.syntax is not None
    families = universal_relations(labels)
    family = np.asarray([families.index(d.split(":")[0]) for d in labels.deprels])
    right = {"upos": 0, "xpos": 0, "lemma": 0, "uas": 0, "las": 0}
    known = dict.fromkeys(right, 0)
    for arrays in batches(corpus, 8192, None):
        scores = as_float(model(on_device(arrays, device)).syntax)
        word = arrays["word"]
        there = word >= 0
        gold = {k: v[word[there]] for k, v in corpus.labels.items()}
        for name in ("upos", "xpos", "lemma"):
            guess = getattr(scores, name).argmax(-1).cpu().numpy()[there]
            right[name] += int(((guess == gold[name]) & (gold[name] != UNKNOWN)).sum())
            known[name] += int((gold[name] != UNKNOWN).sum())
        heads = np.zeros(word.shape, dtype=np.int64)
        arcs = scores.arcs.cpu().numpy()
        for row, length in enumerate(there.sum(1)):
            heads[row, :length] = np.asarray(best_heads(arcs[row, :length, : length + 1])) + 1
        guess = model.syntax.labels(scores, torch.from_numpy(heads).to(device)).argmax(-1)
        attached = heads[there] == gold["head"]
        named = family[guess.cpu().numpy()[there]] == gold["universal"]
        right["uas"] += int(attached.sum())
        right["las"] += int((attached & named).sum())
        known["uas"] += len(attached)
        known["las"] += len(attached)
    model.train()
    return {name: round(right[name] / max(known[name], 1), 4) for name in right if known[name]}


@torch.inference_mode()
def _metaphor_logits(model: Network, corpus: EncodedCorpus, device: str) -> dict[str, Floats]:
    """Logits of every word ("metaphor") and of every sentence ("figurative")."""
    model.to(device).eval()
    words = np.zeros(int(corpus.sentence_starts[-1]))
    whole = np.zeros(len(corpus))
    for arrays in batches(corpus, 8192, None):
        scores = model(on_device(arrays, device)).metaphor
        there = arrays["word"] >= 0
        words[arrays["word"][there]] = scores.metaphor.float().cpu().numpy()[there]
        whole[arrays["sentence"]] = scores.figurative.float().cpu().numpy()
    model.train()
    return {"metaphor": words, "figurative": whole}


def _metaphor_figures(
    model: Network, corpora: dict[str, EncodedCorpus], device: str
) -> dict[str, float]:
    """F1 of words on VUA's and accuracy and macro-F1 of headlines on NewsMet's development data."""
    figures: dict[str, float] = {}
    for name, kind, by in (("vua", "metaphor", "f1"), ("newsmet", "figurative", "macro_f1")):
        if name in corpora:
            corpus = corpora[name]
            answers = {**corpus.labels, **corpus.sentence_labels}[kind]
            predicted = _metaphor_logits(model, corpus, device)[kind]
            figures |= figures_when(name, predicted, answers, by=by)
    return figures


_WORDS_PER_BATCH = 8192


@torch.inference_mode()
def predicted_scores(model: Network, corpus: EncodedCorpus, device: str) -> Floats:
    """The score of every sequence."""
    model.to(device).eval()
    scores = np.zeros(len(corpus))
    for arrays in batches(corpus, _WORDS_PER_BATCH, None):
        predicted = model(on_device(arrays, device)).sentiment
        scores[arrays["sentence"]] = predicted[:, 0].float().cpu().numpy()
    model.train()
    return scores


def _given_scores(corpus: EncodedCorpus) -> tuple[Floats, Floats]:
    """People's scores of all sequences, and the weights that make the categories as in the test."""
    given = (corpus.sentence_labels["score"] - ZERO) / 100
    return given, corpus.sentence_labels["weight"] / 100


def fit_scale(predicted: Floats, corpus: EncodedCorpus) -> tuple[float, float]:
    """Slope and shift by which the scores err least from people's."""
    given, weight = _given_scores(corpus)
    slope, shift = np.polyfit(predicted, given, 1, w=np.sqrt(weight))
    return float(slope), float(shift)


def sentiment_figures(model: Network, corpus: EncodedCorpus, device: str) -> dict[str, float]:
    """Weighted cosine and squared error of the rescaled and rounded scores."""
    predicted = predicted_scores(model, corpus, device)
    slope, shift = fit_scale(predicted, corpus)
    ours = np.array(to_integers((slope * predicted + shift).tolist()), dtype=np.float64)
    given, weight = _given_scores(corpus)
    length = np.sqrt((weight * ours**2).sum() * (weight * given**2).sum())
    return {
        "cosine": round(float((weight * ours * given).sum() / length), 4),
        "mse": round(float((weight * (ours - given) ** 2).sum() / weight.sum()), 4),
    }


@torch.inference_mode()
def name_logits(model: Network, corpus: EncodedCorpus, device: str) -> Floats:
    """The logits of each sentence's name, the mean over its words."""
    model.to(device).eval()
    name = corpus.labels["name"]
    logits = []
    order = []
    for arrays in batches(corpus, _WORDS_PER_BATCH, None):
        predicted = model(on_device(arrays, device)).metonymy.float().cpu().numpy()
        word = arrays["word"]
        at = (word >= 0) & (name[np.maximum(word, 0)] != UNKNOWN)
        logits += [row[here].mean(0) for row, here in zip(predicted, at, strict=True)]
        order += list(arrays["sentence"])
    model.train()
    found = np.zeros((len(corpus), logits[0].shape[0]))
    found[order] = logits
    return found


def metonymy_figures(
    model: Network, corpus: EncodedCorpus, labels: Labels, device: str
) -> dict[str, float]:
    """Accuracy, coarse and fine, of each class of names."""
    logits = name_logits(model, corpus, device)
    kinds = np.asarray([label.split(":")[0] for label in labels.metonymy])
    literal = np.asarray([label.endswith(":literal") for label in labels.metonymy])
    answers = _name_answers(corpus)
    figures: dict[str, float] = {}
    for kind in dict.fromkeys(kinds):
        rows = kinds[answers] == kind
        if not rows.any():
            continue
        inside = np.where(kinds == kind, logits[rows], -np.inf)
        shares = np.exp(inside - inside.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        fine = shares.argmax(1) == answers[rows]
        coarse = (shares[:, literal].sum(1) >= 0.5) == literal[answers[rows]]
        figures |= {f"{kind}_fine": _mean(fine), f"{kind}_coarse": _mean(coarse)}
    return figures


def _name_answers(corpus: EncodedCorpus) -> npt.NDArray[np.int64]:
    """The reading of each sentence's name."""
    starts = corpus.sentence_starts
    reading = corpus.labels["reading"]
    return np.asarray([reading[a:b].max() for a, b in pairwise(starts)])


def _mean(right: npt.NDArray[np.bool_]) -> float:
    return round(float(right.mean()), 4)


_DEV_SCORES, _DEV_NAMES = "dev-semeval2015", "dev-semeval2007-names"
_DEV_COARSE = "dev-relocar"
_EXPORTED = ".exported"


def note_figures(run: EncoderRun, model: Network, path: Path) -> dict[str, dict[str, float]]:
    """The model's figures on development data, which are stored with its weights."""
    figures = _dev_figures(run, model)
    with atomic_write(path.with_suffix(".json"), "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(figures)))
    return figures


def _dev_figures(run: EncoderRun, model: Network) -> dict[str, dict[str, float]]:
    """Figures of all heads on development data."""
    figures = {}
    if model.syntax is not None:
        for chosen in run.sets("syntax"):
            corpus = run.corpus(f"dev-{chosen.name}")
            figures[chosen.name] = syntax_figures(model, corpus, run.labels(), run.device)
    if model.metaphor is not None:
        corpora = {s.name: run.corpus(f"dev-{s.name}") for s in run.sets("metaphor")}
        figures["metaphor"] = _metaphor_figures(model, corpora, run.device)
    if model.sentiment is not None and run.has(_DEV_SCORES):
        scores = sentiment_figures(model, run.corpus(_DEV_SCORES), run.device)
        figures["sentiment"] = scores | valence_figures(run, model)
    if model.metonymy is not None and run.has(_DEV_NAMES):
        corpus = run.corpus(_DEV_NAMES)
        figures["metonymy"] = metonymy_figures(model, corpus, run.labels(), run.device)
        if run.has(_DEV_COARSE):
            places = metonymy_figures(model, run.corpus(_DEV_COARSE), run.labels(), run.device)
            figures["metonymy"]["relocar_coarse"] = places[f"{PLACE}_coarse"]
    if model.figures is not None:
        figures["figures"] = figure_figures(judge_sets(run, model))
    if model.names is not None and run.has(DEV_TAGS):
        figures["names"] = name_figures(run, model)
    return figures


def quality_of(path: Path) -> float:
    """The mean of the figures on development data that count, as stored with the weights."""
    kept = path.with_suffix(".json").read_bytes()
    figures = msgspec.json.decode(kept, type=dict[str, dict[str, float]])
    counted = [
        value
        for name, values in figures.items()
        for kind, value in values.items()
        if kind == "las" or (name in TASKS and kind != "mse")
    ]
    return float(np.mean(counted))


def choose_seed(run: EncoderRun, seeds: int, kind: str, out: Path) -> None:
    """Copy the best of the exported models to OUT; all of them stay, to measure their spread."""
    names = [f"{kind}-{seed}" for seed in run.seeds(seeds)]
    quality = {run.work / name: quality_of(run.work / f"{name}.safetensors") for name in names}
    best = max(quality, key=lambda folder: quality[folder])
    copytree(best, out, dirs_exist_ok=True)
    which = f", that of {best.name}, the best on development data" if seeds > 1 else ""
    run.say(f"the model is in {out}{which}")


def is_exported(weights: Path) -> bool:
    """Whether a model was exported after it was trained."""
    mark = weights.with_suffix(_EXPORTED)
    if not mark.exists() or not weights.with_suffix("").is_dir():
        return False
    return not weights.exists() or weights.stat().st_mtime <= mark.stat().st_mtime


def mark_exported(weights: Path) -> None:
    """Note that a model was exported."""
    weights.with_suffix(_EXPORTED).touch()


def calibrations(run: EncoderRun, model: Network) -> dict[str, Calibration]:
    """Calibration and thresholds of the metaphor heads, from development data."""
    vua, newsmet = run.corpus("dev-vua"), run.corpus("dev-newsmet")
    words = _metaphor_logits(model, vua, run.device)["metaphor"]
    whole = _metaphor_logits(model, newsmet, run.device)["figurative"]
    return {
        "metaphor": calibrate(words, vua.labels["metaphor"], by="f1"),
        "figurative": calibrate(whole, newsmet.sentence_labels["figurative"], by="macro_f1"),
    }


def fold(weights: dict[str, torch.Tensor], chosen: dict[str, Calibration]) -> None:
    """Fold the calibration into the last layers."""
    for name, calibration in chosen.items():
        weight, bias = f"metaphor.{name}.weight", f"metaphor.{name}.bias"
        weights[weight] = weights[weight] * calibration.slope
        weights[bias] = weights[bias] * calibration.slope + calibration.shift


def rescale(run: EncoderRun, model: Network, weights: dict[str, torch.Tensor]) -> None:
    """Fold the scaling with the least error on development data into the sentiment head."""
    if model.sentiment is None or not run.has(_DEV_SCORES):
        return
    corpus = run.corpus(_DEV_SCORES)
    slope, shift = fit_scale(predicted_scores(model, corpus, run.device), corpus)
    weight, bias = "sentiment.feelings.weight", "sentiment.feelings.bias"
    weights[weight][0] = weights[weight][0] * slope
    weights[bias][0] = weights[bias][0] * slope + shift


def thresholds(chosen: dict[str, Calibration]) -> MetaphorThresholds:
    """The thresholds as a model's labels keep them."""
    return MetaphorThresholds(chosen["metaphor"].threshold, chosen["figurative"].threshold)
