"""The head that judges whole headlines: that of the student, and that of the tier `base` with
`trope train headlines`.

NewsMet's train file has 568 headlines with candidates, and most of its labels are doubtful, so a
single network overfits to it. Here many teachers read it a few times each; then the head alone, on
a frozen trunk, learns their mean scores of unlabelled headlines. Stages leave files in the work
folder, as those of the encoder do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn
from torch.nn import functional

from trope.core.errors import MissingData
from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.core.records import MetaphorThresholds
from trope.encoder.base import ADAPTERS, BaseEncoder, Floats, TierMean, log_odds
from trope.encoder.models import model_folder
from trope.encoder.network import MetaphorHeads, Network
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import Encoder
from trope.tasks.metaphor.encoder_heads import SmallHeads
from trope.train.encoder.bases import fetch, read_weights
from trope.train.encoder.calibration import Calibration, calibrate
from trope.train.encoder.corpus import (
    UNKNOWN,
    EncodedCorpus,
    batches,
    encode_verdicts,
    encode_words,
    padded,
)
from trope.train.encoder.figure_sets import LCC_TARGETS, read_metaphor_set
from trope.train.encoder.fit import CLIP, on_device, parameter_groups, slope
from trope.train.encoder.headline_settings import (
    HeadlineSettings,
    NewsmetRows,
    TeacherKind,
    newsmet_file,
    read_rows,
)
from trope.train.encoder.losses import Batch
from trope.train.encoder.synthetic_headlines import letters, make_pool, texts_kept_out
from trope.train.encoder.text_sets import read_text_set

HEAD = ("sentence_hidden", "attention", "figurative")
"""The layers of the metaphor heads that judge a whole sentence."""
_READING = 1024
"""Sentences per batch at prediction."""


@dataclass(frozen=True, slots=True)
class HeadlineRun:
    """The folders and settings of a run."""

    settings: HeadlineSettings
    data: Path
    work: Path
    vocabulary: Vocabulary
    """The word pieces, which are those of all public encoders here."""
    device: str
    say: MessageWriter

    def rows(self, split: str) -> NewsmetRows:
        """NewsMet's rows, "train" or "val"."""
        return read_rows(newsmet_file(self.data, split), self.vocabulary)

    def network(self, weights: Path | None, seed: int) -> Network:
        """A network with metaphor heads on the public weights, or as an earlier stage left it."""
        base = self.settings.base
        torch.manual_seed(seed)
        model = Network(base, None, read_weights(base, fetch(base, self.work)), ("metaphor",))
        if weights is not None:
            model.load_state_dict({k: v.float() for k, v in load_file(weights).items()})
        model.to(self.device).train()
        return model


