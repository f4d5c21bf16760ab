"""Metaphor heads on lower layers: what changes in a finished model, and what does not."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
import tiny

from trope.core.config import read_config
from trope.core.records import MetaphorThresholds
from trope.encoder.pieces import Vocabulary
from trope.encoder.pruning import keep_outputs
from trope.encoder.session import METAPHOR, SYNTAX, Encoder
from trope.train.headlines.settings import HeadlineSettings, LowerHeadSettings

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("transformers")

from trope.encoder import network as networks  # noqa: E402
from trope.encoder.network import MetaphorHeads, Network  # noqa: E402
from trope.train.encoder.corpus import MetaphorSentence, encode_words  # noqa: E402
from trope.train.encoder.export import export  # noqa: E402
from trope.train.encoder.student import quantise  # noqa: E402
from trope.train.encoder.synthetic_headlines import PoolSettings  # noqa: E402
from trope.train.headlines import base_head, small_heads  # noqa: E402
from trope.train.headlines.small_heads import layers_of, showing_layers, with_metaphor_heads  # noqa: E402

SHIPPED = Path(small_heads.__file__).parent
SETTINGS = replace(
    read_config(SHIPPED / "lower_heads.toml", LowerHeadSettings),
    layers=1, seeds=(1, 2), texts=("coinco",), passes=2, gold_passes=1, words_per_batch=64,
)  # fmt: skip
WORDS = tiny.WORDS


@pytest.fixture(autouse=True)
def tiny_models(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    tiny.shrink(monkeypatch)


def new_network(seed: int = 0) -> Network:
    torch.manual_seed(seed)
    return quantise(Network("e5-small", tiny.labels(), None)).eval()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished model of two layers, whose metaphor heads read both."""
    weights = {name: value.float().numpy() for name, value in new_network().state_dict().items()}
    labels = msgspec.structs.replace(tiny.labels(), metaphor=MetaphorThresholds(0.4, 0.5))
    export(weights, labels, tiny.VOCABULARY, tmp_path / "before")
    return tmp_path / "before"


def lower(seed: int = 7) -> MetaphorHeads:
    torch.manual_seed(seed)
    heads = MetaphorHeads(64, 2)
    quantise(heads)
    torch.nn.init.normal_(heads.mix.weights)
    return heads.eval()


def arrays_of(heads: MetaphorHeads) -> dict[str, np.ndarray]:
    return {f"metaphor.{k}": v.detach().numpy() for k, v in heads.state_dict().items()}


def outputs(folder: Path, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    (future,) = Encoder(folder=folder, threads=1).submit(WORDS, names)
    return dict(future.result().outputs)


def changed(folder: Path, heads: MetaphorHeads) -> bytes:
    return with_metaphor_heads((folder / "encoder.onnx").read_bytes(), arrays_of(heads))


def test_other_heads_stay_as_they_are_bit_for_bit(folder: Path) -> None:
    before = outputs(folder, (*SYNTAX, *METAPHOR))
    (folder / "encoder.onnx").write_bytes(changed(folder, lower()))
    after = outputs(folder, (*SYNTAX, *METAPHOR))
    for name in SYNTAX:
        assert np.array_equal(before[name], after[name]), name
    for name in METAPHOR:
        assert not np.allclose(before[name], after[name]), name


def test_the_new_heads_compute_what_torch_computes(folder: Path) -> None:
    heads = lower()
    corpus, _ = encode_words(WORDS, Vocabulary(tiny.VOCABULARY))
    seen = list(small_heads.read_layers(folder, corpus, SETTINGS, "cpu"))
    wanted = small_heads.predict(heads, seen, corpus)
    (folder / "encoder.onnx").write_bytes(changed(folder, heads))
    (future,) = Encoder(folder=folder, threads=1).submit(WORDS, METAPHOR)
    done = future.result()
    for row, window in enumerate(done.windows):
        number = window.sentence
        own = slice(*corpus.sentence_starts[number : number + 2])
        said = done.outputs["metaphor"][row, : len(WORDS[number])]
        assert said == pytest.approx(wanted["metaphor"][own], abs=2e-3)
        assert done.outputs["figurative"][row] == pytest.approx(
            wanted["figurative"][number], abs=2e-3
        )


def test_a_pass_for_metaphors_leaves_the_upper_layers_out(folder: Path) -> None:
    def products(model: bytes) -> int:
        nodes = onnx.load_from_string(keep_outputs(model, METAPHOR)).graph.node
        return sum(node.op_type == "MatMulIntegerToFloat" for node in nodes)

    before = (folder / "encoder.onnx").read_bytes()
    one_layer = 6  # query, key, value, output, two of the feed-forward net
    assert products(before) - products(changed(folder, lower())) == one_layer


def test_constants_of_the_old_heads_are_gone(folder: Path) -> None:
    once = changed(folder, lower())
    (folder / "encoder.onnx").write_bytes(once)
    assert len(changed(folder, lower(8))) == len(once)


def test_layers_are_found_and_shown(folder: Path) -> None:
    model = (folder / "encoder.onnx").read_bytes()
    assert len(layers_of(model)) == 3
    shown, names = showing_layers(model, 1)
    assert names == ["layer_0", "layer_1"]
    outputs_shown = {output.name for output in onnx.load_from_string(shown).graph.output}
    assert outputs_shown == {*names, "metaphor"}


def test_a_network_of_its_own_reads_no_more_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "LOWER_LAYERS", {"e5-small": 1})
    model = new_network()
    assert model.metaphor is not None
    assert len(model.metaphor.mix.weights) == 2
    weights = {name: value.float().numpy() for name, value in model.state_dict().items()}
    from trope.train.encoder.export import build_graph

    kept = onnx.load_from_string(keep_outputs(build_graph(weights), METAPHOR)).graph
    made = {output for node in kept.node for output in node.output}
    layers = layers_of(build_graph(weights))
    assert [layer in made for layer in layers] == [True, True, False]


