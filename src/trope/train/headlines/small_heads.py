"""`trope train heads`: metaphor heads of the tier `small` that read its lower layers alone.

A pass for metaphors alone can then skip the upper layers. The network stays the same. For words,
the new heads learn the scores that the network gave with all its layers, and VUA's labels; for
whole headlines, the scores of the teachers of `trope train headlines` on unlabelled ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from shutil import copyfile
from typing import Any

import msgspec
import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn
from torch.nn import functional

from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.encoder.models import model_folder
from trope.encoder.network import MetaphorHeads
from trope.encoder.pruning import keep_outputs, output_names
from trope.encoder.session import FILES, METAPHOR, Encoder, Labels, open_session
from trope.train.encoder.calibration import Calibration, Floats, calibrate, figures_when
from trope.train.encoder.corpus import EncodedCorpus, batches, encode_verdicts, encode_words
from trope.train.encoder.development import fold, keep_best, thresholds
from trope.train.encoder.export import Weights, metaphor_heads, pooled
from trope.train.encoder.figure_sets import read_metaphor_set
from trope.train.encoder.fit import CLIP, slope
from trope.train.encoder.graph import Graph
from trope.train.encoder.student import quantise
from trope.train.encoder.text_sets import read_text_set
from trope.train.headlines.base_head import HeadlineRun, average_teachers, begin
from trope.train.headlines.settings import HeadlineSettings, LowerHeadSettings

_GOLD, _TEXTS, _POOL = "vua", "texts", "pool"
_DEV = {"metaphor": ("vua", "f1"), "figurative": ("newsmet", "macro_f1")}
"""What calibrates each score, and by which figure its threshold is chosen."""


@dataclass(frozen=True, slots=True)
class LayerBatch:
    """A batch as the network reads it: [sentence, word, layer, dimension], and its words.

    `predicted` is the probability that each word had from the heads that the network has.
    """

    layers: Tensor
    predicted: Tensor
    word: Tensor
    sentence: Tensor

    @property
    def there(self) -> Tensor:
        """Which places hold a word."""
        return self.word >= 0

    def to(self, device: str) -> LayerBatch:
        """The same on a device."""
        return LayerBatch(
            *(t.to(device) for t in (self.layers, self.predicted, self.word, self.sentence))
        )


@dataclass(frozen=True, slots=True)
class HeadLesson:
    """Batches, and probabilities to be learnt: of words, where the network's own will not do, and
    of whole sentences, where they are known."""

    seen: list[LayerBatch]
    passes: int
    words: Tensor | None = None
    whole: Tensor | None = None


def train_lower_heads(
    *,
    settings: LowerHeadSettings,
    teachers: HeadlineSettings,
    data: Path,
    work: Path,
    out: Path,
    model: Path | None,
    device: str,
    say: MessageWriter,
) -> None:
    """All stages; those whose files are there already are passed over."""
    run = begin(teachers, data, work, device, say)
    folder = model or model_folder("small")
    lessons = _read_lessons(run, settings, folder)
    dev = {
        name: encode_verdicts(read_metaphor_set(run.data, name, "dev"), run.vocabulary)
        for name, _ in _DEV.values()
    }
    seen = {
        name: list(read_layers(folder, corpus, settings, run.device))
        for name, corpus in dev.items()
    }
    quality = {}
    for seed in settings.seeds:
        heads = _fit_heads(lessons, settings, seed, run.device)
        predicted = {
            kind: predict(heads, seen[name], dev[name])[kind] for kind, (name, _) in _DEV.items()
        }
        figures = _dev_figures(predicted, dev)
        own = run.work / f"heads-{seed}"
        _write_model(heads, _calibrations(predicted, dev), folder, own)
        run.say(f"heads of seed {seed}: {figures}, in {own}")
        quality[own] = float(np.mean(list(figures.values())))
    keep_best(quality, out, run.say)


def _read_lessons(
    run: HeadlineRun, settings: LowerHeadSettings, folder: Path
) -> dict[str, HeadLesson]:
    """What the heads learn from, seen through the network of a folder."""
    scores = np.load(average_teachers(run))
    gold = encode_verdicts(read_metaphor_set(run.data, _GOLD, "train"), run.vocabulary)

    def seen(corpus: EncodedCorpus) -> list[LayerBatch]:
        return list(read_layers(folder, corpus, settings, run.device))

    return {
        _GOLD: HeadLesson(
            seen(gold), settings.gold_passes, words=_tensor(gold.labels["metaphor"], run)
        ),
        _TEXTS: HeadLesson(seen(_texts(run, settings)), settings.passes),
        _POOL: HeadLesson(
            seen(EncodedCorpus.load(run.work / "pool.npz")),
            settings.passes,
            whole=_tensor(scores, run),
        ),
    }


def _tensor(values: Any, run: HeadlineRun) -> Tensor:
    return torch.from_numpy(np.asarray(values, dtype=np.float32)).to(run.device)


def _texts(run: HeadlineRun, settings: LowerHeadSettings) -> EncodedCorpus:
    path = run.work / f"{_TEXTS}.npz"
    if not path.exists():
        sentences = (read_text_set(run.data, name, run.say) for name in settings.texts)
        corpus, _ = encode_words(chain.from_iterable(sentences), run.vocabulary)
        corpus.save(path)
    return EncodedCorpus.load(path)


def read_layers(
    folder: Path, corpus: EncodedCorpus, settings: LowerHeadSettings, device: str
) -> Iterator[LayerBatch]:
    """The lower layers of the network of a folder, word by word, in batches by length."""
    path = folder / "encoder.onnx"
    model, names = showing_layers(path.read_bytes(), settings.layers)
    session = open_session(path, model)

    def read(arrays: dict[str, Any]) -> LayerBatch:
        *shown, logits = session.run([*names, METAPHOR[0]], _inputs(arrays))
        shape = (*arrays["word"].shape, -1)
        layers = np.stack([rows.astype(np.float16).reshape(shape) for rows in shown], axis=2)
        predicted = 1 / (1 + np.exp(-logits))
        return LayerBatch(
            *map(torch.from_numpy, (layers, predicted, arrays["word"], arrays["sentence"]))
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for seen in pool.map(read, batches(corpus, settings.words_per_batch, None)):
            yield seen.to(device)


def _inputs(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """A batch of training as the network takes it."""
    owner, words = arrays["owner"][:, None, :], arrays["word"].shape[1]
    pool = (owner == np.arange(words)[None, :, None]).astype(np.float32)
    pool /= np.maximum(pool.sum(-1, keepdims=True), 1)
    inputs = {"ids": arrays["ids"], "types": arrays["types"], "pool": pool}
    return {**inputs, "mask": arrays["mask"].astype(np.int32)}


def _fit_heads(
    lessons: Mapping[str, HeadLesson], settings: LowerHeadSettings, seed: int, device: str
) -> MetaphorHeads:
    """Heads with simulated 8-bit numbers, fitted to the lessons."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    size = next(iter(lessons.values())).seen[0].layers.shape[-1]
    heads = quantise(MetaphorHeads(size, settings.layers + 1))
    heads.to(device).train()
    heads.dropout.p = settings.dropout
    plan = [
        (lesson, seen)
        for lesson in lessons.values()
        for seen in lesson.seen
        for _ in range(lesson.passes)
    ]
    optimizer = torch.optim.AdamW(heads.parameters(), lr=settings.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, slope(len(plan)))
    for number in rng.permutation(len(plan)):
        loss = _loss(heads, *plan[number])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(heads.parameters(), CLIP)
        optimizer.step()
        schedule.step()
    heads.eval()
    return heads


