"""What teachers say of a corpus, word by word, and how it is kept for their pupils."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors.torch import load_file, save
from torch import Tensor

from trope.core.files import atomic_write
from trope.encoder.network import Network, Scores, SyntaxScores, Trunk
from trope.encoder.session import Labels
from trope.train.corpus import UNKNOWN, Corpus, batches
from trope.train.fit import on_device
from trope.train.losses import Batch, MetaphorLabels, SyntaxLabels, masked_arcs

NEIGHBOURS = 8  # heads of a word that teachers pass on
WORDS_A_BATCH = 16_384
SAID = "said"


@torch.inference_mode()
def teach_syntax(
    teachers: list[Network], text: Corpus, labels: Labels, device: str
) -> SyntaxLabels:
    """The mean opinion of the teachers on tags, lemmas and trees."""
    words = int(text.sentence_starts[-1])

    def empty(width: int, kind: torch.dtype) -> Tensor:
        return torch.zeros((words, width), dtype=kind, device=device)

    taught = SyntaxLabels(
        upos=empty(len(labels.upos), torch.float16),
        xpos=empty(len(labels.xpos), torch.float16),
        lemma=torch.zeros(words, dtype=torch.int16, device=device),
        deprel=empty(len(labels.deprels), torch.float16),
        head=empty(NEIGHBOURS, torch.int16),
        head_share=empty(NEIGHBOURS, torch.float16),
    )
    for batch, opinions in _opinions(teachers, text, device):
        trees = [o.syntax for o in opinions if o.syntax is not None]
        word, there = batch["word"], batch["word"] >= 0
        target = word[there]
        for name in ("upos", "xpos"):
            shares = [getattr(o, name).float().softmax(-1) for o in trees]
            getattr(taught, name)[target] = torch.stack(shares).mean(0)[there].half()
        lemma = torch.stack([o.lemma.float().softmax(-1) for o in trees]).mean(0).argmax(-1)
        taught.lemma[target] = lemma[there].short()
        arcs = torch.stack([masked_arcs(o.arcs, word).softmax(-1) for o in trees]).mean(0)
        share, head = arcs.topk(min(NEIGHBOURS, arcs.shape[-1]), dim=-1)
        share = share / share.sum(-1, keepdim=True)
        taught.head[target, : head.shape[-1]] = head[there].short()
        taught.head_share[target, : head.shape[-1]] = share[there].half()
        relations = [
            t.syntax.labels(as_float(o), head[..., 0]).softmax(-1)
            for t, o in zip(teachers, trees, strict=True)
            if t.syntax is not None
        ]
        taught.deprel[target] = torch.stack(relations).mean(0)[there].half()
    return taught


@torch.inference_mode()
def teach_metaphor(teachers: list[Network], text: Corpus, device: str) -> MetaphorLabels:
    """The mean opinion of the teachers on metaphors, as logits averaged: the sure ones count."""
    taught = MetaphorLabels(
        metaphor=torch.zeros(int(text.sentence_starts[-1]), dtype=torch.float16, device=device),
        figurative=torch.zeros(len(text), dtype=torch.float16, device=device),
    )
    for batch, opinions in _opinions(teachers, text, device):
        verdicts = [o.metaphor for o in opinions if o.metaphor is not None]
        word, there = batch["word"], batch["word"] >= 0
        words = torch.stack([v.metaphor.float() for v in verdicts]).mean(0).sigmoid()
        whole = torch.stack([v.figurative.float() for v in verdicts]).mean(0).sigmoid()
        taught.metaphor[word[there]] = words[there].half()
        taught.figurative[batch["sentence"]] = whole.half()
    return taught


@torch.inference_mode()
def teach_sentiment(teachers: list[Network], text: Corpus, device: str) -> Tensor:
    """The mean of what the teachers say of every sequence as a whole."""
    taught: Tensor | None = None
    for batch, opinions in _opinions(teachers, text, device):
        said = torch.stack([o.sentiment.float() for o in opinions if o.sentiment is not None])
        if taught is None:
            taught = torch.zeros((len(text), said.shape[-1]), dtype=torch.float16, device=device)
        taught[batch["sentence"]] = said.mean(0).half()
    assert taught is not None
    return taught


@torch.inference_mode()
def teach_metonymy(teachers: list[Network], text: Corpus, device: str) -> Tensor:
    """The mean logits of the readings of names; 0 for words that are no names."""
    name = torch.from_numpy(text.labels["name"]).to(device)
    taught: Tensor | None = None
    for batch, opinions in _opinions(teachers, text, device):
        logs = [o.metonymy.float().log_softmax(-1) for o in opinions if o.metonymy is not None]
        said = torch.stack(logs).mean(0)
        if taught is None:
            taught = torch.zeros((len(name), said.shape[-1]), dtype=torch.float16, device=device)
        word = batch["word"]
        at = torch.where(word >= 0, name[word.clamp_min(0)], UNKNOWN) != UNKNOWN
        taught[word[at]] = said[at].half()
    assert taught is not None
    return taught


@torch.inference_mode()
def teach_meaning(trunk: Trunk, text: Corpus, basis: Tensor, device: str) -> Tensor:
    """The vectors that a public encoder gives the words, in fewer dimensions."""
    taught = torch.zeros(
        (int(text.sentence_starts[-1]), basis.shape[1]), dtype=torch.float16, device=device
    )
    for word, vectors in word_vectors(trunk, text, device):
        taught[word] = (vectors @ basis).half()
    return taught


@torch.inference_mode()
def main_directions(trunk: Trunk, text: Corpus, width: int, device: str) -> Tensor:
    """The directions in which the vectors of a text's words differ most from zero."""
    total: Tensor | float = 0.0
    for _, vectors in word_vectors(trunk, text, device):
        total = total + vectors.T @ vectors
    assert isinstance(total, Tensor)
    return torch.linalg.eigh(total.double())[1].flip(1)[:, :width].float()