def test_a_whole_run_changes_heads_and_thresholds_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_head, "fetch", lambda base, work: work)
    monkeypatch.setattr(base_head, "read_weights", tiny.random_weights)
    words = ("Rain", "hammers", "the", "roof")
    verdicts = [
        MetaphorSentence(words, (0, 1, 0, 0), (-1, 1, -1, -1), 1),
        MetaphorSentence(("Rain", "wets", "the", "roof"), (0,) * 4, (-1, 0, -1, -1), 0),
    ]
    for module in (base_head, small_heads):
        monkeypatch.setattr(module, "read_metaphor_set", lambda *_: verdicts * 6)
    headlines = [("Club", str(n), "stops", "its", "oldest", "team") for n in range(20)]
    monkeypatch.setattr(base_head, "read_text_set", lambda *_: iter(headlines))
    monkeypatch.setattr(small_heads, "read_text_set", lambda *_: iter(headlines[:5]))
    shipped = read_config(SHIPPED / "headlines.toml", HeadlineSettings)
    teachers = replace(
        shipped,
        readers=replace(shipped.readers, seeds=(1,), vua_passes=1, lcc_passes=1),
        teachers=replace(
            shipped.teachers,
            rows_per_batch=8,
            kinds=(replace(shipped.teachers.kinds[0], seeds=(1,)),),
        ),
        pool=PoolSettings(size=20, shortest=3, longest=12, exchanged=1.0, seed=1),
    )
    from test_headline_head import write_newsmet

    (tmp_path / "work").mkdir()
    choices = {
        "settings": SETTINGS, "teachers": teachers, "data": write_newsmet(tmp_path / "data"),
        "work": tmp_path / "work", "model": folder, "device": "cpu",
    }  # fmt: skip
    said: list[str] = []
    before = outputs(folder, SYNTAX)
    small_heads.train_lower_heads(**choices, out=tmp_path / "after", say=said.append)
    assert [line.split(":")[0] for line in said if line.startswith("heads")] == [
        "heads of seed 1", "heads of seed 2",
    ]  # fmt: skip
    written = [
        tmp_path / name / "encoder.onnx" for name in ("work/heads-1", "work/heads-2", "after")
    ]
    of_each_seed, shipped_one = {path.read_bytes() for path in written[:2]}, written[2].read_bytes()
    assert len(of_each_seed) == 2
    assert shipped_one in of_each_seed
    for name, value in outputs(tmp_path / "after", SYNTAX).items():
        assert np.array_equal(value, before[name]), name
    labels = [Encoder(folder=place).labels for place in (folder, tmp_path / "after")]
    assert labels[0].metaphor != labels[1].metaphor
    assert labels[0].upos == labels[1].upos
    again: list[str] = []
    small_heads.train_lower_heads(**choices, out=tmp_path / "twice", say=again.append)
    assert not [line for line in again if "teacher" in line or "reader" in line]
    first, second = (tmp_path / name / "encoder.onnx" for name in ("after", "twice"))
    assert first.read_bytes() == second.read_bytes()