def _loss(heads: MetaphorHeads, lesson: HeadLesson, seen: LayerBatch) -> Tensor:
    scores = _judged(heads, seen)
    wanted = seen.predicted if lesson.words is None else lesson.words[seen.word.clamp_min(0)]
    known = seen.there & (wanted >= 0)  # VUA has words that nobody judged
    cross = functional.binary_cross_entropy_with_logits
    loss = cross(scores.metaphor[known], wanted[known])
    if lesson.whole is not None:
        loss = loss + cross(scores.figurative, lesson.whole[seen.sentence])
    return loss


def _judged(heads: MetaphorHeads, seen: LayerBatch) -> Any:
    layers = [layer.float() for layer in seen.layers.unbind(2)]
    return heads.judge(heads.compare_words(heads.mix(layers), layers[0]), seen.there)


@torch.inference_mode()
def predict(
    heads: MetaphorHeads, seen: Sequence[LayerBatch], corpus: EncodedCorpus
) -> dict[str, Floats]:
    """Logits of every word ("metaphor") and of every sentence ("figurative")."""
    words, whole = np.zeros(int(corpus.sentence_starts[-1])), np.zeros(len(corpus))
    for batch in seen:
        scores = _judged(heads, batch)
        words[batch.word[batch.there].cpu().numpy()] = scores.metaphor[batch.there].cpu().numpy()
        whole[batch.sentence.cpu().numpy()] = scores.figurative.cpu().numpy()
    return {"metaphor": words, "figurative": whole}


def _answers(kind: str, dev: Mapping[str, EncodedCorpus]) -> Any:
    corpus = dev[_DEV[kind][0]]
    return {**corpus.labels, **corpus.sentence_labels}[kind]


