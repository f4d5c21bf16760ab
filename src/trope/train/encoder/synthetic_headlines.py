"""Headlines to train with: treebank sentences rewritten, and headlines with other verbs.

No treebank of headlines is available, and general ones have no "Mayor due to face questions".
Headlines leave out articles and forms of *be*, say *to* for *will*, and write words with
capitals. All of these are leaves of a tree, so it stays well formed when they go. Headlines without
labels, and the same with other verbs, are for teachers to label.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trope.corpora.newsmet import read_newsmet
from trope.train.encoder.corpus import TreebankSentence
from trope.train.encoder.figure_sets import headline_words

_SHORTEST, _LONGEST = 4, 24
_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "but",
        "by",
        "for",
        "from",
        "in",
        "of",
        "on",
        "or",
        "the",
        "to",
        "with",
    ]
)
_TITLE_SHARE = 0.5


def as_headline(sentence: TreebankSentence, rng: np.random.Generator) -> TreebankSentence | None:
    """The sentence as a headline; None where nothing typical would change."""
    leaves = set(range(len(sentence.words))) - set(sentence.heads)
    helpers = [i for i in leaves if sentence.deprels[i] in ("cop", "aux", "aux:pass")]
    alone = [i for i in helpers if _helps_alone(sentence, i)]
    future = {i for i in alone if sentence.lemmas[i] == "will"}
    verbal = {i for i in alone if sentence.lemmas[i] in ("be", "have")}
    rest = {i for i in leaves if _is_dropped_word(sentence, i)}
    length = len(sentence.words) - len(verbal | rest)
    if not (future or verbal) or not _SHORTEST <= length <= _LONGEST or "?" in sentence.words:
        return None
    shorter = _without(_with_to(sentence, future), verbal | rest)
    return _titled(shorter) if rng.random() < _TITLE_SHARE else shorter


def _helps_alone(sentence: TreebankSentence, helper: int) -> bool:
    """Whether this is the only auxiliary of a clause that has a noun as subject and no negation."""
    nominal, alone = False, True
    for word, head in enumerate(sentence.heads):
        if head != sentence.heads[helper] or word == helper:
            continue
        if sentence.deprels[word] in ("nsubj", "nsubj:pass"):
            nominal = sentence.upos[word] in ("NOUN", "PROPN")
        elif sentence.deprels[word] in ("cop", "aux", "aux:pass") or sentence.lemmas[word] == "not":
            alone = False
    return nominal and alone


def _is_dropped_word(sentence: TreebankSentence, word: int) -> bool:
    article = sentence.deprels[word] == "det" and sentence.lemmas[word] in ("a", "the")
    last = word == len(sentence.words) - 1
    return article or (last and sentence.words[word] == ".")


def _with_to(sentence: TreebankSentence, future: set[int]) -> TreebankSentence:
    """*will* becomes *to*."""

    def put(values: tuple[str, ...], new: str) -> tuple[str, ...]:
        return tuple(new if i in future else value for i, value in enumerate(values))

    return replace(
        sentence,
        words=put(sentence.words, "to"),
        upos=put(sentence.upos, "PART"),
        xpos=put(sentence.xpos, "TO"),
        lemmas=put(sentence.lemmas, "to"),
        deprels=put(sentence.deprels, "mark"),
    )


def _without(sentence: TreebankSentence, dropped: set[int]) -> TreebankSentence:
    """The sentence without some leaves; heads are counted anew."""
    kept = [i for i in range(len(sentence.words)) if i not in dropped]
    place = {old: new for new, old in enumerate(kept)} | {-1: -1}
    return replace(
        sentence,
        words=tuple(sentence.words[i] for i in kept),
        upos=tuple(sentence.upos[i] for i in kept),
        xpos=tuple(sentence.xpos[i] for i in kept),
        lemmas=tuple(sentence.lemmas[i] for i in kept),
        heads=tuple(place[sentence.heads[i]] for i in kept),
        deprels=tuple(sentence.deprels[i] for i in kept),
    )


def _titled(sentence: TreebankSentence) -> TreebankSentence:
    """Capitals as in a title. Lemmas are left out, since case no longer shows them."""
    words = tuple(
        word if word in _SMALL_WORDS and number else word[:1].upper() + word[1:]
        for number, word in enumerate(sentence.words)
    )
    return replace(sentence, words=words, own_lemmas=False)


# "Governor likely to veto budget": rare in treebanks, common in headlines, so we make some
_NAMES = ("Marie Curie", "Isaac Newton", "Jane Austen", "Charles Darwin", "Ada Lovelace")
_PLACES = ("Kenya", "Brazil", "Norway", "Quebec", "Jakarta")
_PEOPLE = ("Governor", "Senators", "Regulators", "Teachers", "Rebels", "Investors", "Jury")
_GROUPS = ("airline boss", "union leaders", "bank chief", "tech firms", "city council")
_SUBJECTS = (*_NAMES, *_NAMES, *_PLACES, *_PEOPLE, *_GROUPS)
_ADJECTIVES = ("due", "likely", "unlikely", "ready", "certain", "sure", "bound", "able", "eager")
_PARTICIPLES = ("set", "expected", "poised", "slated", "supposed", "scheduled", "tipped")
_ACTIONS = (
    *("veto budget", "cut water rates", "meet union leaders", "sign trade pact", "block merger"),
    *("raise fuel taxes", "reject peace plan", "open new bridge", "visit flood victims"),
    *("delay reform bill", "answer tough questions", "launch space probe", "lose key vote"),
    *("win fourth title", "testify", "resign", "appeal", "step aside"),
)
_TIMES = ("", "", "", "next month", "this week", "on Friday", "in June", "after talks")


def raising_headlines(count: int, rng: np.random.Generator) -> list[TreebankSentence]:
    """Made-up headlines whose predicate lacks its *be* and governs an infinitive."""
    return [_raising_headline(rng) for _ in range(count)]


def _raising_headline(rng: np.random.Generator) -> TreebankSentence:
    subject, action, when = (
        str(rng.choice(options)).split() for options in (_SUBJECTS, _ACTIONS, _TIMES)
    )
    passive = rng.random() < 0.4
    predicate = str(rng.choice(_PARTICIPLES if passive else _ADJECTIVES))
    rows: list[tuple[str, str, str, int, str]] = []  # word, upos, xpos, head, relation
    top = len(subject)
    name = len(subject) == 2 and subject[1][0].isupper()
    last = 0 if name or len(subject) == 1 else 1
    tag = (
        ("PROPN", "NNP") if name or subject[0] in ("Kenya", "Brazil", "Norway", "Quebec") else None
    )
    for place, word in enumerate(subject):
        tags = tag or ("NOUN", "NNS" if word.endswith("s") and place == last else "NN")
        if place == last:
            rows.append((word, *tags, top, "nsubj:pass" if passive else "nsubj"))
        else:
            rows.append((word, *tags, last, "flat" if name else "compound"))
    rows.append(
        (predicate, *(("VERB", "VBN") if passive else ("ADJ", "JJ")), -1, "root"),
    )
    verb = len(rows) + 1
    rows.append(("to", "PART", "TO", verb, "mark"))
    rows.append((action[0], "VERB", "VB", top, "xcomp"))
    rows += _complement(action[1:], verb, len(rows))
    rows += _time(when, verb, len(rows))
    words = tuple(row[0] for row in rows)
    plain = TreebankSentence(
        words=words,
        upos=tuple(row[1] for row in rows),
        xpos=tuple(row[2] for row in rows),
        lemmas=words,
        heads=tuple(row[3] for row in rows),
        deprels=tuple(row[4] for row in rows),
        subtypes=True,
        own_lemmas=False,
    )
    return _titled(plain) if rng.random() < _TITLE_SHARE else plain


def _complement(words: list[str], verb: int, start: int) -> list[tuple[str, str, str, int, str]]:
    """The object of the verb, or the particle *aside*."""
    if words == ["aside"]:
        return [("aside", "ADV", "RB", verb, "advmod")]
    object_ = start + len(words) - 1
    rows = []
    for place, word in enumerate(words, start=start):
        if place == object_:
            rows.append((word, "NOUN", "NNS" if word.endswith("s") else "NN", verb, "obj"))
        elif word in ("new", "tough", "key", "fourth"):
            rows.append((word, "ADJ", "JJ", object_, "amod"))
        else:
            rows.append((word, "NOUN", "NN", object_, "compound"))
    return rows


def _time(words: list[str], verb: int, start: int) -> list[tuple[str, str, str, int, str]]:
    """When it happens."""
    if not words:
        return []
    noun = start + 1
    first = {
        "next": ("next", "ADJ", "JJ", noun, "amod"),
        "this": ("this", "DET", "DT", noun, "det"),
    }.get(words[0], (words[0], "ADP", "IN", noun, "case"))
    relation = "obl" if first[4] == "case" else "obl:unmarked"
    proper = words[1] in ("Friday", "June")
    tags = ("PROPN", "NNP") if proper else ("NOUN", "NNS" if words[1] == "talks" else "NN")
    return [first, (words[1], *tags, verb, relation)]


Words = tuple[str, ...]
_SHORTEST_VERB = 4
"""Letters; shorter candidates are mostly not verbs elsewhere."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Unlabelled headlines: how many, of how many words, how many with other verbs."""

    size: int
    shortest: int
    longest: int
    exchanged: float
    seed: int


