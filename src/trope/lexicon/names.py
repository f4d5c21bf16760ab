"""Names of countries, companies and institutions, and where they occur in a text.

The shipped lists are ours: countries with their other names, well-known companies, and institutions
that go by the name of a building or a street ("Downing Street", "the Kremlin"). Words for people
("French", "Peruvians") are not names of countries and are not listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trope.core.errors import BadInput, BadRecord, MissingExtra
from trope.core.files import read_lines
from trope.lexicon.readings import NameClass

COUNTRIES_FILE = Path(__file__).with_name("words") / "countries.txt"
COMPANIES_FILE = Path(__file__).with_name("words") / "companies.txt"
INSTITUTIONS_FILE = Path(__file__).with_name("words") / "institutions.txt"

_OTHERS = "="  # begins a line of names that are passed over
_FIRST_WORD = re.compile(r"\w+")
_WORD_START = re.compile(r"(?<![\w@#/])\w+")
_ADDRESS = re.compile(r"[.@/]\w")  # what follows a name inside an address, "shell.com"
_SUFFIX = re.compile(
    r",? (?:Inc|Ltd|Corp|Co|Corporation|Company|plc|Plc|PLC|AG|SA|NV|GmbH|SpA|Group|Limited"
    r"|Holdings)\b(?:\.(?=,| [a-z]))?(?!\w)"  # a point that ends a sentence is not the name's
)
_ALWAYS_CASED = 3  # letters of a name that is also a word without its capitals: US, UK, BA


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name in a text: `text[start:end]`, without "the" and "'s". `name` is how lists call it."""

    start: int
    end: int
    name: str
    name_class: NameClass
    plural: bool = False


@dataclass(frozen=True, slots=True)
class _Known:
    surface: str
    name: str
    name_class: NameClass | None
    plural: bool


class NameFinder:
    """Finds listed names, the longest where several begin at one place.

    Args:
        names: class of names → usual name → all its spellings.
        others: longer names that hold a listed one and mean something else; never found.
        ignore_case: find "france" and "FRANCE" too; names of up to three letters stay as written.
    """

    def __init__(
        self,
        names: Mapping[NameClass, Mapping[str, Iterable[str]]],
        *,
        others: Iterable[str] = (),
        ignore_case: bool = False,
    ) -> None:
        self.ignore_case = ignore_case
        self._index: dict[str, list[_Known]] = {}
        for name_class, listed in names.items():
            for name, spellings in listed.items():
                for spelling in dict.fromkeys([name, *spellings]):
                    self._add(_Known(spelling, name, name_class, plural=False))
                    for plural in plurals(spelling):
                        self._add(_Known(plural, name, name_class, plural=True))
        for other in others:
            self._add(_Known(other, other, None, plural=False))
        for candidates in self._index.values():
            candidates.sort(key=lambda known: (-len(known.surface), known.plural))

    def find(self, text: str) -> list[FoundName]:
        """All occurrences in the order of the text; none lies inside of another."""
        return list(self._find(text))

    def _find(self, text: str) -> Iterator[FoundName]:
        done = 0
        for word in _WORD_START.finditer(text):
            start = word.start()
            known = self._longest(text, word) if start >= done else None
            if known is None:
                continue
            end = done = start + len(known.surface)
            if known.name_class is None:
                continue
            if known.name_class == "organisation" and not known.plural:
                suffix = _SUFFIX.match(text, end)
                end = done = suffix.end() if suffix else end
            yield FoundName(start, end, known.name, known.name_class, known.plural)

    def _longest(self, text: str, word: re.Match[str]) -> _Known | None:
        for known in self._index.get(self._key(word[0]), ()):
            end = word.start() + len(known.surface)
            there = text[word.start() : end]
            if there != known.surface and not (
                self.ignore_case
                and there.casefold() == known.surface.casefold()
                and sum(map(str.isalpha, there)) > _ALWAYS_CASED
            ):
                continue
            if not re.match(r"\w", text[end : end + 1]) and not _ADDRESS.match(text, end):
                return known
        return None

    def _key(self, word: str) -> str:
        return word.casefold() if self.ignore_case else word

    def _add(self, known: _Known) -> None:
        for surface in {known.surface, known.surface.replace("'", "’")}:
            first = _FIRST_WORD.match(surface)
            if first is None:
                raise BadInput(f"the name {surface!r} does not begin with a letter; leave it out")
            entry = _Known(surface, known.name, known.name_class, known.plural)
            self._index.setdefault(self._key(first[0]), []).append(entry)


