"""A linear model over named features: fitted by scikit-learn, kept and used without it."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, BadModel, MissingExtra

Features = Mapping[str, float]
"""Name of a feature → its value; what is left out is 0."""

Array = npt.NDArray[np.float64]
Solver = Literal["liblinear", "lbfgs", "ridge"]
"""Two classes; any number of classes; a number instead of a class."""

_ROUNDS = 2000


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Weights of features for each class: of two, for the second; without classes, for a number.

    The same rows and labels give the same weights in every run.
    """

    columns: dict[str, int]
    weights: Array
    offsets: Array
    classes: tuple[str, ...] = ()

    def values(self, rows: Sequence[Features]) -> Array:
        """[row, class]: the weighted sums; features that training never saw count nothing."""
        found = np.tile(self.offsets, (len(rows), 1))
        for at, row in enumerate(rows):
            known = [
                (self.columns[name], value) for name, value in row.items() if name in self.columns
            ]
            if known:
                places, values = zip(*known, strict=True)
                found[at] += self.weights[:, list(places)] @ np.array(values)
        return found

    def probabilities(self, rows: Sequence[Features]) -> Array:
        """[row, class]: they sum to 1."""
        values = self.values(rows)
        if len(self.classes) == 2:
            values = np.hstack([np.zeros_like(values), values])
        shares = np.exp(values - values.max(axis=1, keepdims=True, initial=-np.inf))
        found: Array = shares / shares.sum(axis=1, keepdims=True)
        return found

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What `np.savez` writes: no pickle."""
        return {
            "columns": _as_bytes(self.columns),
            "classes": _as_bytes(self.classes),
            "weights": self.weights.astype(np.float32),
            "offsets": self.offsets,
        }


def fit_linear(
    rows: Sequence[Features],
    answers: Sequence[Any],
    *,
    solver: Solver = "liblinear",
    strength: float = 1.0,
    what: str = "a linear model",
) -> LinearModel:
    """The model that fits rows to their classes or, by ridge regression, to their numbers.

    Args:
        strength: inverse of the regularisation.
        what: what is trained, for the message if scikit-learn is not installed.
    """
    if len(rows) != len(answers):
        raise BadInput(f"{len(rows)} items but {len(answers)} labels; give one for each")
    try:
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression, Ridge
        from threadpoolctl import threadpool_limits
    except ModuleNotFoundError as error:
        raise MissingExtra(what, "systems", "scikit-learn") from error
    columns = DictVectorizer(dtype=np.float32 if solver == "liblinear" else np.float64)
    table = columns.fit_transform(list(rows))
    # liblinear takes indices of 32 bits only
    table.indices, table.indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
    fitted: Any
    if solver == "ridge":
        fitted = Ridge(alpha=1 / strength, solver="sparse_cg", tol=1e-8)
    elif solver == "liblinear":
        fitted = LogisticRegression(C=strength, solver="liblinear")
    else:
        fitted = LogisticRegression(C=strength, max_iter=_ROUNDS)
    with threadpool_limits(limits=1):  # matrices this small only lose by being shared out
        fitted.fit(table, list(answers))
    return LinearModel(
        {str(name): at for name, at in columns.vocabulary_.items()},
        np.atleast_2d(fitted.coef_).astype(np.float64),
        np.atleast_1d(fitted.intercept_).astype(np.float64),
        () if solver == "ridge" else tuple(str(name) for name in fitted.classes_),
    )


def read_linear(arrays: Mapping[str, npt.NDArray[Any]], path: Path) -> LinearModel:
    """The model whose `arrays` these are.

    Raises:
        BadModel: where some are missing or do not fit each other.
    """
    try:
        names, classes = _names(arrays["columns"]), _names(arrays["classes"])
        weights, offsets = arrays["weights"].astype(np.float64), arrays["offsets"]
        if weights.shape != (len(offsets), len(names)):
            raise ValueError(f"{len(names)} features but weights of the shape {weights.shape}")
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise BadModel(path, f"holds no linear model ({error}); train it again") from None
    return LinearModel({name: at for at, name in enumerate(names)}, weights, offsets, classes)


def _as_bytes(names: Any) -> npt.NDArray[np.uint8]:
    ordered = sorted(names, key=names.__getitem__) if isinstance(names, dict) else list(names)
    return np.frombuffer("\n".join(ordered).encode("utf-8", "replace"), dtype=np.uint8)


def _names(stored: npt.NDArray[Any]) -> tuple[str, ...]:
    text = bytes(stored).decode("utf-8")
    return tuple(text.split("\n")) if text else ()