EXCHANGED = PoolSettings(size=100_000, shortest=7, longest=22, exchanged=0.75, seed=5)
"""The pool that encoders are trained with."""


def exchanged_headlines(data: Path, headlines: Iterable[Words]) -> list[Words]:
    """A pool with the verbs of NewsMet's training rows, without what any of its files has."""
    files = [data / "newsmet" / f"{split}_goldplus.csv" for split in ("train", "val", "test")]
    read = [headline_words(headline) for headline in read_newsmet(files[0])]
    verbs = [words[at].lower() for words, at in read if at is not None]
    kept_out = {*texts_kept_out(files), *(letters(words) for words, _ in read)}
    return make_pool(headlines, verbs, kept_out, EXCHANGED)


def make_pool(
    headlines: Iterable[Words], verbs: Sequence[str], kept_out: set[str], settings: PoolSettings
) -> list[Words]:
    """Headlines of other papers, and the same with verbs that NewsMet's candidates have.

    Nothing that is in `kept_out` (as `letters` has it) comes in: what models are measured on
    stays unseen, with or without labels.
    """
    rng = random.Random(settings.seed)
    shelf = list(headlines)
    rng.shuffle(shelf)
    known, shelves = Counter(verbs), _by_ending(verbs)
    seen, pool = set(kept_out), list[Words]()
    for words in shelf:
        key = letters(words)
        if key in seen or not settings.shortest <= len(words) <= settings.longest:
            continue
        seen.add(key)
        places = [at for at, word in enumerate(words) if at and _may_be_verb(word, known)]
        if places and rng.random() < settings.exchanged:
            at = rng.choice(places)
            pool += [_with_verb(words, at, shelves, rng) for _ in range(2)]
        pool.append(words)
        if len(pool) >= settings.size:
            break
    rng.shuffle(pool)
    return pool


