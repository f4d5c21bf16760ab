"""Valence of words in context: boosters, negation, capitals, a "but" in the middle.

The constants are those of Hutto and Gilbert (2014), the code is ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BOOST, CAPITALS, NEGATED, EXCLAMATION = 0.293, 0.733, -0.74, 0.292
_WINDOW = 3
_FADE = (1.0, 0.95, 0.9)  # of a booster, by its distance
_SCALE = 15.0

_NEGATORS = (
    "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "nowhere", "cannot",
    "cant", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "wont", "wouldnt",
    "shouldnt", "couldnt", "havent", "hasnt", "hadnt", "aint", "without", "hardly", "barely",
    "scarcely", "rarely", "seldom", "n't", "nt", "nope",
)  # fmt: skip
_STRONGER = (
    "absolutely", "amazingly", "awfully", "completely", "considerably", "deeply", "effing",
    "enormously", "entirely", "especially", "exceptionally", "extremely", "fabulously", "fucking",
    "fuckin", "freaking", "frickin", "fully", "greatly", "hella", "highly", "hugely", "incredibly",
    "insanely", "intensely", "literally", "majorly", "more", "most", "particularly", "purely",
    "quite", "really", "remarkably", "seriously", "so", "substantially", "super", "thoroughly",
    "too", "totally", "tremendously", "truly", "uber", "unbelievably", "unusually", "utterly",
    "very",
)  # fmt: skip
_WEAKER = (
    "almost", "barely", "hardly", "kinda", "less", "little", "marginally", "occasionally", "partly",
    "scarcely", "slightly", "somewhat", "sorta",
)  # fmt: skip
_BOOSTERS = {**dict.fromkeys(_STRONGER, BOOST), **dict.fromkeys(_WEAKER, -BOOST)}
_RUN = re.compile(r"(.)\1{2,}")


@dataclass(frozen=True, slots=True)
class Valence:
    """Words with their valence in context, and their sum.

    `words` has a number for every word, 0 for most; `compound` is between −1 and 1.
    """

    words: tuple[float, ...]
    compound: float
    negated: int

    @property
    def positive(self) -> float:
        """The sum of all that is above 0."""
        return sum(value for value in self.words if value > 0)

    @property
    def negative(self) -> float:
        """The sum of all that is under 0."""
        return sum(value for value in self.words if value < 0)


def lookup(word: str, lexicon: Mapping[str, float]) -> float:
    """The number of a word; an elongated one is tried with two letters and with one."""
    small = word.lower()
    if small in lexicon:
        return lexicon[small]
    if _RUN.search(small):
        for short in (_RUN.sub(r"\1\1", small), _RUN.sub(r"\1", small)):
            if short in lexicon:
                return lexicon[short]
    return 0.0


def is_negator(word: str) -> bool:
    """Whether a word turns what follows it."""
    small = word.lower().replace("’", "'")
    return small in _NEGATORS or small.endswith("n't") or small.replace("'", "") in _NEGATORS


def valence(words: Sequence[str], lexicon: Mapping[str, float], *, marks: int = 0) -> Valence:
    """The valence of each word in context, and of the text.

    Args:
        marks: exclamation marks of the text; up to four make it stronger.
    """
    shouting = _mixed_case(words)
    values = []
    negated = 0
    for at, word in enumerate(words):
        value = lookup(word, lexicon)
        if value and word.lower() not in _BOOSTERS:
            value, turned = _in_context(words, at, value, shouting)
            negated += turned
        else:
            value = 0.0
        values.append(value)
    values = _weigh_but(words, values)
    total = sum(values)
    total += math.copysign(EXCLAMATION * min(marks, 4), total) if total else 0.0
    return Valence(tuple(values), compound(total), negated)


def compound(total: float) -> float:
    """A sum of valences, normalised to −1 to 1."""
    return total / math.sqrt(total * total + _SCALE)


def _in_context(words: Sequence[str], at: int, value: float, shouting: bool) -> tuple[float, bool]:
    sign = math.copysign(1.0, value)
    if shouting and words[at].isupper() and len(words[at]) > 1:
        value += sign * CAPITALS
    turned = False
    for distance in range(1, _WINDOW + 1):
        if distance > at:
            break
        before = words[at - distance]
        value += sign * _BOOSTERS.get(before.lower(), 0.0) * _FADE[distance - 1]
        turned = turned or is_negator(before)
    return (value * NEGATED if turned else value), turned


def _mixed_case(words: Sequence[str]) -> bool:
    """Whether some words, but not all, are in capitals: only then do capitals count."""
    longer = [word for word in words if len(word) > 1 and any(c.isalpha() for c in word)]
    return 0 < sum(word.isupper() for word in longer) < len(longer)


def _weigh_but(words: Sequence[str], values: list[float]) -> list[float]:
    """What stands after a "but" counts more than what stands before it."""
    places = [at for at, word in enumerate(words) if word.lower() in ("but", "however", "yet")]
    if not places:
        return values
    return [v * (0.5 if at < places[0] else 1.5) for at, v in enumerate(values)]
