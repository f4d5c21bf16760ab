"""Training data: treebanks with their labels, and plain texts as sentences.

Some texts are made by rule, for teachers to label: metaphors that no corpus has many of ("X is a
Y", "the Y of X", things that act as people do), each beside a literal sentence with the same words,
so that it is not the words that give a metaphor away.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from trope.core.errors import MissingData, UnknownName
from trope.core.progress import MessageWriter
from trope.core.records import TextKind
from trope.corpora.conllu import read_conllu
from trope.corpora.figures import read_hypo, read_msd23
from trope.corpora.idioms import (
    ClassedSentence,
    IdiomSentence,
    read_compounds,
    read_epie,
    read_pie,
)
from trope.corpora.leaks import wording
from trope.corpora.semeval2015 import read_split
from trope.corpora.substitution import read_swords
from trope.text import read
from trope.text.duplicates import comparable
from trope.train.encoder.corpus import TreebankSentence
from trope.train.encoder.figure_sets import leaked_rows
from trope.train.encoder.synthetic_headlines import exchanged_headlines


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_TOPICS = _words(
    "memory grief hope jealousy boredom debt silence ambition doubt patience curiosity fame "
    "guilt loneliness laughter envy time progress rumour bureaucracy truth forgiveness "
    "nostalgia panic inflation democracy friendship marriage childhood language music work "
    "sleep poverty luck education politics gossip shame courage habit history love anger"
)
_THINGS = _words(
    "dog door ladder river knife garden kitchen engine candle bridge cage blanket mirror anchor "
    "spider carpet storm furnace suitcase wheel lantern swamp hammer drawer orchard thermostat "
    "bicycle parachute onion tide fence leak magnet thief tenant landlord dentist clock "
    "umbrella staircase mushroom piano volcano shadow sponge wallpaper vine ghost passport "
    "window trap"
)
_CLAUSES = (
    "that nobody dares to open", "that bites its owner", "with a broken lock", "in an empty house",
    "that needs new batteries", "left out in the rain", "you cannot carry for long",
    "without a handle", "that grows in the dark", "that leaks all night", "on a moving train",
    "that still smells of smoke", "you learn to live with", "",
)  # fmt: skip
_ACTIONS = (
    "chewed through", "knocked on the door of", "swallowed", "stitched together", "drowned",
    "whispered to", "unpacked", "stalked", "nibbled at", "hijacked", "baptised", "watered",
    "strangled", "tiptoed around", "wallpapered", "devoured", "ambushed", "seasoned",
)  # fmt: skip
_PEOPLE = _words("clerk nurse widow farmer lawyer neighbour tailor plumber librarian cook driver")
_PLACES = _words("office village kitchen city courtroom school station market hospital theatre")
_QUALITIES = _words(
    "stale bitter frozen hungry rusty naked sleepy bruised feverish crooked salty barefoot deaf "
    "swollen threadbare"
)

Pick = Callable[[Sequence[str]], str]
"""Draws one of several words."""


def make_sentences(number: int, seed: int) -> Iterator[tuple[str, ...]]:
    """So many sentences, as words; the same for the same seed."""
    rng = np.random.default_rng(seed)

    def one(words: Sequence[str]) -> str:
        return words[int(rng.integers(len(words)))]

    makers = (_nominal, _genitive, _acting, _quality, _literal_thing, _literal_person)
    for _ in range(number):
        maker = makers[int(rng.integers(len(makers)))]
        sentence = " ".join(maker(one).split())
        yield (*(sentence[0].upper() + sentence[1:]).split(" "), ".")


def _nominal(one: Pick) -> str:
    return f"{one(_TOPICS)} is {_article(one(_THINGS))} {one(_CLAUSES)}"


def _genitive(one: Pick) -> str:
    return f"she could not escape the {one(_THINGS)} of {one(_TOPICS)} in the {one(_PLACES)}"


def _acting(one: Pick) -> str:
    return f"{one(_TOPICS)} {one(_ACTIONS)} the {one(_PEOPLE)} in the {one(_PLACES)}"


def _quality(one: Pick) -> str:
    return f"the {one(_PEOPLE)} lived with {_article(one(_QUALITIES))} {one(_TOPICS)}"


def _literal_thing(one: Pick) -> str:
    return f"the {one(_PEOPLE)} bought {_article(one(_THINGS))} {one(_CLAUSES)}"


def _literal_person(one: Pick) -> str:
    return f"the {one(_PEOPLE)} spoke about {one(_TOPICS)} in the {one(_PLACES)}"


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


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
    if name == MADE:
        yield from make_sentences(_MADE_NUMBER, _MADE_SEED)
        return
    if name == EXCHANGED_HEADLINES:
        yield from exchanged_headlines(data, read_text_set(data, "headlines", say))
        return
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
    folder = data / _FOLDERS.get(name, name)
    if not folder.is_dir():
        raise MissingData(folder, f"get it, or leave it out with --without {name}")
    held_out, seen = _evaluation_ids(), set[bytes]()
    for identifier, text in _TEXTS[name][0](folder):
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
    """Tweets, without those of the test set of SemEval-2015 where that is present."""
    tweets = folder.parent / "semeval2015"
    tested = read_split(tweets, "test").tweets if tweets.is_dir() else ()
    known = {wording(tweet.text) for tweet in tested}
    for path in sorted((folder / "semeval2018-ec").glob("*.txt")):
        for line in path.read_text("utf-8").splitlines()[1:]:
            identifier, text = line.split("\t")[:2]
            yield identifier, text
    for path in sorted((folder / "tweeteval").rglob("*_text.txt")):
        for line in path.read_text("utf-8").splitlines():
            if wording(line) not in known:
                yield "", line


def _coinco(folder: Path) -> Iterator[tuple[str, str]]:
    """Sentences with their neighbours, without the documents that SWORDS tests on, if present."""
    swords = folder.parent / "swords" / "swords-v1.1_test.json.gz"
    tested = {target.document for target in read_swords(swords)} if swords.is_file() else set()
    with gzip.open(folder / "coinco_patched.xml.gz") as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag != "sent" or element.get("MASCfile") in tested:
                continue
            for tag in ("precontext", "targetsentence", "postcontext"):
                if text := element.findtext(tag):
                    yield "", " ".join(text.split())


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


def _idiom_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Sentences with possible idioms that nobody judged, and noun compounds in context."""
    for file in ("epie-static", "pie-en"):
        leaked = leaked_rows(folder, file)
        read: Callable[[Path], Iterator[IdiomSentence | ClassedSentence]] = (
            read_epie if file == "epie-static" else read_pie
        )
        for s in read(folder / f"{file}.tsv.gz"):
            if s.id not in leaked:
                yield s.id, " ".join(s.words)
    for compound in read_compounds(folder / "semeval2022-en.csv.gz"):
        yield compound.id, compound.target