def word_vectors(trunk: Trunk, text: Corpus, device: str) -> Iterator[tuple[Tensor, Tensor]]:
    """Numbers of words and their vectors in the last layer, batch by batch."""
    trunk.to(device).eval()
    for arrays in batches(text, WORDS_A_BATCH, None):
        batch = on_device(arrays, device)
        with torch.autocast(device, dtype=torch.bfloat16):
            last = trunk(batch["ids"], batch["types"], batch["mask"])[-1]
        there = batch["word"] >= 0
        yield batch["word"][there], (batch["pool"] @ last.float())[there]


def _opinions(
    teachers: list[Network], text: Corpus, device: str
) -> Iterator[tuple[Batch, list[Scores]]]:
    """Every batch of the text with what each teacher says of it."""
    for teacher in teachers:
        teacher.to(device).eval()
    for arrays in batches(text, WORDS_A_BATCH, None):
        batch = on_device(arrays, device)
        with torch.autocast(device, dtype=torch.bfloat16):
            yield batch, [teacher(batch) for teacher in teachers]


def as_float(scores: SyntaxScores) -> SyntaxScores:
    """The scores in 32 bits."""
    return SyntaxScores(**{name: value.float() for name, value in vars(scores).items()})


def keep(taught: SyntaxLabels | MetaphorLabels | Tensor, path: Path) -> None:
    """Write what teachers said, whole or not at all."""
    parts = {SAID: taught} if isinstance(taught, Tensor) else vars(taught)
    with atomic_write(path, "wb") as file:
        file.write(save({name: value.cpu() for name, value in parts.items()}))


def kept_syntax(path: Path, device: str) -> SyntaxLabels:
    """What `keep` wrote of syntax."""
    return SyntaxLabels(**load_file(path, device=device))


def kept_metaphor(path: Path, device: str) -> MetaphorLabels:
    """What `keep` wrote of metaphor."""
    return MetaphorLabels(**load_file(path, device=device))


def kept_tensor(path: Path, device: str) -> Tensor:
    """What `keep` wrote of a task whose opinions are one tensor."""
    return load_file(path, device=device)[SAID]
