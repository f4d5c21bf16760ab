"""ONNX models cut down to the outputs that are wanted.

ONNX Runtime computes every node of a graph, also those not fetched, and its run option
`only_execute_path_to_fetches` changes nothing in the packages that people install. So what leads
to no wanted output is taken out of the file before it is loaded. The few fields of the format that
matter are read here, because the `onnx` package is for training only.

Weights need not be copied for this: a graph can say where in a file they are, and the sessions of
all parts of a model then share the pages of that file.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

_GRAPH = 7  # of a model
_NODE, _TENSOR, _OUTPUT = 1, 5, 12  # of a graph
_NODE_INPUT, _NODE_OUTPUT = 1, 2  # of a node
_VALUE_NAME = 1  # of an input or output
_RAW_DATA, _EXTERNAL_DATA, _DATA_LOCATION = 9, 13, 14  # of a tensor
_KEY, _VALUE = 1, 2  # of an entry of external data
_EXTERNAL = 1  # a location of data
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # how a field is stored

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


def keep_outputs(model: bytes, wanted: Collection[str]) -> bytes:
    """The model with the wanted outputs alone, and the nodes that they need."""
    return _cut(memoryview(model), wanted, _whole)


def map_outputs(path: Path, wanted: Collection[str]) -> bytes:
    """The same for the model of a file, with weights that are read from that file when needed."""
    with path.open("rb") as file:
        model = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return _cut(model, wanted, lambda data, tensor: _refer(data, tensor, path.name))


def output_names(model: bytes) -> list[str]:
    """The outputs of a model, in its order."""
    data = memoryview(model)
    return [
        _name(data, field)
        for part in _fields(data)
        if part.number == _GRAPH
        for field in _fields(data, part)
        if field.number == _OUTPUT
    ]


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
