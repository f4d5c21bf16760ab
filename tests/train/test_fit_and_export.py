"""A tiny model: it learns, the same way every time, and its graph computes what it computes."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import tiny

from trope import Pipeline
from trope.core.errors import BadInput
from trope.core.records import MetaphorThresholds
from trope.encoder.pruning import keep_outputs
from trope.encoder.session import METAPHOR, SYNTAX, Encoder
from trope.encoder.trees import is_tree
from trope.encoder.windows import network_input
from trope.train.encoder.corpus import batches, collect_labels

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
onnx = pytest.importorskip("onnx")

from trope.encoder import network as networks  # noqa: E402
from trope.encoder.network import Network  # noqa: E402
from trope.train.encoder import fit as fitting  # noqa: E402
from trope.train.encoder import losses  # noqa: E402
from trope.train.encoder.development import syntax_figures  # noqa: E402
from trope.train.encoder.export import export  # noqa: E402
from trope.train.encoder.fit import FitSettings  # noqa: E402
from trope.train.encoder.student import quantise  # noqa: E402

SETTINGS = FitSettings(
    "e5-small",
    encoder_rate=1e-3,
    head_rate=1e-2,
    words_per_batch=48,
)
WORDS = tiny.WORDS


@pytest.fixture(autouse=True)
def tiny_models(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    tiny.shrink(monkeypatch)


def new_model(seed: int = 0, *, quantised: bool = True) -> Network:
    torch.manual_seed(seed)
    model = Network("e5-small", tiny.labels(), None).eval()
    return quantise(model) if quantised else model


def exported(model: Network, folder: Path) -> Path:
    weights = {name: value.float().numpy() for name, value in model.state_dict().items()}
    labels = msgspec.structs.replace(tiny.labels(), metaphor=MetaphorThresholds(0.4, 0.5))
    export(weights, labels, tiny.VOCABULARY, folder)
    return folder


def mean_loss(model: Network) -> float:
    corpus = tiny.corpus()
    answers = {k: torch.from_numpy(v) for k, v in corpus.labels.items()}
    families = losses.universal_matrix(tiny.labels(), "cpu")
    (arrays,) = batches(corpus, 10_000, None)
    batch = fitting.on_device(arrays, "cpu")
    model.eval()
    with torch.inference_mode():
        return float(losses.gold_loss(model, model(batch).syntax, batch, answers, families))


def fitted(seed: int, said: list[str] | None = None) -> Network:
    model = new_model()
    say = (said if said is not None else []).append
    lessons = {"toys": fitting.Lesson(tiny.corpus(), 8)}
    fitting.fit(model, tiny.labels(), lessons, SETTINGS, seed=seed, device="cpu", say=say)
    return model


def test_the_graph_computes_what_the_model_computes(tmp_path: Path) -> None:
    model = new_model()
    encoder = Encoder(folder=exported(model, tmp_path), threads=1)
    exact = new_model(quantised=False)
    exact.load_state_dict(model.state_dict())
    for future in encoder.submit(WORDS, (*SYNTAX, *METAPHOR)):
        done = future.result()
        inputs = network_input(done.windows, encoder.vocabulary)
        batch = {name: torch.from_numpy(array.copy()) for name, array in inputs.items()}
        batch["mask"] = batch["mask"].long()
        with torch.inference_mode():
            simulated, in_32_bits = (_scores(m(batch)) for m in (model, exact))
        for name in (*SYNTAX, *METAPHOR):
            scale = simulated[name].abs().max().item()
            off = np.abs(done.outputs[name] - simulated[name].numpy()).max() / scale
            rounding = (in_32_bits[name] - simulated[name]).abs().max().item() / scale
            assert off < 2e-3, name
            # and that is no accident: the 8 bits themselves change far more
            assert rounding > 2 * off, name


def _scores(scores: Any) -> dict[str, Any]:
    return {**vars(scores.syntax), **vars(scores.metaphor)}


def test_the_labeller_computes_what_the_model_computes(tmp_path: Path) -> None:
    model = new_model()
    encoder = Encoder(folder=exported(model, tmp_path), threads=1)
    rng = np.random.default_rng(0)
    dependents, heads = rng.normal(size=(2, 5, 256)).astype(np.float32)
    both = np.concatenate([dependents, heads, dependents * heads], axis=1)
    with torch.inference_mode():
        wanted = model.syntax.label_classes(torch.from_numpy(both)).numpy()
    assert np.abs(encoder.label_arcs(dependents, heads) - wanted).max() < 1e-4


def test_fit_lowers_the_loss_and_learns_the_toy_treebank(tmp_path: Path) -> None:
    said: list[str] = []
    before = mean_loss(new_model())
    model = fitted(seed=3, said=said)
    assert mean_loss(model) < before / 4
    figures = syntax_figures(model, tiny.corpus(), tiny.labels(), "cpu")
    assert figures["upos"] == figures["las"] == 1
    (last,) = said
    assert last.startswith("step 24 of 24, loss ")
    told = float(last.split("loss ")[1].split(",")[0])
    assert mean_loss(model) < told < before * 1.2  # the mean over the way down
    pipeline = Pipeline(folder=exported(model.eval(), tmp_path), threads=1)
    (parse,) = pipeline.parse([tiny.SENTENCES[5].words])
    assert parse.heads == tiny.SENTENCES[5].heads
    assert parse.deprels == tiny.SENTENCES[5].deprels


def test_fit_is_the_same_for_the_same_seed() -> None:
    first, second, other = (fitted(seed).state_dict() for seed in (3, 3, 4))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)


def test_an_untrained_model_still_makes_trees(tmp_path: Path) -> None:
    pipeline = Pipeline(folder=exported(new_model(), tmp_path), threads=1)
    for parse in pipeline.parse([*WORDS, ["rain"] * 700]):
        assert is_tree(list(parse.heads))


def test_a_pass_for_metaphors_needs_the_lower_layers_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def products(layers: int) -> int:
        monkeypatch.setattr(networks, "LOWER_LAYERS", {"e5-small": layers})
        path = exported(new_model(), tmp_path / str(layers)) / "encoder.onnx"
        nodes = onnx.load_from_string(keep_outputs(path.read_bytes(), METAPHOR)).graph.node
        return sum(node.op_type == "MatMulIntegerToFloat" for node in nodes)

    one_layer = 6  # query, key, value, output, two of the feed-forward net
    assert products(2) - products(1) == one_layer


def test_labels_need_a_treebank_with_subtypes() -> None:
    with pytest.raises(BadInput, match="keep ewt"):
        collect_labels([])
