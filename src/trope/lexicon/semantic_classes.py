"""WordNet's classes of nouns and verbs: "verb.motion", "noun.artifact" and 39 more.

The shipped list was made by `list_classes` from the files of WordNet 3.0, which Debian has in the
package wordnet-base; words/NOTICE.txt has their licence.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from trope.core.files import read_lines

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


def semantic_classes(lemma: str, upos: str) -> tuple[str, ...]:
    """The classes of a word's senses, that of the first sense first; empty for unknown words."""
    return _shipped().get((_TAGS.get(upos, ""), lemma.lower()), ())


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
def _shipped() -> dict[tuple[str, str], tuple[str, ...]]:
    table: dict[tuple[str, str], tuple[str, ...]] = {}
    parts = {part[0]: part for part in _PARTS}
    for _, line in read_lines(CLASSES_FILE):
        if line.startswith("#"):
            continue
        letter, word, *numbers = line.split()
        part = parts[letter]
        names = (f"{part}.{_PARTS[part][int(number)]}" for number in numbers)
        table[part, word] = tuple(names)
    return table
