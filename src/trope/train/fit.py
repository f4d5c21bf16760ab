"""Fitting: the loss on answers, the loss on what teachers say, the loop, the dev figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from trope.encoder.session import Labels
from trope.encoder.trees import best_heads
from trope.train.corpus import UNKNOWN, Corpus, batches, universal_relations
from trope.train.model import SyntaxModel, SyntaxScores, parameter_groups
from trope.train.settings import FitSettings

Batch = dict[str, Tensor]
WARM_UP = 0.06
CLIP = 2.0
RECASED = 0.25  # share of training sentences whose letter case is changed, for headlines and tweets
LEMMA_WEIGHT, XPOS_WEIGHT = 0.5, 0.5
NEIGHBOURS = 8  # heads of a word that teachers pass on


@dataclass
class TeacherLabels:
    """What the teachers say of every word of a corpus, as flat arrays on the device."""

    upos: Tensor
    xpos: Tensor
    lemma: Tensor
    deprel: Tensor  # of the likeliest head
    head: Tensor  # the likeliest heads, best first
    head_share: Tensor


def on_device(arrays: dict[str, Any], device: str, rng: torch.Generator | None = None) -> Batch:
    """The batch as tensors, with the matrix that averages pieces into words."""
    batch = {k: torch.from_numpy(v).to(device, non_blocking=True) for k, v in arrays.items()}
    words = batch["word"].shape[1]
    owner = batch["owner"].unsqueeze(1)
    pool = (owner == torch.arange(words, device=device).view(1, -1, 1)).float()
    batch["pool"] = pool / pool.sum(-1, keepdim=True).clamp_min(1)
    if rng is not None:
        batch["types"] = _recase(batch["types"], rng)
    return batch


def _recase(types: Tensor, rng: torch.Generator) -> Tensor:
    """Some sentences in lower case, as a title or in capitals: types 0 to 3 are made of letters."""
    draw = torch.rand(len(types), 1, generator=rng).to(types.device)
    letters = types <= 3
    for low, high, case in ((0.0, 0.10, 0), (0.10, 0.20, 1), (0.20, RECASED, 2)):
        change = (draw >= low) & (draw < high) & letters
        types = torch.where(change, torch.full_like(types, case), types)
    return types


def gold_loss(
    model: SyntaxModel, scores: SyntaxScores, batch: Batch, gold: Batch, to_universal: Tensor
) -> Tensor:
    """Cross-entropy on the answers; relations known without subtype count as their whole family."""
    word = batch["word"]
    answer = {k: torch.where(word >= 0, v[word.clamp_min(0)], UNKNOWN) for k, v in gold.items()}
    loss = _entropy(scores.upos, answer["upos"])
    loss = loss + XPOS_WEIGHT * _entropy(scores.xpos, answer["xpos"])
    loss = loss + LEMMA_WEIGHT * _entropy(scores.lemma, answer["lemma"])
    loss = loss + _entropy(_masked(scores.arcs, word), answer["head"])
    relation = model.heads.labels(scores, answer["head"]).log_softmax(-1)
    family = torch.logsumexp(
        relation.unsqueeze(-1) + to_universal.log(), dim=-2
    )  # share of each universal relation
    loss = loss + _entropy(relation, answer["deprel"])
    only_family = torch.where(answer["deprel"] == UNKNOWN, answer["universal"], UNKNOWN)
    return loss + _entropy(family, only_family)


def _entropy(scores: Tensor, answers: Tensor) -> Tensor:
    """Mean cross-entropy over the words that have an answer; 0 where none has."""
    known = (answers != UNKNOWN).sum().clamp_min(1)
    total = functional.cross_entropy(
        scores.flatten(0, 1).float(), answers.flatten(), ignore_index=UNKNOWN, reduction="sum"
    )
    return total / known


def _masked(arcs: Tensor, word: Tensor) -> Tensor:
    """Arc scores with the heads beyond a sentence's end ruled out."""
    there = torch.cat([torch.ones_like(word[:, :1], dtype=torch.bool), word >= 0], dim=1)
    return arcs.float().masked_fill(~there.unsqueeze(1), -1e4)


