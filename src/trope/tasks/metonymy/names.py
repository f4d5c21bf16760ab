"""Names in a text: those that the network tags, and those that are listed.

Tags of words become spans, which the tree makes whole. Listed names are found by their spelling.
What a model without such tags knows of names is in `name_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from trope.core.errors import BadInput
from trope.core.records import EntityClass, Name, NameClass, Parse, Token
from trope.lexicon.names import (
    misleading_names,
    shipped_companies,
    shipped_countries,
    shipped_institutions,
)

_CLASSES: dict[str, EntityClass] = {"LOC": "location", "ORG": "organisation", "PER": "person"}
_LINKS = frozenset({"ADP", "DET", "CCONJ", "PUNCT", "SYM"})
_OPEN_ENDS = frozenset({"ADP", "DET"})
_NO_ENDS = frozenset({*_OPEN_ENDS, "CCONJ"})
"""What no name ends with: "the Bank of", "Marks and"."""
_NO_NAMES = re.compile(r"@|://|www\.", re.IGNORECASE)
"""What is in a user name or an address, which the network was not taught about."""
_LONGEST_LINK = 2
"""Most words between two parts of one name that are not tagged: "Bank *of the* West"."""

_HYPHENS = frozenset({"-", "‐", "‑"})
_ARTICLES = frozenset({"the", "a", "an"})
_FIRST_WORD = re.compile(r"\w+")
_WORD_START = re.compile(r"(?<![\w@#/])\w+")
_ADDRESS = re.compile(r"[.@/]\w")  # what follows a name inside an address, "shell.com"
_SUFFIX = re.compile(
    r",? (?:Inc|Ltd|Corp|Co|Corporation|Company|plc|Plc|PLC|AG|SA|NV|GmbH|SpA|Group|Limited"
    r"|Holdings)\b(?:\.(?=,| [a-z]))?(?!\w)"  # a point that ends a sentence is not the name's
)
_ALWAYS_CASED = 3  # letters of a name that is also a word without its capitals: US, UK, BA


@dataclass(frozen=True, slots=True)
class NameSpan:
    """The words `first` to `last` (exclusive) of a sentence, which are a name."""

    first: int
    last: int
    name_class: EntityClass


def tagged_names(parse: Parse) -> list[NameSpan]:
    """The names of a sentence in their order, none inside of another.

    Tags are joined to spans, also over an untagged "of the" between parts of one name, and where a
    part ends in a tagged "of". A name goes as far as the tree joins its words (`flat`, and
    `compound` of proper nouns). Articles before and punctuation around a name are left out, and so
    are user names, addresses, and names of other things than places, organisations and people.
    """
    found: list[NameSpan] = []
    for span in _joined(parse):
        after = found[-1].last if found else 0
        whole = _trimmed(_widened(span, parse), parse)
        first = max(whole.first, after)
        if first < whole.last:
            found.append(NameSpan(first, whole.last, whole.name_class))
    return found


def text_names(
    sentences: Iterable[Sequence[NameSpan]], parses: Sequence[Parse], tokens: Sequence[Token]
) -> tuple[Name, ...]:
    """The names of a text's sentences, whose words are its tokens in their order."""
    found: list[Name] = []
    first = 0
    for spans, parse in zip(sentences, parses, strict=True):
        for span in spans:
            start, end = tokens[first + span.first].start, tokens[first + span.last - 1].end
            found.append(Name(start, end, span.name_class))
        first += len(parse)
    return tuple(found)


def _joined(parse: Parse) -> Iterator[NameSpan]:
    """The spans of the tags; a part that continues a name belongs to it over a short link."""
    open_span: NameSpan | None = None
    for at, tag in enumerate(parse.names):
        name_class = _CLASSES.get(tag[2:])
        if name_class is None or _NO_NAMES.search(parse.words[at]):
            continue
        if open_span is not None and _continues(open_span, at, parse):
            open_span = replace(open_span, last=at + 1)
            continue
        if open_span is not None:
            yield open_span
        open_span = NameSpan(at, at + 1, name_class)
    if open_span is not None:
        yield open_span


