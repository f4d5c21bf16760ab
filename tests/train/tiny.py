"""A model of two small layers, a toy treebank, and texts: training in seconds."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import pytest

from trope.encoder.models import model_folder
from trope.encoder.pieces import CaseType, Vocabulary
from trope.encoder.session import Labels
from trope.train.corpus import Corpus, TreebankSentence, collect_labels, encode_treebank

VOCABULARY = model_folder("small") / "vocab.txt"


def sentence(subject: str, verb: str, thing: str) -> TreebankSentence:
    """ "The storm will wreck barns ." with other words."""
    return TreebankSentence(
        words=("The", subject, "will", verb, thing, "."),
        upos=("DET", "NOUN", "AUX", "VERB", "NOUN", "PUNCT"),
        xpos=("DT", "NN", "MD", "VB", "NNS", "."),
        lemmas=("the", subject, "will", verb, thing.removesuffix("s"), "."),
        heads=(1, 3, 3, -1, 3, 3),
        deprels=("det", "nsubj", "aux", "root", "obj", "punct"),
        subtypes=True,
        own_lemmas=True,
    )


SENTENCES = [
    sentence(subject, verb, thing)
    for subject in ("storm", "river", "wind", "fire")
    for verb in ("wreck", "reach")
    for thing in ("barns", "roads", "trees")
]


def labels() -> Labels:
    return collect_labels(SENTENCES)


def corpus() -> Corpus:
    return encode_treebank(SENTENCES, labels(), Vocabulary(VOCABULARY))


def config(base: str) -> Any:
    """Two layers of 64 with heads of 32, as those of the shipped model are."""
    import transformers

    sizes = {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 128,
    }
    if base == "e5-small":
        return transformers.BertConfig(type_vocab_size=len(CaseType), **sizes)
    return transformers.MPNetConfig(
        vocab_size=30527, max_position_embeddings=514, layer_norm_eps=1e-5, **sizes
    )


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every new model a tiny one."""
    from trope.train import model

    monkeypatch.setattr(model, "base_config", config)


def random_weights(base: str, home: Path) -> dict[str, Any]:
    """What a tiny public encoder would hold."""
    import torch

    from trope.train.model import Trunk

    torch.manual_seed(1)
    return dict(Trunk(base, None, quantised=False).encoder.state_dict())


def write_data(folder: Path, treebanks: tuple[str, ...] = ("ewt", "tweebank")) -> Path:
    """The corpora as `trope train syntax` looks for them."""
    from trope.train.sources import TREEBANKS

    for name in treebanks:
        for place in TREEBANKS[name].values():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            packed = gzip.compress if path.suffix == ".gz" else bytes
            path.write_bytes(packed("".join(map(conllu, SENTENCES)).encode()))
    (folder / "headlines").mkdir()
    with gzip.open(folder / "headlines" / "headlines.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("id\theadline\n1\tStorm Wrecks Old Barns\n2\tRiver Reaches Roads\n")
    (folder / "lcc").mkdir()
    for name in ("train", "dev", "test"):
        with (folder / "lcc" / f"{name}.csv").open("w", encoding="utf-8", newline="") as table:
            csv.writer(table).writerows([["text"], [f"The fire ate the {name} tree."]])
    return folder


def conllu(sentence: TreebankSentence) -> str:
    columns = zip(
        sentence.words,
        sentence.lemmas,
        sentence.upos,
        sentence.xpos,
        sentence.heads,
        sentence.deprels,
        strict=True,
    )
    rows = [
        f"{number}\t{word}\t{lemma}\t{upos}\t{xpos}\t_\t{head + 1}\t{deprel}\t_\t_\n"
        for number, (word, lemma, upos, xpos, head, deprel) in enumerate(columns, start=1)
    ]
    text = " ".join(sentence.words)
    return f"# sent_id = {text.replace(' ', '-')}\n# text = {text}\n{''.join(rows)}\n"
