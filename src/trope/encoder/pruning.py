"""ONNX models cut down to the outputs that are wanted.

ONNX Runtime computes every node of a graph, also those not fetched, and its run option
`only_execute_path_to_fetches` changes nothing in the packages that people install. So what leads
to no wanted output is taken out of the file before it is loaded. The few fields of the format that
matter are read here, because the `onnx` package is for training only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

_GRAPH = 7  # of a model
_NODE, _OUTPUT = 1, 12  # of a graph
_NODE_INPUT, _NODE_OUTPUT = 1, 2  # of a node
_VALUE_NAME = 1  # of an input or output
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # how a field is stored

Field = tuple[int, memoryview, memoryview]
"""Number of a field, what it holds, and the bytes it takes with its head."""


def keep_outputs(model: bytes, wanted: Collection[str]) -> bytes:
    """The model with the wanted outputs alone, and the nodes that they need."""
    pieces: list[bytes | memoryview] = []
    for number, content, whole in _fields(memoryview(model)):
        if number == _GRAPH:
            graph = _cut(content, wanted)
            pieces += [_varint(_GRAPH << 3 | _BYTES), _varint(len(graph)), graph]
        else:
            pieces.append(whole)
    return b"".join(pieces)


def output_names(model: bytes) -> list[str]:
    """The outputs of a model, in its order."""
    return [
        _name(content)
        for number, graph, _ in _fields(memoryview(model))
        if number == _GRAPH
        for kind, content, _ in _fields(graph)
        if kind == _OUTPUT
    ]


def _cut(graph: memoryview, wanted: Collection[str]) -> bytes:
    fields = list(_fields(graph))
    needed = set(wanted)
    dead: set[int] = set()
    # nodes stand in the order of their computation, so one look from the end finds what is needed
    for place in range(len(fields) - 1, -1, -1):
        number, content, _ = fields[place]
        if number == _OUTPUT and _name(content) not in wanted:
            dead.add(place)
        elif number == _NODE:
            inputs, outputs = _ends(content)
            if needed.isdisjoint(outputs):
                dead.add(place)
            else:
                needed.update(inputs)
    return b"".join(whole for place, (_, _, whole) in enumerate(fields) if place not in dead)


def _ends(node: memoryview) -> tuple[list[str], list[str]]:
    """The names of what goes into a node and of what comes out of it."""
    ends: dict[int, list[str]] = {_NODE_INPUT: [], _NODE_OUTPUT: []}
    for number, content, _ in _fields(node):
        if number in ends:
            ends[number].append(str(content, "utf-8"))
    return ends[_NODE_INPUT], ends[_NODE_OUTPUT]


def _name(value: memoryview) -> str:
    return next(str(content, "utf-8") for n, content, _ in _fields(value) if n == _VALUE_NAME)


def _fields(data: memoryview) -> Iterator[Field]:
    """The fields of a message of Protocol Buffers."""
    at = 0
    while at < len(data):
        start = at
        head, at = _read_varint(data, at)
        kind = head & 7
        if kind == _BYTES:
            size, at = _read_varint(data, at)
        elif kind == _VARINT:
            size = _read_varint(data, at)[1] - at
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"no field is stored as {kind}")
        if at + size > len(data):
            raise ValueError("a field ends after the file")
        yield head >> 3, data[at : at + size], data[start : at + size]
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


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)
