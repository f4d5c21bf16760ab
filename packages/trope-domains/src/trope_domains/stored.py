"""Arrays as the file of the weights has them: texts as bytes, numbers as bytes with factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]


def as_bytes(text: str) -> npt.NDArray[np.uint8]:
    """A string as an array."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def as_text(stored: npt.NDArray[np.uint8]) -> str:
    """A string that was stored as bytes."""
    return bytes(stored).decode()


def compressed(name: str, table: npt.NDArray[Any], *, axis: int) -> dict[str, npt.NDArray[Any]]:
    """Numbers in 8 bits, with a factor for all along an axis."""
    factor = np.abs(table).max(axis=axis, keepdims=True) / 127 + 1e-9
    whole = np.rint(table / factor).astype(np.int8)
    return {name: whole, f"{name}_scale": factor.astype(np.float32)}


def restored(stored: Arrays, name: str) -> npt.NDArray[np.float32]:
    """The numbers that were stored in 8 bits."""
    return np.asarray(stored[name].astype(np.float32) * stored[f"{name}_scale"])
