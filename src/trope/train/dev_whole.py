"""Figures of sentiment and metonymy on development data, and the scale of the scores."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch

from trope.encoder.network import Network
from trope.encoder.session import Labels
from trope.train.corpus import UNKNOWN, ZERO, Corpus, batches
from trope.train.dev import Floats
from trope.train.fit import on_device

WORDS_A_BATCH = 8192


@torch.inference_mode()
def said_scores(model: Network, corpus: Corpus, device: str) -> Floats:
    """The score of every sequence."""
    model.to(device).eval()
    scores = np.zeros(len(corpus))
    for arrays in batches(corpus, WORDS_A_BATCH, None):
        said = model(on_device(arrays, device)).sentiment
        scores[arrays["sentence"]] = said[:, 0].float().cpu().numpy()
    model.train()
    return scores


def given_scores(corpus: Corpus) -> tuple[Floats, Floats]:
    """People's scores of all sequences, and the weights that make the categories as in the test."""
    given = (corpus.sentence_labels["score"] - ZERO) / 100
    return given, corpus.sentence_labels["weight"] / 100


def fit_scale(said: Floats, corpus: Corpus) -> tuple[float, float]:
    """Slope and shift by which the scores err least from people's."""
    given, weight = given_scores(corpus)
    slope, shift = np.polyfit(said, given, 1, w=np.sqrt(weight))
    return float(slope), float(shift)


def sentiment_figures(model: Network, corpus: Corpus, device: str) -> dict[str, float]:
    """Weighted cosine and squared error of the rescaled and rounded scores."""
    said = said_scores(model, corpus, device)
    slope, shift = fit_scale(said, corpus)
    ours = np.clip(np.floor(slope * said + shift + 0.5), -5, 5)
    given, weight = given_scores(corpus)
    length = np.sqrt((weight * ours**2).sum() * (weight * given**2).sum())
    return {
        "cosine": round(float((weight * ours * given).sum() / length), 4),
        "mse": round(float((weight * (ours - given) ** 2).sum() / weight.sum()), 4),
    }


@torch.inference_mode()
def name_logits(model: Network, corpus: Corpus, device: str) -> Floats:
    """The logits of each sentence's name, the mean over its words."""
    model.to(device).eval()
    name = corpus.labels["name"]
    logits = []
    order = []
    for arrays in batches(corpus, WORDS_A_BATCH, None):
        said = model(on_device(arrays, device)).metonymy.float().cpu().numpy()
        word = arrays["word"]
        at = (word >= 0) & (name[np.maximum(word, 0)] != UNKNOWN)
        logits += [row[here].mean(0) for row, here in zip(said, at, strict=True)]
        order += list(arrays["sentence"])
    model.train()
    found = np.zeros((len(corpus), logits[0].shape[0]))
    found[order] = logits
    return found


def metonymy_figures(
    model: Network, corpus: Corpus, labels: Labels, device: str
) -> dict[str, float]:
    """Accuracy, coarse and fine, of each class of names."""
    logits = name_logits(model, corpus, device)
    kinds = np.asarray([label.split(":")[0] for label in labels.metonymy])
    literal = np.asarray([label.endswith(":literal") for label in labels.metonymy])
    answers = name_answers(corpus)
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


def name_answers(corpus: Corpus) -> npt.NDArray[np.int64]:
    """The reading of each sentence's name."""
    starts = corpus.sentence_starts
    reading = corpus.labels["reading"]
    return np.asarray([reading[a:b].max() for a, b in pairwise(starts)])


def _mean(right: npt.NDArray[np.bool_]) -> float:
    return round(float(right.mean()), 4)