def taught_loss(
    model: SyntaxModel, scores: SyntaxScores, batch: Batch, taught: TeacherLabels
) -> Tensor:
    """Cross-entropy with what the teachers say, weighted word by word equally."""
    word = batch["word"]
    there = word >= 0
    index = word.clamp_min(0)

    def soft(logits: Tensor, target: Tensor) -> Tensor:
        each = -(target[index].float() * logits.float().log_softmax(-1)).sum(-1)
        return each[there].mean()

    loss = soft(scores.upos, taught.upos) + XPOS_WEIGHT * soft(scores.xpos, taught.xpos)
    lemma = torch.where(there, taught.lemma[index].long(), UNKNOWN)
    loss = loss + LEMMA_WEIGHT * _entropy(scores.lemma, lemma)
    heads = taught.head[index].long()
    arcs = _masked(scores.arcs, word).log_softmax(-1)
    width = arcs.shape[-1] - 1
    chosen = arcs.gather(-1, heads.clamp_max(width))
    loss = loss + (-(taught.head_share[index].float() * chosen).sum(-1))[there].mean()
    best = heads[..., 0].clamp_max(width)
    return loss + soft(model.heads.labels(scores, best), taught.deprel)


def universal_matrix(labels: Labels, device: str) -> Tensor:
    """1 where a relation belongs to a universal relation, else almost 0."""
    families = universal_relations(labels)
    matrix = torch.full((len(labels.deprels), len(families)), 1e-30)
    for row, relation in enumerate(labels.deprels):
        matrix[row, families.index(relation.split(":")[0])] = 1.0
    return matrix.to(device)


