"""Other operators in the place of slow ones: the same scores, with any ONNX Runtime."""

import numpy as np
import onnxruntime
import pytest

from trope.encoder.models import model_folder
from trope.encoder.pruning import map_outputs, with_faster_operators
from trope.encoder.session import METAPHOR, SYNTAX, Encoder, passes

SENTENCES = [
    ["Rain", "."],
    ["Taxes", "crushed", "the", "small", "shops", "."],
    ["The", "old", "bank", "swallowed", "its", "rivals", "."],
    ["Prices", "climbed", "again", "while", "the", "storm", "of", "protest", "died", "down", "."],
]
OUTPUTS = (*SYNTAX, *METAPHOR)


def scores(encoder: Encoder) -> list[dict[str, np.ndarray]]:
    """What the network says of each sentence, without what fills its rows."""
    found = [{} for _ in SENTENCES]
    for done in passes(encoder, SENTENCES, OUTPUTS):
        for row, window in enumerate(done.windows):
            words = window.pieces.words
            sizes = {"arcs": (words, words + 1), "label_heads": (words + 1,), "figurative": ()}
            for name in OUTPUTS:
                cut = tuple(map(slice, sizes.get(name, (words,))))
                found[window.sentence][name] = done.outputs[name][row][cut]
    return found


@pytest.mark.parametrize("old", ["1.20.0", "1.23.2"])
def test_an_onnx_runtime_without_them_gives_the_same_scores(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = scores(Encoder(threads=1))
    monkeypatch.setattr(onnxruntime, "__version__", old)
    before = scores(Encoder(threads=1))
    for ours, theirs in zip(now, before, strict=True):
        for name in OUTPUTS:
            # processors round differently, and what is rounded to 8 bits after that differs more
            assert ours[name] == pytest.approx(theirs[name], abs=0.05), name


def test_slow_operators_are_gone_and_nothing_else() -> None:
    onnx = pytest.importorskip("onnx")
    part = map_outputs(model_folder("small") / "encoder.onnx", METAPHOR)
    slow, fast = (onnx.load_from_string(m).graph for m in (part, with_faster_operators(part)))
    gone = {node.op_type for node in slow.node} - {node.op_type for node in fast.node}
    assert gone == {"BiasGelu", "MultiHeadAttention", "Sum"}
    assert fast.initializer == slow.initializer
    assert (fast.input, fast.output) == (slow.input, slow.output)
    made = {name for node in fast.node for name in node.output}
    assert {name for node in slow.node for name in node.output} <= made
