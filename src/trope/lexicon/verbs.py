"""Verb lists: light, aspectual and weak verbs, auxiliaries, predicates that raise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trope.core.config import read_config
from trope.core.errors import BadConfig

SHIPPED = Path(__file__).with_name("verbs.toml")
"""The lists that are used where no others are given."""

CLASSES = ("light", "aspectual", "weak")
"""What `Verbs.class_of` returns, besides the empty string."""


@dataclass(frozen=True, slots=True)
class VerbLists:
    """A file of verb lists as it is written."""

    light: tuple[str, ...] = ()
    aspectual: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    auxiliary: tuple[str, ...] = ()
    raising: tuple[str, ...] = ()
    raising_participle: tuple[str, ...] = ()
    time: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verbs:
    """Verb lists, ready for lookup.

    `classes` maps a lemma to its class; `auxiliary` and `time` hold lemmas, the others spellings.
    """

    classes: dict[str, str]
    auxiliary: frozenset[str]
    raising: frozenset[str]
    raising_participle: frozenset[str]
    time: frozenset[str]

    def class_of(self, lemma: str) -> str:
        """Light, aspectual, weak or, for all other verbs, the empty string."""
        return self.classes.get(lemma.lower(), "")


def read_verbs(path: str | Path) -> Verbs:
    """The verb lists of a TOML file; a list that the file leaves out is empty.

    Raises:
        BadConfig: for a file of another shape, or a verb that is in two classes.
    """
    lists = read_config(path, VerbLists)
    classes: dict[str, str] = {}
    faults = []
    for name in CLASSES:
        for lemma in getattr(lists, name):
            if lemma in classes:
                faults.append(f"{lemma!r} is both {classes[lemma]} and {name}; keep one")
            classes[lemma] = name
    if faults:
        raise BadConfig(path, faults)
    return Verbs(
        classes,
        frozenset(lists.auxiliary),
        frozenset(lists.raising),
        frozenset(lists.raising_participle),
        frozenset(lists.time),
    )


@cache
def shipped_verbs() -> Verbs:
    """The verb lists of the package, read once."""
    return read_verbs(SHIPPED)
