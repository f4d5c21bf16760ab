"""8-bit products: the same on every processor."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

pytest.importorskip("onnx")
torch = pytest.importorskip("torch")

import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from trope.encoder.models import model_folder  # noqa: E402
from trope.encoder.session import open_session  # noqa: E402
from trope.train.encoder.graph import int8_factors  # noqa: E402
from trope.train.encoder.student import fake_factors, quantise  # noqa: E402

LARGEST_INPUT, LARGEST_16_BITS = 255, 2**15 - 1

matrices = arrays(
    np.float32,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9),
    elements=st.floats(-4, 4, width=32),
)


def product(rows: npt.NDArray[np.uint8], factor: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """rows @ factor as our sessions compute it here."""
    constants = {
        "factor": factor,
        "row_scale": np.ones(1, np.float32),
        "column_scales": np.ones(factor.shape[1], np.float32),
    }
    node = helper.make_node(
        "MatMulIntegerToFloat", ["rows", *constants], ["product"], domain="com.microsoft"
    )
    graph = helper.make_graph(
        [node],
        "product",
        [helper.make_tensor_value_info("rows", TensorProto.UINT8, rows.shape)],
        [helper.make_tensor_value_info("product", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    session = open_session(Path("product.onnx"), model)
    (result,) = session.run(None, {"rows": rows})
    return np.asarray(result)


def pair_sums(factor: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """What neighbours of one sign in a column add up to, the sign apart."""
    pairs = np.pad(factor.astype(np.int64), ((0, len(factor) % 2), (0, 0)))
    pairs = pairs.reshape(-1, 2, factor.shape[1])
    return np.maximum(np.maximum(pairs, 0).sum(axis=1), np.maximum(-pairs, 0).sum(axis=1))


@given(matrices)
def test_no_pair_of_products_can_overflow(weight: npt.NDArray[np.float32]) -> None:
    factor, scale = int8_factors(weight)
    assert pair_sums(factor.T).max() * LARGEST_INPUT <= LARGEST_16_BITS
    assert np.abs(factor * scale[:, None] - weight).max() <= scale.max() * 0.51


def test_no_pair_of_products_of_the_shipped_file_can_overflow() -> None:
    graph = onnx.load(str(model_folder("small") / "encoder.onnx")).graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    products = [node for node in graph.node if "MatMulInteger" in node.op_type]
    assert len(products) >= 70  # six per layer and those of the heads
    for node in products:
        factor = numpy_helper.to_array(constants[node.input[1]])
        assert factor.dtype == np.int8
        assert pair_sums(factor).max() * LARGEST_INPUT <= LARGEST_16_BITS, node.output[0]


@given(matrices)
def test_training_simulates_what_is_exported(weight: npt.NDArray[np.float32]) -> None:
    factor, scale = int8_factors(weight)
    simulated = fake_factors(torch.from_numpy(weight)).numpy()
    # a value half-way between two steps may fall to either side
    assert np.abs(simulated - factor * scale[:, None]).max() <= scale.max() * 1.01
    assert np.isclose(simulated, factor * scale[:, None], atol=1e-5).mean() > 0.8


def test_weights_simulated_together_are_those_of_each_layer() -> None:
    torch.manual_seed(2)
    sizes = ((6, 4), (4, 6), (6, 4), (4, 3))
    model = quantise(torch.nn.Sequential(*(torch.nn.Linear(*size) for size in sizes)))
    given = x = torch.randn(5, 6)
    for layer in model:
        x = layer(x)  # alone, a layer simulates its own weights
    together = model(given)
    assert torch.equal(together, x)
    together.sum().backward()
    assert all(layer.weight.grad.abs().sum() > 0 for layer in model)
    with torch.no_grad():
        model[-1].weight.mul_(2)
    assert not torch.equal(model(given), x), "a pass uses the weights as they are then"
    assert all(layer.simulated is None for layer in model)


def test_this_processor_adds_the_largest_products_exactly() -> None:
    generator = np.random.default_rng(3)
    weight = generator.choice([-1.0, -0.9, 0.9, 1.0], (48, 256)).astype(np.float32)
    factor = np.ascontiguousarray(int8_factors(weight)[0].T)
    rows = generator.choice([0, 1, 254, 255], (32, 256)).astype(np.uint8)
    expected = rows.astype(np.int64) @ factor.astype(np.int64)
    assert (product(rows, factor) == expected).all()
