"""The word lists behind inflection, read once: verbs, nouns, adjectives, closed classes.

Each file in words/ says at its top what it holds and where that comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WORDS = Path(__file__).with_name("words")


@dataclass(frozen=True, slots=True)
class IrregularVerb:
    """Past forms and past participles; the first of each is the one to write."""

    past: tuple[str, ...]
    participle: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordLists:
    """What is known about single words.

    `verbs` maps a base form to "", "double" or "either": how its last letter behaves before -ed.
    `past`, `participle` and `singular` lead from irregular forms back, `plurals` from base forms.
    `proper_adjectives` and `names` map small letters to the usual spelling.
    `closed` maps (part of speech with or without "/" and fine tag, spelling) to a base form.
    """

    verbs: dict[str, str]
    irregular_verbs: dict[str, IrregularVerb]
    past: dict[str, str]
    participle: dict[str, str]
    plurals: dict[str, tuple[str, ...]]
    singular: dict[str, str]
    invariable: frozenset[str]
    misleading_nouns: frozenset[str]
    adjectives_in_e: frozenset[str]
    proper_adjectives: dict[str, str]
    names: dict[str, str]
    misspellings: dict[str, str]
    closed: dict[tuple[str, str], str]


@cache
def shipped_words() -> WordLists:
    """The word lists of the package, read once."""
    irregular = {
        base: IrregularVerb(tuple(past.split(",")), tuple(participle.split(",")))
        for base, past, participle in _rows("irregular_verbs.txt")
    }
    plurals = {base: tuple(forms.split(",")) for base, forms in _rows("irregular_nouns.txt")}
    return WordLists(
        verbs={row[0]: row[1] if len(row) > 1 else "" for row in _rows("verbs.txt")},
        irregular_verbs=irregular,
        past=_back({base: verb.past for base, verb in irregular.items()}),
        participle=_back({base: verb.participle for base, verb in irregular.items()}),
        plurals=plurals,
        singular=_back(plurals),
        invariable=_single("invariable_nouns.txt"),
        misleading_nouns=_single("nouns.txt"),
        adjectives_in_e=_single("adjectives.txt"),
        proper_adjectives={word.lower(): word for word in _single("proper_adjectives.txt")},
        names={word.lower(): word for word in _single("names.txt")},
        misspellings=dict(_pairs("misspellings.txt")),
        closed={(tag, form): base for tag, form, base in _rows("closed.txt")},
    )


def _back(forms: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """From each form to its base; of two bases that write the same form the later one stands."""
    # forms that are written first come last, so that they beat rarer ones: "lay" before "lie"
    pairs = [(rank, form, base) for base, all_ in forms.items() for rank, form in enumerate(all_)]
    return {form: base for _, form, base in sorted(pairs, key=lambda pair: -pair[0])}


def _pairs(name: str) -> Iterator[tuple[str, str]]:
    return ((first, second) for first, second in _rows(name))


def _single(name: str) -> frozenset[str]:
    return frozenset(row[0] for row in _rows(name))


def _rows(name: str) -> Iterator[list[str]]:
    """The columns of the lines of a word list, without comments and empty lines."""
    with (WORDS / name).open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                yield line.split()
