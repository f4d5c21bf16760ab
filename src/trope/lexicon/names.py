"""Lists of names: countries, companies, institutions, other organisations and places.

Most shipped lists are ours: countries with their other names, well-known companies, institutions
that go by the name of a building or a street ("Downing Street", "the Kremlin"), regions, and other
organisations. Words for people ("French", "Peruvians") are not names of countries and are not
listed. Cities are those of GeoNames.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trope.core.errors import BadRecord, MissingExtra
from trope.core.files import read_lines, read_text
from trope.core.records import NameClass

COUNTRIES_FILE = Path(__file__).with_name("words") / "countries.txt"
COMPANIES_FILE = Path(__file__).with_name("words") / "companies.txt"
INSTITUTIONS_FILE = Path(__file__).with_name("words") / "institutions.txt"
ORGANISATIONS_FILE = Path(__file__).with_name("words") / "organisations.txt"
REGIONS_FILE = Path(__file__).with_name("words") / "regions.txt"
PLACES_FILE = Path(__file__).with_name("words") / "places.txt"
FIRST_NAMES_FILE = Path(__file__).with_name("words") / "first_names.txt"

_OTHERS = "="  # begins a line of names that are passed over
_UNSURE = "?"  # ends a name that is also a word or a name of people
_FIRST_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class GazetteerEntry:
    """What a gazetteer knows of a name; unsure ones are also words or names of people."""

    name_class: NameClass
    sure: bool = True


@cache
def shipped_countries() -> dict[str, tuple[str, ...]]:
    """The countries of the package with all their names."""
    return read_name_list(COUNTRIES_FILE)


@cache
def shipped_companies() -> dict[str, tuple[str, ...]]:
    """The well-known companies of the package with all their names."""
    return read_name_list(COMPANIES_FILE)


@cache
def shipped_institutions() -> dict[str, tuple[str, ...]]:
    """The institutions that go by the name of a building, a street or a place."""
    return read_name_list(INSTITUTIONS_FILE)


@cache
def shipped_gazetteer() -> dict[str, GazetteerEntry]:
    """All places and organisations of the package, as `read_gazetteer` has them."""
    found = {
        **read_gazetteer(PLACES_FILE, "location"),
        **read_gazetteer(REGIONS_FILE, "location"),
        **read_gazetteer(ORGANISATIONS_FILE, "organisation"),
    }
    listed: tuple[tuple[dict[str, tuple[str, ...]], NameClass], ...] = (
        (shipped_companies(), "organisation"),
        (shipped_countries(), "location"),
    )
    for names, name_class in listed:
        entry = GazetteerEntry(name_class)
        found |= {one.replace(" ", ""): entry for own in names.values() for one in own}
    return found


@cache
def first_names() -> frozenset[str]:
    """First names of people."""
    lines = read_text(FIRST_NAMES_FILE).splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def read_gazetteer(path: str | Path, name_class: NameClass) -> dict[str, GazetteerEntry]:
    """Each spelling without its blanks → what is known of it, from a file of names as above.

    A name with a question mark at its end is unsure. Blanks are left out because words are looked
    up that a tokeniser has cut.

    Raises:
        BadRecord: for a name that comes twice or does not begin with a letter, and an empty list.
    """
    kinds = {True: GazetteerEntry(name_class, sure=False), False: GazetteerEntry(name_class)}
    found: dict[str, GazetteerEntry] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line or line[0] == "#":
            continue
        for cell in line.split("\t"):
            unsure = cell.endswith(_UNSURE)
            key = (cell[:-1] if unsure else cell).replace(" ", "")
            if key in found or not key[:1].isalnum():
                problem = "comes twice" if key in found else "does not begin with a letter"
                raise BadRecord(path, number, f"the name {cell!r} {problem}; take it out")
            found[key] = kinds[unsure]
    if not found:
        raise BadRecord(path, None, "lists no name; give a name per line")
    return found


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


@cache
def misleading_names() -> tuple[str, ...]:
    """Longer names that hold the name of a country and mean something else: "Gulf of Mexico"."""
    lines = (text for _, text in read_lines(COUNTRIES_FILE) if text.startswith(f"{_OTHERS}\t"))
    return tuple(cell for text in lines for cell in text.split("\t")[1:] if cell.strip())
