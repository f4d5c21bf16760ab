"""The network as a graphics processor runs it: what it says, and what happens where it cannot run.

torch computes on this machine's processor, in the place of a card.
"""

import csv
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conftest import REPOSITORY
from metaphor_model import FIGURE_LABELS, write_model
from trope import Pipeline
from trope.core.errors import BadInput, MissingExtra
from trope.encoder import device
from trope.encoder.decode import read_words
from trope.encoder.device import CardSession, DeviceFailed, GraphicsCard, open_card
from trope.encoder.session import METAPHOR, SYNTAX, Encoder
from trope.text import read_batch

GB = 1 << 30
FLIPPED = 0.002
"""The share of words whose verdict another device may change."""
FARTHEST, MEAN = 0.2, 0.003
"""How far scores may be from those of 8-bit products, at most and on average."""
TOLERANCE = 1e-3
"""How far the outputs of a sentence may be from those in other company."""


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> GraphicsCard:
    """The processor as if it were a card."""
    found = GraphicsCard("a card", "cpu", "float32", 8 * GB)
    monkeypatch.setattr(device, "find_card", lambda: found)
    return found


def speeches(number: int) -> list[tuple[str, ...]]:
    """The sentences of so many speeches."""
    with (REPOSITORY / "examples" / "commons" / "opposition.csv").open(encoding="utf-8") as file:
        texts = [row["text"] for row in csv.DictReader(file)][:number]
    return read_batch(texts, "plain")[1]


def test_verdicts_are_those_of_the_processor(card: GraphicsCard) -> None:
    sentences = speeches(200)  # of fewer, single words decide
    plain, ours = Encoder(threads=1), Encoder(threads=1, device="cuda")
    pairs = [
        (one, other)
        for before, after in zip(
            read_words(plain, sentences, METAPHOR),
            read_words(ours, sentences, METAPHOR),
            strict=True,
        )
        for one, other in zip(before.metaphor, after.metaphor, strict=True)
    ]
    scores = np.asarray(pairs)
    assert len(scores) > 15_000
    assert plain.labels.metaphor is not None
    called = scores >= plain.labels.metaphor.threshold
    assert called.sum() > 1_000
    assert (called[:, 0] != called[:, 1]).mean() <= FLIPPED
    far = np.abs(scores[:, 0] - scores[:, 1])
    assert far.max() <= FARTHEST
    assert far.mean() <= MEAN


def test_trees_and_tags_are_those_of_the_processor(card: GraphicsCard) -> None:
    sentences = speeches(4)
    wanted = read_words(Encoder(threads=1), sentences, SYNTAX)
    found = read_words(Encoder(threads=1, device="cuda"), sentences, SYNTAX)
    for name in ("upos", "xpos", "lemmas", "heads", "deprels"):
        before, after = (
            [value for parse in parses for value in getattr(parse, name)]
            for parses in (wanted, found)
        )
        same = np.mean([one == other for one, other in zip(before, after, strict=True)])
        assert same > 0.99, name


def test_a_sentence_has_the_same_scores_alone_and_in_company(card: GraphicsCard) -> None:
    encoder = Encoder(threads=1, device="cuda")
    words = ["Rain", "ate", "the", "old", "road", "."]
    company = [["So"], [*words, "and", "so", "on"], ["x" * 300]]
    outputs = (*SYNTAX, *METAPHOR)
    [alone] = [future.result() for future in encoder.submit([words], outputs)]
    [together] = [future.result() for future in encoder.submit([*company, words], outputs)]
    row = [window.sentence for window in together.windows].index(len(company))
    for name, values in alone.outputs.items():
        own = values[0]
        there = together.outputs[name][row][tuple(slice(size) for size in own.shape)]
        assert np.abs(own - there).max() <= TOLERANCE, name


def test_a_pipeline_says_the_same_with_every_head(card: GraphicsCard, tmp_path: Path) -> None:
    folder = write_model(tmp_path, FIGURE_LABELS)
    texts = ["The tax crushed shops in Vienna.", "It eats me.", "What a lovely bucket!", ""]
    before = Pipeline(folder=folder, threads=1)
    after = Pipeline(folder=folder, threads=1, device="cuda")
    assert (before.device, after.device) == ("cpu", "cuda")
    assert list(after.analyze_many(texts)) == list(before.analyze_many(texts))


def too_large(most: int) -> Any:
    """What computes a batch, on a card that has memory for so many sentences."""
    import torch

    compute = CardSession._compute
    seen: list[int] = []

    def computed(session: CardSession, outputs: Any, inputs: Any) -> Any:
        seen.append(len(inputs["ids"]))
        if len(inputs["ids"]) > most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return compute(session, outputs, inputs)

    return computed, seen


