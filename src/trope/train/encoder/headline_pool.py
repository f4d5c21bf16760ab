"""Headlines without labels, and the same with other verbs, for teachers to label."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.corpora.newsmet import read_newsmet
from trope.train.encoder.metaphor_sets import headline_words

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
