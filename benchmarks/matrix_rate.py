"""How fast this machine multiplies 8-bit matrices, and how near to that the encoder comes."""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from trope.encoder.pruning import keep_outputs

ROWS, INNER, COLUMNS = 512, 1536, 384
"""The largest product of the encoder's own shape."""


def int8_rate(repeats: int = 60) -> float:
    """Operations per second of computing of one thread in ONNX Runtime's 8-bit product: the best
    of many, since what is sought is what the machine can do."""
    session, rows = _product()
    seconds = []
    for _ in range(repeats):
        began = time.thread_time()
        session.run(None, {"rows": rows})
        seconds.append(time.thread_time() - began)
    return 2 * ROWS * INNER * COLUMNS / min(seconds)


def operations_a_piece(model: Path, outputs: Collection[str]) -> int:
    """Operations in the 8-bit products for one word piece that these outputs of a network need;
    heads, which work by the word, are counted too and make it a little too high."""
    import onnx

    graph = onnx.load_from_string(keep_outputs(model.read_bytes(), outputs)).graph
    sizes = {tensor.name: int(np.prod(tensor.dims)) for tensor in graph.initializer}
    products = [node for node in graph.node if node.op_type == "MatMulIntegerToFloat"]
    return 2 * sum(sizes[node.input[1]] for node in products)


def _product() -> tuple[Any, Any]:
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    constants = {
        "weights": rng.integers(-127, 128, (INNER, COLUMNS)).astype(np.int8),
        "row_scale": np.ones(1, np.float32),
        "column_scales": np.ones(COLUMNS, np.float32),
        "row_zero": np.full(1, 128, np.uint8),
        "column_zero": np.zeros(1, np.int8),
    }
    inputs = ["rows", "weights", "row_scale", "column_scales", "row_zero", "column_zero"]
    node = helper.make_node("MatMulIntegerToFloat", inputs, ["product"], domain="com.microsoft")
    graph = helper.make_graph(
        [node],
        "product",
        [helper.make_tensor_value_info("rows", TensorProto.UINT8, [ROWS, INNER])],
        [helper.make_tensor_value_info("product", TensorProto.FLOAT, [ROWS, COLUMNS])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session, rng.integers(0, 256, (ROWS, INNER)).astype(np.uint8)