def test_a_batch_that_does_not_fit_goes_in_halves(
    card: GraphicsCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = speeches(2)[:11]
    encoder = Encoder(threads=1, device="cuda")
    whole = read_words(encoder, sentences, METAPHOR)
    computed, seen = too_large(3)
    monkeypatch.setattr(CardSession, "_compute", computed)
    parts = read_words(encoder, sentences, METAPHOR)
    assert max(seen) == 11 and sum(size for size in seen if size <= 3) == 11
    for one, other in zip(whole, parts, strict=True):
        assert one.metaphor == pytest.approx(other.metaphor, abs=2e-4)


def test_a_card_without_room_for_one_sentence_says_so(
    card: GraphicsCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = Encoder(threads=1, device="cuda")
    monkeypatch.setattr(CardSession, "_compute", too_large(0)[0])
    with pytest.raises(DeviceFailed, match="no memory for one more sentence"):
        read_words(encoder, [["Rain"], ["So", "what"]], METAPHOR)


def test_a_card_without_room_for_the_model_says_so(
    card: GraphicsCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def full(*_: object) -> None:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(CardSession, "_sent", full)
    with pytest.raises(DeviceFailed, match="no memory for the model; use fewer workers"):
        read_words(Encoder(threads=1, device="cuda"), [["Rain"]], METAPHOR)


def test_a_driver_that_fails_in_the_middle_is_one_line(
    card: GraphicsCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = Encoder(threads=1, device="cuda")

    def failing(*_: object) -> None:
        raise RuntimeError("CUDA error: unspecified launch failure\nCompile with …\nand so on")

    monkeypatch.setattr(CardSession, "_compute", failing)
    with pytest.raises(DeviceFailed, match=r"unspecified launch failure\); resume .*--resume") as e:
        read_words(encoder, [["Rain"]], METAPHOR)
    assert "\n" not in str(e.value)


def test_an_operator_that_is_not_known_is_named(card: GraphicsCard, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    import onnx

    folder = write_model(tmp_path)
    model = onnx.load(folder / "encoder.onnx")
    node = next(node for node in model.graph.node if node.op_type == "MatMul")
    node.op_type = "MatMulOfTomorrow"
    onnx.save(model, folder / "encoder.onnx")
    encoder = Encoder(folder=folder, threads=1, device="cuda")
    with pytest.raises(BadInput, match=r"MatMulOfTomorrow.*--device cpu"):
        encoder.submit([["Rain"]], (*SYNTAX, *METAPHOR))


def test_other_devices_are_refused() -> None:
    with pytest.raises(BadInput, match="no device 'gpu'; choose from cpu, cuda, auto"):
        Pipeline(device="gpu")


def refused(match: str, kind: type[Exception] = BadInput) -> None:
    """`cuda` is refused so, and `auto` stays on the processor."""
    with pytest.raises(kind, match=match) as caught:
        open_card("cuda")
    assert "\n" not in str(caught.value)
    assert open_card("auto") is None
    assert open_card("cpu") is None


def test_a_small_card_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    small = GraphicsCard("a small card", "cuda", "float16", GB * 4 // 10)
    monkeypatch.setattr(device, "find_card", lambda: small)
    refused(r"a small card has 0\.4 GB of free memory, and 1\.0 GB are needed; .*--device cpu")


def test_a_card_of_two_gigabytes_gets_smaller_batches() -> None:
    small, large = (GraphicsCard("a card", "cuda", "float16", size * GB) for size in (2, 80))
    assert 4_096 <= small.pieces < large.pieces


def test_without_torch_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    refused(r"--device cuda needs .*pip install 'trope\[hub\]'", MissingExtra)


def torch_that(**cuda: Any) -> SimpleNamespace:
    """A torch whose part for cards does so."""
    built = SimpleNamespace(is_built=lambda: cuda.pop("built", True))
    return SimpleNamespace(
        __version__="9.9",
        backends=SimpleNamespace(cuda=built),
        cuda=SimpleNamespace(**cuda),
    )


def test_torch_without_cuda_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch_that(built=False))
    with pytest.raises(BadInput, match=r"torch 9\.9 was built without CUDA; .*--device cpu"):
        open_card("cuda")


def test_a_machine_without_a_card_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch_that(is_available=lambda: False))
    refused("torch finds no graphics processor; check its driver, or use --device cpu")


def test_a_card_that_another_process_holds_alone_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def busy() -> None:
        raise RuntimeError("CUDA error: all CUDA-capable devices are busy\nFor debugging …")

    monkeypatch.setitem(
        sys.modules, "torch", torch_that(is_available=lambda: True, mem_get_info=busy)
    )
    refused(r"cannot be used \(CUDA error: all CUDA-capable devices are busy\); end what else")


def test_a_card_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"get_device_name": lambda: "A Card 80", "mem_get_info": lambda: (70 * GB, 80 * GB)}
    monkeypatch.setitem(sys.modules, "torch", torch_that(is_available=lambda: True, **names))
    found = open_card("auto")
    assert found == GraphicsCard("A Card 80", "cuda", "float16", 70 * GB)