def train_headlines(
    *,
    settings: HeadlineSettings,
    data: Path,
    work: Path,
    out: Path,
    adapters: Path | None,
    base_weights: Path | None,
    calibrate_only: bool,
    device: str,
    say: MessageWriter,
) -> None:
    """All stages; those whose files are there already are passed over."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    small = Encoder("small")
    run = HeadlineRun(settings, data, work, small.vocabulary, device, say)
    source = (adapters or model_folder("base")) / ADAPTERS
    if not source.is_file():
        raise MissingData(source, "give a folder that `trope train base` has written")
    scores = None if calibrate_only else average_teachers(run)
    _refit(run, small, source, scores, out, base_weights)
    say(f"the adapters are in {out}")


def _train_reader(run: HeadlineRun, seed: int) -> Path:
    """A network that detects metaphors of words."""
    path = run.work / f"reader-{seed}.safetensors"
    if path.exists():
        return path
    chosen, rng = run.settings.readers, np.random.default_rng(seed)
    asked = (("vua", chosen.vua_passes), (LCC_TARGETS, chosen.lcc_passes))
    sets = {
        name: encode_verdicts(read_metaphor_set(run.data, name, "train"), run.vocabulary)
        for name, passes in asked
        if passes
    }
    plan = [
        (name, batch)
        for name, passes in asked
        for _ in range(passes)
        for batch in batches(sets[name], chosen.words_per_batch, rng)
    ]
    order = rng.permutation(len(plan))
    model = run.network(None, seed)
    step = _stepper(model, chosen.encoder_rate, chosen.head_rate, len(plan))
    cases = torch.Generator().manual_seed(seed)
    for number in order:
        name, arrays = plan[number]
        batch = on_device(arrays, run.device, cases)
        with _half(run.device):
            scores = model(batch).metaphor
        predicted, answers = (
            (scores.metaphor, "metaphor") if name == "vua" else (scores.target, "target")
        )
        step(_verdict_loss(predicted, batch, sets[name], answers))
    run.say(f"reader {seed}: {len(plan)} steps")
    _save(model, path)
    return path


def _train_teacher(run: HeadlineRun, kind: TeacherKind, seed: int, rows: NewsmetRows) -> Network:
    """A teacher: such a network, trained further on NewsMet's train file."""
    seeds = run.settings.readers.seeds
    chosen, rng = run.settings.teachers, np.random.default_rng(seed)
    model = run.network(_train_reader(run, seeds[seed % len(seeds)]), seed)
    targets = torch.from_numpy(rows.targets(kind)).to(run.device)
    weights = torch.from_numpy(rows.weights(kind)).to(run.device)
    a_pass = -(-len(rows.labels) // chosen.rows_per_batch)
    planned = max(chosen.passes, chosen.planned_passes) * a_pass
    step = _stepper(model, chosen.encoder_rate, chosen.head_rate, planned)
    cases = torch.Generator().manual_seed(seed)
    vua_loss = _vua_stream(run, rng) if kind.vua_every else None
    number = 0
    for _ in range(chosen.passes):
        order = rng.permutation(len(rows.labels))
        for part in np.array_split(order, a_pass):
            batch = on_device(padded(rows.corpus, part), run.device, cases)
            with _half(run.device):
                predicted = model(batch).metaphor.figurative.float()
            at = batch["sentence"]
            each = functional.binary_cross_entropy_with_logits(
                predicted, targets[at], reduction="none"
            )
            loss = (each * weights[at]).mean()
            if vua_loss is not None and number % kind.vua_every == 0:
                loss = loss + vua_loss(model, number // kind.vua_every)
            step(loss)
            number += 1
    return model


def average_teachers(run: HeadlineRun) -> Path:
    """The teachers' mean probabilities for the pool, and the pool itself."""
    path, pool_path = run.work / "opinion.npy", run.work / "pool.npz"
    if path.exists():
        return path
    rows = run.rows("train")
    if not pool_path.exists():
        _pool(run, rows).save(pool_path)
    pool = EncodedCorpus.load(pool_path)
    predicted = []
    for kind in run.settings.teachers.kinds:
        for seed in kind.seeds:
            own = run.work / f"opinion-{seed}.npy"
            if not own.exists():
                model = _train_teacher(run, kind, seed, rows)
                _keep(own, _probabilities(figurative(model, pool, run.device)))
                run.say(f"teacher {seed} ({kind.name}) has scored the pool")
            predicted.append(np.load(own))
    _keep(path, np.mean(predicted, axis=0))
    return path


def _refit(
    run: HeadlineRun,
    small: Encoder,
    source: Path,
    scores: Path | None,
    out: Path,
    base_weights: Path | None,
) -> None:
    """The adapters with a new head, calibrated by itself and together with the tier `small`.

    Without scores to learn from, the head that they have is calibrated again.
    """
    model: Network = BaseEncoder(small=small, weights=base_weights, adapters=source).network
    model.to(run.device)
    with safe_open(source, "pt") as file:
        metadata = dict(file.metadata())
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if scores is None:
        own = {name: v.float() for name, v in weights.items() if name.split(".")[1] in HEAD}
    else:
        own = learn_opinion(run, model, lambda: MetaphorHeads(model.trunk.size, model.trunk.layers))
    val = run.rows("val")
    take_over(model, own, run.device)
    alone = calibrate(figurative(model, val.corpus, run.device), val.labels, by="macro_f1")
    own["metaphor.figurative.weight"] = own["metaphor.figurative.weight"] * alone.slope
    own["metaphor.figurative.bias"] = own["metaphor.figurative.bias"] * alone.slope + alone.shift
    weights |= {name: value.half().cpu().contiguous() for name, value in own.items()}
    take_over(model, own, run.device)
    together = _calibrate_with_small(run, model, small, val)
    metadata["agreement"] = msgspec.json.encode(TierMean(together.slope, together.shift)).decode()
    limits = msgspec.json.decode(metadata["metaphor"], type=MetaphorThresholds)
    limits = replace(limits, sentence_threshold=together.threshold)
    metadata["metaphor"] = msgspec.json.encode(limits).decode()
    out.mkdir(parents=True, exist_ok=True)
    with atomic_write(out / ADAPTERS, "wb") as file:
        file.write(save(weights, metadata=metadata))


def take_over(model: Network, own: dict[str, Tensor], device: str) -> None:
    """Put other weights in the place of some of a model's."""
    model.load_state_dict({k: v.to(device) for k, v in own.items()}, strict=False)


def learn_opinion(
    run: HeadlineRun, model: Network, begin: Callable[[], MetaphorHeads]
) -> dict[str, Tensor]:
    """What the teachers think of headlines, learnt by the new layers that `begin` gives.

    Everything else of the model stays as it is.
    """
    pool, scores = EncodedCorpus.load(run.work / "pool.npz"), np.load(run.work / "opinion.npy")
    chosen = run.settings.head
    assert model.metaphor is not None
    torch.manual_seed(chosen.seed)
    fresh = begin().to(run.device).train()
    fresh.dropout.p = chosen.dropout
    layers = {name: getattr(fresh, name) for name in HEAD}
    parameters = [p for layer in layers.values() for p in layer.parameters()]
    seen = _head_inputs(model, pool, chosen.rows_per_batch, run.device)
    optimizer = torch.optim.AdamW(parameters, lr=chosen.rate, weight_decay=0.01)
    steps = chosen.passes * len(seen)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, slope(steps))
    wanted = torch.from_numpy(scores.astype(np.float32)).to(run.device)
    rng = np.random.default_rng(chosen.seed)
    for _ in range(chosen.passes):
        for number in rng.permutation(len(seen)):
            sentences, vectors, there = seen[number]
            predicted = fresh.whole(fresh.dropout(vectors.float()), there)
            loss = functional.binary_cross_entropy_with_logits(predicted, wanted[sentences])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
    return {
        f"metaphor.{name}.{key}": value.detach()
        for name, layer in layers.items()
        for key, value in layer.state_dict().items()
    }


@torch.inference_mode()
def _head_inputs(
    model: Network, pool: EncodedCorpus, rows: int, device: str
) -> list[tuple[Tensor, Tensor, Tensor]]:
    """For each batch of sentences of one length: their numbers, what the head sees of each word,
    and which words there are."""
    model.eval()
    assert model.metaphor is not None
    order = np.argsort(pool.lengths, kind="stable")
    seen = []
    for start in range(0, len(order), rows):
        batch = on_device(padded(pool, order[start : start + rows]), device)
        with _half(device):
            layers = model.trunk(batch["ids"], batch["types"], batch["mask"])
            vectors = model.metaphor.compare(layers, batch["pool"])
        seen.append((batch["sentence"], vectors.half(), batch["pool"].sum(-1) > 0))
    return seen


@torch.inference_mode()
def figurative(model: Network, corpus: EncodedCorpus, device: str) -> Floats:
    """Logits of whole sentences."""
    model.eval()
    order = np.argsort(corpus.lengths, kind="stable")
    predicted = np.zeros(len(corpus))
    for start in range(0, len(order), _READING):
        batch = on_device(padded(corpus, order[start : start + _READING]), device)
        with _half(device):
            scores = model(batch).metaphor.figurative
        predicted[order[start : start + _READING]] = scores.float().cpu().numpy()
    return predicted


def _calibrate_with_small(
    run: HeadlineRun, model: Network, small: Encoder, val: NewsmetRows
) -> Calibration:
    """How the mean of both tiers' log-odds becomes a probability, and the threshold for it."""
    small_scores = np.asarray([v.figurative for v in SmallHeads(small).verdicts(val.words)])
    own = _probabilities(figurative(model, val.corpus, run.device))
    return calibrate((log_odds(own) + log_odds(small_scores)) / 2, val.labels, by="macro_f1")


def _pool(run: HeadlineRun, rows: NewsmetRows) -> EncodedCorpus:
    """The pool without what NewsMet has in any file, as pieces."""
    files = [newsmet_file(run.data, split) for split in ("train", "val", "test")]
    kept_out = {*texts_kept_out(files), *(letters(words) for words in rows.words)}
    headlines = read_text_set(run.data, "headlines", run.say)
    words = make_pool(headlines, rows.verbs, kept_out, run.settings.pool)
    corpus, _ = encode_words(words, run.vocabulary)
    return corpus


def _vua_stream(run: HeadlineRun, rng: np.random.Generator) -> Callable[[Network, int], Tensor]:
    """A loss on one batch of VUA after the other."""
    vua = encode_verdicts(read_metaphor_set(run.data, "vua", "train"), run.vocabulary)
    stream = list(batches(vua, run.settings.readers.words_per_batch, rng))

    def loss(model: Network, number: int) -> Tensor:
        batch = on_device(stream[number % len(stream)], run.device)
        with _half(run.device):
            predicted = model(batch).metaphor.metaphor
        return _verdict_loss(predicted, batch, vua, "metaphor")

    return loss


def _verdict_loss(predicted: Tensor, batch: Batch, corpus: EncodedCorpus, answers: str) -> Tensor:
    """Cross-entropy on the words that somebody judged."""
    known = torch.from_numpy(corpus.labels[answers]).to(predicted.device)
    word = batch["word"]
    answer = torch.where(word >= 0, known[word.clamp_min(0)], UNKNOWN)
    judged = answer != UNKNOWN
    if not judged.any():
        return predicted.sum() * 0
    return functional.binary_cross_entropy_with_logits(
        predicted[judged].float(), answer[judged].float()
    )


def _stepper(
    model: Network, encoder_rate: float, head_rate: float, steps: int
) -> Callable[[Tensor], None]:
    """A function that makes one step of a fit of `steps` steps."""
    groups = parameter_groups(model, encoder_rate, head_rate)
    optimizer = torch.optim.AdamW(groups)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, slope(steps))

    def step(loss: Tensor) -> None:
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        schedule.step()

    return step


def _half(device: str) -> torch.autocast:
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


def _probabilities(logits: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-logits)))


def _keep(path: Path, values: Floats) -> None:
    with atomic_write(path, "wb") as file:
        np.save(file, values, allow_pickle=False)


def _save(model: Network, path: Path) -> None:
    with atomic_write(path, "wb") as file:
        file.write(save({k: v.contiguous().cpu() for k, v in model.state_dict().items()}))
