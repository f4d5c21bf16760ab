"""A small writer of ONNX graphs with 8-bit matrix products that do not depend on the batch.

A product quantises its input row by row: each row has its own scale, so a sentence gets the same
numbers in any batch, and the integer kernels of ONNX Runtime do the arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

Floats = npt.NDArray[np.float32]
CONTRIB = "com.microsoft"  # operators that ONNX Runtime brings along on every platform


class Graph:
    """Nodes and constants in the making; every method returns the name of what it adds."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._count = 0
        self._shared: dict[tuple[str, bytes, tuple[int, ...]], str] = {}
        self._quantised: dict[str, tuple[str, str]] = {}

    def constant(self, value: npt.ArrayLike, dtype: str) -> str:
        """A constant; small ones are shared."""
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        key = (dtype, array.tobytes() if array.size < 64 else b"", array.shape)
        if array.size < 64 and key in self._shared:
            return self._shared[key]
        name = self._name("constant")
        self.constants.append(numpy_helper.from_array(array, name))
        if array.size < 64:
            self._shared[key] = name
        return name

    def add(
        self, operator: str, *inputs: str, domain: str = "", name: str = "", **attributes: Any
    ) -> str:
        """The result of one operator."""
        output = name or self._name(operator.lower())
        self.nodes.append(
            helper.make_node(operator, list(inputs), [output], domain=domain, **attributes)
        )
        return output

    def _name(self, stem: str) -> str:
        self._count += 1
        return f"{stem}_{self._count}"

    def quantise(self, rows: str) -> tuple[str, str]:
        """A matrix in 8 bits and the scale of each of its rows, made once."""
        if rows not in self._quantised:
            largest = self.add(
                "ReduceMax", self.add("Abs", rows), self.constant([1], "int64"), keepdims=0
            )
            floor = self.constant(1e-8, "float32")
            scale = self.add(
                "Mul", self.add("Max", largest, floor), self.constant(1 / 127, "float32")
            )
            middle = self.add("Expand", self.constant(128, "uint8"), self.add("Shape", scale))
            integers = self.add("QuantizeLinear", rows, scale, middle, axis=0)
            column = self.add("Unsqueeze", scale, self.constant([1], "int64"))
            self._quantised[rows] = integers, column
        return self._quantised[rows]

    def product(self, rows: str, weight: Floats) -> str:
        """rows @ weight.T in 8 bits; `weight` is [out, in] as torch keeps it."""
        integers, scale = self.quantise(rows)
        matrix, column_scale = int8_factors(weight)
        raw = self.add(
            "MatMulIntegerToFloat",
            integers,
            self.constant(matrix.T, "int8"),
            self.constant(1.0, "float32"),
            self.constant(column_scale, "float32"),
            self.constant(128, "uint8"),
            self.constant(0, "int8"),
            domain=CONTRIB,
        )
        return self.add("Mul", raw, scale)

    def linear(self, rows: str, weight: Floats, bias: Floats) -> str:
        """A whole linear layer."""
        return self.add("Add", self.product(rows, weight), self.constant(bias, "float32"))

    def norm(self, rows: str, gain: Floats, bias: Floats, epsilon: float) -> str:
        """Layer normalisation. Centring first lets the much faster kernel without a mean do it."""
        axis = self.constant([1], "int64")
        centred = self.add("Sub", rows, self.add("ReduceMean", rows, axis, keepdims=1))
        scaled = self.add(
            "SimplifiedLayerNormalization",
            centred,
            self.constant(gain, "float32"),
            axis=-1,
            epsilon=epsilon,
        )
        return self.add("Add", scaled, self.constant(bias, "float32"))

    def table(self, values: Floats, index: str) -> str:
        """Rows of a table that is kept in 8 bits."""
        matrix, scale = _int8_rows(values)
        rows = self.add("Gather", self.constant(matrix, "int8"), index)
        scales = self.add("Gather", self.constant(scale[:, None], "float32"), index)
        return self.add("Mul", self.add("Cast", rows, to=TensorProto.FLOAT), scales)

    def serialise(
        self, inputs: dict[str, tuple[int, list[Any]]], outputs: dict[str, list[Any]]
    ) -> bytes:
        """The finished model; inputs and outputs with their types and shapes."""
        graph = helper.make_graph(
            self.nodes,
            "trope",
            [helper.make_tensor_value_info(n, kind, shape) for n, (kind, shape) in inputs.items()],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in outputs.items()],
            self.constants,
        )
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(CONTRIB, 1)]
        model = helper.make_model(
            graph, opset_imports=versions, producer_name="trope", ir_version=9
        )
        serialised: bytes = model.SerializeToString()
        return serialised


def _int8_rows(values: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """A table in 8 bits with one scale per row."""
    return _rounded(values, np.abs(values).max(axis=1))


def int8_factors(weight: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """A factor of products in 8 bits, one scale per row of `weight`: what training simulates.

    Processors without VNNI add the products of two neighbours in 16 bits. Neighbours of one sign
    are therefore kept within 127 together, up to rounding: with inputs of at most 255 nothing
    overflows, and every processor gets the same sums.
    """
    even = np.pad(weight, ((0, 0), (0, weight.shape[1] % 2)))
    pairs = even.reshape(len(weight), -1, 2)
    sums = np.maximum(np.maximum(pairs, 0).sum(axis=2), np.maximum(-pairs, 0).sum(axis=2))
    return _rounded(weight, sums.max(axis=1))


def _rounded(values: Floats, largest: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    scale = np.maximum(largest, 1e-8).astype(np.float32) / np.float32(127)
    return np.rint(values / scale[:, None]).astype(np.int8), scale
