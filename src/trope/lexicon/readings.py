"""What a name can stand for: the readings of SemEval-2007, fine, medium and coarse.

The scheme is data, in readings.toml. A fine reading has one medium and one coarse label; the way
back is not a function.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, get_args

import msgspec

from trope.core.config import read_config
from trope.core.errors import BadInput, UnknownName
from trope.core.records import NameClass as NameClass

Granularity = Literal["coarse", "medium", "fine"]

NAME_CLASSES: tuple[NameClass, ...] = get_args(NameClass)
GRANULARITIES: tuple[Granularity, ...] = get_args(Granularity)
"""From the roughest to the finest."""

LITERAL, NON_LITERAL, MIXED, METONYMIC = "literal", "non-literal", "mixed", "metonymic"

SCHEME_FILE = Path(__file__).with_name("readings.toml")


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fine reading of one class of names; the name of an example stands in square brackets."""

    name: str
    name_class: NameClass
    medium: Literal["literal", "metonymic", "mixed"]
    stands_for: str
    definition: str
    examples: tuple[str, ...]

    @property
    def coarse(self) -> str:
        """ "literal" or "non-literal"; a mixed reading is not literal."""
        return LITERAL if self.medium == LITERAL else NON_LITERAL

    def at(self, granularity: Granularity) -> str:
        """The label of this reading at a granularity."""
        return {"fine": self.name, "medium": self.medium, "coarse": self.coarse}[granularity]


class Scheme(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All readings, and the spellings that mean one of them."""

    spellings: dict[str, str]
    readings: tuple[Reading, ...]


@cache
def scheme() -> Scheme:
    """The shipped scheme, read once."""
    return read_config(SCHEME_FILE, Scheme)


@cache
def readings(name_class: NameClass) -> dict[str, Reading]:
    """The fine readings of a class of names, by name."""
    return {r.name: r for r in scheme().readings if r.name_class == name_class}


@cache
def labels(name_class: NameClass, granularity: Granularity) -> tuple[str, ...]:
    """All labels of a class of names at a granularity."""
    return tuple(dict.fromkeys(r.at(granularity) for r in readings(name_class).values()))


def canonical(label: str) -> str:
    """The usual spelling of a label: `org-for-members` is `organisation-for-members`."""
    return scheme().spellings.get(label, label)


def check_label(label: str, name_class: NameClass, granularity: Granularity) -> str:
    """The label in its usual spelling.

    Raises:
        BadInput: for a label that this class of names does not have at this granularity.
    """
    usual, allowed = canonical(label), labels(name_class, granularity)
    if usual in allowed:
        return usual
    fits = [level for level in GRANULARITIES if usual in labels(name_class, level)]
    hint = f" (it is a {' and '.join(fits)} one)" if fits else ""
    known = ", ".join(allowed)
    raise BadInput(
        f"{label!r} is not a {granularity} reading of the class {name_class}{hint}; known: {known}"
    )


def coarsen(
    label: str, name_class: NameClass, granularity: Granularity, *, known_at: Granularity = "fine"
) -> str:
    """The label at a granularity of one that is known at the same or a finer granularity.

    Raises:
        BadInput: for an unknown label, and where the label is rougher than what is asked for.
    """
    usual = check_label(label, name_class, known_at)
    if GRANULARITIES.index(known_at) < GRANULARITIES.index(granularity):
        raise BadInput(
            f"{label!r} is known at {known_at} level only; no {granularity} label follows"
        )
    if known_at == granularity:
        return usual
    if known_at == "medium":
        return LITERAL if usual == LITERAL else NON_LITERAL
    return readings(name_class)[usual].at(granularity)


def bring_to(label: str, name_class: NameClass, granularity: Granularity) -> str:
    """The label at a granularity of one that is as fine or finer.

    Raises:
        BadInput: for an unknown label, and for one that is rougher.
    """
    for level in GRANULARITIES[GRANULARITIES.index(granularity) :]:
        if canonical(label) in labels(name_class, level):
            return coarsen(label, name_class, granularity, known_at=level)
    return check_label(label, name_class, granularity)


def to_name_class(word: str) -> NameClass:
    """The class of names that a file means: `org` is the task's word for organisations."""
    found = {"location": "location", "loc": "location", "org": "organisation"}.get(word, word)
    for name_class in NAME_CLASSES:
        if found == name_class:
            return name_class
    raise UnknownName("class of names", word, (*NAME_CLASSES, "org"))


def to_granularity(word: str) -> Granularity:
    """The granularity of that name."""
    for granularity in GRANULARITIES:
        if word == granularity:
            return granularity
    raise UnknownName("granularity", word, GRANULARITIES)


def describe(label: str, name: str, name_class: NameClass) -> str:
    """What a name stands for in words, for example "share price of BMW"."""
    return readings(name_class)[canonical(label)].stands_for.replace("{name}", name)
