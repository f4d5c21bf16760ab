"""Whether this processor adds products of 8-bit numbers exactly.

Those without VNNI add them in pairs of 16 bits, which overflow where both factors are large: rare
in a trained network, common in a random one.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest


@cache
def are_exact() -> bool:
    """Whether the largest factors give what they should."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    weights = np.full((64, 16), 127, np.int8)
    constants = {
        "weights": weights,
        "row_scale": np.ones(1, np.float32),
        "column_scales": np.ones(16, np.float32),
    }
    node = helper.make_node(
        "MatMulIntegerToFloat", ["rows", *constants], ["product"], domain="com.microsoft"
    )
    graph = helper.make_graph(
        [node],
        "product",
        [helper.make_tensor_value_info("rows", TensorProto.UINT8, [4, 64])],
        [helper.make_tensor_value_info("product", TensorProto.FLOAT, [4, 16])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    rows = np.full((4, 64), 255, np.uint8)
    (product,) = session.run(None, {"rows": rows})
    return bool((product == rows.astype(int) @ weights.astype(int)).all())


def need_exact() -> None:
    """Skip a test that compares a random network with what it should compute."""
    if not are_exact():
        pytest.skip("this processor adds 8-bit products in 16 bits, which overflow")