def plurals(name: str) -> tuple[str, ...]:
    """How the name is written for several: "Toyotas", "Mercedes" has none, "Germanys" and -ies."""
    if not name[-1].isalpha() or name.endswith(("s", "S")):
        return ()
    if name.endswith(("x", "z", "ch", "sh")):
        return (f"{name}es",)
    if name.endswith("y") and name[-2:-1] not in tuple("aeiou"):
        return (f"{name}s", f"{name[:-1]}ies")
    return (f"{name}s",)


@cache
def shipped_countries() -> dict[str, tuple[str, ...]]:
    """The countries of the package with all their names."""
    return read_name_list(COUNTRIES_FILE)


@cache
def shipped_companies() -> dict[str, tuple[str, ...]]:
    """The well-known companies of the package with all their names."""
    return read_name_list(COMPANIES_FILE)


@cache
def institution_finder(*, ignore_case: bool = False) -> NameFinder:
    """The finder of institutions that go by the name of a building, a street or a place."""
    names = read_name_list(INSTITUTIONS_FILE)
    return NameFinder({"organisation": names}, ignore_case=ignore_case)


@cache
def shipped_finder(*, ignore_case: bool = False) -> NameFinder:
    """The finder of all shipped names, built once."""
    return NameFinder(
        {"location": shipped_countries(), "organisation": shipped_companies()},
        others=_passed_over(COUNTRIES_FILE),
        ignore_case=ignore_case,
    )


def read_name_list(path: str | Path) -> dict[str, tuple[str, ...]]:
    """Name → all its spellings, from a file with a name per line, other names after tabs.

    Raises:
        BadRecord: for a name that comes twice, a name without a first letter, and an empty list.
    """
    found: dict[str, tuple[str, ...]] = {}
    owners: dict[str, int] = {}
    for line, text in read_lines(path):
        if not text.strip() or text.startswith(("#", f"{_OTHERS}\t")):
            continue
        spellings = tuple(cell.strip() for cell in text.split("\t") if cell.strip())
        for spelling in spellings:
            if not _FIRST_WORD.match(spelling):
                raise BadRecord(path, line, f"the name {spelling!r} does not begin with a letter")
            if spelling in owners:
                problem = f"the name {spelling!r} is also in line {owners[spelling]}"
                raise BadRecord(path, line, f"{problem}; a name is for one place or company")
            owners[spelling] = line
        found[spellings[0]] = spellings
    if not found:
        raise BadRecord(path, None, "lists no name; give a name per line")
    return found


def package_countries() -> dict[str, tuple[str, ...]]:
    """The countries of the package pycountry, with the names that it has for each.

    Raises:
        MissingExtra: where it is not installed.
    """
    try:
        import pycountry
    except ModuleNotFoundError as error:
        raise MissingExtra("this list of countries", "names", "pycountry") from error
    found: dict[str, tuple[str, ...]] = {}
    for country in pycountry.countries:
        kinds = ("common_name", "name", "official_name")
        names = [getattr(country, kind) for kind in kinds if hasattr(country, kind)]
        plain = [name.partition(",")[0] for name in names]  # "Iran, Islamic Republic of"
        spellings = [name for name in (*plain, *names) if "," not in name]
        known = found.get(spellings[0], ())  # two countries are called Congo
        found[spellings[0]] = tuple(dict.fromkeys([*known, *spellings]))
    return found


def _passed_over(path: Path) -> list[str]:
    lines = (text for _, text in read_lines(path) if text.startswith(f"{_OTHERS}\t"))
    return [cell for text in lines for cell in text.split("\t")[1:] if cell.strip()]
