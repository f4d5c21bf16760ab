"""Training data for finding names: sentences with tags of places, organisations and people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.errors import MissingData
from trope.corpora.tagged_tokens import read_tagged_tokens, read_uner
from trope.encoder.pieces import Vocabulary
from trope.train.encoder.corpus import UNKNOWN, EncodedCorpus, encode_words
from trope.train.encoder.figure_sets import leaked_rows
from trope.train.encoder.own_sentences import TAGS as OWN
from trope.train.encoder.own_sentences import MarkedSentence, name_class, split_sentences

TAGS = ("O", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-PER", "I-PER")
_CLASSES = {
    "PER": "PER Person person politician writer scientist musicalartist researcher",
    "LOC": "LOC Location location country Facility",
    "ORG": "ORG Organization organisation corporation group politicalparty university band",
}
_CLASS_OF = {name: kind for kind, names in _CLASSES.items() for name in names.split()}
_FILES = {
    "btc": ("btc-train.tsv.gz", "btc-dev.tsv"),
    "wnut17": ("wnut17-train.tsv.gz", "wnut17-dev.tsv"),
    "crossner": ("crossner-train.tsv.gz", "crossner-dev.tsv.gz"),
    "wikigold": ("wikigold.tsv.gz",),
    "worldwide": ("worldwide-train.tsv.gz",),
}
_DEV = "uner-ewt-dev.iob2.gz"
"""Nobody trains on it: its sentences are the development part of EWT."""


@dataclass(frozen=True, slots=True)
class NameTags:
    """A sentence with one of `TAGS`, as its number, for each word; UNKNOWN for user names."""

    words: tuple[str, ...]
    tags: tuple[int, ...]


def read_tag_set(data: Path, name: str, split: str) -> list[NameTags]:
    """The sentences of a set; "dev" is the same for all."""
    folder = data / "names"
    if split == "dev":
        return [_tagged(s.tokens, s.tags) for s in read_uner(_there(folder / _DEV))]
    if name == OWN:
        return [_own(s) for s in split_sentences(split) if s.kind == "names"]
    found = []
    for file in _FILES[name]:
        leaked = leaked_rows(folder, file.split(".")[0])
        found += [
            _tagged(s.tokens, s.tags)
            for s in read_tagged_tokens(_there(folder / file))
            if s.id not in leaked
        ]
    return found


def encode_tags(sentences: Sequence[NameTags], vocabulary: Vocabulary) -> EncodedCorpus:
    """The corpus of sentences with a tag for every word."""
    corpus, kept = encode_words((s.words for s in sentences), vocabulary)
    corpus.labels = {"tag": np.asarray([tag for n in kept for tag in sentences[n].tags])}
    return corpus


def _tagged(words: Sequence[str], tags: Sequence[str]) -> NameTags:
    """The sets disagree whether user names are names, so nothing is learnt of these."""
    known = [_known(tag) for tag in tags]
    for at, word in enumerate(words):
        if word.startswith("@") or (at and words[at - 1] == "@"):
            known[at] = UNKNOWN
    return NameTags(tuple(words), tuple(known))


def _own(sentence: MarkedSentence) -> NameTags:
    """Our own sentence with the tags of its names."""
    tags = ["O"] * len(sentence.words)
    for span in sentence.spans:
        kind = {"location": "LOC", "organisation": "ORG", None: "PER"}[name_class(span)]
        first, *rest = sentence.inside(span)
        tags[first] = f"B-{kind}"
        for at in rest:
            tags[at] = f"I-{kind}"
    return NameTags(sentence.words, tuple(map(TAGS.index, tags)))


def _known(tag: str) -> int:
    if tag == "O" or tag[2:] not in _CLASS_OF:
        return 0
    return TAGS.index(f"{tag[:2]}{_CLASS_OF[tag[2:]]}")


def _there(path: Path) -> Path:
    if not path.exists():
        raise MissingData(path, "give the folder that holds names/ with --from")
    return path