def fit(
    model: SyntaxModel,
    labels: Labels,
    gold: Corpus,
    settings: FitSettings,
    *,
    seed: int,
    device: str,
    say: Callable[[str], None],
    text: Corpus | None = None,
    taught: TeacherLabels | None = None,
) -> None:
    """Fit the model to the answers and, where there are teachers, to what they say of the text."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    cases = torch.Generator().manual_seed(seed)
    model.to(device).train()
    answers = {k: torch.from_numpy(v).to(device) for k, v in gold.labels.items()}
    to_universal = universal_matrix(labels, device)
    optimizer = torch.optim.AdamW(
        parameter_groups(model, settings.encoder_rate, settings.head_rate), fused=device == "cuda"
    )
    plan = _plan(gold, text, settings, rng)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _slope(len(plan)))
    started, running, said = time.monotonic(), torch.zeros((), device=device), 0
    sources = {"gold": _endless(gold, settings, rng)}
    if text is not None:
        sources["text"] = _endless(text, settings, rng)
    autocast = torch.autocast(device, dtype=torch.bfloat16, enabled=model.trunk.base != "e5-small")
    for step, source in enumerate(plan, start=1):
        batch = on_device(next(sources[source]), device, cases)
        with autocast:
            scores = model(batch)
        if source == "gold":
            loss = gold_loss(model, scores, batch, answers, to_universal)
        else:
            assert taught is not None
            loss = taught_loss(model, scores, batch, taught)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        schedule.step()
        running += loss.detach()
        if step % 200 == 0 or step == len(plan):
            seconds = time.monotonic() - started
            mean = running.item() / (step - said)
            say(f"step {step} of {len(plan)}, loss {mean:.3f}, {seconds:.0f} s")
            running.zero_()
            said = step


def _plan(
    gold: Corpus, text: Corpus | None, settings: FitSettings, rng: np.random.Generator
) -> list[str]:
    """Which source each step draws from, well mixed."""
    counts = {"gold": settings.gold_passes * _steps(gold, settings)}
    if text is not None:
        counts["text"] = settings.text_passes * _steps(text, settings)
    plan = [name for name, count in counts.items() for _ in range(count)]
    rng.shuffle(plan)
    return plan


def _steps(corpus: Corpus, settings: FitSettings) -> int:
    return sum(1 for _ in batches(corpus, settings.words_a_batch, None))


def _endless(
    corpus: Corpus, settings: FitSettings, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    while True:
        yield from batches(corpus, settings.words_a_batch, rng)


def _slope(steps: int) -> Callable[[int], float]:
    """Learning rate over time: a short rise, then straight down to zero."""
    warm = max(1, int(WARM_UP * steps))
    return lambda step: min((step + 1) / warm, (steps - step) / (steps - warm + 1), 1.0)


@torch.inference_mode()
def teach(teachers: list[SyntaxModel], text: Corpus, labels: Labels, device: str) -> TeacherLabels:
    """The mean opinion of the teachers on every word."""
    words = int(text.sentence_starts[-1])

    def empty(width: int, kind: torch.dtype) -> Tensor:
        return torch.zeros((words, width), dtype=kind, device=device)

    taught = TeacherLabels(
        upos=empty(len(labels.upos), torch.float16),
        xpos=empty(len(labels.xpos), torch.float16),
        lemma=torch.zeros(words, dtype=torch.int16, device=device),
        deprel=empty(len(labels.deprels), torch.float16),
        head=empty(NEIGHBOURS, torch.int16),
        head_share=empty(NEIGHBOURS, torch.float16),
    )
    for teacher in teachers:
        teacher.to(device).eval()
    for arrays in batches(text, 16_384, None):
        batch = on_device(arrays, device)
        with torch.autocast(device, dtype=torch.bfloat16):
            opinions = [teacher(batch) for teacher in teachers]
        word, there = batch["word"], batch["word"] >= 0
        target = word[there]
        for name in ("upos", "xpos"):
            shares = [getattr(o, name).float().softmax(-1) for o in opinions]
            getattr(taught, name)[target] = torch.stack(shares).mean(0)[there].half()
        lemma = torch.stack([o.lemma.float().softmax(-1) for o in opinions]).mean(0).argmax(-1)
        taught.lemma[target] = lemma[there].short()
        arcs = torch.stack([_masked(o.arcs, word).softmax(-1) for o in opinions]).mean(0)
        share, head = arcs.topk(min(NEIGHBOURS, arcs.shape[-1]), dim=-1)
        share = share / share.sum(-1, keepdim=True)
        taught.head[target, : head.shape[-1]] = head[there].short()
        taught.head_share[target, : head.shape[-1]] = share[there].half()
        relations = [
            t.heads.labels(_as_float(o), head[..., 0]).softmax(-1)
            for t, o in zip(teachers, opinions, strict=True)
        ]
        taught.deprel[target] = torch.stack(relations).mean(0)[there].half()
    return taught


def _as_float(scores: SyntaxScores) -> SyntaxScores:
    return SyntaxScores(**{name: value.float() for name, value in vars(scores).items()})


@torch.inference_mode()
def dev_figures(
    model: SyntaxModel, corpus: Corpus, labels: Labels, device: str
) -> dict[str, float]:
    """Shares of right tags, lemmas, heads and labelled heads (universal relations) on dev data."""
    model.to(device).eval()
    families = universal_relations(labels)
    family = np.asarray([families.index(d.split(":")[0]) for d in labels.deprels])
    right = {"upos": 0, "xpos": 0, "lemma": 0, "uas": 0, "las": 0}
    known = dict.fromkeys(right, 0)
    for arrays in batches(corpus, 8192, None):
        batch = on_device(arrays, device)
        scores = _as_float(model(batch))
        word = arrays["word"]
        there = word >= 0
        gold = {k: v[word[there]] for k, v in corpus.labels.items()}
        for name in ("upos", "xpos", "lemma"):
            guess = getattr(scores, name).argmax(-1).cpu().numpy()[there]
            right[name] += int(((guess == gold[name]) & (gold[name] != UNKNOWN)).sum())
            known[name] += int((gold[name] != UNKNOWN).sum())
        heads = np.zeros(word.shape, dtype=np.int64)
        arcs = scores.arcs.cpu().numpy()
        for row, length in enumerate(there.sum(1)):
            heads[row, :length] = np.asarray(best_heads(arcs[row, :length, : length + 1])) + 1
        guess = model.heads.labels(scores, torch.from_numpy(heads).to(device)).argmax(-1)
        attached = heads[there] == gold["head"]
        named = family[guess.cpu().numpy()[there]] == gold["universal"]
        right["uas"] += int(attached.sum())
        right["las"] += int((attached & named).sum())
        known["uas"] += len(attached)
        known["las"] += len(attached)
    model.train()
    return {name: round(right[name] / max(known[name], 1), 4) for name in right if known[name]}
