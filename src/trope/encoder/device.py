"""Graphics processors: the graph of a model, run by torch in 16-bit floats.

The weights are those that ship. Their 8-bit products become products of floats, whose rows are not
rounded before; that rounding is what scores differ by from those of a processor. Nothing else in
the pipeline knows about devices: an encoder asks `open_card` once, and then runs a `CardSession` as
it runs a session of ONNX Runtime. torch is imported when a device is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, MissingExtra, TropeError
from trope.encoder.pruning import (
    GraphContent,
    GraphNode,
    output_names,
    read_graph,
    with_float_products,
)

DEVICES = ("cpu", "cuda", "auto")
"""What `--device` takes: this processor, its graphics processor, or the latter if there is one."""

LEAST_FREE = 1 << 30
"""Bytes of a card's memory that must be free, for the model and a batch of a useful size."""

_BYTES_A_PIECE = 1 << 16
"""What a piece takes of a card's memory on its way through the network, generously."""

_MOST_PIECES = 1 << 15
"""Padded pieces per batch; more do not keep a card busier."""

_SEEN = "mask of attention"
_FULL = "the graphics processor has no memory for {}; use fewer workers, end what else uses it, or \
use --device cpu"

Inputs = Mapping[str, npt.NDArray[np.generic]]
Array = npt.NDArray[np.float32]


class DeviceFailed(TropeError, RuntimeError):
    """A graphics processor that failed at work."""


