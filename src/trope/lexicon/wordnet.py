"""WordNet's graph in compact form, and its classes of nouns and verbs ("verb.motion").

The shipped files were made by `compile_part` and `list_classes` from those of WordNet 3.0, which
Debian has in the package wordnet-base; words/NOTICE.txt has their licence. A line of the graph is a
synset: its lemmas, each with the number of the sense ("run:1"), the lines of its hypernyms, of
synsets near it (similar, same group, entailed, caused), of its antonyms, and for verbs the words of
its gloss in alphabetical order, which is all that the Lesk algorithm needs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

from trope.core.files import read_lines, read_text
from trope.lexicon.inflection import lemma as base_form

FOLDER = Path(__file__).with_name("wordnet")
PARTS = {"VERB": "verb", "NOUN": "noun", "ADJ": "adj", "ADV": "adv"}
"""Universal tags and the parts of WordNet."""

VERB_DEPTH = 13
"""The deepest chain of verbs, with an artificial root above all."""

_OPPOSED_STEPS = 2
_OPPOSED = {
    "hide.v.01": ("publicize.v.01", "publish.v.02", "announce.v.01", "unwrap.v.02"),
    "destroy.v.01": ("construct.v.01", "repair.v.01"),
    "destroy.v.02": ("construct.v.01", "repair.v.01"),
    "kill.v.01": ("resuscitate.v.01",),
    "help.v.01": ("impede.v.01",),
    "protect.v.01": ("endanger.v.01", "harm.v.01"),
    "freeze.v.02": ("melt.v.01",),
}
"""Verbs that WordNet does not call antonyms, though they lead in opposite directions."""

_NEAR = frozenset(("&", "$", "*", ">"))
_EXAMPLE = re.compile(r'".*?"')

CLASSES_FILE = Path(__file__).with_name("words") / "semantic_classes.txt"
# lexicographer files in the order of their numbers, as WordNet counts them
_NOUNS = """Tops act animal artifact attribute body cognition communication event feeling food group
location motive object person phenomenon plant possession process quantity relation shape state
substance time"""

_VERBS = """body change cognition communication competition consumption contact creation emotion
motion perception possession social stative weather"""

NOUN_CLASSES = dict(enumerate(_NOUNS.split(), start=3))
VERB_CLASSES = dict(enumerate(_VERBS.split(), start=29))
_PARTS = {"noun": NOUN_CLASSES, "verb": VERB_CLASSES}
_TAGS = {"NOUN": "noun", "PROPN": "noun", "VERB": "verb", "AUX": "verb"}


@dataclass(frozen=True, slots=True)
class Synset:
    """Lemmas with one meaning; relations are numbers of other synsets of the same part.

    `name` is the first lemma with the number of its sense, as in "run.v.01".
    """

    number: int
    name: str
    lemmas: tuple[str, ...]
    hypernyms: tuple[int, ...]
    near: tuple[int, ...]
    antonyms: tuple[int, ...]
    gloss: frozenset[str]


class WordNet:
    """One part of speech of WordNet; senses of a lemma are in WordNet's order."""

    def __init__(self, synsets: list[Synset], senses: dict[str, tuple[int, ...]]) -> None:
        self.synsets = synsets
        self._senses = senses
        self._above: dict[int, dict[int, int]] = {}

    @property
    def lemmas(self) -> Iterable[str]:
        """All base forms; blanks of several words are underscores."""
        return self._senses.keys()

    def senses(self, lemma: str) -> tuple[int, ...]:
        """The synsets of a lemma, the first sense first; none for unknown words."""
        return self._senses.get(lemma.lower().replace(" ", "_"), ())

    @cached_property
    def hyponyms(self) -> dict[int, tuple[int, ...]]:
        """What lies directly below each synset that has something below it."""
        below: dict[int, list[int]] = {}
        for synset in self.synsets:
            for above in synset.hypernyms:
                below.setdefault(above, []).append(synset.number)
        return {number: tuple(found) for number, found in below.items()}

    def distances_above(self, number: int) -> dict[int, int]:
        """The fewest steps from a synset to itself and to everything above it."""
        if number not in self._above:
            steps = {number: 0}
            frontier = [number]
            while frontier:
                found = [up for at in frontier for up in self.synsets[at].hypernyms]
                distance = steps[frontier[0]] + 1
                frontier = [up for up in dict.fromkeys(found) if up not in steps]
                steps.update(dict.fromkeys(frontier, distance))
            self._above[number] = steps
        return self._above[number]

    def path(self, first: int, second: int) -> int:
        """The fewest edges between two synsets, by way of an artificial root if need be."""
        one, two = self.distances_above(first), self.distances_above(second)
        over_root = max(one.values()) + max(two.values()) + 2
        shared = (one[up] + two[up] for up in one.keys() & two.keys())
        return min(shared, default=over_root)

    def opposed(self, one: str, other: str) -> bool:
        """Whether two lemmas mean the opposite: they, or what lies little above them, are antonyms.

        Lemmas that share a synset, or are nearer to each other than to the antonyms, are not.
        """
        first, second = (self._little_above(lemma) for lemma in (one, other))
        shared = min((first[at] + second[at] for at in first.keys() & second.keys()), default=None)
        apart = [
            first[at] + second[against]
            for at in first.keys() & self._antonyms.keys()
            for against in self._antonyms[at] & second.keys()
        ]
        return bool(apart) and (shared is None or min(apart) < shared)

    def _little_above(self, lemma: str) -> dict[int, int]:
        """The synsets of a lemma and what lies little above them, with the fewest steps to each."""
        found: dict[int, int] = {}
        for sense in self.senses(lemma):
            for at, steps in self.distances_above(sense).items():
                if steps <= _OPPOSED_STEPS:
                    found[at] = min(steps, found.get(at, steps))
        return found

    @cached_property
    def _antonyms(self) -> dict[int, frozenset[int]]:
        """The antonyms of each synset that has some, in both directions."""
        numbers = {synset.name: synset.number for synset in self.synsets}
        pairs = [(own.number, other) for own in self.synsets for other in own.antonyms]
        pairs += [
            (numbers[one], numbers[other])
            for one, others in _OPPOSED.items()
            for other in others
            if one in numbers and other in numbers
        ]
        found: dict[int, set[int]] = {}
        for one, other in pairs:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
        return {number: frozenset(own) for number, own in found.items()}

    def likeness(self, first: int, second: int, *, depth: int = VERB_DEPTH) -> float:
        """Leacock and Chodorow's measure: 3.258 for the same verb synset, less with distance."""
        return -math.log((self.path(first, second) + 1) / (2 * depth))


