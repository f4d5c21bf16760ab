"""Names that the network finds: tags of words become spans, which the tree makes whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trope.core.records import EntityClass, Name, Parse, Token

_CLASSES: dict[str, EntityClass] = {"LOC": "location", "ORG": "organisation", "PER": "person"}
_LINKS = frozenset({"ADP", "DET", "CCONJ", "PUNCT", "SYM"})
_LONGEST_LINK = 2
"""Most words between two parts of one name that are not tagged: "Bank *of the* West"."""

_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True, slots=True)
class NameSpan:
    """The words `first` to `last` (exclusive) of a sentence, which are a name."""

    first: int
    last: int
    name_class: EntityClass


def tagged_names(parse: Parse) -> list[NameSpan]:
    """The names of a sentence in their order, none inside of another.

    Tags are joined to spans, also over an untagged "of the" between parts of one name; a name goes
    as far as the tree joins its words (`flat`, and `compound` of proper nouns). Articles before
    and punctuation around a name are left out. Names of other things than places, organisations
    and people are not told.
    """
    found: list[NameSpan] = []
    for span in _joined(parse):
        after = found[-1].last if found else 0
        whole = _trimmed(_widened(span, parse), parse)
        first = max(whole.first, after)
        if first < whole.last:
            found.append(NameSpan(first, whole.last, whole.name_class))
    return found


def text_names(parses: Sequence[Parse], tokens: Sequence[Token]) -> tuple[Name, ...]:
    """The names of a text, whose tokens are the words of its sentences in their order."""
    found: list[Name] = []
    first = 0
    for parse in parses:
        for span in tagged_names(parse):
            start, end = tokens[first + span.first].start, tokens[first + span.last - 1].end
            found.append(Name(start, end, span.name_class))
        first += len(parse)
    return tuple(found)


def _joined(parse: Parse) -> Iterator[NameSpan]:
    """The spans of the tags; a part that continues a name belongs to it over a short link."""
    open_span: NameSpan | None = None
    for at, tag in enumerate(parse.names):
        mark, _, kind = tag.partition("-")
        name_class = _CLASSES.get(kind)
        if name_class is None:
            continue
        joins = (
            mark == "I"
            and open_span is not None
            and open_span.name_class == name_class
            and _linked(open_span.last, at, parse)
        )
        if open_span is not None and not joins:
            yield open_span
        first = open_span.first if joins and open_span is not None else at
        open_span = NameSpan(first, at + 1, name_class)
    if open_span is not None:
        yield open_span


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
        if last < len(parse) and _belongs(last, range(first, last), parse):
            last, grown = last + 1, True
        if first > 0 and _belongs(first - 1, range(first, last), parse):
            first, grown = first - 1, True
    return NameSpan(first, last, span.name_class)


def _belongs(at: int, inside: range, parse: Parse) -> bool:
    """Whether an untagged word beside a name is a part of it."""
    if parse.names[at] != "O" or parse.upos[at] != "PROPN":
        return False
    if parse.heads[at] in inside:  # a word that hangs on the name
        return parse.deprels[at].startswith(("flat", "compound"))
    return any(  # a word that the name hangs on: "Vienna *Airport*"
        parse.heads[own] == at and parse.deprels[own].startswith(("flat", "compound"))
        for own in inside
    )


def _trimmed(span: NameSpan, parse: Parse) -> NameSpan:
    """The span without articles before it, and without marks around it."""
    first, last = span.first, span.last
    while first < last and (
        parse.words[first].lower() in _ARTICLES or not _has_letter(parse.words[first])
    ):
        first += 1
    while first < last and (
        parse.words[last - 1] in ("'s", "’s") or not _has_letter(parse.words[last - 1])
    ):
        last -= 1
    return NameSpan(first, last, span.name_class)


def _has_letter(word: str) -> bool:
    return any(map(str.isalnum, word))