def _continues(span: NameSpan, at: int, parse: Parse) -> bool:
    """Whether a tagged word goes on with the name before it."""
    last, kind = span.last - 1, parse.names[at][2:]
    if parse.names[at].startswith("I") or parse.words[at] in _HYPHENS:
        if _CLASSES[kind] == span.name_class:
            return _linked(span.last, at, parse)
        return last == at - 1 and parse.names[last][2:] == kind
    # "Bank of" is tagged as an organisation, and "England" as a place
    return last == at - 1 > span.first and _tag(last, parse) in _OPEN_ENDS


def _tag(at: int, parse: Parse) -> str:
    return parse.upos[at] if parse.upos else ""


def _linked(last: int, at: int, parse: Parse) -> bool:
    between = range(last, at)
    return len(between) <= _LONGEST_LINK and all(
        bool(parse.upos) and parse.upos[word] in _LINKS for word in between
    )


def _widened(span: NameSpan, parse: Parse) -> NameSpan:
    """The span with the untagged proper nouns around it that the tree joins to it."""
    if not parse.heads:
        return span
    first, last = span.first, span.last
    grown = True
    while grown:
        grown = False
        inside = NameSpan(first, last, span.name_class)
        if last < len(parse) and _belongs(last, inside, parse):
            last, grown = last + 1, True
        if first > 0 and _belongs(first - 1, inside, parse):
            first, grown = first - 1, True
    return NameSpan(first, last, span.name_class)


def _belongs(at: int, span: NameSpan, parse: Parse) -> bool:
    """Whether an untagged word beside a name is a part of it."""
    if parse.names[at] != "O" or parse.upos[at] != "PROPN":
        return False
    inside = range(span.first, span.last)
    if parse.heads[at] in inside:  # a word that hangs on the name
        return parse.deprels[at].startswith(("flat", "compound"))
    # a word that the name hangs on: "Vienna *Airport*", but not "Toyota *Corolla*"
    joins = ("flat",) if span.name_class == "organisation" else ("flat", "compound")
    return any(parse.heads[own] == at and parse.deprels[own].startswith(joins) for own in inside)


def _trimmed(span: NameSpan, parse: Parse) -> NameSpan:
    """The span without articles before it, without marks around it and without "of" at its end."""
    first, last = span.first, span.last
    while first < last and (
        parse.words[first].lower() in _ARTICLES or not _has_letter(parse.words[first])
    ):
        first += 1
    while first < last and (
        parse.words[last - 1] in ("'s", "’s")
        or not _has_letter(parse.words[last - 1])
        or (last - first > 1 and _tag(last - 1, parse) in _NO_ENDS)
    ):
        last -= 1
    return NameSpan(first, last, span.name_class)


def _has_letter(word: str) -> bool:
    return any(map(str.isalnum, word))


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
                    for plural in _plurals(spelling):
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
        index, key = self._index, str.casefold if self.ignore_case else str
        for word in _WORD_START.finditer(text):
            candidates = index.get(key(word[0]))
            if candidates is None or (start := word.start()) < done:
                continue
            known = self._longest(text, start, candidates)
            if known is None:
                continue
            end = done = start + len(known.surface)
            if known.name_class is None:
                continue
            if known.name_class == "organisation" and not known.plural:
                suffix = _SUFFIX.match(text, end)
                end = done = suffix.end() if suffix else end
            yield FoundName(start, end, known.name, known.name_class, known.plural)

    def _longest(self, text: str, start: int, candidates: Sequence[_Known]) -> _Known | None:
        for known in candidates:
            end = start + len(known.surface)
            there = text[start:end]
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


def _plurals(name: str) -> tuple[str, ...]:
    """How the name is written for several: "Toyotas", "Mercedes" has none, "Germanys" and -ies."""
    if not name[-1].isalpha() or name.endswith(("s", "S")):
        return ()
    if name.endswith(("x", "z", "ch", "sh")):
        return (f"{name}es",)
    if name.endswith("y") and name[-2:-1] not in tuple("aeiou"):
        return (f"{name}s", f"{name[:-1]}ies")
    return (f"{name}s",)


@cache
def institution_finder(*, ignore_case: bool = False) -> NameFinder:
    """The finder of institutions that go by the name of a building, a street or a place."""
    return NameFinder({"organisation": shipped_institutions()}, ignore_case=ignore_case)


@cache
def shipped_finder(*, ignore_case: bool = False) -> NameFinder:
    """The finder of all shipped names, built once."""
    return NameFinder(
        {"location": shipped_countries(), "organisation": shipped_companies()},
        others=misleading_names(),
        ignore_case=ignore_case,
    )
