"""The kernel machine: a span has the concepts of those training spans that are like it.

Likeness is a Gaussian of the distance of vectors, plus the cosine of words, plus the cosine of the
classes of WordNet above them. Cosines are linear, so what they add is kept per word and class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from trope_domains.features import STRENGTHS, Array, SpanRows
from trope_domains.stored import Arrays, as_bytes, as_text, compressed, restored

_PARTS = (1.0, 0.5, 0.5, 0.5, 0.5, 0.25)
"""How much the parts of a row count in distances."""
_VECTORS, _COSINES, _REACH = 1.5, 0.3, 0.4
"""How much nearness and each cosine count, and how far nearness reaches, in typical distances."""
_RIDGE, _GUESSED = 0.2, 0.5
"""The penalty, and how much a guessed span counts. All were chosen by cross-validation on train."""
_COMPONENTS, _SAMPLE = 192, 1000
_NETWORKS_PART, _SHARPNESS, _LEAST = 0.5, 4.0, 1e-4
"""How much the logarithms of what networks say count, and the scores of the kernel machine."""


@dataclass(frozen=True, slots=True)
class KernelMachine:
    """Ridge regression of concepts; `features` are the columns of words and classes."""

    mean: Array
    axes: Array
    support: Array
    reach: float
    dual: Array
    prior: Array
    features: Mapping[str, int]
    rarity: Array
    linear: Array

    def scores(self, rows: SpanRows) -> Array:
        """[span, concept]: about 1 for the concept of spans that are like it, 0 for others."""
        points = np.asarray((rows.dense - self.mean) @ self.axes, dtype=np.float32)
        scores = _nearness(points, self.support, self.reach) @ self.dual + self.prior
        for at, row in enumerate(_cosine_rows(rows, self._rarity)):
            for name, value in row.items():
                if name in self.features:
                    scores[at] += value * self.linear[self.features[name]]
        return np.asarray(scores, dtype=np.float32)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What the file of the weights keeps."""
        return {
            "kernel_mean": self.mean,
            "kernel_axes": self.axes.astype(np.float16),
            "kernel_reach": np.array(self.reach),
            "kernel_dual": self.dual.astype(np.float16),
            "kernel_prior": self.prior,
            "kernel_features": as_bytes("\n".join(self.features)),
            "kernel_rarity": self.rarity,
            **compressed("kernel_support", self.support, axis=0),
            **compressed("kernel_linear", self.linear, axis=1),
        }

    @classmethod
    def of(cls, stored: Arrays) -> KernelMachine:
        """The machine that a file keeps."""
        names = as_text(stored["kernel_features"]).split("\n")
        return cls(
            mean=stored["kernel_mean"],
            axes=stored["kernel_axes"].astype(np.float32),
            support=restored(stored, "kernel_support"),
            reach=float(stored["kernel_reach"]),
            dual=stored["kernel_dual"].astype(np.float32),
            prior=stored["kernel_prior"],
            features={name: at for at, name in enumerate(names)},
            rarity=stored["kernel_rarity"],
            linear=restored(stored, "kernel_linear"),
        )

    def _rarity(self, name: str) -> float:
        column = self.features.get(name)
        return float(self.rarity.max() if column is None else self.rarity[column])

    @classmethod
    def fit(
        cls, rows: SpanRows, labels: npt.NDArray[np.intp], known: npt.NDArray[np.bool_], names: int
    ) -> KernelMachine:
        """The machine of training spans, some of which are guessed."""
        from scipy.linalg import cho_factor, cho_solve

        mean, axes = _components(rows.dense)
        points = np.asarray((rows.dense - mean) @ axes, dtype=np.float32)
        sample = points[np.random.default_rng(0).permutation(len(points))[:_SAMPLE]]
        reach = _REACH / max(float(np.median(_distances(sample, sample))), 1e-6)
        features, rarity = _rarities(rows)
        table = _table(rows, features, rarity)
        kernel = _nearness(points, points, reach) + np.asarray((table @ table.T).todense())
        kernel[np.diag_indices_from(kernel)] += _RIDGE / np.where(known, 1, _GUESSED)
        answers = np.eye(names, dtype=np.float32)[labels]
        prior = answers.mean(axis=0)
        dual = cho_solve(cho_factor(kernel, overwrite_a=True), answers - prior)
        linear = np.asarray(table.T @ dual)
        return cls(mean, axes, points, reach, dual, prior, features, rarity, linear)


def together(shares: npt.NDArray[Any], scores: Array) -> npt.NDArray[Any]:
    """[span, concept]: probabilities from those of the networks and the scores of the machine."""
    mixed = _NETWORKS_PART * np.log(shares + _LEAST) + _SHARPNESS * scores
    mixed = np.exp(mixed - mixed.max(axis=1, keepdims=True))
    return np.asarray(mixed / mixed.sum(axis=1, keepdims=True))


def _nearness(points: Array, support: Array, reach: float) -> Array:
    return np.asarray(_VECTORS * np.exp(-reach * _distances(points, support)), dtype=np.float32)


def _distances(points: Array, others: Array) -> Array:
    """The squares of Euclidean distances."""
    own, theirs = (points**2).sum(axis=1), (others**2).sum(axis=1)
    return np.asarray(np.maximum(own[:, None] + theirs - 2 * points @ others.T, 0))


def _components(dense: Array) -> tuple[Array, Array]:
    """The mean of rows, and what makes of them a few numbers with nearly the same distances."""
    parts = [
        np.full(size, sqrt(part / size)) for (size, _), part in zip(STRENGTHS, _PARTS, strict=True)
    ]
    mean = dense.mean(axis=0)
    scale = (np.concatenate(parts) / (dense.std(axis=0) + 1e-3)).astype(np.float32)
    scaled = (dense - mean) * scale
    _, axes = np.linalg.eigh(scaled.T @ scaled)
    return mean, scale[:, None] * axes[:, -_COMPONENTS:]


def _rarities(rows: SpanRows) -> tuple[dict[str, int], Array]:
    """The columns of words and classes; of classes how rare they are, and 1 for words."""
    words = sorted({word for own in rows.words for word in own})
    times: dict[str, int] = {}
    for own in rows.classes:
        for name in own:
            times[name] = times.get(name, 0) + 1
    classes = sorted(times)
    rare = [log(1 + len(rows.words) / (1 + times[name])) for name in classes]
    columns = {name: at for at, name in enumerate([*words, *classes])}
    return columns, np.array([*(1.0 for _ in words), *rare], dtype=np.float32)


def _cosine_rows(rows: SpanRows, rarity: Any) -> Iterator[dict[str, float]]:
    """The words and the classes of each span, either as a vector of the same length."""
    for words, classes in zip(rows.words, rows.classes, strict=True):
        rare = {name: value * rarity(name) for name, value in classes.items()}
        yield {**_scaled(words), **_scaled(rare)}


def _scaled(values: Mapping[str, float]) -> dict[str, float]:
    length = sqrt(sum(value**2 for value in values.values())) or 1.0
    return {name: sqrt(_COSINES) * value / length for name, value in values.items()}


def _table(rows: SpanRows, features: Mapping[str, int], rarity: Array) -> Any:
    """The sparse matrix of spans and their words and classes."""
    from scipy.sparse import csr_matrix

    places: list[Sequence[int]] = []
    values: list[float] = []
    for at, row in enumerate(_cosine_rows(rows, lambda name: rarity[features[name]])):
        places += [(at, features[name]) for name in row]
        values += row.values()
    size = (len(rows.words), len(features))
    return csr_matrix((values, tuple(zip(*places, strict=True))), shape=size, dtype=np.float32)
