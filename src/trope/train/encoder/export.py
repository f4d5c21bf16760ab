"""From a trained student to the files that ship: one ONNX graph, label arrays, inventories."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shutil import copyfile
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from onnx import TensorProto

from trope.core.files import atomic_write
from trope.encoder.session import Labels
from trope.train.encoder.graph import CONTRIB, Graph

Weights = Mapping[str, npt.NDArray[np.float32]]
_HEAD_SIZE, _EPSILON = 32, 1e-12  # of the base; the other sizes are those of its weights
_FIRST = {
    "metaphor": "here", "figures": "here", "sentiment": "hidden", "metonymy": "hidden",
    "names": "hidden", "meaning": "vector",
}  # fmt: skip
"""The first layer of each head."""


def export(weights: Weights, labels: Labels, vocabulary: Path, folder: Path) -> None:
    """Write `encoder.onnx`, `labeller.onnx`, `labels.json` and `vocab.txt` into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(folder / "encoder.onnx", "wb") as file:
        file.write(build_graph(weights))
    with atomic_write(folder / "labeller.onnx", "wb") as file:
        file.write(_build_labeller(weights))
    with atomic_write(folder / "labels.json", "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(labels), indent=1))
    copyfile(vocabulary, folder / "vocab.txt")


def build_graph(weights: Weights) -> bytes:
    """The encoder and the heads that need no decision before them, in one graph."""
    graph = Graph()
    layers = _trunk(graph, weights)
    shape = graph.add("Shape", "ids")  # [batch, piece]
    words = graph.add("Shape", "pool", start=0, end=2)  # [batch, word]
    width = weights["syntax.upos.weight"].shape[1]
    tags = _word_rows(graph, layers, weights["syntax.tag_mix.weights"], shape, width)
    tree = _word_rows(graph, layers, weights["syntax.tree_mix.weights"], shape, width)
    outputs: dict[str, list[Any]] = {}
    for name in ("upos", "xpos", "lemma"):
        scores = _linear(graph, tags, weights, f"syntax.{name}")
        _by_word(graph, scores, words, name)
        outputs[name] = ["batch", "word", len(weights[f"syntax.{name}.bias"])]
    _arcs(graph, tree, weights, words)
    outputs["arcs"] = ["batch", "word", "head"]
    size = len(weights["syntax.label_root"])
    dependents = graph.add("Relu", _linear(graph, tree, weights, "syntax.label_dependent"))
    _by_word(graph, dependents, words, "label_dependents")
    heads = graph.add("Relu", _linear(graph, tree, weights, "syntax.label_head"))
    _with_root(graph, heads, weights["syntax.label_root"], words, "label_heads")
    outputs["label_dependents"] = ["batch", "word", size]
    outputs["label_heads"] = ["batch", "head", size]
    if "metaphor.mix.weights" in weights:
        _metaphor_heads(graph, layers, weights, shape, words)
        outputs["metaphor"] = ["batch", "word"]
        outputs["figurative"] = ["batch"]
    if "figures.mix.weights" in weights:
        _figure_head(graph, layers, weights, shape, words)
        outputs["figures"] = ["batch", "word", len(weights["figures.figures.bias"])]
    if "names.mix.weights" in weights:
        rows = _head_rows(graph, layers, weights, "names", shape)
        hidden = graph.add("Relu", _linear(graph, rows, weights, "names.hidden"))
        _by_word(graph, _exact(graph, hidden, weights, "names.tags"), words, "names")
        outputs["names"] = ["batch", "word", len(weights["names.tags.bias"])]
    if "sentiment.mix.weights" in weights:
        _sentiment_head(graph, layers, weights, shape, words)
        outputs["sentiment"] = ["batch", len(weights["sentiment.feelings.bias"])]
    if "metonymy.mix.weights" in weights:
        rows = _head_rows(graph, layers, weights, "metonymy", shape)
        hidden = graph.add("Relu", _linear(graph, rows, weights, "metonymy.hidden"))
        _by_word(graph, _exact(graph, hidden, weights, "metonymy.readings"), words, "metonymy")
        outputs["metonymy"] = ["batch", "word", len(weights["metonymy.readings.bias"])]
    if "meaning.mix.weights" in weights:
        rows = _head_rows(graph, layers, weights, "meaning", shape)
        _by_word(graph, _linear(graph, rows, weights, "meaning.vector"), words, "meaning")
        outputs["meaning"] = ["batch", "word", len(weights["meaning.vector.bias"])]
    pieces = ["batch", "piece"]
    inputs = {
        "ids": (TensorProto.INT64, pieces),
        "types": (TensorProto.INT64, pieces),
        "mask": (TensorProto.INT32, pieces),
        "pool": (TensorProto.FLOAT, ["batch", "word", "piece"]),
    }
    return graph.serialise(inputs, outputs)


def _build_labeller(weights: Weights) -> bytes:
    """The graph that names an arc, once it was chosen, from the vectors of its two ends."""
    graph = Graph()
    both = graph.add("Mul", "dependents", "heads")
    features = graph.add("Concat", "dependents", "heads", both, axis=1)
    matrix, bias = weights["syntax.label_classes.weight"], weights["syntax.label_classes.bias"]
    graph.add(
        "Gemm",
        features,
        graph.constant(matrix, "float32"),
        graph.constant(bias, "float32"),
        transB=1,
        name="scores",
    )
    rows = TensorProto.FLOAT, ["arc", len(weights["syntax.label_root"])]
    return graph.serialise({"dependents": rows, "heads": rows}, {"scores": ["arc", len(bias)]})


def _trunk(graph: Graph, weights: Weights) -> list[str]:
    """All layers as matrices of one row per piece."""
    prefix = "trunk.encoder.embeddings."
    flat = graph.constant([-1], "int64")
    ids, types = (graph.add("Reshape", name, flat) for name in ("ids", "types"))
    # positions 0, 1, 2 … in every sentence: the row number within the padded sentence
    width = graph.add("Shape", "ids", start=1, end=2)
    one_row = graph.add(
        "Range",
        graph.constant(0, "int64"),
        graph.add("Squeeze", width),
        graph.constant(1, "int64"),
    )
    positions = graph.add("Reshape", graph.add("Expand", one_row, graph.add("Shape", "ids")), flat)
    words = graph.table(weights[f"{prefix}word_embeddings.weight"], ids)
    places = graph.add(
        "Gather",
        graph.constant(weights[f"{prefix}position_embeddings.weight"], "float32"),
        positions,
    )
    cases = graph.add(
        "Gather",
        graph.constant(weights[f"{prefix}token_type_embeddings.weight"], "float32"),
        types,
    )
    x = graph.add("Add", graph.add("Add", words, cases), places)
    x = _norm(graph, x, weights, f"{prefix}LayerNorm")
    layers = [x]
    for number in range(len(weights["syntax.tag_mix.weights"]) - 1):  # the embeddings mix too
        x = _layer(graph, x, weights, f"trunk.encoder.encoder.layer.{number}.")
        layers.append(x)
    return layers


def _layer(graph: Graph, x: str, weights: Weights, prefix: str) -> str:
    """One transformer layer; biases go into the fused operators where these take them."""
    size = len(weights[f"{prefix}output.dense.bias"])
    by_sentence = graph.add(
        "Concat", graph.add("Shape", "ids"), graph.constant([size], "int64"), axis=0
    )
    parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
    projected = [
        graph.add("Reshape", graph.product(x, weights[f"{part}.weight"]), by_sentence)
        for part in parts
    ]
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    attended = graph.add(
        "MultiHeadAttention",
        *projected,
        graph.constant(bias, "float32"),
        "mask",
        domain=CONTRIB,
        num_heads=size // _HEAD_SIZE,
    )
    attended = graph.add("Reshape", attended, graph.constant([-1, size], "int64"))
    out = _linear(graph, attended, weights, f"{prefix}attention.output.dense")
    x = _norm(graph, graph.add("Add", out, x), weights, f"{prefix}attention.output.LayerNorm")
    inner = graph.product(x, weights[f"{prefix}intermediate.dense.weight"])
    bias = weights[f"{prefix}intermediate.dense.bias"]
    inner = graph.add("BiasGelu", inner, graph.constant(bias, "float32"), domain=CONTRIB)
    out = _linear(graph, inner, weights, f"{prefix}output.dense")
    return _norm(graph, graph.add("Add", out, x), weights, f"{prefix}output.LayerNorm")


def _norm(graph: Graph, x: str, weights: Weights, name: str) -> str:
    return graph.norm(x, weights[f"{name}.weight"], weights[f"{name}.bias"], _EPSILON)


def _linear(graph: Graph, x: str, weights: Weights, name: str) -> str:
    return graph.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _word_rows(
    graph: Graph, layers: list[str], mix: npt.NDArray[np.float32], shape: str, size: int
) -> str:
    """The lower layers, mixed and averaged over the pieces of each word: one row per word."""
    shares = np.exp(mix - mix.max())
    shares = shares / shares.sum()
    mixed = graph.add(
        "Sum",
        *(
            graph.add("Mul", layer, graph.constant(share, "float32"))
            for layer, share in zip(layers[: len(shares)], shares, strict=True)
        ),
    )
    return _pooled(graph, mixed, shape, size)


def _pooled(graph: Graph, layer: str, shape: str, size: int) -> str:
    """A layer averaged over the pieces of each word: one row per word."""
    by_sentence = graph.add("Concat", shape, graph.constant([size], "int64"), axis=0)
    pooled = graph.add("MatMul", "pool", graph.add("Reshape", layer, by_sentence))
    return graph.add("Reshape", pooled, graph.constant([-1, size], "int64"))


def _by_word(graph: Graph, rows: str, words: str, name: str) -> str:
    """Rows back in sentences: [batch, word, …]."""
    rest = graph.constant([-1], "int64")
    return graph.add("Reshape", rows, graph.add("Concat", words, rest, axis=0), name=name)


def _with_root(
    graph: Graph, rows: str, root: npt.NDArray[np.float32], words: str, name: str = ""
) -> str:
    """The root's vector before each sentence's words."""
    size = len(root)
    batch = graph.add("Slice", words, graph.constant([0], "int64"), graph.constant([1], "int64"))
    shape = graph.add("Concat", batch, graph.constant([1, size], "int64"), axis=0)
    roots = graph.add("Expand", graph.constant(root[None, None, :], "float32"), shape)
    sentences = graph.add(
        "Reshape", rows, graph.add("Concat", words, graph.constant([size], "int64"), axis=0)
    )
    return graph.add("Concat", roots, sentences, axis=1, name=name)


def _metaphor_heads(
    graph: Graph, layers: list[str], weights: Weights, shape: str, words: str
) -> None:
    """Scores of words and of whole sentences; their last layers are exact."""
    size = len(weights["metaphor.here.bias"])
    both = _compared(graph, layers, weights, "metaphor", shape)
    word = graph.add("Relu", _linear(graph, both, weights, "metaphor.hidden"))
    graph.add("Reshape", _exact(graph, word, weights, "metaphor.metaphor"), words, name="metaphor")
    sentence = graph.add("Relu", _linear(graph, both, weights, "metaphor.sentence_hidden"))
    score = graph.add("Reshape", _exact(graph, sentence, weights, "metaphor.attention"), words)
    score = graph.add("Where", _there(graph), score, graph.constant(-1e4, "float32"))
    one_row = graph.constant([1], "int64")
    share = graph.add("Unsqueeze", graph.add("Softmax", score, axis=1), one_row)
    by_sentence = graph.add("Concat", words, graph.constant([size], "int64"), axis=0)
    whole = graph.add("MatMul", share, graph.add("Reshape", sentence, by_sentence))
    whole = graph.add("Squeeze", whole, one_row)
    last = _exact(graph, whole, weights, "metaphor.figurative")
    graph.add("Squeeze", last, one_row, name="figurative")


def _figure_head(graph: Graph, layers: list[str], weights: Weights, shape: str, words: str) -> None:
    """What is said of every word about figures; the last layer is exact."""
    both = _compared(graph, layers, weights, "figures", shape)
    hidden = graph.add("Relu", _linear(graph, both, weights, "figures.hidden"))
    _by_word(graph, _exact(graph, hidden, weights, "figures.figures"), words, "figures")


def _compared(graph: Graph, layers: list[str], weights: Weights, head: str, shape: str) -> str:
    """Each word here, by itself, and where both are alike."""
    width = weights[f"{head}.here.weight"].shape[1]
    here = _linear(graph, _head_rows(graph, layers, weights, head, shape), weights, f"{head}.here")
    first = _pooled(graph, layers[0], shape, width)
    alone = _linear(graph, first, weights, f"{head}.alone")
    return graph.add("Concat", here, alone, graph.add("Mul", here, alone), axis=1)


def _there(graph: Graph, keep: int = 0) -> str:
    """Which places of the padded sentences hold a word."""
    filled = graph.add("ReduceSum", "pool", graph.constant([2], "int64"), keepdims=keep)
    return graph.add("Greater", filled, graph.constant(0, "float32"))


def _head_rows(graph: Graph, layers: list[str], weights: Weights, head: str, shape: str) -> str:
    """The words as one head mixes the layers; its first matrix tells how wide they are."""
    width = weights[f"{head}.{_FIRST[head]}.weight"].shape[1]
    return _word_rows(graph, layers, weights[f"{head}.mix.weights"], shape, width)


def _sentiment_head(
    graph: Graph,
    layers: list[str],
    weights: Weights,
    shape: str,
    words: str,
) -> None:
    """Scores of a whole sequence; their last layers are exact."""
    rows = _head_rows(graph, layers, weights, "sentiment", shape)
    hidden = graph.add("Relu", _linear(graph, rows, weights, "sentiment.hidden"))
    score = _by_word(graph, _exact(graph, hidden, weights, "sentiment.glances"), words, "")
    score = graph.add("Where", _there(graph, keep=1), score, graph.constant(-1e4, "float32"))
    share = graph.add("Transpose", graph.add("Softmax", score, axis=1), perm=[0, 2, 1])
    seen = graph.add("MatMul", share, _by_word(graph, hidden, words, ""))
    flat = graph.add("Flatten", seen, axis=1)
    _exact(graph, flat, weights, "sentiment.feelings", name="sentiment")


def _exact(graph: Graph, rows: str, weights: Weights, layer: str, name: str = "") -> str:
    """A linear layer in 32 bits."""
    matrix, bias = (
        graph.constant(weights[f"{layer}.{part}"], "float32") for part in ("weight", "bias")
    )
    return graph.add("Gemm", rows, matrix, bias, transB=1, name=name)


def _arcs(graph: Graph, tree: str, weights: Weights, words: str) -> None:
    """Scores of every word under every head."""
    dependent = graph.add("Relu", _linear(graph, tree, weights, "syntax.arc_dependent"))
    turned = _linear(graph, dependent, weights, "syntax.arc_weight")
    size = len(weights["syntax.arc_root"])
    turned = graph.add(
        "Reshape", turned, graph.add("Concat", words, graph.constant([size], "int64"), axis=0)
    )
    head = graph.add("Relu", _linear(graph, tree, weights, "syntax.arc_head"))
    heads = _with_root(graph, head, weights["syntax.arc_root"], words)
    graph.add("MatMul", turned, graph.add("Transpose", heads, perm=[0, 2, 1]), name="arcs")
