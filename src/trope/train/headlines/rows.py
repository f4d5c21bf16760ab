"""What the head for headlines learns from: NewsMet's rows, and a pool without labels."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.corpora.newsmet import Headline, read_newsmet
from trope.encoder.base import Floats
from trope.encoder.pieces import Vocabulary
from trope.train.encoder.corpus import EncodedCorpus, Ints, encode_words
from trope.train.encoder.metaphor_sets import headline_words
from trope.train.headlines.settings import PoolSettings, TeacherKind

Words = tuple[str, ...]
_SHORTEST_VERB = 4
"""Letters; shorter candidates are mostly not verbs elsewhere."""


@dataclass(frozen=True, slots=True)
class NewsmetRows:
    """The rows of a NewsMet file: words, labels, and what each row is."""

    words: tuple[Words, ...]
    corpus: EncodedCorpus
    labels: Ints
    gold: Ints
    accepted: Ints
    verbs: tuple[str, ...]
    """Focus verbs and candidates, as written, in lower case; one for every row that shows it."""

    def targets(self, kind: TeacherKind) -> Floats:
        """The labels as far as teachers of a kind believe them."""
        rejected = (self.gold == 0) & (self.accepted == 0)
        doubt = np.where(rejected, kind.doubt_rejected, kind.doubt)
        return np.asarray(self.labels * (1 - 2 * doubt) + doubt, dtype=np.float32)

    def weights(self, kind: TeacherKind) -> Floats:
        """How much a row counts for teachers of a kind."""
        accepted = np.where(self.accepted == 1, kind.accepted_weight, 1.0)
        return np.where(self.gold == 1, kind.gold_weight, accepted).astype(np.float32)


def read_rows(path: Path, vocabulary: Vocabulary) -> NewsmetRows:
    """The rows of a file, those of too many pieces left out."""
    headlines = list(read_newsmet(path))
    read = [headline_words(headline) for headline in headlines]
    corpus, kept = encode_words([words for words, _ in read], vocabulary)
    chosen: list[tuple[Headline, Words, int | None]] = [
        (headlines[number], *read[number]) for number in kept
    ]
    return NewsmetRows(
        words=tuple(words for _, words, _ in chosen),
        corpus=corpus,
        labels=np.asarray([int(h.metaphor) for h, _, _ in chosen]),
        gold=np.asarray([int(h.gold) for h, _, _ in chosen]),
        accepted=np.asarray([int(h.accepted is True) for h, _, _ in chosen]),
        verbs=tuple(words[at].lower() for _, words, at in chosen if at is not None),
    )


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
