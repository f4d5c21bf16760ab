"""Controls: systems without any knowledge of metaphor.

- `overlap`: the choice that shares the most pairs of letters with the question;
- `surface`: a ranker of shared letters, lengths, equal words and endings;
- `answer_only`: a ranker of the letters of the choices, which never sees the question;
- `question_only`: learns the position of the right choice from the question; positions are
  shuffled.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from trope.corpora.mean import Analogy, spoken
from trope.tasks.analogy.ranker import Floats, cross_validate


def overlap(choice: str, item: Analogy) -> float:
    """How alike a choice is spelt to the second domain and to the element, 0 to 2."""
    return _letter_likeness(choice, item.second_domain) + _letter_likeness(choice, item.element)


def _letter_likeness(one: str, other: str, size: int = 2) -> float:
    """Dice's coefficient of the pairs (or more) of neighbouring letters of two texts."""
    first, second = _runs(one, size), _runs(other, size)
    return 2 * len(first & second) / max(1, len(first) + len(second))


def overlaps(item: Analogy) -> tuple[float, ...]:
    """The likeness of every choice."""
    return tuple(overlap(choice, item) for choice in item.choices)


def share_of_gold(scores: Sequence[float]) -> float:
    """The first choice's share of one point, which all choices with the best score share."""
    best = max(scores)
    return (scores[0] == best) / list(scores).count(best)


def _runs(text: str, size: int) -> set[str]:
    small = text.lower()
    return {small[at : at + size] for at in range(len(small) - size + 1)}


_BUCKETS, _QUESTION_BUCKETS = 192, 12
_INNER = 3  # inner folds: the controls have many features
_ENDING = 2


def overlap_scores(items: Sequence[Analogy]) -> Floats:
    """How alike choices and question are spelt; nothing is learnt."""
    return np.array([overlaps(item) for item in items])


def surface_features(items: Sequence[Analogy]) -> Floats:
    """Spelling, lengths and endings, items × choices × features."""
    return np.array([[_surface(item, choice) for choice in item.choices] for item in items])


def answer_features(items: Sequence[Analogy]) -> Floats:
    """Letters and words of the choice alone, in buckets."""
    return np.array([[_bag(choice, _BUCKETS) for choice in item.choices] for item in items])


def question_features(items: Sequence[Analogy], seed: int) -> Floats:
    """The words of the question, at the place where the choice stands after shuffling."""
    rng = np.random.default_rng(seed)
    found = np.zeros((len(items), 4, 4 * _QUESTION_BUCKETS))
    for at, item in enumerate(items):
        asked = " ".join((item.first_domain, item.second_domain, item.element))
        bag = _bag(asked, _QUESTION_BUCKETS)
        for choice, place in enumerate(rng.permutation(4)):
            start = place * _QUESTION_BUCKETS
            found[at, choice, start : start + _QUESTION_BUCKETS] = bag
    return found


LEARNT: Mapping[str, Callable[[Sequence[Analogy], int], Floats]] = {
    "surface": lambda items, _: surface_features(items),
    "answer_only": lambda items, _: answer_features(items),
    "question_only": question_features,
}
"""Controls that learn from the other folds."""


def control_scores(
    name: str, items: Sequence[Analogy], folds: Sequence[Sequence[int]], *, seed: int
) -> Floats:
    """Scores of a control, items × choices; those that learn are cross-validated."""
    if name == "overlap":
        return overlap_scores(items)
    groups = [item.metaphor for item in items]
    return cross_validate(LEARNT[name](items, seed), groups, folds, seed=seed, inner=_INNER)[0]


def _surface(item: Analogy, choice: str) -> list[float]:
    words, asked = spoken(choice).split(), (item.first_domain, item.second_domain, item.element)
    likeness = [_letter_likeness(choice, text, size) for text in asked for size in (2, 3)]
    begins = [float(_common_prefix(spoken(choice), spoken(text))) for text in asked]
    shared = [float(len(set(words) & set(spoken(text).split()))) for text in asked]
    ending = spoken(choice)[-_ENDING:] == spoken(item.element)[-_ENDING:]
    lengths = [float(len(choice)), float(len(words)), abs(len(choice) - len(item.element))]
    same_count = float(len(words) == len(spoken(item.element).split()))
    return [*likeness, *begins, *shared, float(ending), *lengths, same_count]


def _common_prefix(one: str, other: str) -> int:
    """How many letters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _bag(text: str, buckets: int) -> Floats:
    """Words and triples of letters, counted in buckets by their checksum."""
    small = f" {spoken(text)} "
    parts = [*small.split(), *(small[at : at + 3] for at in range(len(small) - 2))]
    counts = np.zeros(buckets)
    for part in parts:
        counts[zlib.crc32(part.encode()) % buckets] += 1
    return np.sqrt(counts)