def _dev_figures(
    predicted: Mapping[str, Floats], dev: Mapping[str, EncodedCorpus]
) -> dict[str, float]:
    """Figures on development data, with thresholds chosen there."""
    figures: dict[str, float] = {}
    for kind, (name, by) in _DEV.items():
        figures |= figures_when(name, predicted[kind], _answers(kind, dev), by=by)
    return figures


def _calibrations(
    predicted: Mapping[str, Floats], dev: Mapping[str, EncodedCorpus]
) -> dict[str, Calibration]:
    """Calibration and thresholds, from development data."""
    return {k: calibrate(predicted[k], _answers(k, dev), by=by) for k, (_, by) in _DEV.items()}


def _write_model(
    heads: MetaphorHeads, chosen: dict[str, Calibration], folder: Path, out: Path
) -> None:
    """The model of a folder with these heads, calibrated, in another folder."""
    weights = weights_of(heads, "metaphor")
    fold(weights, chosen)
    changed = with_metaphor_heads((folder / "encoder.onnx").read_bytes(), arrays_of(weights))
    write_changed(folder, out, changed, metaphor=thresholds(chosen))


def weights_of(head: nn.Module, name: str) -> dict[str, Tensor]:
    """The weights of a head under its name."""
    return {f"{name}.{k}": v.detach().cpu() for k, v in head.state_dict().items()}


def arrays_of(weights: Mapping[str, Tensor]) -> Weights:
    """Weights as export takes them."""
    return {name: value.float().numpy() for name, value in weights.items()}


def write_changed(folder: Path, out: Path, model: bytes, **labels: Any) -> None:
    """The model of a folder with another network and other labels, in another folder."""
    changed: Labels = msgspec.structs.replace(Encoder(folder=folder).labels, **labels)
    out.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        if name not in ("encoder.onnx", "labels.json"):
            copyfile(folder / name, out / name)
    with atomic_write(out / "encoder.onnx", "wb") as file:
        file.write(model)
    with atomic_write(out / "labels.json", "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(changed), indent=1))


_LAYER = "layer"


def layers_of(model: bytes) -> list[str]:
    """The names of the embeddings and of every layer above them.

    The first sum of a graph is the mix of all layers for the tags.
    """
    nodes = onnx.load_from_string(model).graph.node
    made_by = {output: node for node in nodes for output in node.output}
    mix = next(node for node in nodes if node.op_type == "Sum")
    return [made_by[share].input[0] for share in mix.input]


def showing_layers(model: bytes, number: int) -> tuple[bytes, list[str]]:
    """A model whose outputs are its lower layers, one row per word, and its scores of words.

    The names of the layers are returned, too.
    """
    opened = onnx.load_from_string(model)
    graph = Graph(prefix="shown_")
    shape = graph.add("Shape", "ids")
    names = []
    for level, layer in enumerate(layers_of(model)[: number + 1]):
        rows = pooled(graph, layer, shape, _width(opened))
        names.append(graph.add("Identity", rows, name=f"{_LAYER}_{level}"))
    put_in(opened, graph, {name: ["row", _width(opened)] for name in names})
    return keep_outputs(opened.SerializeToString(), (*names, METAPHOR[0])), names


def with_metaphor_heads(model: bytes, weights: Weights) -> bytes:
    """The model with other heads in the place of its metaphor heads."""
    layers = layers_of(model)
    others = [name for name in output_names(model) if name not in METAPHOR]
    opened = onnx.load_from_string(keep_outputs(model, others))
    drop_unused(opened)
    graph = Graph(prefix="metaphor_")
    shape = graph.add("Shape", "ids")
    words = graph.add("Shape", "pool", start=0, end=2)
    metaphor_heads(graph, layers, weights, shape, words)
    put_in(opened, graph, {"metaphor": ["batch", "word"], "figurative": ["batch"]})
    changed: bytes = opened.SerializeToString()
    return changed


def _width(model: Any) -> int:
    """Dimensions of a layer: a row of the table of pieces, the largest matrix there is."""
    return int(max((t.dims for t in model.graph.initializer), key=lambda dims: np.prod(dims))[1])


def put_in(model: Any, graph: Graph, outputs: dict[str, list[Any]]) -> None:
    """Add nodes to a model, and outputs with their shapes."""
    model.graph.node.extend(graph.nodes)
    model.graph.initializer.extend(graph.constants)
    model.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in outputs.items()
    )


def drop_unused(model: Any) -> None:
    """Take out the constants of heads that are no longer there."""
    used = {name for node in model.graph.node for name in node.input}
    kept = [constant for constant in model.graph.initializer if constant.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