@dataclass(frozen=True, slots=True)
class DictionarySense:
    """A sense of a word as a reader looks it up: words that share it, and what it is a kind of."""

    part: str
    synonyms: tuple[str, ...]
    kind_of: tuple[str, ...]


_FORMS = {
    "VERB": ("VB", "VBZ", "VBD", "VBN", "VBG"),
    "NOUN": ("NN", "NNS"),
    "ADJ": ("JJ", "JJR", "JJS"),
    "ADV": ("RB", "RBR", "RBS"),
}


@lru_cache(maxsize=5_000)
def dictionary_senses(word: str, *, most: int = 6) -> tuple[DictionarySense, ...]:
    """The senses of a word in any of its forms, up to `most` per part of speech."""
    small = word.lower()
    found = []
    for upos, tags in _FORMS.items():
        net = read_wordnet(upos)
        bases = dict.fromkeys([*(base_form(small, upos, tag) or small for tag in tags), small])
        base = next((one for one in bases if net.senses(one)), "")
        for number in net.senses(base)[:most]:
            own = net.synsets[number]
            above = [net.synsets[up].lemmas[0] for up in own.hypernyms]
            found.append(
                DictionarySense(PARTS[upos], _readable(own.lemmas, base), _readable(above, base))
            )
    return tuple(one for one in found if one.synonyms or one.kind_of)


def _readable(lemmas: Iterable[str], own: str) -> tuple[str, ...]:
    return tuple(one.replace("_", " ") for one in lemmas if one != own)


@cache
def read_wordnet(upos: str = "VERB") -> WordNet:
    """The shipped part of WordNet for a universal tag, read once.

    Raises:
        KeyError: for tags other than VERB, NOUN, ADJ and ADV.
    """
    letter = PARTS[upos][0]
    synsets: list[Synset] = []
    senses: dict[str, list[tuple[int, int]]] = {}
    for _, line in read_lines(FOLDER / f"{PARTS[upos]}.txt.gz"):
        if line.startswith("#"):
            continue
        words, *relations, gloss = line.split("\t")
        numbered = [word.rsplit(":", 1) for word in words.split(" ")]
        number = len(synsets)
        for lemma, sense in numbered:
            senses.setdefault(lemma, []).append((int(sense), number))
        first, sense = numbered[0]
        hypernyms, near, antonyms = (tuple(map(int, cell.split())) for cell in relations)
        synsets.append(
            Synset(
                number=number,
                name=f"{first}.{letter}.{int(sense):02}",
                lemmas=tuple(lemma for lemma, _ in numbered),
                hypernyms=hypernyms,
                near=near,
                antonyms=antonyms,
                gloss=frozenset(gloss.split(" ")) if gloss else frozenset(),
            )
        )
    return WordNet(synsets, {w: tuple(n for _, n in sorted(s)) for w, s in senses.items()})


