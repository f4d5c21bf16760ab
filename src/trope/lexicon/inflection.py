"""Base forms of words by their spelling, and the way back: inflected forms of base forms.

`lemma` follows the English Web Treebank: comparatives go to the positive ("better" to good or
well), participles that are adjectives stay as they are, common words are in small letters and
names as written. Where spelling does not decide, it returns None. The rules of regular endings come
first; word lists have the exceptions.

    >>> lemma("companies", "NOUN", "NNS"), lemma("hoping", "VERB", "VBG"), inflect("hop", "VBG")
    ('company', 'hope', 'hopping')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from trope.lexicon.wordlists import WordLists, shipped_words

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


UNDECIDED = "?"
"""What the list of closed classes says of a spelling that can have several base forms."""

# prefixes that leave a verb its forms; "de" is none of them: delay, delight, demean are regular
_PREFIX = re.compile(r"(?:counter|under|inter|over|fore|out|mis|pre|re|un|up)(?=[a-z]{2})")
_LONG_RUN = re.compile(r"([^\W\d_])\1{2,}")
_WITH_TWINS = re.compile(
    "all|been|cool|deep|food|fool|good|happy|hell|hmm|off|pretty|really|room|school|soon|sweet|too|"
    "week|well|will|yummy"
)
_RUNS_AS_SPELLED = frozenset({"aaa", "ieee", "iii", "viii", "www", "xiii", "xxx", "zzz"})
_ADDRESS = re.compile(r"[#@]\w|\w+://|www\.|[^@\s]+@\w+\.\w|\w+(?:\.\w+){2}")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECADE = re.compile(r"(?:mid-)?['’]?(?:\d\d)?\d0['’]?s")
_SHORTEST_SHOUTED_NAME = 5
_SHORTEST_GUESSED = 5
_COMPOUNDED = re.compile(
    r"(?P<head>\w{3,})(?P<tail>children|feet|geese|halves|knives|leaves|lice|mice|selves|shelves|"
    r"teeth|wives|wolves|women)"
)
_NO_MEN = ("human", "german", "norman", "ottoman", "roman", "shaman", "talisman")
_BE = {"VB": "be", "VBP": "are", "VBZ": "is", "VBD": "was", "VBN": "been", "VBG": "being"}
_COMPARED = {
    "good": ("better", "best"),
    "well": ("better", "best"),
    "bad": ("worse", "worst"),
    "badly": ("worse", "worst"),
    "far": ("farther", "farthest"),
    "much": ("more", "most"),
    "many": ("more", "most"),
    "little": ("less", "least"),
}


@lru_cache(maxsize=100_000)
def lemma(form: str, upos: str, xpos: str = "") -> str | None:
    """The base form of a word as it is tagged, or None where its spelling does not decide."""
    known = shipped_words()
    if upos == "PUNCT":
        return known.closed.get((upos, form))
    if xpos == "ADD" or _ADDRESS.match(form):
        return form
    name = upos == "PROPN" or xpos in ("NNP", "NNPS")
    small = form.lower().replace("’", "'")
    if not name:
        small = known.misspellings.get(small, small)
        if _LONG_RUN.search(small) and small not in _RUNS_AS_SPELLED:
            small = _shortened(small, known)
    listed = known.closed.get((f"{upos}/{xpos}", small)) or known.closed.get((upos, small))
    if listed:
        return None if listed == UNDECIDED else listed
    if name:
        return _name(form, xpos, known)
    return _common_word(form, small, upos, xpos, known)


def _common_word(form: str, small: str, upos: str, xpos: str, known: WordLists) -> str | None:
    match upos:
        case "VERB" | "AUX":
            return _verb(small, _verb_tag(small, xpos), known)
        case "NOUN":
            return _noun(form, small, "NNS" if xpos == "VBZ" else xpos, known)
        case "ADJ" | "ADV":
            return _adjective(form, small, xpos, known)
        case "NUM" if _THOUSANDS.fullmatch(form):
            return form.replace(",", "")
        case "DET" | "PRON" | "ADP" | "SCONJ" | "CCONJ":
            return small
    return None


def _verb_tag(form: str, xpos: str) -> str:
    """The tag of a verb; for a word tagged otherwise, the tag of its ending."""
    if xpos.startswith("VB") or xpos in ("", "MD"):
        return xpos
    endings = {"s": "VBZ", "ing": "VBG", "ed": "VBD"}
    return next((tag for ending, tag in endings.items() if form.endswith(ending)), "VB")


def _shortened(form: str, known: WordLists) -> str:
    """A drawn-out word with one letter for each run, or with two where that is a word."""
    twice = _LONG_RUN.sub(r"\1\1", form)
    if twice in known.verbs or _WITH_TWINS.fullmatch(twice):
        return twice
    # within a word, a consonant is rather doubled and mistyped ("commment") than drawn out
    return _LONG_RUN.sub(lambda run: run[1] * _kept(run), form)


def _kept(run: re.Match[str]) -> int:
    return 2 if run[1] not in VOWELS and run.end() < len(run.string) else 1


def _verb(form: str, xpos: str, known: WordLists) -> str | None:
    """The base form of a verb, by way of the word behind a hyphen or a prefix if need be."""
    if not form.isascii() or not form.replace("-", "").replace("'", "").isalpha():
        return None
    if xpos == "VBG" and form.endswith(("in", "in'")):
        form = form.rstrip("'") + "g"
    head, hyphen, tail = form.rpartition("-")
    base = _listed_verb(tail, xpos, known)
    if base is None:
        too_short = len(tail) < (2 if xpos == "VBZ" else _SHORTEST_GUESSED)
        base = tail if too_short else next(iter(_verb_candidates(tail, xpos)))
    return head + hyphen + base


def _listed_verb(form: str, xpos: str, known: WordLists) -> str | None:
    """The listed verb that this is a form of, alone or behind a prefix."""
    prefix = _PREFIX.match(form)
    # "rebound" that is tagged as a past form is of rebind, although rebound is a verb too
    for find in (_irregular_base, _regular_base):
        if base := find(form, xpos, known):
            return base
        if prefix and (base := find(form[prefix.end() :], xpos, known)):
            return prefix[0] + base
    return None


def _irregular_base(form: str, xpos: str, known: WordLists) -> str | None:
    if xpos == "VBD":
        return known.past.get(form) or known.participle.get(form)
    if xpos == "VBN":
        return known.participle.get(form) or known.past.get(form)
    return None


def _regular_base(form: str, xpos: str, known: WordLists) -> str | None:
    candidates = [word for word in _verb_candidates(form, xpos) if word in known.verbs]
    # "bathed" may be of bath and of bathe, "routed" of rout and of route: the latter are commoner
    candidates.sort(key=_without_silent_e)
    exact = (word for word in candidates if form in _regular(word, xpos, known))
    return next(exact, candidates[0] if candidates else None)


def _verb_candidates(form: str, xpos: str) -> Iterable[str]:
    """The verbs that this could be a form of, for a verb that is not known the likeliest first."""
    if xpos == "VBZ" and form.endswith("s"):
        return without_s(form)
    if xpos == "VBG" and form.endswith("ing"):
        return without_vowel(form, "ing")
    if xpos in ("VBD", "VBN") and form.endswith("ed"):
        return without_vowel(form, "ed")
    return (form,)


def _without_silent_e(verb: str) -> bool:
    """A key that puts verbs in -e first, unless they end like "programme"."""
    return not verb.endswith("e") or verb[-2:-1] == verb[-3:-2]


def _regular(verb: str, xpos: str, known: WordLists) -> tuple[str, ...]:
    """The spellings of a form of a verb as if it were regular, the one to write first."""
    if xpos == "VBZ":
        ends_in_o = verb.endswith("o") and verb[-2:-1] not in "aeiou"
        return (verb + "es", verb + "s") if ends_in_o else (with_s(verb),)
    if xpos not in ("VBD", "VBN", "VBG"):
        return (verb,)
    ending = "ing" if xpos == "VBG" else "ed"
    single, double = (with_vowel(verb, ending, double=twice) for twice in (False, True))
    manner = "double" if doubles(verb) else known.verbs.get(verb, "")
    return {"": (single,), "double": (double,), "either": (single, double)}[manner]


def _noun(form: str, small: str, xpos: str, known: WordLists) -> str:
    """The base form of a common noun; codes and single letters keep their capitals."""
    if len(form) == 1 or any(letter.isdigit() for letter in form):
        return _singular(form, known) if xpos == "NNS" else form
    return _singular(small, known) if xpos == "NNS" else small


def _singular(form: str, known: WordLists) -> str:
    """The singular of a plural in small letters; other words stay as they are."""
    if form in known.invariable:
        return form
    if _DECADE.fullmatch(form):
        return form[:-1].rstrip("'’") + "s"
    if form.endswith(("'s", "’s")) and len(form) > 2:
        return form[:-2]
    if form in known.singular:
        return known.singular[form]
    head, hyphen, tail = form.rpartition("-")
    if hyphen and tail:
        return head + hyphen + _singular(tail, known)
    if compound := _COMPOUNDED.fullmatch(form):
        return compound["head"] + known.singular[compound["tail"]]
    if form.endswith("men") and len(form) > 4:
        return form[:-2] + "an"
    no_ending = not form.endswith("s") or form.endswith(("ss", "sis")) or len(form) < 3
    if no_ending or form in known.misleading_nouns:
        return form
    candidates = list(without_s(form))
    listed = [word for word in candidates if word in known.misleading_nouns]
    return (listed or candidates)[0]


def _name(form: str, xpos: str, known: WordLists) -> str:
    """A name as it is usually written, and in the singular.

    Long words in capitals throughout are shouted rather than acronyms.
    """
    shouted = form.isalpha() and form.isupper() and len(form) >= _SHORTEST_SHOUTED_NAME
    if xpos != "NNPS":
        usual = known.names.get(form.lower()) if form.islower() or form.isupper() else None
        return usual or (form.title() if shouted else form)
    small = form.lower().replace("’", "'")
    base = _singular(small, known)
    if shouted:
        return base.title()
    return form[: len(base)] if small.startswith(base) else base.title()


def _adjective(form: str, small: str, xpos: str, known: WordLists) -> str | None:
    """The positive of an adjective or adverb."""
    ending = {"R": "er", "S": "est"}.get(xpos[2:])
    if ending is None:
        if xpos == "JJ" and small in known.proper_adjectives:
            return known.proper_adjectives[small]
        # a capital may begin a sentence or a name: the letters do not say which
        return None if form.lower() == small and not form.islower() else small
    if not small.endswith(ending) or len(small) < 5:
        return None
    candidates = list(without_vowel(small, ending))
    in_e = [word for word in candidates if word in known.adjectives_in_e]
    plain = [word for word in candidates if not word.endswith("e")]
    return (in_e or plain or candidates)[0]


@lru_cache(maxsize=100_000)
def inflect(lemma: str, xpos: str) -> str:
    """The form of a base form for a Penn Treebank tag; for other tags the base form itself."""
    known = shipped_words()
    if xpos[:2] == "VB":
        return _conjugated(lemma, xpos, known)
    if xpos in ("NNS", "NNPS"):
        return _plural(lemma, known)
    if xpos in ("JJR", "JJS", "RBR", "RBS"):
        return _compared(lemma, xpos)
    return lemma


def _conjugated(verb: str, xpos: str, known: WordLists) -> str:
    if verb == "be":
        return _BE.get(xpos, verb)
    if verb == "have" and xpos == "VBZ":
        return "has"
    if xpos in ("VBD", "VBN"):
        prefix = None if verb in known.irregular_verbs else _PREFIX.match(verb)
        head, stem = (prefix[0], verb[prefix.end() :]) if prefix else ("", verb)
        if irregular := known.irregular_verbs.get(stem):
            return head + (irregular.past if xpos == "VBD" else irregular.participle)[0]
    return _regular(verb, xpos, known)[0]


def _plural(noun: str, known: WordLists) -> str:
    if noun in known.invariable:
        return noun
    if noun in known.plurals:
        return known.plurals[noun][0]
    if noun.lower().endswith("man") and not noun.lower().endswith(_NO_MEN):
        return noun[:-2] + "en"
    return with_s(noun)


def _compared(word: str, xpos: str) -> str:
    """With -er or -est where the word is short or ends like happy, else with more or most."""
    superlative = xpos.endswith("S")
    if word in _COMPARED:
        return _COMPARED[word][superlative]
    syllables = len(re.findall("[aeiouy]+", word.removesuffix("e"))) or 1
    adverb = xpos.startswith("RB") and word.endswith("ly") and word != "early"
    light = word.endswith(("y", "le", "ow")) and not adverb
    if syllables > 2 or (syllables == 2 and not light):
        return ("most " if superlative else "more ") + word
    return with_vowel(word, "est" if superlative else "er", double=doubles(word))
