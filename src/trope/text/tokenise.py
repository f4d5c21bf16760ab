"""Tokenisation: spaCy's English rules, with ours for the web and for UD English.

spaCy's rules work on what is between blanks, so each such chunk is split once and cached.
Chunks are first searched for things that must stay whole (links, tags, emoji, phone numbers, …);
the rules cut what lies between these.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate

from trope.text import patterns
from trope.text.word_rules import Parts, RuleChanges, WordRules, read_rules

Span = tuple[int, int]

CACHED_CHUNKS = 200_000
"""Most chunks in the cache, which is then emptied: it bounds memory on any corpus."""

CACHED_LENGTH = 64
RULED_LENGTH = 300
"""The time of the rules grows with the square of a length: longer ones get the plain rule."""

# UD English keeps these prefixes on their words and splits every other hyphenated word.
_PREFIXES = (
    "e|non|pre|anti|mid|re|post|co|over|pro|multi|ex|sub|semi|neo|psycho|socio|arch|counter|"
    "intra|inter|un|mis|micro|mini|ultra|pseudo|quasi|under|bi|tri|uni|hyper|mega|meta|de|dis|"
    "trans|extra|super|supra|proto|para|out|infra|hydro|electro|auto|bio|geo"
)
_PREFIXED = rf"(?<![\w-])(?i:(?:{_PREFIXES})-)(?=[^\W_])(?:[^\W\d_]+|\d+s?)"
_PHONE = (
    r"(?<![\w-])(?:\+?\d-)?(?:\d{3}[-/.])?\d{3}[-.]\d{4}(?![\w-])"
    r"|(?<![\w-])(?:x?\d|\d{5})-\d{4}(?![\w-])"
)
_CLOCK = r"(?<![\w:.])\d{1,2}(?:[:.]\d{2})?(?=(?i:[ap]\.?m\b))"
_DECADE = r"(?<!\w)\d{1,3}0['’]s(?!\w)"
_SLASHED = r"(?<!\w)(?i:[bcls]/[acoft]|w/(?:o(?:ut)?|in)?)(?!\w)"

_WHOLE = re.compile(
    "|".join(
        (
            patterns.LINK,
            patterns.EMAIL,
            patterns.DOMAIN,
            patterns.FILE,
            patterns.MENTION,
            patterns.HASHTAG,
            patterns.CASHTAG,
            rf"(?P<emoji>{patterns.EMOJI})(?P=emoji)*",
            patterns.EMOTICON,
            patterns.ARROW,
            patterns.RUN,
            _PREFIXED,
            _PHONE,
            _CLOCK,
            _DECADE,
            _SLASHED,
        )
    )
)
_CHUNK = re.compile(r"\S+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = re.compile(r"\w+|[^\w\s]")
_POINTED = re.compile(r"(?<!\w)(?:[Nn]os?\.(?=\s#?\d)|etc\.(?=[,;:)]|\s[a-z]))")

_MERGED = {
    "lets": 3,
    "wanna": 3,
    "lemme": 3,
    "gimme": 3,
    "outta": 3,
    "dunno": 2,
    "whatcha": 4,
}
"""Where words written together are split, in addition to spaCy's exceptions."""

_UNCUT = frozenset(("and/or", "etc.", "id", "Id", "ill", "Ill", "ima", "Ima", "wed", "Wed"))
"""Exceptions of spaCy that UD English reads otherwise."""

_MORE_PREFIXES = (r"-(?=[^\W_])", r"[~|^/](?=\w)", r"\.(?=[A-Z][a-z])")
_MORE_SUFFIXES = (
    "[`´][sS]",
    r"(?<=[A-Z])['’](?:M|D|S|LL|RE|VE)",
    r"(?<=[A-Z])N['’]T",
    r"(?<=\w)[-~|/]",
    r"(?<=\d)(?:[kKp]|hrs?|mins?|yrs?|secs?)",
)
_MORE_INFIXES = (
    r"(?<=[A-Za-z])-(?=\d)",
    r"(?<=[A-Za-z])[?!;](?=[A-Za-z])",
    r"(?<=\w)[(\[\]|“”](?=\w)",
)

# Abbreviations that keep their full stop, in addition to spaCy's.
_ABBREVIATIONS = """
    Attn. Ave. Blvd. Capt. Col. Conf. Cpl. Dept. Drs. Esp. Fri. Ft. Hon. LTD. Lt. Maj. Mon. Mt.
    PVT. Pres. Prof. Pt. Pvt. Rep. Reps. Sat. Sens. Sgt. Sun. Thu. Thur. Thurs. Tue. Tues. Univ.
    Vol. Wed. al. approx. apt. dept. eg. esp. ext. ft. ie. lbs. oz. vol. vs.
"""


def _more_exceptions() -> dict[str, Parts]:
    found: dict[str, Parts] = {word: (word,) for word in _ABBREVIATIONS.split()}
    for word, at in _MERGED.items():
        for form in (word, word.capitalize(), word.upper()):
            found[form] = (form[:at], form[at:])
    return found


CHANGES = RuleChanges(_MORE_PREFIXES, _MORE_SUFFIXES, _MORE_INFIXES, _more_exceptions(), _UNCUT)
"""How our rules differ from spaCy's."""


def tokenise(text: str) -> list[Span]:
    """The words of a text in order, as (start, end); blanks lie between, never inside."""
    spans: list[Span] = []
    add = spans.append
    known = _cuts
    for match in _CHUNK.finditer(text):
        start = begin = match.start()
        chunk = match[0]
        ends = known.get(chunk) or _cut_and_keep(chunk)
        for end in ends:
            end += start
            add((begin, end))
            begin = end
    _join_pointed(text, spans)
    return spans


_cuts: dict[str, tuple[int, ...]] = {}


def _cut_and_keep(chunk: str) -> tuple[int, ...]:
    """Where the words of a chunk end, remembered if the chunk is short."""
    ends = tuple(_cut(chunk))
    if len(chunk) <= CACHED_LENGTH:
        if len(_cuts) >= CACHED_CHUNKS:
            _cuts.clear()
        _cuts[chunk] = ends
    return ends


def _cut(chunk: str) -> list[int]:
    """Where the words of a chunk end: around what stays whole, by spaCy's rules between."""
    if chunk.isalpha() and chunk.isascii() and chunk not in _rules().exceptions:
        return [len(chunk)]  # most chunks; no rule cuts between letters but the exceptions
    ends: list[int] = []
    done = 0
    for match in _WHOLE.finditer(chunk):
        start, end = match.span()
        ends += _cut_between(chunk[done:start], done)
        ends.append(end)
        done = end
    return ends + _cut_between(chunk[done:], done)


def _cut_between(piece: str, offset: int) -> list[int]:
    """Where the words of a piece end by spaCy's rules, counted from the offset."""
    if not piece:
        return []
    if len(piece) > RULED_LENGTH:
        return [offset + match.end() for match in _PLAIN.finditer(piece)]
    if _SURROGATE.search(piece):
        piece = _SURROGATE.sub("\ufffd", piece)
    return list(accumulate(map(len, _rules().cut(piece)), initial=offset))[1:]


def _join_pointed(text: str, spans: list[Span]) -> None:
    """Joins "No" and "." before a number, "etc" and "." inside a sentence: abbreviations there."""
    for match in reversed(list(_POINTED.finditer(text))):
        start, end = match.span()
        at = bisect_left(spans, (start, 0))
        if spans[at : at + 2] == [(start, end - 1), (end - 1, end)]:
            spans[at : at + 2] = [(start, end)]


@lru_cache(maxsize=1)
def _rules() -> WordRules:
    return read_rules(CHANGES)
