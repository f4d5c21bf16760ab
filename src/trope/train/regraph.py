"""Changes to a finished ONNX graph of ours: layers that can be looked at, other metaphor heads.

The weights that a graph was exported from are not needed, and whatever is not touched stays as it
is, bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from trope.encoder.pruning import keep_outputs, output_names
from trope.encoder.session import METAPHOR
from trope.train.export import Weights, metaphor_heads, pooled
from trope.train.graph import Graph

LAYER = "layer"


def layers_of(model: bytes) -> list[str]:
    """The names of the embeddings and of every layer above them.

    The first sum of a graph is the mix of all layers for the tags.
    """
    nodes = onnx.load_from_string(model).graph.node
    made_by = {output: node for node in nodes for output in node.output}
    mix = next(node for node in nodes if node.op_type == "Sum")
    return [made_by[share].input[0] for share in mix.input]


def showing_layers(model: bytes, number: int) -> tuple[bytes, list[str]]:
    """A model whose outputs are its lower layers, a row a word, and what it says of words.

    The names of the layers come back, too.
    """
    opened = onnx.load_from_string(model)
    graph = Graph(prefix="shown_")
    shape = graph.add("Shape", "ids")
    names = []
    for level, layer in enumerate(layers_of(model)[: number + 1]):
        rows = pooled(graph, layer, shape, _width(opened))
        names.append(graph.add("Identity", rows, name=f"{LAYER}_{level}"))
    _put_in(opened, graph, {name: ["row", _width(opened)] for name in names})
    return keep_outputs(opened.SerializeToString(), (*names, METAPHOR[0])), names


def with_metaphor_heads(model: bytes, weights: Weights) -> bytes:
    """The model with other heads in the place of its metaphor heads."""
    layers = layers_of(model)
    others = [name for name in output_names(model) if name not in METAPHOR]
    opened = onnx.load_from_string(keep_outputs(model, others))
    _drop_unused(opened)
    graph = Graph(prefix="metaphor_")
    shape = graph.add("Shape", "ids")
    words = graph.add("Shape", "pool", start=0, end=2)
    metaphor_heads(graph, layers, weights, shape, words)
    _put_in(opened, graph, {"metaphor": ["batch", "word"], "figurative": ["batch"]})
    changed: bytes = opened.SerializeToString()
    return changed


def _width(model: Any) -> int:
    """Dimensions of a layer: a row of the table of pieces, the largest matrix there is."""
    return int(max((t.dims for t in model.graph.initializer), key=lambda dims: np.prod(dims))[1])


def _put_in(model: Any, graph: Graph, outputs: dict[str, list[Any]]) -> None:
    model.graph.node.extend(graph.nodes)
    model.graph.initializer.extend(graph.constants)
    model.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in outputs.items()
    )


def _drop_unused(model: Any) -> None:
    """Take out the constants of heads that are no longer there."""
    used = {name for node in model.graph.node for name in node.input}
    kept = [constant for constant in model.graph.initializer if constant.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
