"""Lists of names: countries, companies and institutions.

The shipped lists are ours: countries with their other names, well-known companies, and institutions
that go by the name of a building or a street ("Downing Street", "the Kremlin"). Words for people
("French", "Peruvians") are not names of countries and are not listed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from trope.core.errors import BadRecord, MissingExtra
from trope.core.files import read_lines

COUNTRIES_FILE = Path(__file__).with_name("words") / "countries.txt"
COMPANIES_FILE = Path(__file__).with_name("words") / "companies.txt"
INSTITUTIONS_FILE = Path(__file__).with_name("words") / "institutions.txt"

_OTHERS = "="  # begins a line of names that are passed over
_FIRST_WORD = re.compile(r"\w+")


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
