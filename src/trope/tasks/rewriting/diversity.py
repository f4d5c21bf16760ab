"""How many different pictures a set of candidates holds: clusters of similar verbs.

Algorithm 1 of the NewsMet paper, with its gaps filled: each candidate is put into the *original*
headline (`swap="printed"` overwrites the headline as printed, so that later contexts hold the first
candidate), its sense is the one whose gloss shares most words with the headline (Lesk), and two
candidates are similar where Leacock and Chodorow's measure exceeds 1.7. A candidate stays in its
first cluster (`merge="union"` joins clusters); one that is like no other is a cluster by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from trope.core.errors import BadInput
from trope.lexicon.wordnet import WordNet, read_wordnet
from trope.tasks.rewriting.headlines import verb_base

THRESHOLD = 1.7
Tie = Literal["last_name", "first_sense"]
Swap = Literal["original", "printed"]
Merge = Literal["first", "union"]


def lesk(
    context: Sequence[str], lemma: str, net: WordNet | None = None, *, tie: Tie = "last_name"
) -> int | None:
    """The verb sense whose gloss shares most words with a context; None for unknown verbs.

    Words are compared as they are written. Where senses share equally many, the one whose name is
    last in the alphabet is taken, or the first sense.
    """
    net = net or read_wordnet("VERB")
    words = set(context)
    senses = net.senses(lemma)
    if not senses:
        return None
    overlap = {sense: len(words & net.synsets[sense].gloss) for sense in senses}
    most = max(overlap.values())
    best = [sense for sense in senses if overlap[sense] == most]
    return best[0] if tie == "first_sense" else max(best, key=lambda s: net.synsets[s].name)


def clusters(
    headline: Sequence[str],
    at: int,
    candidates: Sequence[str],
    *,
    threshold: float = THRESHOLD,
    tie: Tie = "last_name",
    swap: Swap = "original",
    merge: Merge = "first",
) -> list[list[str]]:
    """The candidates in groups of similar ones, in their order.

    Raises:
        BadInput: where the headline has no such place.
    """
    if not 0 <= at < len(headline):
        raise BadInput(f"a headline of {len(headline)} words has no place {at}")
    net = read_wordnet("VERB")
    senses = []
    words = list(headline)
    for candidate in candidates:
        context = [*headline[:at], candidate, *headline[at + 1 :]] if swap == "original" else words
        senses.append(lesk(context, verb_base(candidate), net, tie=tie))
        if swap == "printed" and words[at] == headline[at]:
            words[at] = candidates[0]  # from now on the focus verb is gone
    number: dict[int, int] = {}
    for i, first in enumerate(senses):
        for j in range(i + 1, len(senses)):
            if _similar(net, first, senses[j], threshold):
                _join(number, i, j, merge)
    for i in range(len(senses)):
        number.setdefault(i, len(senses) + i)
    groups: dict[int, list[str]] = {}
    for i, candidate in enumerate(candidates):
        groups.setdefault(number[i], []).append(candidate)
    return list(groups.values())


def diversity(headline: Sequence[str], at: int, candidates: Sequence[str]) -> int:
    """The number of clusters: an estimate of how many source domains there are."""
    return len(clusters(headline, at, candidates))


def _similar(net: WordNet, first: int | None, second: int | None, threshold: float) -> bool:
    return first is not None and second is not None and net.likeness(first, second) > threshold


def _join(number: dict[int, int], i: int, j: int, merge: Merge) -> None:
    """Put two similar candidates into one cluster, whose number is that of its first member."""
    if i not in number and j not in number:
        number[i] = number[j] = i
    elif i in number and j in number:
        if merge == "union":
            old, new = number[j], number[i]
            number.update({k: new for k, own in number.items() if own == old})
    elif i in number:
        number[j] = number[i]
    else:
        number[i] = number[j]
