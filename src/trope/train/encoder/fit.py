"""Fitting a network to corpora with labels and soft labels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from trope.core.progress import MessageWriter
from trope.encoder.network import Network
from trope.encoder.session import Labels
from trope.train.encoder.corpus import EncodedCorpus, batches
from trope.train.encoder.losses import Batch, SoftLabels, class_blocks, total_loss, universal_matrix

_WARM_UP = 0.06
CLIP = 2.0


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How one model is fitted.

    `recased` is the share of sentences whose letter case is changed, for headlines and tweets;
    `normed` heads for metaphors and figures normalise what they read.
    """

    base: str
    encoder_rate: float
    head_rate: float
    words_per_batch: int
    recased: float = 0.25
    normed: bool = False


@dataclass
class Lesson:
    """A corpus, its number of passes, and the teachers' predictions for it."""

    corpus: EncodedCorpus
    passes: float
    soft_labels: SoftLabels = field(default_factory=SoftLabels)


def on_device(
    arrays: dict[str, Any], device: str, rng: torch.Generator | None = None, recased: float = 0.0
) -> Batch:
    """The batch as tensors, with the matrix that averages pieces into words."""
    batch = {k: torch.from_numpy(v).to(device, non_blocking=True) for k, v in arrays.items()}
    words = batch["word"].shape[1]
    owner = batch["owner"].unsqueeze(1)
    pool = (owner == torch.arange(words, device=device).view(1, -1, 1)).float()
    batch["pool"] = pool / pool.sum(-1, keepdim=True).clamp_min(1)
    if rng is not None:
        batch["types"] = _recase(batch["types"], rng, recased)
    return batch


def _recase(types: Tensor, rng: torch.Generator, share: float) -> Tensor:
    """Some sentences in lower case, as a title or in capitals: types 0 to 3 are made of letters."""
    draw = torch.rand(len(types), 1, generator=rng).to(types.device)
    letters = types <= 3
    for low, high, case in ((0.0, 0.4, 0), (0.4, 0.8, 1), (0.8, 1.0, 2)):
        change = (draw >= low * share) & (draw < high * share) & letters
        types = torch.where(change, torch.full_like(types, case), types)
    return types


def fit(
    model: Network,
    labels: Labels,
    lessons: Mapping[str, Lesson],
    settings: FitSettings,
    *,
    seed: int,
    device: str,
    say: MessageWriter,
) -> None:
    """Fit the model to labels and to the teachers' predictions, with all lessons shuffled."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    cases = torch.Generator().manual_seed(seed)
    model.to(device).train()
    answers = {n: _moved(lesson.corpus.labels, device) for n, lesson in lessons.items()}
    on_whole = {n: _moved(lesson.corpus.sentence_labels, device) for n, lesson in lessons.items()}
    streams = {n: _endless(lesson.corpus, settings, rng) for n, lesson in lessons.items()}
    families, blocks = universal_matrix(labels, device), class_blocks(labels, device)
    plan = _plan(lessons, settings, rng)
    optimizer = torch.optim.AdamW(
        parameter_groups(model, settings.encoder_rate, settings.head_rate),
        fused=device == "cuda",
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, slope(len(plan)))
    started, running, reported = time.monotonic(), torch.zeros((), device=device), 0
    for step, name in enumerate(plan, start=1):
        batch = on_device(next(streams[name]), device, cases, settings.recased)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            scores = model(batch)
        known = answers[name], on_whole[name], lessons[name].soft_labels
        loss = total_loss(model, scores, batch, *known, families, blocks)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        schedule.step()
        running += loss.detach()
        if step % 200 == 0 or step == len(plan):
            seconds = time.monotonic() - started
            mean = running.item() / (step - reported)
            say(f"step {step} of {len(plan)}, loss {mean:.3f}, {seconds:.0f} s")
            running.zero_()
            reported = step


def _moved(arrays: Mapping[str, Any], device: str) -> Batch:
    return {name: torch.from_numpy(values).to(device) for name, values in arrays.items()}


def _plan(
    lessons: Mapping[str, Lesson], settings: FitSettings, rng: np.random.Generator
) -> list[str]:
    """Which lesson each step is from, shuffled."""
    plan = [
        name
        for name, lesson in lessons.items()
        for _ in range(round(lesson.passes * _steps(lesson.corpus, settings)))
    ]
    rng.shuffle(plan)
    return plan


def _steps(corpus: EncodedCorpus, settings: FitSettings) -> int:
    return sum(1 for _ in batches(corpus, settings.words_per_batch, None))


def _endless(
    corpus: EncodedCorpus, settings: FitSettings, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    while True:
        yield from batches(corpus, settings.words_per_batch, rng)


def slope(steps: int) -> Callable[[int], float]:
    """Learning rate over time: a short rise, then straight down to zero."""
    warm = max(1, int(_WARM_UP * steps))
    return lambda step: min((step + 1) / warm, (steps - step) / (steps - warm + 1), 1.0)


def parameter_groups(model: Network, encoder_rate: float, head_rate: float) -> list[dict[str, Any]]:
    """The parameters by learning rate, without weight decay on biases and norms."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        rate = encoder_rate if name.startswith("trunk.encoder") else head_rate
        decay = 0.01 if parameter.ndim > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return [{"params": p, "lr": rate, "weight_decay": decay} for (rate, decay), p in groups.items()]