def letters(words: Iterable[str]) -> str:
    """The letters and digits of a headline, by which it is identified."""
    return "".join(c for word in words for c in word.lower() if c.isalnum())


def texts_kept_out(paths: Iterable[Path]) -> Iterator[str]:
    """The headlines of NewsMet files, as `letters` has them."""
    return (letters([headline.text]) for path in paths for headline in read_newsmet(path))


def _may_be_verb(word: str, known: Counter[str]) -> bool:
    return word.lower() in known and word.isalpha() and len(word) >= _SHORTEST_VERB


def _ending(verb: str) -> str:
    return next((end for end in ("ing", "ed", "s") if verb.endswith(end)), "")


def _by_ending(verbs: Sequence[str]) -> dict[str, tuple[list[str], list[int]]]:
    """Verbs and how often each was seen, by the ending of the form."""
    shelves: dict[str, tuple[list[str], list[int]]] = {}
    for verb, count in Counter(verbs).items():
        if verb.isalpha():
            forms, counts = shelves.setdefault(_ending(verb), ([], []))
            forms.append(verb)
            counts.append(count)
    return shelves


def _with_verb(
    words: Words, at: int, shelves: dict[str, tuple[list[str], list[int]]], rng: random.Random
) -> Words:
    forms, counts = shelves[_ending(words[at].lower())]
    verb = rng.choices(forms, counts)[0]
    verb = verb.capitalize() if words[at][0].isupper() else verb
    return (*words[:at], verb, *words[at + 1 :])