def _figure_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Hyperboles with their plain paraphrases, and similes with what surrounds them."""
    leaked = leaked_rows(folder, "hypo")
    for triple in read_hypo(folder / "hypo.tsv"):
        if triple.id not in leaked:
            yield triple.id, triple.hyperbole
            yield triple.id, triple.paraphrase
    for part in ("similes", "literals"):
        for simile in read_msd23(folder / f"msd23-{part}.jsonl.gz"):
            yield simile.id, simile.text


def _flute(folder: Path) -> Iterator[tuple[str, str]]:
    """Figurative sentences and their literal paraphrases, without those of MOH."""
    moh = folder.parent / "moh" / "MOH_formatted.csv"
    known = {comparable(row["sentence"]) for row in _csv_rows(moh)} if moh.exists() else set()
    for part in ("metaphor_train", "simile_train"):
        for line in (folder / f"{part}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            if comparable(row["hypothesis"]) not in known:
                yield "", row["hypothesis"]
                yield "", row["premise"]


def _csv_rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        yield from csv.DictReader(file)


MADE, EXCHANGED_HEADLINES = "made", "headlines-exchanged"
GENERATED = frozenset({MADE, EXCHANGED_HEADLINES})
"""Sets whose sentences nobody wrote: what they say of words does not count."""
_MADE_NUMBER, _MADE_SEED = 12_000, 7
_FOLDERS = {"idiom-texts": "idiom-sentences", "figure-texts": "figures", "flute": "flute-metaphor"}
"""Where sets are that do not have the name of their folder."""
_TEXTS: dict[str, tuple[Callable[[Path], Iterable[tuple[str, str]]], TextKind]] = {
    "headlines": (_headlines, "headline"),
    "tweets-brexit": (_brexit, "tweet"),
    "tweets-emotion": (_emotion, "tweet"),
    "coinco": (_coinco, "plain"),
    "lcc": (_lcc, "plain"),
    "semeval2007": (_semeval2007, "plain"),
    "idiom-texts": (_idiom_texts, "plain"),
    "figure-texts": (_figure_texts, "plain"),
    "flute": (_flute, "plain"),
}
"""How the texts of each set are read, and of what kind they are."""
