"""Names by rule: places, organisations and people that lists, tags and trees give away.

For models without a head for names. A run of capitalised words that the tree joins is one name: it
is looked up as a whole, so that a part of a longer name is never found ("Boston" in "the Boston
Globe"). What is not listed is known by a word in it: "Leeds City *Council*", "*Lake* Vänern".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from trope.core.records import Parse
from trope.lexicon.names import GazetteerEntry, first_names, shipped_gazetteer
from trope.lexicon.wordlists import shipped_words
from trope.tasks.metonymy.names import NameSpan


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_JOINS = ("flat", "compound", "amod", "nummod", "goeswith", "nmod:desc", "nmod:unmarked")
_LONGEST = 7
"""Most words of a listed name, its hyphens and points counted."""
_ORGANISATIONS = _words(
    """Academy Administration Agency Airlines Airways Alliance Army Assembly Association Authority
    Bancorp Bank Board Brigade Broadcasting Brotherhood Bureau Cabinet Chamber Church Club
    Coalition College Commission Committee Company Confederation Conference Congress Consortium
    Corp Corporation Corps Council Court Department Directorate Federation Foundation Front Fund
    Guild Group Holdings Inc Industries Institute Institution Insurance Laboratories Laboratory
    League Legion Limited Ltd Ministry Motors Movement Museum Navy Network Newspapers Office
    Orchestra Organisation Organization Parliament Partners Partnership Party Pharmaceuticals
    Philharmonic Police Press Railroad Railway Railways Records Regiment School Secretariat Senate
    Service Services Society Studios Symphony Systems Team Technologies Tribunal Trust Union
    University plc PLC LLC LLP AG GmbH FC United Rovers Athletic Bros Inc. Ltd. Corp. Co. Co"""
)
"""Words that end the name of an organisation, or stand before its "of"."""
_PLACES_LAST = _words(
    """Bay Beach Canal Canyon Coast County Creek Desert Falls Forest Glacier Gulf Harbor Harbour
    Hills Island Islands Lake Mountain Mountains Ocean Peninsula Plateau Prefecture Province Reef
    River Sea Strait Territory Valley"""
)
_PLACES_FIRST = _words("Lake Mount Mt Mt. Cape Fort River")
_PLACES_OF = _words("Bay Gulf Isle Kingdom Republic Sea Strait Straits")
_OTHERS_OF = _words(
    """Archbishop Baron Battle Bishop Count Countess Dominion Duchess Duke Earl Order Prince
    Princess Siege Treaty Voice"""
)
"""What has a place in its name and is none: "the Battle of Hastings"."""
_SIDES = _words(
    """North South East West Northern Southern Eastern Western Central Greater Inner Outer Upper
    Lower Downtown Northeast Northwest Southeast Southwest"""
)
_TITLES = _words(
    """Mr Mrs Ms Miss Mr. Mrs. Ms. Dr Dr. Prof Prof. Professor President Sir Lady Lord King Queen
    Prince Princess Captain General Colonel Major Senator Sen. Sen Rep. Rep Gov. Governor Judge
    Justice Minister Secretary Chancellor Pope Bishop Archbishop Father Sister Brother Saint Uncle
    Aunt Emperor Duke Earl Baron Sheikh Imam Ayatollah Rabbi Rev. Rev Reverend Sgt. Sergeant
    Lieutenant Lt. Detective Inspector Officer Coach Congressman Congresswoman Mayor Mullah"""
)
_DATES = _words(
    """Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May
    June July August September October November December"""
)
_FIRMS = frozenset({"Inc", "Inc.", "Ltd", "Ltd.", "Corp", "Corp.", "LLC", "Co.", "plc"})
_WHERE = _words(
    "in near at outside around towards toward across through into throughout inside within beyond"
)
_ONLY_WHERE = frozenset({"in", "near", "outside"})
_WAYS = frozenset({"to", "from", "via"})
_MOTION = _words(
    """arrive bus come commute drive ferry flight fly get go head highway journey kilometre march
    migrate mile move plane return ride road route run sail send ship train tram travel trip walk
    way"""
)
_PARTS = _words(
    """battle bishop centre center citizen city county district east harbour mayor north outskirts
    people port resident siege south state street suburb town university village west"""
)
_ARTICLES = frozenset({"the", "a", "an", "this", "that", "his", "her", "their", "our", "my"})
_HYPHENS = frozenset({"-", "‐", "‑", "–"})
_SHORTEST = 4
"""Letters of a name that may be told by "in" alone, and without its capitals."""


def rule_names(parses: Sequence[Parse]) -> list[list[NameSpan]]:
    """The names of each sentence of a text, in their order, none inside of another.

    A name of people that was found in one sentence is no place in another: after "Abraham Lincoln",
    "Lincoln" alone is the man, unless the sentence says where.
    """
    found = [list(_named(parse)) for parse in parses]
    people = {
        parse.words[at]
        for parse, names in zip(parses, found, strict=True)
        for name in names
        if name.name_class == "person"
        for at in range(name.first, name.last)
    }
    if not people:
        return found
    return [
        [
            name
            for name in names
            if name.name_class == "person"
            or name.last - name.first > 1
            or parse.words[name.first] not in people
            or _somewhere(name.first, name.last, parse)
        ]
        for parse, names in zip(parses, found, strict=True)
    ]


def _named(parse: Parse) -> Iterator[NameSpan]:
    runs = list(_runs(parse))
    done = 0
    for first, last in runs:
        if first < done:
            continue
        end = _end_after_of(first, last, parse, runs)
        if end > last and parse.words[last - 1] in _OTHERS_OF:
            done = end
            continue
        for name in _read_run(first, last, end, parse):
            yield name
            done = name.last


def _runs(parse: Parse) -> Iterator[tuple[int, int]]:
    """Words that may be a name: proper nouns with the capitalised words that the tree joins."""
    proper = [_proper(at, parse) for at in range(len(parse))]
    if not any(proper):
        return
    linked = _links(parse, proper)
    first = 0
    for at in range(len(parse)):
        if at + 1 in linked:
            continue
        while first < at and parse.words[first].lower() == "the":
            first += 1
        if any(proper[first : at + 1]):
            yield first, at + 1
        first = at + 1


def _links(parse: Parse, proper: Sequence[bool]) -> set[int]:
    """The words that belong to one name with the word before them."""
    words = parse.words
    able = [proper[at] or (at > 0 and _able(word, parse.upos[at])) for at, word in enumerate(words)]
    found: set[int] = set()
    for at in range(1, len(words) - 1):
        if words[at] in _HYPHENS and words[at - 1][0].isupper() and words[at + 1][0].isupper():
            able[at - 1 : at + 2] = [True] * 3
            found |= {at, at + 1}
    for at, (head, relation) in enumerate(zip(parse.heads, parse.deprels, strict=True)):
        if able[at] and head >= 0 and able[head] and relation.startswith(_JOINS):
            first, last = min(at, head), max(at, head)
            if all(able[first:last]):
                found.update(range(first + 1, last + 1))
    return found


def _proper(at: int, parse: Parse) -> bool:
    word = parse.words[at]
    tagged = parse.xpos[at].startswith("NNP") or parse.upos[at] == "PROPN"
    return tagged and word[0].isalpha() and word not in _DATES


def _able(word: str, tag: str) -> bool:
    """Whether a word that is no proper noun may be part of a name: "the *Supreme* Court"."""
    return (
        (word[0].isupper() or word[0].isdigit())
        and word not in _DATES
        and tag in ("NOUN", "ADJ", "X", "NUM")
    )


def _end_after_of(first: int, last: int, parse: Parse, runs: Sequence[tuple[int, int]]) -> int:
    """Where a name ends that goes on after "of": "Department of Health and Human Services"."""
    words, end = parse.words, last
    while words[end : end + 1] in (("of",), ("for",)):
        start = end + 2 if words[end + 1 : end + 2] == ("the",) else end + 1
        stop = _run_end(start, runs)
        if not stop or not any(first <= parse.heads[at] < end for at in range(start, stop)):
            break
        entry = _entry(words[start:stop])
        end = stop
        if words[end : end + 1] in (("and",), ("&",)) and (
            entry is None or entry.name_class != "location"
        ):
            more = _run_end(end + 1, runs)
            if any(start <= parse.heads[at] < stop for at in range(end + 1, more)):
                end = more
    return end


def _run_end(start: int, runs: Sequence[tuple[int, int]]) -> int:
    return next((last for first, last in runs if first == start), 0)


def _read_run(first: int, last: int, end: int, parse: Parse) -> Iterator[NameSpan]:
    """The names in a run, which goes on to `end` after "of"."""
    words = parse.words
    if end > last and _among(words[last - 1], _ORGANISATIONS):
        yield NameSpan(first, end, "organisation")
    elif end > last and _among(words[last - 1], _PLACES_OF):
        yield NameSpan(first, end, "location")
    elif (
        words[last : last + 1] == (",",)
        and words[last + 1 : last + 2]
        and words[last + 1] in _FIRMS
    ):
        yield NameSpan(first, last + 2, "organisation")
    elif listed := _listed(first, last, parse):
        yield listed
    elif name := _told(first, last, parse):
        yield name
    else:
        yield from _two_places(first, last, parse)


def _among(word: str, words: frozenset[str]) -> bool:
    return word in words or (len(word) > 3 and word.isupper() and word.capitalize() in words)


def _listed(first: int, last: int, parse: Parse) -> NameSpan | None:
    """The listed name that a run is, perhaps with words around it ("Stoke-on-Trent")."""
    words = parse.words
    start = first - 1 if first and words[first - 1] == "The" else first
    for begin in dict.fromkeys((start, first)):
        for end in range(min(len(words), begin + _LONGEST), last - 1, -1):
            if end > last and words[end - 1][0].islower():
                continue
            entry = _entry(words[begin:end])
            if entry is not None and (entry.sure or _sure_here(entry, begin, end, parse)):
                return NameSpan(begin, end, entry.name_class)
    return None


def _entry(words: Sequence[str]) -> GazetteerEntry | None:
    """What the gazetteer knows of words, those without or all in capitals too."""
    key = "".join(words).replace("’", "'")
    found = shipped_gazetteer().get(key)
    if found is None and len(key) >= _SHORTEST and (key.isupper() or key.islower()):
        found = _without_case().get(key.casefold())
        if (
            found is not None
            and key.islower()
            and (found.name_class != "location" or not found.sure)
        ):
            return None
    return found


@cache
def _without_case() -> dict[str, GazetteerEntry]:
    return {key.casefold(): entry for key, entry in shipped_gazetteer().items()}


def _sure_here(entry: GazetteerEntry, first: int, last: int, parse: Parse) -> bool:
    if entry.name_class == "organisation":
        return first > 0 and parse.words[first - 1].lower() == "the"
    return _somewhere(first, last, parse)


def _somewhere(first: int, last: int, parse: Parse) -> bool:
    """Whether the sentence says that a name is a place: "in Reading", "the road to Lincoln"."""
    if first and parse.words[first - 1].lower() in _ARTICLES:
        return False
    top = _top(first, last, parse)
    head = parse.heads[top]
    lemma = parse.lemmas[head].lower() if head >= 0 else ""
    cases = _cases(top, first, parse)
    if (
        cases & _WHERE
        or (cases & _WAYS and lemma in _MOTION)
        or ("of" in cases and lemma in _PARTS)
    ):
        return True
    if parse.words[last : last + 1] != (",",):
        return False
    after = (_entry(parse.words[last + 1 : end]) for end in range(last + 2, last + 5))
    return any(entry is not None and entry.name_class == "location" for entry in after)


def _top(first: int, last: int, parse: Parse) -> int:
    """The word of a name that the others hang from."""
    return next((at for at in range(first, last) if not first <= parse.heads[at] < last), first)


def _cases(top: int, first: int, parse: Parse) -> set[str]:
    """The prepositions of a name."""
    return {
        parse.words[at].lower()
        for at in range(max(0, first - 4), first)
        if parse.heads[at] == top and parse.deprels[at].startswith("case")
    }


def _told(first: int, last: int, parse: Parse) -> NameSpan | None:
    """The name that a word in a run, or before it, gives away."""
    words = parse.words
    inner = first
    while inner < last and words[inner] in _TITLES:
        inner += 1
    if inner > first:
        person = inner < last and not _among(words[last - 1], _ORGANISATIONS | _PLACES_LAST)
        return NameSpan(inner, last, "person") if person and _flat(inner, last, parse) else None
    if last - first == 1:
        return _told_alone(first, parse)
    if _among(words[last - 1], _ORGANISATIONS):
        return NameSpan(first, last, "organisation")
    if _among(words[last - 1], _PLACES_LAST) or _among(words[first], _PLACES_FIRST):
        return NameSpan(first, last, "location")
    if words[first] in first_names() and _flat(first, last, parse):
        return NameSpan(first, last, "person")
    if words[first] in _SIDES:
        entry = _entry(words[first + 1 : last])
        if entry is not None and entry.name_class == "location":
            return NameSpan(first, last, "location")
    return None


def _flat(first: int, last: int, parse: Parse) -> bool:
    """Whether the tree joins words as it joins names of people."""
    return all(parse.deprels[at].startswith("flat") for at in range(first + 1, last))


def _told_alone(at: int, parse: Parse) -> NameSpan | None:
    """A single word that the sentence gives away: "in Kista", "the NLRB"."""
    word = parse.words[at]
    if not word.isalpha() or len(word) < 3 or not word[0].isupper():
        return None
    if word.isupper():
        quiet = any(any(map(str.islower, other)) for other in parse.words)
        alone = not parse.deprels[at].startswith(_JOINS)
        if quiet and alone and len(word) < 6 and at and parse.words[at - 1].lower() == "the":
            return NameSpan(at, at + 1, "organisation")
        return None
    after = parse.words[at + 1 : at + 2]
    if (
        parse.words[at - 1].lower() not in _ARTICLES
        and len(word) >= _SHORTEST
        and _cases(at, at, parse) & _ONLY_WHERE
        and not (after and (after[0] in _HYPHENS or after[0] in ("of", "'s", "’s", "for")))
        and word.lower() not in shipped_words().proper_adjectives
        and word not in first_names()
    ):
        return NameSpan(at, at + 1, "location")
    return None


def _two_places(first: int, last: int, parse: Parse) -> Iterator[NameSpan]:
    """Two listed places side by side: "Miramar California"."""
    words = parse.words
    for cut in range(first + 1, last):
        start = cut + 1 if words[cut] in _HYPHENS else cut
        both = _entry(words[first:cut]), _entry(words[start:last])
        if all(entry is not None and entry.name_class == "location" for entry in both):
            yield NameSpan(first, cut, "location")
            yield NameSpan(start, last, "location")
            return