@dataclass(frozen=True, slots=True)
class GraphicsCard:
    """A graphics processor: its name, torch's names for it and for the floats it computes in, and
    how many bytes of its memory are free."""

    name: str
    place: str
    floats: str
    free: int

    @property
    def pieces(self) -> int:
        """How many padded pieces a batch may have."""
        return min(_MOST_PIECES, self.free // 2 // _BYTES_A_PIECE)


def open_card(device: str) -> GraphicsCard | None:
    """The graphics processor that a device stands for; None for this processor.

    Raises:
        BadInput: for another name, or where the named one cannot be used.
        MissingExtra: where torch is not installed.
    """
    if device not in DEVICES:
        raise BadInput(f"there is no device {device!r}; choose from {', '.join(DEVICES)}")
    if device == "cpu":
        return None
    try:
        card = find_card()
        if card.free < LEAST_FREE:
            free, least = (f"{size / 2**30:.1f} GB" for size in (card.free, LEAST_FREE))
            problem = f"{card.name} has {free} of free memory, and {least} are needed"
            raise BadInput(f"{problem}; end what else uses it, or use --device cpu")
    except (BadInput, MissingExtra):
        if device == "auto":
            return None
        raise
    return card


def find_card() -> GraphicsCard:
    """The graphics processor of this machine; tests put another in its place.

    Raises:
        BadInput: where there is none that torch can use.
        MissingExtra: where torch is not installed.
    """
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtra("--device cuda", "hub", "torch") from None
    if not torch.backends.cuda.is_built():
        problem = f"torch {torch.__version__} was built without CUDA"
        raise BadInput(f"{problem}; install one with CUDA, or use --device cpu")
    try:
        if not torch.cuda.is_available():
            problem = "torch finds no graphics processor"
            raise BadInput(f"{problem}; check its driver, or use --device cpu")
        free, _ = torch.cuda.mem_get_info()
        return GraphicsCard(torch.cuda.get_device_name(), "cuda", "float16", free)
    except RuntimeError as error:
        problem = f"the graphics processor cannot be used ({_first_line(error)})"
        raise BadInput(f"{problem}; end what else uses it, or use --device cpu") from None


@contextmanager
def card_failures() -> Iterator[None]:
    """While it lasts, what torch raises for a failing card is an error of one line.

    Too little memory is not: who asked can ask for less.
    """
    import torch

    try:
        yield
    except torch.cuda.OutOfMemoryError:
        raise
    except RuntimeError as error:
        problem = f"the graphics processor failed ({_first_line(error)})"
        remedy = "resume what can be resumed with --resume, or use --device cpu"
        raise DeviceFailed(f"{problem}; {remedy}") from error


def in_halves(compute: Callable[[Inputs], list[Array]], inputs: Inputs) -> list[Array]:
    """What is computed of a batch; where that does not fit into memory, its halves go one by one.

    Raises:
        DeviceFailed: there is no memory for a single sentence, or the card failed.
    """
    import torch

    rows = len(inputs["ids"])
    try:
        with card_failures(), torch.inference_mode():
            return compute(inputs)
    except torch.cuda.OutOfMemoryError:
        if rows == 1:
            raise DeviceFailed(_FULL.format("one more sentence")) from None
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    halves = (
        {name: values[part] for name, values in inputs.items()}
        for part in (slice(rows // 2), slice(rows // 2, rows))
    )
    parts = [in_halves(compute, half) for half in halves]
    return [np.concatenate(both) for both in zip(*parts, strict=True)]


class CardSession:
    """The network on a card, used as a session of ONNX Runtime is."""

    def __init__(self, model: bytes, card: GraphicsCard, *, choices: Sequence[str] = ()) -> None:
        """Load a model that holds its weights; of `choices`, the number of the best comes back.

        Raises:
            ValueError: for what is no model.
            BadInput: it has an operator that is not known here.
            DeviceFailed: there is no memory for it, or the card failed.
        """
        import torch

        self._names, self._choices = output_names(model), frozenset(choices)
        content = _with_fused_layers(with_float_products(read_graph(model)))
        self._steps = [_step(*found) for found in _nodes_in_use(content.nodes, self._names)]
        self._place, self._floats = torch.device(card.place), getattr(torch, card.floats)
        used = {name for step in self._steps for name in step.inputs}
        try:
            with card_failures():
                self._constants = {
                    # what tells shapes stays here: no waiting for the card
                    name: torch.from_numpy(values.copy()) if values.dtype == np.int64
                    else self._sent(values)
                    for name, values in content.constants.items() if name in used
                }  # fmt: skip
        except torch.cuda.OutOfMemoryError:  # others may have taken what was free
            raise DeviceFailed(_FULL.format("the model")) from None

    def get_outputs(self) -> list[Any]:
        """The outputs, each with its name."""
        return [SimpleNamespace(name=name) for name in self._names]

    def run(self, outputs: Sequence[str], inputs: Inputs) -> list[Array]:
        """These outputs of a batch."""
        return in_halves(lambda part: self._compute(outputs, part), inputs)

    def _compute(self, outputs: Sequence[str], inputs: Inputs) -> list[Array]:
        known = {name: self._sent(values) for name, values in inputs.items()}
        # attention is faster without a mask, which a batch without padding does not need
        known[_SEEN] = None if inputs["mask"].all() else known["mask"][:, None, None, :].bool()
        for step in self._steps:
            there = [known[n] if n in known else self._constants[n] for n in step.inputs]
            known[step.output] = step.compute(step.attributes, *there)
            for name in step.last_used:
                known.pop(name, None)
        found = [known[n].argmax(-1) if n in self._choices else known[n].float() for n in outputs]
        return [one.cpu().numpy() for one in found]

    def _sent(self, values: npt.NDArray[Any]) -> Any:
        """Numbers on the card."""
        import torch

        tensor = torch.from_numpy(np.array(values)).to(self._place)  # which converts it, too
        return tensor.to(self._floats) if tensor.is_floating_point() else tensor


def _with_fused_layers(content: GraphContent) -> GraphContent:
    """The graph with one node for each norm, and for each linear layer with its bias."""
    uses = Counter(name for node in content.nodes for name in node.inputs)
    made: dict[str, GraphNode] = {}
    nodes = []
    for old in content.nodes:
        node, before = old, made.get(old.inputs[0])
        inputs: tuple[str, ...]
        if node.operator == "SimplifiedLayerNormalization" and before is not None:
            middle = made.get(before.inputs[1]) if before.operator == "Sub" else None
            if middle is not None and middle.operator == "ReduceMean":
                inputs = (before.inputs[0], node.inputs[1])
                node = GraphNode("LayerNormalization", inputs, node.output, node.attributes)
        elif (
            node.operator == "Add"
            and before is not None
            and before.operator in ("Linear", "LayerNormalization")
            and node.inputs[1] in content.constants
            and uses[node.inputs[0]] == 1
            and len(before.inputs) == 2
        ):
            inputs = (*before.inputs, node.inputs[1])
            node = GraphNode(before.operator, inputs, node.output, before.attributes)
        made[node.output] = node
        nodes.append(node)
    return GraphContent(nodes, content.constants)


@dataclass(frozen=True, slots=True)
class _Step:
    """One node that is ready to be computed, and which results nobody needs after it."""

    compute: Callable[..., Any]
    inputs: tuple[str, ...]
    output: str
    attributes: dict[str, Any]
    last_used: tuple[str, ...]


def _nodes_in_use(
    nodes: Sequence[GraphNode], outputs: Sequence[str]
) -> list[tuple[GraphNode, tuple[str, ...]]]:
    """The nodes that lead to the outputs, in order, each with what is last used there."""
    needed = set(outputs)
    found = []
    for node in reversed(nodes):
        if node.output in needed:
            last = tuple(name for name in node.inputs if name not in needed)
            needed.update(node.inputs)
            found.append((node, last))
    return found[::-1]


def _step(node: GraphNode, last_used: tuple[str, ...]) -> _Step:
    if node.operator not in _OPERATORS:
        problem = f"the model has an operator {node.operator}, which --device cuda does not know"
        raise BadInput(f"{problem}; use --device cpu")
    inputs, compute = node.inputs, _OPERATORS[node.operator]
    if node.operator == "MultiHeadAttention" and inputs[-1] == "mask":
        inputs = (*inputs[:-1], _SEEN)
    return _Step(compute, inputs, node.output, node.attributes, last_used)


def _attention(
    attributes: dict[str, Any], query: Any, key: Any, value: Any, bias: Any, seen: Any
) -> Any:
    """Multi-head attention; `seen` tells where a piece is, and is None if all places have one."""
    from torch.nn import functional

    batch, pieces, size = query.shape
    heads = attributes["num_heads"]
    own_query, own_key, own_value = (
        (part + own).view(batch, pieces, heads, size // heads).transpose(1, 2)
        for part, own in zip((query, key, value), bias.chunk(3), strict=True)
    )
    found = functional.scaled_dot_product_attention(own_query, own_key, own_value, seen)
    return found.transpose(1, 2).reshape(batch, pieces, size)


def _pad(attributes: dict[str, Any], x: Any, sizes: Any) -> Any:
    from torch.nn import functional

    before, after = sizes.view(2, -1).flip(1)  # torch counts axes from the last
    return functional.pad(
        x, [int(size) for pair in zip(before, after, strict=True) for size in pair]
    )


def _linear(attributes: dict[str, Any], rows: Any, weight: Any, bias: Any = None) -> Any:
    from torch.nn import functional

    return functional.linear(rows, weight, bias)


def _layer_norm(attributes: dict[str, Any], rows: Any, gain: Any, bias: Any = None) -> Any:
    from torch.nn import functional

    return functional.layer_norm(rows, gain.shape, gain, bias, attributes["epsilon"])


def _gelu(attributes: dict[str, Any], rows: Any, bias: Any) -> Any:
    from torch.nn import functional

    return functional.gelu(rows + bias)


def _shape(attributes: dict[str, Any], x: Any) -> Any:
    import torch

    return torch.tensor(x.shape[attributes.get("start", 0) : attributes.get("end")])


def _concat(attributes: dict[str, Any], *parts: Any) -> Any:
    import torch

    return torch.cat(parts, attributes["axis"])


def _where(attributes: dict[str, Any], there: Any, x: Any, other: Any) -> Any:
    import torch

    return torch.where(there, x, other)


def _range(attributes: dict[str, Any], first: Any, end: Any, step: Any) -> Any:
    import torch

    return torch.arange(first.item(), end.item(), step.item())


def _slice(attributes: dict[str, Any], x: Any, starts: Any, ends: Any, axes: Any = None) -> Any:
    """A part of an axis; without `axes`, of the first one."""
    axis = 0 if axes is None else axes.item() % x.dim()
    return x[(slice(None),) * axis + (slice(starts.item(), ends.item()),)]


def _reduced(method: str) -> Callable[..., Any]:
    return lambda attributes, x, axis: getattr(x, method)(
        axis.tolist(), keepdim=bool(attributes.get("keepdims", 1))
    )


_OPERATORS: dict[str, Callable[..., Any]] = {
    "Add": lambda a, x, y: x + y,
    "BiasGelu": _gelu,
    "Cast": lambda a, x: x,  # numbers of a table, which a scale of floats follows
    "Concat": _concat,
    "Div": lambda a, x, y: x / y,
    "Expand": lambda a, x, shape: x.expand(shape.tolist()),
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)),
    "Gather": lambda a, table, index: table[index],
    "Gemm": _linear,
    "Greater": lambda a, x, y: x > y,
    "Identity": lambda a, x: x,
    "LayerNormalization": _layer_norm,
    "Linear": _linear,
    "MatMul": lambda a, x, y: x @ y,
    "Mul": lambda a, x, y: x * y,
    "MultiHeadAttention": _attention,
    "Pad": _pad,
    "Range": _range,
    "ReduceMax": _reduced("amax"),
    "ReduceMean": _reduced("mean"),
    "ReduceSum": _reduced("sum"),
    "Relu": lambda a, x: x.relu(),
    "Reshape": lambda a, x, shape: x.reshape(shape.tolist()),
    "Shape": _shape,
    "Slice": _slice,
    "Softmax": lambda a, x: x.softmax(a.get("axis", -1)),
    "Squeeze": lambda a, x, axis=None: x.squeeze() if axis is None else x.squeeze(axis.item()),
    "Sub": lambda a, x, y: x - y,
    "Sum": lambda a, *parts: sum(parts[1:], parts[0]),
    "Transpose": lambda a, x: x.permute(a["perm"]),
    "Unsqueeze": lambda a, x, axis: x.unsqueeze(axis.item()),
    "Where": _where,
}
"""How a card computes each operator that a model has, from its attributes and inputs."""


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
