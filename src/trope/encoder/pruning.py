"""ONNX models cut down to the outputs that are wanted.

ONNX Runtime computes every node of a graph, also those not fetched, and its run option
`only_execute_path_to_fetches` changes nothing in the packages that people install. So what leads
to no wanted output is taken out of the file before it is loaded. The few fields of the format that
matter are read here, because the `onnx` package is for training only.

Weights need not be copied for this: a graph can say where in a file they are, and the sessions of
all parts of a model then share the pages of that file.

`with_faster_operators` exchanges operators of a model. `read_graph` reads a graph for another
runtime, and `with_float_products` makes it one for graphics processors.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_GRAPH, _OPERATORS = 7, 8  # of a model
_NODE, _TENSOR, _OUTPUT = 1, 5, 12  # of a graph
_NODE_INPUT, _NODE_OUTPUT, _OPERATOR, _ATTRIBUTE = 1, 2, 4, 5  # of a node
_ATTRIBUTE_NAME, _FLOAT, _INTEGER, _INTEGERS, _KIND = 1, 2, 3, 8, 20  # of an attribute
_VALUE_NAME = 1  # of an input or output
_SIZE, _TYPE, _TENSOR_NAME = 1, 2, 8  # of a tensor
_RAW_DATA, _EXTERNAL_DATA, _DATA_LOCATION = 9, 13, 14  # of a tensor
_TYPES = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8"}  # of the numbers in a tensor
_KEY, _VALUE = 1, 2  # of an entry of external data
_EXTERNAL = 1  # a location of data
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # how a field is stored

# version 23 of ONNX, the first with Attention, and version 1 of ONNX Runtime's own operators
_OPERATOR_SETS = b"\x10\x17", b"\x0a\x0dcom.microsoft\x10\x01"

_INLINE_BYTES = 1024
"""Smaller tensors stay in the graph."""


class _Field(NamedTuple):
    """A field of a message: its number, where it begins, where what it holds begins and ends."""

    number: int
    head: int
    start: int
    end: int


Bytes = bytes | memoryview
Store = Callable[[memoryview, _Field], Bytes]
"""How a tensor of a model is written into its part."""


class GraphNode(NamedTuple):
    """One operator of a graph, with the names of what goes in and of what comes out."""

    operator: str
    inputs: tuple[str, ...]
    output: str
    attributes: dict[str, Any]


class GraphContent(NamedTuple):
    """A graph as another runtime needs it: its nodes in order, and its constants."""

    nodes: list[GraphNode]
    constants: dict[str, npt.NDArray[Any]]


def read_graph(model: bytes) -> GraphContent:
    """The nodes and constants of a model that holds its weights.

    Raises:
        ValueError: the bytes are no such model.
    """
    data = memoryview(model)
    content = GraphContent([], {})
    for field in _graph_fields(data):
        if field.number == _NODE:
            content.nodes.append(_read_node(data, field))
        elif field.number == _TENSOR:
            name, values = _read_tensor(data, field)
            content.constants[name] = values
    return content


def with_float_products(content: GraphContent) -> GraphContent:
    """The graph with products of floats in the place of those in 8 bits.

    What was rounded row by row, multiplied, and multiplied by the scales of the rows is now
    multiplied as it is.
    """
    constants = dict(content.constants)
    same: dict[str, str] = {}  # names that now stand for what another one stands for
    scales: set[str] = set()
    nodes = []
    for old in content.nodes:
        node = old._replace(inputs=tuple(same.get(name, name) for name in old.inputs))
        if node.operator == "QuantizeLinear":
            same[node.output] = node.inputs[0]
            scales.add(node.inputs[1])
        elif node.operator == "Unsqueeze" and node.inputs[0] in scales:
            scales.add(node.output)
        elif node.operator == "Mul" and node.inputs[1] in scales:
            same[node.output] = node.inputs[0]
        elif node.operator == "MatMulIntegerToFloat":
            rows, matrix, _, column_scale = node.inputs[:4]
            wide = constants[matrix].astype(np.float32) * constants[column_scale]
            constants[f"{matrix}.float"] = np.ascontiguousarray(wide.T)
            nodes.append(GraphNode("Linear", (rows, f"{matrix}.float"), node.output, {}))
        else:
            nodes.append(node)
    return GraphContent(nodes, constants)


def keep_outputs(model: bytes, wanted: Collection[str]) -> bytes:
    """The model with the wanted outputs alone, and the nodes that they need."""
    return _cut(memoryview(model), wanted, _whole)


def map_outputs(path: Path, wanted: Collection[str]) -> bytes:
    """The same for the model of a file, with weights that are read from that file when needed."""
    with path.open("rb") as file:
        model = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return _cut(model, wanted, lambda data, tensor: _refer(data, tensor, path.name))


def with_faster_operators(model: bytes) -> bytes:
    """The model with operators that compute the same numbers in less time."""
    data = memoryview(model)
    kept = [_whole(data, f) for f in _fields(data) if f.number not in (_GRAPH, _OPERATORS)]
    graph = b"".join(_faster(data, field) for field in _graph_fields(data))
    versions = (_message(_OPERATORS, operators) for operators in _OPERATOR_SETS)
    return b"".join((*kept, *versions, _message(_GRAPH, graph)))


def _faster(data: memoryview, field: _Field) -> Bytes:
    """A field of a graph, or in the place of a slow operator what does the same."""
    node = _read_node(data, field) if field.number == _NODE else None
    if node and node.operator == "BiasGelu":
        biased = f"{node.output}.biased"
        return _node("Add", node.inputs, biased) + _node("Gelu", [biased], node.output)
    if node and node.operator == "MultiHeadAttention":
        return _attention(node.inputs, node.output, node.attributes["num_heads"])
    if node and node.operator == "Sum":  # step by step, a sum is made where its parts are
        sums = [f"{node.output}.{n}" for n in range(2, len(node.inputs))]
        pairs = zip((node.inputs[0], *sums), node.inputs[1:], (*sums, node.output), strict=True)
        return b"".join(_node("Add", [so_far, more], name) for so_far, more, name in pairs)
    return _whole(data, field)


def _attention(inputs: Sequence[str], output: str, heads: int) -> bytes:
    """Attention in operators that take no bias, and a mask for each pair of pieces.

    What a piece that only fills a row attends to is never read. ONNX Runtime computes once what
    is the same in all layers.
    """
    *rows, bias, mask = inputs
    biases, biased = ([f"{output}.{kind}{part}" for part in "qkv"] for kind in ("bias_", "biased_"))
    from_piece, to_piece, seen = (f"{output}.{name}" for name in ("from", "to", "seen"))
    made = [_node("Split", [bias], *biases, axis=0, num_outputs=3)]
    made += [_node("Add", pair, name) for *pair, name in zip(rows, biases, biased, strict=True)]
    for name, axes in ((from_piece, (1, 3)), (to_piece, (1, 2))):
        made.append(_node("Constant", (), f"{name}.axes", value_ints=axes))
        made.append(_node("Unsqueeze", [mask, f"{name}.axes"], name))
    made.append(_node("LessOrEqual", [from_piece, to_piece], seen))
    counts = {"q_num_heads": heads, "kv_num_heads": heads}
    return b"".join((*made, _node("Attention", [*biased, seen], output, **counts)))


def _node(
    operator: str, inputs: Sequence[str], *outputs: str, **attributes: int | tuple[int, ...]
) -> bytes:
    """A node of a graph, as a field of it; its attributes are whole numbers."""
    content = [_message(_NODE_INPUT, name.encode()) for name in inputs]
    content += [_message(_NODE_OUTPUT, name.encode()) for name in outputs]
    content.append(_message(_OPERATOR, operator.encode()))
    for name, value in attributes.items():
        pairs = [(_INTEGER, value)] if isinstance(value, int) else [(_INTEGERS, n) for n in value]
        pairs.append((_KIND, 2 if isinstance(value, int) else 7))
        said = b"".join(_varint(key << 3) + _varint(number) for key, number in pairs)
        content.append(_message(_ATTRIBUTE, _message(_ATTRIBUTE_NAME, name.encode()) + said))
    return _message(_NODE, b"".join(content))


def output_names(model: bytes) -> list[str]:
    """The outputs of a model, in its order."""
    data = memoryview(model)
    return [_name(data, field) for field in _graph_fields(data) if field.number == _OUTPUT]


def _cut(data: memoryview, wanted: Collection[str], store: Store) -> bytes:
    """A model without nodes that lead to no wanted output."""
    pieces: list[Bytes] = []
    for part in _fields(data):
        if part.number == _GRAPH:
            alive = _find_alive(data, part, wanted)
            kept = (store(data, f) if f.number == _TENSOR else _whole(data, f) for f in alive)
            pieces.append(_message(_GRAPH, b"".join(kept)))
        else:
            pieces.append(_whole(data, part))
    return b"".join(pieces)


def _find_alive(data: memoryview, graph: _Field, wanted: Collection[str]) -> list[_Field]:
    """The fields of a graph that lead to a wanted output."""
    needed = set(wanted)
    alive: list[_Field] = []
    # nodes stand in the order of their computation, so one look from the end finds what is needed
    for field in reversed(list(_fields(data, graph))):
        if field.number == _OUTPUT and _name(data, field) not in wanted:
            continue
        if field.number == _NODE:
            inputs, outputs = _ends(data, field)
            if needed.isdisjoint(outputs):
                continue
            needed.update(inputs)
        alive.append(field)
    return alive[::-1]


def _refer(data: memoryview, tensor: _Field, file: str) -> Bytes:
    """A tensor whose numbers are found in a file of the same bytes."""
    fields = list(_fields(data, tensor))
    raw = next((field for field in fields if field.number == _RAW_DATA), None)
    if raw is None or raw.end - raw.start < _INLINE_BYTES:
        return _whole(data, tensor)
    place = {"location": file, "offset": raw.start, "length": raw.end - raw.start}
    entries = (
        _message(_KEY, key.encode()) + _message(_VALUE, str(said).encode())
        for key, said in place.items()
    )
    pieces: list[Bytes] = [
        *(_whole(data, field) for field in fields if field is not raw),
        *(_message(_EXTERNAL_DATA, entry) for entry in entries),
        _varint(_DATA_LOCATION << 3 | _VARINT),
        _varint(_EXTERNAL),
    ]
    return _message(_TENSOR, b"".join(pieces))


def _read_node(data: memoryview, node: _Field) -> GraphNode:
    inputs, outputs = _ends(data, node)
    operator, attributes = "", {}
    for field in _fields(data, node):
        if field.number == _OPERATOR:
            operator = _text(data, field)
        elif field.number == _ATTRIBUTE:
            name, value = _read_attribute(data, field)
            attributes[name] = value
    return GraphNode(operator, tuple(inputs), outputs[0], attributes)


def _read_attribute(data: memoryview, attribute: _Field) -> tuple[str, Any]:
    """Name and value of an attribute: a number or several whole ones."""
    name, several, value = "", [], None
    for field in _fields(data, attribute):
        if field.number == _ATTRIBUTE_NAME:
            name = _text(data, field)
        elif field.number == _INTEGER:
            value = _signed(data, field)
        elif field.number == _INTEGERS:
            several.append(_signed(data, field))
        elif field.number == _FLOAT:
            [value] = struct.unpack("<f", data[field.start : field.end])
    return name, several or value


def _read_tensor(data: memoryview, tensor: _Field) -> tuple[str, npt.NDArray[Any]]:
    name, shape, kind, raw = "", [], 0, data[:0]
    for field in _fields(data, tensor):
        if field.number == _TENSOR_NAME:
            name = _text(data, field)
        elif field.number == _SIZE:
            shape.append(_signed(data, field))
        elif field.number == _TYPE:
            kind = _signed(data, field)
        elif field.number == _RAW_DATA:
            raw = data[field.start : field.end]
    if kind not in _TYPES:
        raise ValueError(f"{name} has numbers of a type {kind} that is not known")
    return name, np.frombuffer(raw, dtype=_TYPES[kind]).reshape(shape)


def _signed(data: memoryview, field: _Field) -> int:
    value, _ = _read_varint(data, field.start)
    return value - 2**64 if value >= 2**63 else value


def _ends(data: memoryview, node: _Field) -> tuple[list[str], list[str]]:
    """The names of what goes into a node and of what comes out of it."""
    ends: dict[int, list[str]] = {_NODE_INPUT: [], _NODE_OUTPUT: []}
    for field in _fields(data, node):
        if field.number in ends:
            ends[field.number].append(_text(data, field))
    return ends[_NODE_INPUT], ends[_NODE_OUTPUT]


def _name(data: memoryview, value: _Field) -> str:
    return next(_text(data, field) for field in _fields(data, value) if field.number == _VALUE_NAME)


def _text(data: memoryview, field: _Field) -> str:
    return str(data[field.start : field.end], "utf-8")


def _whole(data: memoryview, field: _Field) -> memoryview:
    return data[field.head : field.end]


def _fields(data: memoryview, message: _Field | None = None) -> Iterator[_Field]:
    """The fields of a message of Protocol Buffers; without one, of all the data."""
    at, end = (0, len(data)) if message is None else (message.start, message.end)
    while at < end:
        head = at
        key, at = _read_varint(data, at)
        kind = key & 7
        if kind == _BYTES:
            size, at = _read_varint(data, at)
        elif kind == _VARINT:
            size = _read_varint(data, at)[1] - at
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"no field is stored as {kind}")
        if at + size > end:
            raise ValueError("a field ends after the file")
        yield _Field(key >> 3, head, at, at + size)
        at += size


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = shift = 0
    while True:
        if at >= len(data):
            raise ValueError("a number ends after the file")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _graph_fields(data: memoryview) -> Iterator[_Field]:
    """The fields of the graph of a model."""
    graphs = (part for part in _fields(data) if part.number == _GRAPH)
    return (field for graph in graphs for field in _fields(data, graph))


def _message(number: int, content: bytes) -> bytes:
    """A field that holds bytes, with its head."""
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)
