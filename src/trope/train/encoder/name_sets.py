"""Training data of names: readings, hidden names, names in any text, and tags that find them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trope.core.errors import MissingData
from trope.core.records import TextKind
from trope.corpora.records import NameSample
from trope.corpora.relocar import read_geowebnews, read_relocar, read_wimcor
from trope.corpora.semeval2007 import read_samples
from trope.corpora.tagged_tokens import read_tagged_tokens, read_uner
from trope.encoder.pieces import MASK, Vocabulary
from trope.lexicon.readings import LITERAL, METONYMIC, NAME_CLASSES, readings
from trope.tasks.metonymy.names import shipped_finder
from trope.tasks.metonymy.task import words_within
from trope.tasks.metonymy.validation import held_out
from trope.text import read
from trope.text.tokenise import tokenise
from trope.train.encoder.corpus import UNKNOWN, EncodedCorpus, encode_words
from trope.train.encoder.figure_sets import leaked_rows
from trope.train.encoder.own_sentences import (
    NAMES,
    MarkedSentence,
    in_dev,
    name_class,
    named,
    split_sentences,
)
from trope.train.encoder.own_sentences import TAGS as OWN_TAGS
from trope.train.encoder.text_sets import read_texts

PLACE = "place"
"""The class of place names that are known as literal or not, and no more. Their corpora call more
uses metonymic than SemEval-2007 does, so they have readings of their own."""
CLASSES = (*NAME_CLASSES, PLACE)
LABELS = (
    *(f"{kind}:{name}" for kind in NAME_CLASSES for name in readings(kind)),
    f"{PLACE}:{LITERAL}",
    f"{PLACE}:{METONYMIC}",
)
"""All readings of all classes, in the order of the head's logits."""
_MOST_NAMES = 24_000
"""Sentences with names that are read without answers."""
_FILES = ("SemEval.train.xml", "comp_toparse.train.gz")
_TEXTS: tuple[tuple[str, TextKind], ...] = (
    ("coinco", "plain"), ("lcc", "plain"), ("tweets-brexit", "tweet"), ("headlines", "headline"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NamedSentence:
    """A sentence whose words `first` to `last` (exclusive) are a name of one of `CLASSES`.

    `reading` is the number of one of `LABELS`, or UNKNOWN.
    """

    words: tuple[str, ...]
    first: int
    last: int
    name_class: str
    reading: int = UNKNOWN

    def with_name(self, name: Sequence[str]) -> NamedSentence:
        """The sentence with other words in place of the name."""
        words = (*self.words[: self.first], *name, *self.words[self.last :])
        return replace(self, words=words, last=self.first + len(name))


def read_name_set(
    data: Path, name: str, split: str, seed: int = 0, *, without: Collection[str] = ()
) -> list[NamedSentence]:
    """Names with readings, or names of any text ("named-texts"), of one split.

    Names of any text come from all corpora but those in `without`. Those of `COARSE_SETS` are
    known as literal or not, and have no dev part but ReLocaR's.

    In training, every sample comes three times: as it is, with its name hidden, and with the name
    of another sample in its place, so that what decides is the context.
    """
    if name == "named-texts":
        return [] if split == "dev" else _unlabelled(data, without)
    if name == NAMES:
        samples = _own_names(split)
    elif name in COARSE_SETS:
        samples = coarse_sentences(data, name, split)
    else:
        samples = [named_sentence(s) for s in _samples(data, split)]
    if split == "dev":
        return samples
    return with_variants(samples, seed)


def with_variants(samples: Sequence[NamedSentence], seed: int) -> list[NamedSentence]:
    """The sentences as they are, with hidden names, and with the names of others."""
    rng = np.random.default_rng(seed)
    hidden = [s.with_name((MASK,)) for s in samples]
    return [*samples, *hidden, *(_renamed(s, samples, rng) for s in samples)]


def encode_names(sentences: Sequence[NamedSentence], vocabulary: Vocabulary) -> EncodedCorpus:
    """The corpus of sentences with a name each; `name` is its class, `reading` its reading."""
    corpus, kept = encode_words((s.words for s in sentences), vocabulary)
    total = int(corpus.sentence_starts[-1])
    labels = ("name", "reading")
    corpus.labels = {n: np.full(total, UNKNOWN, dtype=np.int64) for n in labels}
    for start, number in zip(corpus.sentence_starts, kept, strict=False):
        s = sentences[number]
        corpus.labels["name"][start + s.first : start + s.last] = CLASSES.index(s.name_class)
        corpus.labels["reading"][start + s.first : start + s.last] = s.reading
    return corpus


def _samples(data: Path, split: str) -> Iterator[NameSample]:
    for file in _FILES:
        path = data / "semeval2007" / file
        if not path.exists():
            raise MissingData(path, "give the folder that holds semeval2007/ with --from")
        yield from (s for s in read_samples(path) if held_out(s.id) == (split == "dev"))


def named_sentence(sample: NameSample) -> NamedSentence:
    """The words of a sample's sentence, with its name and what is known of its reading."""
    spans = tokenise(sample.sentence)
    first, last = words_within(spans, sample.start, sample.end)
    words = tuple(sample.sentence[start:end] for start, end in spans)
    fine, coarse = sample.label("fine"), sample.label("coarse")
    if coarse and not fine:
        known = f"{PLACE}:{LITERAL if coarse == LITERAL else METONYMIC}"
        return NamedSentence(words, first, last, PLACE, LABELS.index(known))
    reading = LABELS.index(f"{sample.name_class}:{fine}") if fine else UNKNOWN
    return NamedSentence(words, first, last, sample.name_class, reading)


def _own_names(split: str) -> list[NamedSentence]:
    """The names of our own sentences that may stand for something else."""
    found = []
    for sentence, span in named(split):
        own, kind = sentence.inside(span), name_class(span)
        assert kind is not None
        reading = LABELS.index(span.reading)
        found.append(NamedSentence(sentence.words, own.start, own.stop, kind, reading))
    return found


def coarse_sentences(data: Path, name: str, split: str) -> list[NamedSentence]:
    """The names of a set of `COARSE_SETS`; a name is in one split."""
    return [
        named_sentence(s)
        for s in coarse_samples(data, name)
        if (name == "relocar" and in_dev(s.name)) == (split == "dev")
    ]


def coarse_samples(data: Path, name: str) -> list[NameSample]:
    """All samples of a set of `COARSE_SETS` but those that a test set has too."""
    folder = data / "metonymy"
    if not folder.is_dir():
        raise MissingData(folder, "give the folder that holds metonymy/ with --from")
    leaked = {row.removeprefix(_LEAK_PREFIX) for row in leaked_rows(folder, COARSE_SETS[name])}
    return [s for s in _COARSE_READERS[name](folder) if s.id not in leaked]


def _wimcor(folder: Path) -> Iterator[NameSample]:
    for path in sorted((folder / "wimcor-sample").glob("wiki_*_train.txt*")):
        yield from map(_own_sentence, read_wimcor(path))


def _own_sentence(sample: NameSample) -> NameSample:
    """The sample with the sentence of its name instead of a whole paragraph."""
    for s in read(sample.sentence, "plain").sentences:
        if s.start <= sample.start and sample.end <= s.end:
            text = sample.sentence[s.start : s.end]
            start, end = sample.start - s.start, sample.end - s.start
            return replace(sample, sentences=(text,), start=start, end=end)
    return sample


COARSE_SETS = {
    "relocar": "ReLocaR_Train",
    "wimcor": "wimcor-sample",
    "geowebnews": "gwn_train",
}
"""Sets that tell literal names from others and no more, by what the list of leaks calls them."""
_LEAK_PREFIX = "relocar-train-"
"""What the list of leaks writes before the number of a sample."""
_COARSE_READERS: dict[str, Callable[[Path], Iterator[NameSample]]] = {
    "relocar": lambda folder: read_relocar(folder / "ReLocaR_Train.xml"),
    "wimcor": _wimcor,
    "geowebnews": lambda folder: read_geowebnews(folder / "gwn_train.json.gz"),
}


def _renamed(
    sentence: NamedSentence, samples: Sequence[NamedSentence], rng: np.random.Generator
) -> NamedSentence:
    while True:
        other = samples[int(rng.integers(len(samples)))]
        if other.name_class == sentence.name_class:
            return sentence.with_name(other.words[other.first : other.last])


def _unlabelled(data: Path, without: Collection[str]) -> list[NamedSentence]:
    """Sentences of any text with a listed name; every third name is hidden."""
    finder = shipped_finder()
    found: list[NamedSentence] = []
    texts = [(name, kind) for name, kind in _TEXTS if name not in without]
    for place, (name, kind) in enumerate(texts, start=1):
        for text in read_texts(data, name):
            if len(found) >= _MOST_NAMES * place // len(texts):
                break
            for at in finder.find(text):
                for s in read(text, kind).sentences:
                    spans = [(w.start, w.end) for w in s.words]
                    first, last = words_within(spans, at.start, at.end)
                    if first < last:
                        one = NamedSentence(s.forms, first, last, at.name_class)
                        found.append(one.with_name((MASK,)) if len(found) % 3 == 2 else one)
    return found


# tags: which words are names at all, of places, organisations and people

TAGS = ("O", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-PER", "I-PER")
_TAG_CLASSES = {
    "PER": "PER Person person politician writer scientist musicalartist researcher",
    "LOC": "LOC Location location country Facility",
    "ORG": "ORG Organization organisation corporation group politicalparty university band",
}
_TAG_OF = {name: kind for kind, names in _TAG_CLASSES.items() for name in names.split()}
_TAGGED_FILES = {
    "btc": ("btc-train.tsv.gz", "btc-dev.tsv"),
    "wnut17": ("wnut17-train.tsv.gz", "wnut17-dev.tsv"),
    "crossner": ("crossner-train.tsv.gz", "crossner-dev.tsv.gz"),
    "wikigold": ("wikigold.tsv.gz",),
    "worldwide": ("worldwide-train.tsv.gz",),
}
_DEV_TAGGED = "uner-ewt-dev.iob2.gz"
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
        return [_tagged(s.tokens, s.tags) for s in read_uner(_tagged_file(folder / _DEV_TAGGED))]
    if name == OWN_TAGS:
        return [_own_tags(s) for s in split_sentences(split) if s.kind == "names"]
    found = []
    for file in _TAGGED_FILES[name]:
        leaked = leaked_rows(folder, file.split(".")[0])
        found += [
            _tagged(s.tokens, s.tags)
            for s in read_tagged_tokens(_tagged_file(folder / file))
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
    known = [_known_tag(tag) for tag in tags]
    for at, word in enumerate(words):
        if word.startswith("@") or (at and words[at - 1] == "@"):
            known[at] = UNKNOWN
    return NameTags(tuple(words), tuple(known))


def _own_tags(sentence: MarkedSentence) -> NameTags:
    """Our own sentence with the tags of its names."""
    tags = ["O"] * len(sentence.words)
    for span in sentence.spans:
        kind = {"location": "LOC", "organisation": "ORG", None: "PER"}[name_class(span)]
        first, *rest = sentence.inside(span)
        tags[first] = f"B-{kind}"
        for at in rest:
            tags[at] = f"I-{kind}"
    return NameTags(sentence.words, tuple(map(TAGS.index, tags)))


def _known_tag(tag: str) -> int:
    if tag == "O" or tag[2:] not in _TAG_OF:
        return 0
    return TAGS.index(f"{tag[:2]}{_TAG_OF[tag[2:]]}")


def _tagged_file(path: Path) -> Path:
    if not path.exists():
        raise MissingData(path, "give the folder that holds names/ with --from")
    return path
