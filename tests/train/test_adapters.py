"""Adapters: trained beside frozen weights, merged into them, refused where they do not belong."""

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import tiny

from metaphor_model import ALL_LABELS
from trope import Pipeline
from trope.core.errors import BadModel, MissingData
from trope.core.files import sha256
from trope.encoder import device
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import Encoder

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402

from trope.encoder.base import FOLDER_VARIABLE, BaseEncoder, find_base_weights  # noqa: E402
from trope.encoder.network import Network  # noqa: E402
from trope.tasks.metaphor.encoder_heads import SmallHeads  # noqa: E402
from trope.train.encoder import adapters  # noqa: E402
from trope.train.encoder.corpus import batches, encode_words  # noqa: E402
from trope.train.encoder.fit import on_device  # noqa: E402

BASE = "all-mpnet-base-v2"
WORDS = [["The", "storm", "eats", "barns", "."], ["So"], ["rain"] * 700]


@pytest.fixture(autouse=True)
def tiny_models(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    tiny.shrink(monkeypatch)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    save_file(tiny.random_weights(BASE, tmp_path), path)
    return path


def adapted(weights: Path, *tasks: str) -> Network:
    """A network whose adapters have been moved from where they began."""
    torch.manual_seed(2)
    public = dict(load_file(weights))
    model = adapters.adapt(Network(BASE, ALL_LABELS, public, ("metaphor", *tasks)), rank=3)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(0.05 * torch.randn_like(parameter))
    return model.eval()


def saved(model: Network, weights: Path, path: Path, **changes: str) -> Path:
    told = {
        "base": BASE,
        "base_sha256": sha256(weights),
        "metaphor": '{"threshold": 0.4, "sentence_threshold": 0.5}',
    }
    save_file(adapters.trained_weights(model), path, metadata=told | changes)
    return path


def test_only_adapters_biases_norms_and_heads_learn(weights: Path) -> None:
    model = adapted(weights)
    frozen = {n for n, p in model.named_parameters() if not p.requires_grad}
    public = load_file(weights)
    assert frozen
    for name in frozen:
        assert torch.equal(model.state_dict()[name], public[name.removeprefix("trunk.encoder.")]), (
            name
        )
    assert all(p.ndim > 1 for n, p in model.named_parameters() if n in frozen)


def test_merged_adapters_say_what_the_trained_network_says(weights: Path, tmp_path: Path) -> None:
    model = adapted(weights)
    vocabulary = Vocabulary(tiny.VOCABULARY)
    path = saved(model, weights, tmp_path / "adapters.safetensors")
    encoder = BaseEncoder(small=Encoder(), weights=weights, adapters=path, threads=1)
    assert encoder.thresholds.threshold == 0.4
    verdicts = encoder.verdicts(WORDS)
    assert [len(v.metaphor) for v in verdicts] == [5, 1, 700]
    corpus, _ = encode_words(WORDS[:2], vocabulary)
    (arrays,) = batches(corpus, 1000, None)
    with torch.inference_mode():
        scores = model(on_device(arrays, "cpu")).metaphor
    for row, sentence in enumerate(arrays["sentence"]):
        verdict = verdicts[sentence]
        words = scores.metaphor[row].sigmoid().numpy()[: len(verdict.metaphor)]
        # half precision in the file, four decimals in the verdict
        assert np.abs(words - verdict.metaphor).max() < 3e-3
        assert abs(float(scores.figurative[row].sigmoid()) - verdict.figurative) < 3e-3


@pytest.mark.parametrize(("floats", "far"), [("float32", 2e-4), ("bfloat16", 0.03)])
def test_a_card_says_what_the_processor_says(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, floats: str, far: float
) -> None:
    path = saved(adapted(weights), weights, tmp_path / "adapters.safetensors")
    plain = BaseEncoder(small=Encoder(), weights=weights, adapters=path, threads=1)
    card = device.GraphicsCard("a card", "cpu", floats, 8 << 30)
    monkeypatch.setattr(device, "find_card", lambda: card)
    small = Encoder(device="cuda")
    ours = BaseEncoder(small=small, weights=weights, adapters=path, threads=1)
    compute, sizes = ours._compute, []

    def with_room_for_two(arrays, outputs):
        sizes.append(len(arrays["ids"]))
        if sizes[-1] > 2:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return compute(arrays, outputs)

    monkeypatch.setattr(ours, "_compute", with_room_for_two)
    sentences = [*WORDS[:2], ["Rain", "ate", "it"], ["Why", "?"]]
    for one, other in zip(plain.verdicts(sentences), ours.verdicts(sentences), strict=True):
        assert other.metaphor == pytest.approx(one.metaphor, abs=far)
        assert other.figurative == pytest.approx(one.figurative, abs=far)
    assert max(sizes) == 4 and min(sizes) < 4


def test_both_tiers_are_heard_on_whole_sentences(weights: Path, tmp_path: Path) -> None:
    model = adapted(weights)
    alone = saved(model, weights, tmp_path / "alone.safetensors")
    told = {"agreement": '{"slope": 2.0, "shift": 0.5}'}
    both = saved(model, weights, tmp_path / "both.safetensors", **told)
    sentences = [["Rain", "hammers", "the", "roof", "."], ["We", "ate", "bread", "."]]
    small = SmallHeads(Encoder(threads=1)).verdicts(sentences)
    base = BaseEncoder(small=Encoder(), weights=weights, adapters=alone, threads=1)
    agreed = BaseEncoder(small=Encoder(), weights=weights, adapters=both, threads=1)
    own = base.verdicts(sentences)
    for first, second, said in zip(own, small, agreed.verdicts(sentences), strict=True):
        assert said.metaphor == first.metaphor
        mean = sum(math.log(v.figurative / (1 - v.figurative)) for v in (first, second)) / 2
        assert said.figurative == pytest.approx(1 / (1 + math.exp(-2 * mean - 0.5)), abs=1e-4)
    known = agreed.verdicts(sentences)
    parses = agreed.read(sentences, small=[v.figurative for v in small])
    assert [p.figurative for p in parses] == [v.figurative for v in known]
    folder = tmp_path / "folder"
    folder.mkdir()
    saved(model, weights, folder / "adapters.safetensors", **told)
    pipeline = Pipeline(tier="base", folder=folder, base_weights=weights, threads=1)
    parses = pipeline.parse(sentences, ("syntax", "metaphor"))
    assert [p.figurative for p in parses] == pytest.approx([v.figurative for v in known], abs=2e-4)
    assert agreed.verdicts([]) == []


MORE = {
    name: msgspec.json.encode(getattr(ALL_LABELS, name)).decode()
    for name in ("sentiment", "metonymy")
}


def test_the_other_heads_say_what_the_trained_network_says(weights: Path, tmp_path: Path) -> None:
    model = adapted(weights, "sentiment", "metonymy")
    vocabulary = Vocabulary(tiny.VOCABULARY)
    path = saved(model, weights, tmp_path / "adapters.safetensors", **MORE)
    encoder = BaseEncoder(small=Encoder(), weights=weights, adapters=path, threads=1)
    assert encoder.labels.metonymy == ALL_LABELS.metonymy
    corpus, _ = encode_words(WORDS[:2], vocabulary)
    (arrays,) = batches(corpus, 1000, None)
    with torch.inference_mode():
        scores = model(on_device(arrays, "cpu"))
    said = {}
    for future in encoder.submit(WORDS[:2], ("sentiment", "metonymy")):
        done = future.result()
        assert set(done.outputs) == {"sentiment", "metonymy"}
        for row, window in enumerate(done.windows):
            said[window.sentence] = {name: done.outputs[name][row] for name in done.outputs}
    for row, sentence in enumerate(arrays["sentence"]):
        words = len(WORDS[sentence])
        felt = scores.sentiment[row].numpy()
        assert np.abs(felt - said[sentence]["sentiment"]).max() < 3e-3
        names = scores.metonymy[row, :words].numpy()
        assert np.abs(names - said[sentence]["metonymy"][:words]).max() < 3e-3


def test_the_tier_has_the_tasks_of_its_adapters(weights: Path, tmp_path: Path) -> None:
    with_all = tmp_path / "all"
    with_all.mkdir()
    model = adapted(weights, "sentiment", "metonymy")
    saved(model, weights, with_all / "adapters.safetensors", **MORE)
    pipeline = Pipeline(tier="base", folder=with_all, base_weights=weights, threads=1)
    assert pipeline.tasks[2:] == ("metaphor", "metonymy", "sentiment")
    texts = ["France slept.", "Rain fell. Peru slept."]
    found = list(pipeline.analyze_many(texts))
    assert [len(one.metonymies) for one in found] == [1, 1]
    alone = [pipeline.analyze(text, tasks=("sentiment",)).sentiment for text in texts]
    assert [one.sentiment.score for one in found] == pytest.approx(
        [felt.score for felt in alone], abs=2e-4
    )
    without = tmp_path / "without"
    without.mkdir()
    saved(adapted(weights), weights, without / "adapters.safetensors")
    pipeline = Pipeline(tier="base", folder=without, base_weights=weights, threads=1)
    assert pipeline.tasks == ("syntax", "relations", "metaphor")


def test_the_pass_for_metaphors_reads_the_names_too(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = adapted(weights, "sentiment", "metonymy")
    saved(model, weights, tmp_path / "adapters.safetensors", **MORE)
    pipeline = Pipeline(tier="base", folder=tmp_path, base_weights=weights, threads=1)
    assert pipeline.base is not None
    submit, sent = pipeline.base.submit, []

    def watched(sentences: Any, outputs: Any) -> Any:
        sent.extend(words for words in sentences if "[MASK]" not in words)
        return submit(sentences, outputs)

    monkeypatch.setattr(pipeline.base, "submit", watched)
    texts = ["France slept. Rain fell.", "Rain fell."]
    found = [*pipeline.analyze_many(texts, tasks=("metaphor", "metonymy"))]
    assert sent == [("France", "slept", "."), ("Rain", "fell", "."), ("Rain", "fell", ".")]
    sent.clear()
    alone = [*pipeline.analyze_many(texts, tasks=("metonymy",))]
    assert sent == [("France", "slept", ".")]  # without metaphors, sentences with names only
    [[france], []], [[same], []] = ([one.metonymies for one in own] for own in (found, alone))
    assert (france.reading, france.score) == (same.reading, pytest.approx(same.score, abs=2e-4))


def test_a_head_that_is_promised_must_be_there(weights: Path, tmp_path: Path) -> None:
    path = saved(adapted(weights, "metonymy"), weights, tmp_path / "a.safetensors", **MORE)
    with pytest.raises(BadModel, match=r"promises a head but has no sentiment\."):
        BaseEncoder(small=Encoder(), weights=weights, adapters=path)


def test_other_public_weights_are_refused(weights: Path, tmp_path: Path) -> None:
    path = saved(adapted(weights), weights, tmp_path / "a.safetensors", base_sha256="0" * 64)
    with pytest.raises(BadModel, match="adapters were trained on 0000"):
        BaseEncoder(small=Encoder(), weights=weights, adapters=path)


def test_adapters_of_the_wrong_shape_are_named(weights: Path, tmp_path: Path) -> None:
    path = saved(adapted(weights), weights, tmp_path / "a.safetensors")
    changed = load_file(path)
    name = next(n for n in changed if n.endswith(".down"))
    changed[name] = changed[name][:, :-1].contiguous()
    told = {"base": BASE, "base_sha256": sha256(weights)}
    told["metaphor"] = '{"threshold": 0.4, "sentence_threshold": 0.5}'
    save_file(changed, path, metadata=told)
    with pytest.raises(BadModel, match=r"does not fit the network at trunk\.encoder"):
        BaseEncoder(small=Encoder(), weights=weights, adapters=path)


def test_a_file_that_holds_no_adapters_is_refused(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "text.safetensors").write_bytes(b"no tensors")
    for path in (tmp_path / "text.safetensors", weights):
        with pytest.raises(BadModel, match="holds no adapters"):
            BaseEncoder(small=Encoder(), weights=weights, adapters=path)


def test_public_weights_are_looked_for_where_the_user_says(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setitem(os.environ, "HF_HUB_CACHE", str(tmp_path / "hub"))
    assert find_base_weights(weights.parent) == find_base_weights(weights) == weights
    with pytest.raises(MissingData, match=f"hf download .* or set {FOLDER_VARIABLE}"):
        find_base_weights(tmp_path / "nowhere")
    monkeypatch.setenv(FOLDER_VARIABLE, str(weights.parent))
    assert find_base_weights(None) == weights


def test_public_weights_are_found_as_the_error_tells_to_fetch_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(MissingData, match=r"--revision [0-9a-f]{40}") as told:
        find_base_weights(None)
    commit = str(told.value).split("--revision ")[1][:40]
    kept = tmp_path / "models--sentence-transformers--all-mpnet-base-v2" / "snapshots" / commit
    kept.mkdir(parents=True)
    (kept / "model.safetensors").write_bytes(b"fetched by commit: no branch names it")
    assert find_base_weights(None) == kept / "model.safetensors"


def test_a_file_that_is_trained_names_its_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped adapters were trained on the very weights that `train.bases` fetches."""
    from safetensors import safe_open

    from trope.encoder.models import model_folder

    with safe_open(model_folder("base") / "adapters.safetensors", "pt") as file:
        told = file.metadata()
    assert told["base_sha256"] == adapters.BASES[told["base"]].sha256  # type: ignore[attr-defined]
    assert replace(adapters.BASES[told["base"]]).licence == "Apache-2.0"  # type: ignore[attr-defined]
    assert (model_folder("base") / "adapters.safetensors").stat().st_size < 12_000_000