def compile_part(wordnet: Path, upos: str) -> Iterator[str]:
    """The lines of the shipped file from WordNet's own `data` and `index` of a part of speech."""
    part = PARTS[upos]
    senses = {
        (word, offset): place
        for _, line in read_lines(wordnet / f"index.{part}")
        if not line.startswith(" ")
        for word, *fields in [line.split()]
        for place, offset in enumerate(fields[-int(fields[1]) :], start=1)
    }
    rows = [line for _, line in read_lines(wordnet / f"data.{part}") if not line.startswith(" ")]
    numbers = {row.split(" ", 1)[0]: number for number, row in enumerate(rows)}
    yield "# Synsets of WordNet 3.0: lemmas, hypernyms, near, antonyms, words of the gloss."
    yield "# See words/NOTICE.txt for the licence."
    for row in rows:
        data, _, gloss = row.partition("|")
        yield "\t".join([*_cells(data.split(), senses, numbers, part[0]), _bag(gloss, upos)])


def _cells(
    fields: list[str], senses: dict[tuple[str, str], int], numbers: dict[str, int], letter: str
) -> Iterator[str]:
    """Lemmas and relations of one line of a data file."""
    offset, count = fields[0], int(fields[3], 16)
    lemmas = (re.sub(r"\(\w+\)$", "", field).lower() for field in fields[4 : 4 + 2 * count : 2])
    yield " ".join(f"{word}:{senses[word, offset]}" for word in dict.fromkeys(lemmas))
    at = 4 + 2 * count
    pointers = fields[at + 1 : at + 1 + 4 * int(fields[at])]
    found: tuple[list[int], list[int], list[int]] = ([], [], [])
    for symbol, target, part in zip(pointers[::4], pointers[1::4], pointers[2::4], strict=True):
        if part.replace("s", "a") != letter:
            continue
        column = 0 if symbol in ("@", "@i") else 1 if symbol in _NEAR else 2
        if column < 2 or symbol == "!":
            found[column].append(numbers[target])
    for cell in found:
        yield " ".join(map(str, dict.fromkeys(cell)))


def _bag(gloss: str, upos: str) -> str:
    """The different words of a definition, examples left out, in alphabetical order."""
    if upos != "VERB":
        return ""
    return " ".join(sorted(set(_EXAMPLE.sub("", gloss).strip().strip("; ").split())))


@lru_cache(maxsize=50_000)
def semantic_classes(lemma: str, upos: str) -> tuple[str, ...]:
    """The classes of a word's senses, that of the first sense first; empty for unknown words."""
    part = _TAGS.get(upos, "")
    numbers = _shipped().get((part[:1], lemma.lower()), "")
    return tuple(f"{part}.{_PARTS[part][int(number)]}" for number in numbers.split())


def list_classes(wordnet: Path) -> Iterator[str]:
    """Lines "part word number …" for the one-word nouns and verbs of WordNet's own files."""
    for part in _PARTS:
        numbers = {
            fields[0]: int(fields[1])
            for _, line in read_lines(wordnet / f"data.{part}")
            if not line.startswith(" ") and (fields := line.split(maxsplit=2))
        }
        for _, line in read_lines(wordnet / f"index.{part}"):
            word, *fields = line.split()
            if line.startswith(" ") or not word.isalpha():
                continue
            senses = fields[-int(fields[1]) :]
            kinds = dict.fromkeys(numbers[sense] for sense in senses)
            yield " ".join([part[0], word, *map(str, kinds)])


@cache
def _shipped() -> dict[tuple[str, str], str]:
    """The numbers of a word's classes by the letter of its part of speech and the word."""
    lines = read_text(CLASSES_FILE).splitlines()
    rows = (line.split(" ", 2) for line in lines if not line.startswith("#"))
    return {(letter, word): numbers for letter, word, numbers in rows}
