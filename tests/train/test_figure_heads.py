"""Heads for figures and valence on a finished network: what changes in it, and what does not."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
import tiny

from trope.core.config import read_config
from trope.core.records import MetaphorThresholds
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import (
    FIGURES,
    METAPHOR,
    SENTIMENT,
    SENTIMENT_OUTPUTS,
    SYNTAX,
    Encoder,
)
from trope.train.headlines.settings import FigureWords, LowerHeadSettings

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("transformers")

from trope.encoder.network import FigureHead, Network, SentimentHead  # noqa: E402
from trope.train.encoder.corpus import ZERO, encode_words  # noqa: E402
from trope.train.encoder.export import export  # noqa: E402
from trope.train.encoder.figure_sets import FigureSentence  # noqa: E402
from trope.train.encoder.sentiment_sets import SentimentText  # noqa: E402
from trope.train.encoder.student import quantise  # noqa: E402
from trope.train.headlines import figure_heads, small_heads  # noqa: E402
from trope.train.headlines.figure_heads import FrozenNetwork, with_figure_heads  # noqa: E402

SHIPPED = read_config(Path(small_heads.__file__).with_name("lower_heads.toml"), LowerHeadSettings)
SETTINGS = replace(
    SHIPPED,
    layers=1,
    seeds=(1, 2),
    words_per_batch=64,
    figures=replace(SHIPPED.figures, sets=(FigureWords("own-figures", 0.5),), passes=4),
    valence=replace(SHIPPED.valence, layers=2, words_per_batch=32),
)
WORDS = tiny.WORDS
LABELS = msgspec.structs.replace(
    tiny.labels(), metaphor=MetaphorThresholds(0.4, 0.5), sentiment=SENTIMENT_OUTPUTS[:-1]
)
OLD = (*SYNTAX, *METAPHOR)


@pytest.fixture(autouse=True)
def tiny_models(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    tiny.shrink(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished model of two layers without these heads."""
    torch.manual_seed(0)
    tasks = ("syntax", "metaphor", "sentiment")
    network = quantise(Network("e5-small", LABELS, None, tasks)).eval()
    weights = {name: value.float().numpy() for name, value in network.state_dict().items()}
    export(weights, LABELS, tiny.VOCABULARY, tmp_path / "before")
    return tmp_path / "before"


def new_heads(seed: int) -> tuple[FigureHead, SentimentHead]:
    torch.manual_seed(seed)
    figures, valence = quantise(FigureHead(64, 2)), quantise(SentimentHead(64, 3, 1))
    torch.nn.init.normal_(figures.mix.weights)
    torch.nn.init.normal_(valence.mix.weights)
    return figures.eval(), valence.eval()


def changed(model: bytes, figures: FigureHead, valence: SentimentHead) -> bytes:
    weights = small_heads.weights_of(figures, "figures")
    weights |= small_heads.weights_of(valence, "valence")
    return with_figure_heads(model, small_heads.arrays_of(weights))


