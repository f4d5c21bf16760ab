"""A Hugging Face encoder of one tiny layer with random weights, as a folder, and toy corpora."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = [
    *("the", "a", "of", "town", "mayor", "frost", "rain", "tax", "taxes", "hope", "hopes", "plan"),
    *("storm", "fire", "bites", "chokes", "trade", "buds", "early", "old", "swallows", "river"),
    *("water", "melts", "melt", "ice", "grasp", "idea", "rope", "we", "they", ",", ".", "##s"),
]


def write_encoder(
    folder: Path,
    *,
    half: bool = False,
    seed: int = 0,
    head: str = "",
    labels: Sequence[str] = ("literal", "metaphorical"),
) -> Path:
    """A BERT of 16 numbers a piece with a tokeniser; `head` is a class such as words."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {piece: number for number, piece in enumerate([*special, *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        **{f"{name.strip('[]').lower()}_token": name for name in special},
    )
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={name: number for number, name in enumerate(labels)},
    )
    kinds: dict[str, Any] = {
        "": transformers.BertModel,
        "words": transformers.BertForTokenClassification,
        "sentences": transformers.BertForSequenceClassification,
    }
    model = kinds[head](config)
    (model.half() if half else model).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def write_corpora(data: Path) -> Path:
    """Every file that the silver detector reads, a few sentences each, of our own making."""
    _table(
        data / "tsv/Yulia_formatted_svo.csv",
        ["arg1", "arg2", "verb", "sentence", "verb_stem", "label"],
        [["tax", "hope", "choke", "The tax slowly chokes every single hope", "chok", 1],
         ["we", "rope", "grasp", "They melt the ice with hot water", "melt", 0]],
    )  # fmt: skip
    _lcc(data)
    (data / "conceptual").mkdir(parents=True)
    (data / "conceptual/master_metaphor_list_examples.json").write_text(
        json.dumps([{"Metaphor": "Plans Are Fires", "Examples": ["His plan burns out early."]}])
    )
    (data / "conceptual/master_metaphor_list_subtypes.json").write_text(
        json.dumps(
            [
                {
                    "name": "X",
                    "examples": [{"subtype": "Y", "examples": ["Hope swallows fear whole."]}],
                }
            ]
        )
    )
    (data / "conceptual/metanet_examples.tsv").write_text(
        "#Source\t#Target\t#Sentence\nfire\thope\tTheir hope was a small fire.\n"
    )
    (data / "moh").mkdir()
    (data / "moh/Data-metaphoric-or-literal.txt").write_text(
        "Terms: 1\nInstances: 2\nterm\tsense\tsentence\tclass\tconfidence\n"
        "melt\tmelt#v#2\tTheir old anger <b>melted</b> in the sun.\tmetaphorical\t0.9\n"
        "melt\tmelt#v#1\tThe ice <b>melted</b> on the roof.\tliteral\t1.0\n"
    )
    words = [("M_", "eats", "roofs"), ("", "wets", "sheds"), ("M_", "kisses", "walls")]
    for split, ending in (("train", "by night ."), ("test", "on many summer mornings")):
        _table(
            data / f"naacl2018/vuamc_corpus_{split}.csv",
            ["txt_id", "sentence_id", "sentence_txt"],
            [[split, n, f"Rain {mark}{verb} the {noun} {ending}"]
             for n, (mark, verb, noun) in enumerate(words)],
        )  # fmt: skip
    _vua(data)
    _ewt(data)
    _newsmet(data)
    return data


def _table(path: Path, columns: list[str], rows: list[list[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def _lcc(data: Path) -> None:
    causes = ("Taxes", "Fears", "Debts", "Doubts", "Rumours", "Prices", "Rents", "Wars")
    people = ("Boys", "Farmers", "Girls", "Cooks", "Sailors", "Nurses", "Clerks", "Guards")
    things = ("wool", "bread", "salt", "tea", "rope", "ice", "wood", "milk")
    for split, verb, place in (
        ("train", "choke", "northern"), ("dev", "smother", "southern"), ("test", "bury", "western")
    ):  # fmt: skip
        rows = [[f"{who} {verb} all {place} {what} trade", "[1, 2]", "Metaphor"]
                for who, what in zip(causes, things, strict=True)]  # fmt: skip
        rows += [[f"{who} carry {what} to {place} {split} barns", "[1, 2]", "Non-metaphor"]
                 for who, what in zip(people, things, strict=True)]  # fmt: skip
        _table(data / f"lcc/{split}.csv", ["text", "span1", "label"], rows)


def _vua(data: Path) -> None:
    columns = ["txt_id", "sen_ix", "sentence", "label_seq", "pos_seq", "labeled_sentence", "genre"]
    for split in ("train", "val", "test"):
        rows = [
            [split, n, f"the {s} bites the {o}", "[0, 0, 1, 0, 0]",
             "['DET', 'NOUN', 'VERB', 'DET', 'NOUN']", f"the {s} M_bites the {o}", "news"]
            for n, (s, o) in enumerate([("frost", "town"), ("tax", "trade"), ("rain", "buds")])
        ]  # fmt: skip
        _table(data / f"vua18/VUA_seq_formatted_{split}.csv", columns, rows)


def _ewt(data: Path) -> None:
    (data / "ewt").mkdir()
    tags = [("The", "DET", 2, "det"), ("boy", "NOUN", 3, "nsubj"), ("bought", "VERB", 0, "root")]
    tags += [("two", "NUM", 5, "nummod"), ("apples", "NOUN", 3, "obj"), (".", "PUNCT", 3, "punct")]
    lines = ["# sent_id = plain-1", "# text = The boy bought two apples ."]
    for number, (form, upos, head, relation) in enumerate(tags, start=1):
        lines.append(f"{number}\t{form}\t{form.lower()}\t{upos}\tX\t_\t{head}\t{relation}\t_\t_")
    with gzip.open(data / "ewt/en_ewt-ud-train.conllu.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n\n")


def _newsmet(data: Path) -> None:
    verbs = ["bites", "chews", "eats", "finds", "gets", "hears"]
    for split, place, when in (
        ("train", "hill", "before the long harvest"), ("val", "orchard", "after Sunday service"),
        ("test", "valley", "while nobody is looking"),
    ):  # fmt: skip
        rows = [[f"Frost nips {place} buds {when}", 0, "gold"]]
        rows += [[f"Frost {verb} {place} buds {when}", int(at < 2), "gold_plus"]
                 for at, verb in enumerate(verbs)]  # fmt: skip
        rows += [[f"Hungry {place} councils swallow plans {when}", 1, "gold"]]
        _table(data / f"newsmet/{split}_goldplus.csv", ["Text", "label", "sample_type"], rows)
    for number, column in ((1, "Unnamed: 0"), (2, "id")):
        rows = [[7, f"Markets sneeze and islands {number} catch cold", 1],
                [8, f"Bakery {number} sells bread on Monday mornings", 0]]  # fmt: skip
        _table(data / f"newsmet/test_set_{number}.csv", [column, "Text", "label"], rows)
