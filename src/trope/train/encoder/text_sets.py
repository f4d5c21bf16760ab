"""Training data: treebanks with their labels, and plain texts as sentences."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

from trope.core.errors import MissingData, UnknownName
from trope.core.progress import MessageWriter
from trope.core.records import TextKind
from trope.corpora.conllu import read_conllu
from trope.text import read
from trope.train.encoder.corpus import TreebankSentence

TREEBANKS = {
    "ewt": {"train": "ewt/en_ewt-ud-train.conllu.gz", "dev": "ewt/en_ewt-ud-dev.conllu"},
    "tweebank": {
        "train": "tweebank/en-ud-tweet-train.fixed.conllu",
        "dev": "tweebank/en-ud-tweet-dev.fixed.conllu",
    },
}


def read_treebank(data: Path, name: str, split: str) -> list[TreebankSentence]:
    """The sentences of one split; Tweebank has no subtypes and lemmas of another convention."""
    if name not in TREEBANKS:
        raise UnknownName("treebank", name, tuple(TREEBANKS))
    path = data / TREEBANKS[name][split]
    if not path.exists():
        raise MissingData(path, f"give the folder that holds {name}/ with --from")
    rich = name == "ewt"
    return [
        TreebankSentence(
            words=tuple(w.form for w in s.words),
            upos=tuple(w.upos for w in s.words),
            xpos=tuple(w.xpos for w in s.words),
            lemmas=tuple(w.lemma for w in s.words),
            heads=tuple(w.head for w in s.words),
            deprels=tuple(w.deprel for w in s.words),
            subtypes=rich,
            own_lemmas=rich,
        )
        for s in read_conllu(path)
    ]


def read_text_set(data: Path, name: str, say: MessageWriter) -> Iterator[tuple[str, ...]]:
    """The sentences of a text set as words, without the texts that we evaluate on."""
    count = 0
    for text in read_texts(data, name):
        for sentence in read(text, _TEXTS[name][1]).sentences:
            count += 1
            yield sentence.forms
    say(f"{name}: {count} sentences")


def read_texts(data: Path, name: str) -> Iterator[str]:
    """The texts of a set, each once, without those that we evaluate on."""
    if name not in _TEXTS:
        raise UnknownName("text set", name, tuple(_TEXTS))
    if not (data / name).is_dir():
        raise MissingData(data / name, f"get it, or leave it out with --without {name}")
    held_out, seen = _evaluation_ids(), set[bytes]()
    for identifier, text in _TEXTS[name][0](data / name):
        key = hashlib.md5(text.lower().encode(), usedforsecurity=False).digest()
        if identifier not in held_out and key not in seen:
            seen.add(key)
            yield text


def _evaluation_ids() -> set[str]:
    gold = files("trope.corpora") / "gold"
    return {
        json.loads(line)["id"]
        for name in ("headlines.jsonl", "tweets.jsonl")
        for line in (gold / name).read_text("utf-8").splitlines()
    }


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        next(file)
        for line in file:
            yield line.rstrip("\r\n").split("\t")


def _headlines(folder: Path) -> Iterator[tuple[str, str]]:
    return ((row[0], row[1]) for row in _rows(folder / "headlines.tsv.gz"))


def _brexit(folder: Path) -> Iterator[tuple[str, str]]:
    return ((row[0], row[4]) for row in _rows(folder / "brexit-tweets.tsv.gz"))


def _emotion(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((folder / "semeval2018-ec").glob("*.txt")):
        for line in path.read_text("utf-8").splitlines()[1:]:
            identifier, text = line.split("\t")[:2]
            yield identifier, text
    for path in sorted((folder / "tweeteval").rglob("*_text.txt")):
        for line in path.read_text("utf-8").splitlines():
            yield "", line


def _coinco(folder: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(folder / "coinco_patched.xml.gz") as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag in ("precontext", "targetsentence", "postcontext") and element.text:
                yield "", " ".join(element.text.split())


def _lcc(folder: Path) -> Iterator[tuple[str, str]]:
    for name in ("train.csv", "dev.csv", "test.csv"):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield "", row["text"]


def _semeval2007(folder: Path) -> Iterator[tuple[str, str]]:
    """The training samples of the metonymy task: four sentences of the British National Corpus."""
    root = ElementTree.parse(folder / "SemEval.train.xml").getroot()
    for paragraph in root.iter("par"):
        yield "", " ".join("".join(paragraph.itertext()).split())
    for sample in json.loads((folder / "companies_train.json").read_text("utf-8")):
        yield "", " ".join(sample["sentence"])


_TEXTS: dict[str, tuple[Callable[[Path], Iterable[tuple[str, str]]], TextKind]] = {
    "headlines": (_headlines, "headline"),
    "tweets-brexit": (_brexit, "tweet"),
    "tweets-emotion": (_emotion, "tweet"),
    "coinco": (_coinco, "plain"),
    "lcc": (_lcc, "plain"),
    "semeval2007": (_semeval2007, "plain"),
}
"""How the texts of each set are read, and of what kind they are."""
