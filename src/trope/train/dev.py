"""Figures on development data, and what is chosen by them: calibration and thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize

from trope.encoder.network import Network
from trope.encoder.session import Labels
from trope.encoder.trees import best_heads
from trope.train.corpus import UNKNOWN, Corpus, batches, universal_relations
from trope.train.fit import on_device
from trope.train.teach import as_float

Floats = npt.NDArray[np.float64]


@torch.inference_mode()
def syntax_figures(model: Network, corpus: Corpus, labels: Labels, device: str) -> dict[str, float]:
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
def metaphor_logits(model: Network, corpus: Corpus, device: str) -> dict[str, Floats]:
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


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probability = sigmoid(slope · logit + shift); a metaphor from `threshold` on."""

    slope: float
    shift: float
    threshold: float


def calibrate(logits: Floats, answers: npt.NDArray[np.int64], *, by: str) -> Calibration:
    """Platt's scaling, and the threshold of the best figure: "f1" of metaphors or "macro_f1"."""
    known = answers != UNKNOWN
    logits, truth = logits[known], answers[known].astype(float)

    def loss(parameters: Floats) -> float:
        line = parameters[0] * logits + parameters[1]
        return float((np.logaddexp(0, line) - truth * line).mean())

    # without derivatives: two parameters, and no step that could run away
    slope, shift = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    shares = _sigmoid(slope * logits + shift)
    return Calibration(float(slope), float(shift), best_threshold(shares, truth > 0, by=by))


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -60, 60))))


def best_threshold(shares: Floats, truth: npt.NDArray[np.bool_], *, by: str) -> float:
    """The threshold, in steps of 0.005, with the best figure; the middle of the best ones."""
    grid = np.arange(0.05, 0.951, 0.005)
    figures = np.array([_quality(shares >= t, truth, by) for t in grid])
    return round(float(grid[figures >= figures.max() - 1e-9].mean()), 4)


def _quality(called: npt.NDArray[np.bool_], truth: npt.NDArray[np.bool_], by: str) -> float:
    def f1(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_]) -> float:
        return float(2 * (a & b).sum() / max(a.sum() + b.sum(), 1))

    return f1(called, truth) if by == "f1" else (f1(called, truth) + f1(~called, ~truth)) / 2


def metaphor_figures(model: Network, corpora: dict[str, Corpus], device: str) -> dict[str, float]:
    """F1 of words on VUA's and accuracy and macro-F1 of headlines on NewsMet's development data."""
    figures: dict[str, float] = {}
    for name, kind, by in (("vua", "metaphor", "f1"), ("newsmet", "figurative", "macro_f1")):
        if name in corpora:
            corpus = corpora[name]
            answers = {**corpus.labels, **corpus.sentence_labels}[kind]
            said = metaphor_logits(model, corpus, device)[kind]
            figures |= figures_when(name, said, answers, by=by)
    return figures


def figures_when(
    name: str, logits: Floats, answers: npt.NDArray[np.int64], *, by: str
) -> dict[str, float]:
    """How well a set is judged when calibration and threshold are chosen on that very set.

    Such figures flatter; they are for comparing models with each other.
    """
    chosen = calibrate(logits, answers, by=by)
    called = _sigmoid(chosen.slope * logits + chosen.shift) >= chosen.threshold
    figures = {f"{name}_{by}": round(_quality(called, answers == 1, by), 4)}
    if by == "macro_f1":
        figures[f"{name}_accuracy"] = round(float((called == (answers == 1)).mean()), 4)
    return figures
