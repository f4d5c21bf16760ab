"""In which order items are judged next: by a light model's uncertainty, by disagreement, by novelty
or at random.

The light model is a logistic regression over the words of the texts. It is trained anew for each
round, from the labels so far, and never within a request.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Literal

import numpy as np
import numpy.typing as npt

from trope.core.judgments import Judgment
from trope.tasks.linear_model import Features, LinearModel, fit_linear

RoundOrder = Literal["uncertainty", "disagreement", "novelty", "random"]
ROUND_ORDERS: tuple[RoundOrder, ...] = ("uncertainty", "disagreement", "novelty", "random")

LEAST_LABELLED = 20
"""Labelled items below which no model is trained."""

_STRENGTH = 10.0  # of rows of length 1
_COMMITTEE = 5
_WIDTH = 512
_WORD = re.compile(r"\w+|[^\w\s]")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OrderedItems:
    """Places of the pool, those to be judged first in front; `note` says what could not be done."""

    places: list[int]
    by: RoundOrder
    note: str = ""


def order_pool(
    pool: Sequence[str],
    labelled: Sequence[tuple[str, str]],
    by: RoundOrder,
    *,
    size: int,
    seed: int,
    answers: Sequence[Sequence[str]] = (),
) -> OrderedItems:
    """The texts of the pool in the order in which they should be judged; the first `size` matter.

    Args:
        labelled: texts and labels so far.
        answers: for each text of the pool the labels by different models, for the disagreement;
            without them, light models that are trained on different draws of the labels.
    """
    shuffled = list(range(len(pool)))
    Random(seed).shuffle(shuffled)  # equals are in random order
    if by == "random" or not pool:
        return OrderedItems(shuffled, "random")
    if by == "novelty":
        seen = [text for text, _ in labelled]
        return OrderedItems(_farthest_first(pool, seen, shuffled, size), by)
    if by == "disagreement" and answers:
        doubts = np.array([_entropy(given) for given in answers])
        return OrderedItems(sorted(shuffled, key=lambda at: -doubts[at]), by)
    if note := _too_few(labelled):
        return OrderedItems(shuffled, "random", note)
    rows = weigh_words([*pool, *(text for text, _ in labelled)])
    known, labels = rows[len(pool) :], [label for _, label in labelled]
    measure = _margins if by == "uncertainty" else _committee_doubts
    doubts = measure(rows[: len(pool)], known, labels, seed)
    return OrderedItems(sorted(shuffled, key=lambda at: -doubts[at]), by)


def label_texts(judgments: Sequence[Judgment], texts: dict[str, str]) -> list[tuple[str, str]]:
    """The texts with the label that most people gave them; without those that are tied."""
    votes: dict[str, Counter[str]] = {}
    for one in judgments:
        votes.setdefault(one.item, Counter())[one.label] += 1
    found = []
    for item, counts in votes.items():
        (label, number), *rest = counts.most_common(2)
        if item in texts and not (rest and rest[0][1] == number):
            found.append((texts[item], label))
    return found


def weigh_words(texts: Sequence[str]) -> list[Features]:
    """Words and pairs of words of each text by tf-idf over all texts; each row has length 1."""
    counts = [Counter(_terms(text)) for text in texts]
    spread = Counter(term for row in counts for term in row)
    found: list[Features] = []
    for row in counts:
        weights = {
            term: (1 + math.log(number)) * math.log((1 + len(texts)) / spread[term])
            for term, number in row.items()
            if spread[term] > 1  # what one text alone has says nothing about others
        }
        length = math.sqrt(sum(value * value for value in weights.values())) or 1.0
        found.append({term: value / length for term, value in weights.items()})
    return found


def fit_light(rows: Sequence[Features], labels: Sequence[str]) -> LinearModel:
    """The light model of these labels."""
    solver: Literal["liblinear", "lbfgs"] = "liblinear" if len(set(labels)) == 2 else "lbfgs"
    return fit_linear(rows, labels, solver=solver, strength=_STRENGTH, what="the model of a round")


def _terms(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    return words + [f"{one} {other}" for one, other in pairwise(words)]


def _too_few(labelled: Sequence[tuple[str, str]]) -> str:
    kinds = Counter(label for _, label in labelled)
    if len(labelled) < LEAST_LABELLED:
        number = f"{len(labelled)} of {LEAST_LABELLED} items that a model needs have a label"
        return f"{number}, so this round is random"
    return "" if len(kinds) > 1 else "all labels so far are equal, so this round is random"


def _margins(
    pool: Sequence[Features], known: Sequence[Features], labels: Sequence[str], seed: int
) -> Floats:
    """How close the two most probable labels are."""
    shares = np.sort(fit_light(known, labels).probabilities(pool), axis=1)
    margins: Floats = shares[:, -2] - shares[:, -1]
    return margins


def _committee_doubts(
    pool: Sequence[Features], known: Sequence[Features], labels: Sequence[str], seed: int
) -> Floats:
    """How far models that are trained on different draws of the labels are from each other."""
    rng = np.random.default_rng(seed)
    classes = sorted(set(labels))
    shares = np.zeros((_COMMITTEE, len(pool), len(classes)))
    for member in range(_COMMITTEE):
        drawn = rng.integers(0, len(known), len(known))
        if len({labels[at] for at in drawn}) < 2:
            drawn = np.arange(len(known))
        model = fit_light([known[at] for at in drawn], [labels[at] for at in drawn])
        places = [classes.index(name) for name in model.classes]
        shares[member][:, places] = model.probabilities(pool)
    together: Floats = _bits(shares.mean(axis=0)) - _bits(shares).mean(axis=0)
    return together


def _bits(shares: Floats) -> Floats:
    logs = np.log2(np.maximum(shares, 1e-12))
    entropy: Floats = -(shares * logs).sum(axis=-1)
    return entropy


def _entropy(labels: Sequence[str]) -> float:
    counts = np.array(list(Counter(labels).values()), dtype=np.float64)
    return float(_bits(counts / counts.sum())) if len(counts) else 0.0


def _farthest_first(
    pool: Sequence[str], seen: Sequence[str], shuffled: list[int], size: int
) -> list[int]:
    """First what is least like anything judged, then what is least like that too, and so on."""
    vectors = _hashed([*pool, *seen])
    own, judged = vectors[: len(pool)], vectors[len(pool) :]
    closest = np.full(len(pool), -1.0)
    for start in range(0, len(judged), 256):
        closest = np.maximum(closest, (own @ judged[start : start + 256].T).max(axis=1))
    chosen: list[int] = []
    rank = np.empty(len(pool))
    rank[shuffled] = np.arange(len(pool)) * 1e-9  # equals in random order
    open_places = np.ones(len(pool), dtype=bool)
    for _ in range(min(size, len(pool))):
        at = int(np.argmin(np.where(open_places, closest + rank, np.inf)))
        chosen.append(at)
        open_places[at] = False
        closest = np.maximum(closest, own @ own[at])
    taken = set(chosen)
    return chosen + [at for at in shuffled if at not in taken]


def _hashed(texts: Sequence[str]) -> Floats:
    """One vector of length 1 per text: its weighted words in `_WIDTH` hashed places."""
    vectors = np.zeros((len(texts), _WIDTH))
    for at, row in enumerate(weigh_words(texts)):
        for term, value in row.items():
            digest = zlib.crc32(term.encode("utf-8", "surrogatepass"))
            vectors[at, digest % _WIDTH] += value if digest & 0x10000 else -value
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)