def outputs(folder: Path, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    (future,) = Encoder(folder=folder, threads=1).submit(WORDS, names)
    return dict(future.result().outputs)


def test_all_else_stays_as_it_is_bit_for_bit(folder: Path) -> None:
    before = outputs(folder, (*OLD, *SENTIMENT))
    path = folder / "encoder.onnx"
    once = changed(path.read_bytes(), *new_heads(7))
    path.write_bytes(once)
    after = outputs(folder, (*OLD, *SENTIMENT, *FIGURES))
    for name in OLD:
        assert np.array_equal(before[name], after[name]), name
    assert np.array_equal(before["sentiment"], after["sentiment"][:, :-1])
    twice = changed(once, *new_heads(8))
    assert len(twice) == len(once)  # nothing of the first heads is left
    path.write_bytes(twice)
    again = outputs(folder, (*SENTIMENT, *FIGURES))
    assert np.array_equal(before["sentiment"], again["sentiment"][:, :-1])
    assert not np.allclose(after["sentiment"][:, -1], again["sentiment"][:, -1])
    assert not np.allclose(after["figures"], again["figures"])


def test_the_new_heads_compute_what_torch_computes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures, valence = new_heads(7)
    corpus, _ = encode_words(WORDS, Vocabulary(tiny.VOCABULARY))
    network = FrozenNetwork(folder, Path(), SETTINGS, "cpu")
    judged = figure_heads.judge(figures, list(network.read(corpus)), corpus)
    (seen,) = small_heads.read_layers(folder, corpus, replace(SETTINGS, layers=2), "cpu")
    felt = figure_heads.valences(valence, seen).detach().numpy()
    wanted = dict(zip(seen.sentence.tolist(), felt, strict=True))
    path = folder / "encoder.onnx"
    path.write_bytes(changed(path.read_bytes(), figures, valence))
    (future,) = Encoder(folder=folder, threads=1).submit(WORDS, (*METAPHOR, *FIGURES, *SENTIMENT))
    done = future.result()
    for row, window in enumerate(done.windows):
        own = slice(*corpus.sentence_starts[window.sentence : window.sentence + 2])
        count = len(WORDS[window.sentence])
        assert done.outputs["figures"][row, :count] == pytest.approx(judged.figures[own], abs=5e-3)
        assert done.outputs["metaphor"][row, :count] == pytest.approx(
            judged.metaphor[own], abs=1e-3
        )
        assert done.outputs["sentiment"][row, -1] == pytest.approx(
            wanted[window.sentence], abs=2e-3
        )


FIGURATIVE = [
    FigureSentence(
        ("Rain", "hammers", f"roof{n}"),
        noticed=(0, 1, 0),
        idiom=(0, 0, 1),
        simile=(1, 0, -1),
        novelty=(-1, ZERO + 300 + 10 * n, ZERO + 100 + 20 * n),
    )
    for n in range(12)
]
PROSE = [SentimentText(f"A {word} day .", valence=ZERO + n) for n, word in
         ((150, "good"), (-150, "bad"), (100, "fine"), (0, "long"))]  # fmt: skip


def test_a_whole_run_adds_the_heads_and_their_thresholds(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure_heads, "read_figure_set", lambda *_: FIGURATIVE)
    monkeypatch.setattr(figure_heads, "read_sentiment_set", lambda *_: PROSE * 4)
    said: list[str] = []
    choices = {"settings": SETTINGS, "data": tmp_path, "work": tmp_path / "work", "model": folder}
    before = outputs(folder, OLD)
    for out in ("after", "twice"):
        figure_heads.train_figure_heads(
            **choices, out=tmp_path / out, device="cpu", say=said.append
        )
    assert [line.split(":")[0] for line in said[:3]] == [
        "own-figures", "heads of seed 1", "heads of seed 2",
    ]  # fmt: skip
    model = Encoder(folder=tmp_path / "after")
    assert model.labels.figures is not None
    assert model.labels.sentiment == SENTIMENT_OUTPUTS
    assert model.labels.metaphor == LABELS.metaphor
    assert not model.labels.valence
    for name, value in outputs(tmp_path / "after", OLD).items():
        assert np.array_equal(value, before[name]), name
    first, second = (tmp_path / name / "encoder.onnx" for name in ("after", "twice"))
    assert first.read_bytes() == second.read_bytes()
    of_each_seed = {(tmp_path / f"work/figures-{n}/encoder.onnx").read_bytes() for n in (1, 2)}
    assert len(of_each_seed) == 2
    assert first.read_bytes() in of_each_seed


def test_words_that_nobody_judged_teach_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [
        FigureSentence(("a", "b", "c"), noticed=(1, 0, -1)),
        FigureSentence(("d", "e"), novelty=(-1, ZERO + 250)),
    ]
    monkeypatch.setattr(figure_heads, "read_figure_set", lambda *_: sentences)
    network = FrozenNetwork(folder, Path(), SETTINGS, "cpu")
    every = network.words(FigureWords("own-figures"))
    few = network.words(FigureWords("own-figures", 0.0))
    answers = np.nan_to_num(every.answers.numpy(), nan=-1)
    assert sorted(map(tuple, answers.tolist())) == [
        (-1, -1, -1, 0.25), (0, -1, -1, -1), (1, -1, -1, -1),
    ]  # fmt: skip
    assert few.layers.shape == (2, 2, 64)  # the figures alone
