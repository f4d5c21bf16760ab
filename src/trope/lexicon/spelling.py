"""How regular English endings are spelled, and which base forms a spelling can come from.

There are no word lists here: `trope.lexicon.inflection` has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

VOWELS = "aeiou"
# these keep their e, or "singeing" would be "singing"
_KEEPS_E = re.compile(r".*[eoy]e|(?:b|s|spr|t|wh)inge|e")
_HISSING = ("s", "x", "z", "ch", "sh")
# one vowel letter (after "qu" too) between consonants, the last one pronounced: "hop", "quit"
_ONE_SYLLABLE = re.compile(r"(?:[^aeiou]*|[^aeiou]*qu)[aeiouy][^aeiouwxy]")
# stems that are not English without a final e: "danc", "argu", "sav", "analyz", "settl", "creat"
_WANTS_E = re.compile(
    r".*(?:[cvu]|[^aeiouzt]z|[aeiouy]z|[aeiou]s|[lnr]s|dg|[nr]g|[bcdfgkptz]l|[aeiou]at|[^eo]at|"
    r"[aiu]r|[^aeiou]or|[^aeiou][aiou][kbd]|[^aeiou]ut|[^aeiou][aiu]p|[^aeiou]i[mn])"
)


def doubles(word: str) -> bool:
    """Whether the last letter is doubled before a vowel because the word has one short syllable."""
    return _ONE_SYLLABLE.fullmatch(word) is not None


def with_s(word: str) -> str:
    """The word with the ending -s: plurals and third persons."""
    if word.endswith("y") and word[-2:-1] not in (*VOWELS, ""):
        return word[:-1] + "ies"
    if word.endswith("z") and doubles(word):
        return word + "zes"
    return word + ("es" if word.endswith(_HISSING) else "s")


def with_vowel(word: str, ending: str, *, double: bool) -> str:
    """The word with an ending that begins with a vowel: -ed, -ing, -er, -est."""
    if ending == "ing":
        if word.endswith("ie"):
            return word[:-2] + "ying"
        if word.endswith("e") and not _KEEPS_E.fullmatch(word):
            return word[:-1] + "ing"
    elif word.endswith("e"):
        return word + ending[1:]
    elif word.endswith("y") and word[-2:-1] not in (*VOWELS, ""):
        return word[:-1] + "i" + ending
    if word.endswith("c") and word[-2:-1] in VOWELS and len(word) > 2:
        return word + "k" + ending
    return word + word[-1:] * double + ending


def without_s(form: str) -> Iterator[str]:
    """The words that could carry this -s, the likeliest of an unknown word first."""
    if form.endswith("ies"):
        # short words keep the e: ties, pies
        yield from (form[:-1], form[:-3] + "y")[:: 1 if len(form) < 5 else -1]
    elif form.endswith(("sses", "xes", "ches", "shes", "oes", "tzes")):
        yield from (form[:-2], form[:-1])
    elif form.endswith("zzes"):
        yield from (form[:-2], form[:-3])
    elif form.endswith("es"):
        yield from (form[:-1], form[:-2])
    else:
        yield form[:-1]


def without_vowel(form: str, ending: str) -> Iterator[str]:
    """The words that could carry this -ed, -ing, -er or -est, the likeliest unknown word first."""
    stem = form.removesuffix(ending)
    if ending == "ing" and stem.endswith("y"):
        yield stem
        yield stem[:-1] + "ie"
        return
    if ending != "ing" and stem.endswith("i"):
        # short words keep the e: tied, died
        yield from (stem + "e", stem[:-1] + "y")[:: 1 if len(stem) < 3 else -1]
        yield stem
        return
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in VOWELS:
        yield from (stem, stem[:-1])[:: 1 if stem[-1] in "lsfz" else -1]
        yield stem + "e"
        return
    if stem.endswith("ck"):
        yield from (stem, stem[:-1])
    yield from (stem + "e", stem)[:: 1 if _WANTS_E.fullmatch(stem) else -1]
