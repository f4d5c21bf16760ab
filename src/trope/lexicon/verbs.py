"""Verb lists: light, aspectual and weak verbs, auxiliaries, predicates that raise; and VerbNet.

VerbNet's classes are read from the archive that its users have: it is not shipped.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from trope.core.config import read_config
from trope.core.errors import BadConfig, BadRecord, MissingData

SHIPPED = Path(__file__).with_name("verbs.toml")
"""The lists that are used where no others are given."""

CLASSES = ("light", "aspectual", "weak")
"""What `Verbs.class_of` returns, besides the empty string."""

VerbClasses = Mapping[str, tuple[str, ...]]
"""Lemma → names of classes, in alphabetical order."""

_MEMBER = re.compile(r"<MEMBER\s[^<>]*?\bname=\"([^\"<>]+)\"")
_MOST_BYTES = 5_000_000  # of one class; the largest has a fiftieth of that


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


def read_verbnet(path: str | Path) -> dict[str, tuple[str, ...]]:
    """The classes of every verb in an archive of VerbNet 3, one XML file per class.

    Only the names of members are read, as text; subclasses count as their class.

    Raises:
        MissingData: where there is no such file.
        BadRecord: where it is not an archive, or not one of VerbNet.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingData(path, "give the archive of VerbNet 3")
    found: dict[str, set[str]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if entry.filename.endswith(".xml") and entry.file_size <= _MOST_BYTES:
                    text = archive.read(entry).decode("utf-8", "replace")
                    for member in _MEMBER.findall(text):
                        name = PurePosixPath(entry.filename).stem
                        found.setdefault(member.replace("_", " "), set()).add(name)
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError) as error:
        raise BadRecord(path, None, f"is not a zip archive ({error}); give VerbNet 3's") from None
    if not found:
        raise BadRecord(path, None, "holds no class with members; give the archive of VerbNet 3")
    return {verb: tuple(sorted(classes)) for verb, classes in sorted(found.items())}
