"""A model of a few kilobytes with all heads: what it says can be computed by hand."""

from __future__ import annotations

import math
from pathlib import Path
from shutil import copyfile
from typing import Any

import msgspec
import numpy as np
import pytest

from trope.core.records import FigureThresholds, MetaphorThresholds
from trope.encoder.models import model_folder
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import FIGURE_OUTPUTS, SENTIMENT_OUTPUTS, Labels
from trope.lexicon.readings import NAME_CLASSES, readings

LABELS = Labels(
    upos=("NOUN", "VERB", "ADJ"),
    xpos=("NN", "VB", "JJ"),
    deprels=("root", "obj", "nsubj"),
    lemma_rules=("lower|0|",),
    metaphor=MetaphorThresholds(threshold=0.6, sentence_threshold=0.7),
)
ALL_LABELS = msgspec.structs.replace(
    LABELS,
    sentiment=SENTIMENT_OUTPUTS[:-1],
    metonymy=tuple(f"{c}:{name}" for c in NAME_CLASSES for name in readings(c)),
)
"""Of a model that has the heads for sentiment and names too."""
NAME_TAGS = ("O", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-PER", "I-PER")
FIGURE_LABELS = msgspec.structs.replace(
    ALL_LABELS,
    sentiment=SENTIMENT_OUTPUTS,
    figures=FigureThresholds(noticed=0.65, idiom=0.5, simile=0.5),
    names=NAME_TAGS,
)
"""Of a model that tells figures apart, finds any name and knows the valence of prose."""
FIGURES = {
    "crushed": (2.0, -6.0, -6.0, 0.2),
    "swallowed": (-6.0, -6.0, -6.0, 0.1),
    "eats": (4.0, -6.0, -6.0, 1.7),
    "bucket": (-6.0, 4.0, -6.0, 0.4),
    "like": (-6.0, -6.0, 4.0, 0.0),
}
"""Logits of being noticed, in an idiom and of a comparator, then novelty; others have `PLAIN`."""
PLAIN = (-6.0, -6.0, -6.0, 0.05)
NAMES = {
    "vienna": "B-LOC",
    "siemens": "B-ORG",
    "acme": "B-ORG",
    "holdings": "I-ORG",
    "alice": "B-PER",
    "jones": "I-PER",
}
"""The tags of words in names; all others are O."""
PROSE = {"lovely": 2.0, "awful": -2.0}
"""The valence of a text is the mean of these; all others are 0."""
VALENCES = {"lovely": 3.0, "awful": -3.5, "dire": -40.0}
"""A text feels as the mean of its words; all others are 0."""
READINGS = {
    "france": ("location:place-for-people", 2.0),
    "peru": ("location:mixed", 1.0),
    "nokia": ("organisation:organisation-for-index", 3.0),
    "[MASK]": ("location:place-for-event", 1.5),
}
"""The one reading of which a word has a logit other than 0."""
VERBS = ("crushed", "swallowed", "eats")
LOGITS = {"crushed": 3.0, "swallowed": 1.5, "eats": -1.0}
"""Of these words, which are one or more pieces; of every other piece it is `OTHERS`."""
OTHERS = -4.0


def probability(logit: float) -> float:
    return round(1 / (1 + math.exp(-logit)), 4)


def write_model(folder: Path, labels: Labels = LABELS, *, heads: bool = True) -> Path:
    """The folder of a tiny model; a word's logit is the mean of its pieces', a sentence's the
    highest of its pieces'."""
    pytest.importorskip("onnx")
    from trope.train.encoder.graph import Graph

    folder.mkdir(parents=True, exist_ok=True)
    copyfile(model_folder("small") / "vocab.txt", folder / "vocab.txt")
    vocabulary = Vocabulary(folder / "vocab.txt")
    size = len((folder / "vocab.txt").read_text("utf-8").splitlines())
    graph = Graph()
    more = _more_heads(graph, vocabulary, size, labels) if labels.sentiment else {}
    (folder / "encoder.onnx").write_bytes(_encoder(graph, _table(vocabulary, size), heads, more))
    (folder / "labeller.onnx").write_bytes(_labeller(Graph()))
    (folder / "labels.json").write_bytes(msgspec.json.encode(labels))
    return folder


def _table(vocabulary: Vocabulary, size: int) -> Any:
    """A row a piece: three tag scores, then its logit."""
    table = np.tile(np.array([1, 0, 0, OTHERS], dtype=np.float32), (size, 1))
    for word, logit in LOGITS.items():
        for piece in vocabulary.pieces([word]).ids:
            table[piece] = 0, 2, 0, logit
    return table


def _figure_heads(graph: Any, vocabulary: Vocabulary, size: int) -> dict[str, list[Any]]:
    """Figures and names; the shapes of their outputs."""
    figures = np.tile(np.array(PLAIN, dtype=np.float32), (size, 1))
    tags = np.zeros((size, len(NAME_TAGS)), dtype=np.float32)
    tags[:, 0] = 1
    for word, scores in FIGURES.items():
        for piece in vocabulary.pieces([word]).ids:
            figures[piece] = scores
    for word, tag in NAMES.items():
        for piece in vocabulary.pieces([word]).ids:
            tags[piece] = np.eye(len(NAME_TAGS))[NAME_TAGS.index(tag)]
    for name, table in (("figures", figures), ("names", tags)):
        rows = graph.add("Gather", graph.constant(table, "float32"), "ids")
        graph.add("MatMul", "pool", rows, name=name)
    return {
        "figures": ["batch", "word", len(FIGURE_OUTPUTS)],
        "names": ["batch", "word", len(NAME_TAGS)],
    }


def _more_heads(
    graph: Any, vocabulary: Vocabulary, size: int, labels: Labels
) -> dict[str, list[Any]]:
    """Sentiment, metonymy and, where labels have them, figures and names; their shapes."""
    names = ALL_LABELS.metonymy
    prose = "valence" in labels.sentiment
    table = np.zeros((size, 2 + len(names)), dtype=np.float32)
    for column, scale in enumerate((VALENCES, PROSE)):
        for word, valence in scale.items():
            for piece in vocabulary.pieces([word]).ids:
                table[piece, column] = valence
    for word, (reading, logit) in READINGS.items():
        for piece in vocabulary.pieces([word]).ids:
            table[piece, 2 + names.index(reading)] = logit
    rows = graph.add("Gather", graph.constant(table, "float32"), "ids")
    words = graph.add("MatMul", "pool", rows)  # [batch, word, 2 + reading]
    zero, one, two = (graph.constant([n], "int64") for n in (0, 1, 2))
    end = graph.constant([2 + len(names)], "int64")
    graph.add("Slice", words, two, end, two, name="metonymy")
    both = graph.constant([1, 2], "int64")
    count = graph.add("ReduceSum", "pool", both, keepdims=0)
    means = []
    for first, last in ((zero, one), (one, two)):
        own = graph.add("Slice", words, first, last, two)
        total = graph.add("ReduceSum", own, one, keepdims=0)  # [batch, 1]
        means.append(graph.add("Div", total, graph.add("Unsqueeze", count, one)))
    rest = len(SENTIMENT_OUTPUTS) - 2  # between the score and the valence
    padded = graph.add("Pad", means[0], graph.constant([0, 0, 0, rest], "int64"))
    if prose:
        graph.add("Concat", padded, means[1], axis=1, name="sentiment")
    else:
        graph.add("Identity", padded, name="sentiment")
    found: dict[str, list[Any]] = {
        "sentiment": ["batch", len(labels.sentiment)],
        "metonymy": ["batch", "word", len(names)],
    }
    return found | (_figure_heads(graph, vocabulary, size) if labels.names else {})


def _encoder(graph: Any, table: Any, heads: bool, more: dict[str, list[Any]]) -> bytes:
    from onnx import TensorProto

    rows = graph.add("Gather", graph.constant(table, "float32"), "ids")  # [batch, piece, 4]
    words = graph.add("MatMul", "pool", rows)  # [batch, word, 4]
    axis, end = graph.constant([2], "int64"), graph.constant([3], "int64")
    first, last = graph.constant([0], "int64"), graph.constant([4], "int64")
    tags = graph.add("Slice", words, first, end, axis)
    for name in ("upos", "xpos", "label_dependents"):
        graph.add("Identity", tags, name=name)
    lemma = graph.add("Slice", words, first, graph.constant([1], "int64"), axis)
    graph.add("Identity", lemma, name="lemma")
    # the root and the words as heads: verbs are drawn to the root, all others to verbs
    before = graph.constant([0, 1, 0, 0, 0, 0], "int64")
    rooted = graph.add("Pad", tags, before, name="label_heads")
    turned = graph.add("Transpose", rooted, perm=[0, 2, 1])
    graph.add("MatMul", tags, turned, name="arcs")
    shapes: dict[str, list[Any]] = {
        "upos": ["batch", "word", 3],
        "xpos": ["batch", "word", 3],
        "lemma": ["batch", "word", 1],
        "arcs": ["batch", "word", "head"],
        "label_dependents": ["batch", "word", 3],
        "label_heads": ["batch", "head", 3],
    }
    if heads:
        logits = graph.add("Slice", words, end, last, axis)
        graph.add("Squeeze", logits, axis, name="metaphor")
        pieces = graph.add("Squeeze", graph.add("Slice", rows, end, last, axis), axis)
        real = graph.add("Cast", "mask", to=TensorProto.FLOAT)
        padding = graph.add("Sub", real, graph.constant(1.0, "float32"))
        far_down = graph.add("Mul", padding, graph.constant(100.0, "float32"))
        masked = graph.add("Add", pieces, far_down)
        graph.add("ReduceMax", masked, graph.constant([1], "int64"), keepdims=0, name="figurative")
        shapes |= {"metaphor": ["batch", "word"], "figurative": ["batch"]}
    shapes |= more
    inputs = {
        "ids": (TensorProto.INT64, ["batch", "piece"]),
        "types": (TensorProto.INT64, ["batch", "piece"]),
        "mask": (TensorProto.INT32, ["batch", "piece"]),
        "pool": (TensorProto.FLOAT, ["batch", "word", "piece"]),
    }
    model: bytes = graph.serialise(inputs, shapes)
    return model


def _labeller(graph: Any) -> bytes:
    from onnx import TensorProto

    graph.add("Sub", "dependents", "heads", name="scores")
    rows = TensorProto.FLOAT, ["arc", 3]
    model: bytes = graph.serialise({"dependents": rows, "heads": rows}, {"scores": ["arc", 3]})
    return model
