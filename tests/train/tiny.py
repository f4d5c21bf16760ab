"""A model of two small layers, a toy treebank, and texts: training in seconds."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from trope.encoder.models import model_folder
from trope.encoder.pieces import CaseType, Vocabulary
from trope.encoder.session import Labels
from trope.train.encoder.corpus import (
    EncodedCorpus,
    TreebankSentence,
    collect_labels,
    encode_treebank,
)

VOCABULARY = model_folder("small") / "vocab.txt"


WORDS = [
    ["The", "storm", "will", "wreck", "barns", "."],
    ["Unbelievable", "😂", "@anna"],
    ["So"],
]
"""Sentences for a model to read: plain, odd, and of one word."""


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


def corpus() -> EncodedCorpus:
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


def shrink(monkeypatch: pytest.MonkeyPatch, *fetching: ModuleType) -> None:
    """Make every new model a tiny one, and what these modules fetch our own."""
    from trope.encoder import trunk

    monkeypatch.setattr(trunk, "base_config", config)
    for module in fetching:
        monkeypatch.setattr(module, "read_weights", random_weights)
        monkeypatch.setattr(module, "fetch", lambda name, folder: VOCABULARY.parent)


def random_weights(base: str, home: Path) -> dict[str, Any]:
    """What a tiny public encoder would hold."""
    import torch

    from trope.encoder.trunk import Trunk

    torch.manual_seed(1)
    return dict(Trunk(base, None).encoder.state_dict())


def write_data(folder: Path, treebanks: tuple[str, ...] = ("ewt", "tweebank")) -> Path:
    """The corpora as `trope train encoder` looks for them."""
    from trope.train.encoder.text_sets import TREEBANKS

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
            csv.writer(table).writerows(
                [
                    ["text", "span1", "label"],
                    [f"The fire ate the {name} tree .", "[2, 3]", "Metaphor"],
                ]
            )
    write_verdicts(folder)
    return folder


def write_verdicts(folder: Path) -> None:
    """VUA and NewsMet as far as training reads them: storms that eat are metaphors."""
    for name in ("vua18", "naacl2018", "newsmet"):
        (folder / name).mkdir()
    sequence = ["txt_id", "sen_ix", "sentence", "label_seq", "pos_seq", "labeled_sentence", "genre"]
    tags = str(["DET", "NOUN", "VERB", "NOUN", "PUNCT"])
    rows = [
        ["a", "1", "The storm eats barns .", "[0, 0, 1, 0, 0]", tags, "The storm M_eats barns ."],
        ["a", "2", "The farmer eats bread .", "[0, 0, 0, 0, 0]", tags, "The farmer eats bread ."],
    ]
    _write(folder / "vua18/VUA_seq_formatted_val.csv", [sequence, *([*r, "news"] for r in rows)])
    marked = [
        ["txt_id", "sentence_id", "sentence_txt"],
        ["a", "1", "The storm M_eats barns ."],  # a sentence of the validation data: left out
        ["a", "3", "The wind M_eats trees ."],
        ["a", "4", "The horse eats grass ."],
        ["a", "5", ""],
    ]
    _write(folder / "naacl2018/vuamc_corpus_train.csv", marked)
    for name in ("train", "val"):
        headlines = [
            ["Text", "label", "sample_type"],
            [f"Storm reaches {name} farms", "0", "gold"],
            *([f"Storm {verb} {name} farms", "1", "gold_plus"] for verb in ("eats", "bites")),
            *([f"Storm {v} {name} farms", "0", "gold_plus"] for v in ("is", "has", "was", "had")),
            [f"Wind swallows {name} roofs", "1", "gold"],
        ]
        order = [headlines[0], headlines[1], *headlines[2:8], headlines[8]]
        _write(folder / f"newsmet/{name}_goldplus.csv", order)


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows(rows)


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
