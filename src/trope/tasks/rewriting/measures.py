"""The quality of silver labels and candidates, as the NewsMet paper measures it.

Rates come with their denominators: what the paper calls a false positive rate is a false
discovery rate (one minus precision).

Diversity counts clusters of similar verbs: Algorithm 1 of the paper, with its gaps filled. Each
candidate is put into the *original* headline (`swap="printed"` overwrites the headline as printed,
so that every context holds the first candidate); its sense is the one whose gloss shares most words
with the headline (Lesk); two candidates are similar where Leacock and Chodorow's measure exceeds
1.7. A candidate stays in its first cluster (`merge="union"` joins clusters); one without a similar
candidate is a cluster by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trope.core.errors import BadInput
from trope.lexicon.vectors import Vectors
from trope.lexicon.wordnet import WordNet, read_wordnet
from trope.tasks.rewriting.features import cosine
from trope.tasks.rewriting.task import verb_base


@dataclass(frozen=True, slots=True)
class Rate:
    """A count and what it is a share of."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The share; None where there is nothing to share."""
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class SilverQuality:
    """What silver labels are worth against gold ones (True: metaphorical)."""

    precision: Rate
    false_discovery: Rate
    false_omission: Rate
    false_positive: Rate
    false_negative: Rate


def silver_quality(silver: Sequence[bool], gold: Sequence[bool]) -> SilverQuality:
    """Precision and the four rates of error; each has a denominator of its own.

    The false negative rate is the share of metaphorical headlines that are missed.

    Raises:
        BadInput: where there are more labels of one kind.
    """
    if len(silver) != len(gold):
        raise BadInput(f"{len(silver)} silver labels do not fit {len(gold)} gold ones")
    pairs = list(zip(silver, gold, strict=True))
    predicted = sum(silver_label for silver_label, _ in pairs)
    right = sum(silver_label and true for silver_label, true in pairs)
    missed = sum(true and not silver_label for silver_label, true in pairs)
    literal = sum(not true for _, true in pairs)
    return SilverQuality(
        precision=Rate(right, predicted),
        false_discovery=Rate(predicted - right, predicted),
        false_omission=Rate(missed, len(pairs) - predicted),
        false_positive=Rate(predicted - right, literal),
        false_negative=Rate(missed, len(pairs) - literal),
    )


def share_with_right(accepted: Sequence[int], number: int) -> Rate:
    """The share of headlines with exactly this many accepted candidates."""
    return Rate(sum(count == number for count in accepted), len(accepted))


def first_position(unfiltered: Sequence[str], candidates: Sequence[str]) -> int | None:
    """The index of the first of the candidates in the unfiltered list, counted from 0.

    None where there are no candidates, or none of them is in the list.
    """
    wanted = set(candidates)
    return next((place for place, word in enumerate(unfiltered) if word in wanted), None)


def share_within(positions: Sequence[int | None], last: int) -> Rate:
    """Of all headlines those whose first candidate stands at an index from 0 to `last`."""
    return Rate(sum(p is not None and p <= last for p in positions), len(positions))


def metaphoricity(
    candidate: str, subject: str | None, object_: str | None, vectors: Vectors
) -> float | None:
    """The smaller cosine of a candidate with its subject and its object: low is incongruous.

    Words are looked up in small letters; a side without a vector is left out, and None comes back
    where nothing is left.
    """
    own = vectors.get(candidate.lower())
    sides = [vectors.get(side.lower()) for side in (subject, object_) if side]
    found = [cosine(own, side) for side in sides if own is not None and side is not None]
    return min(found, default=None)


_SIMILARITY_THRESHOLD = 1.7
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


def cluster_candidates(
    headline: Sequence[str],
    at: int,
    candidates: Sequence[str],
    *,
    threshold: float = _SIMILARITY_THRESHOLD,
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
    for candidate in candidates:
        # as printed, the first candidate takes the focus verb's place, and none can take its own
        placed = candidate if swap == "original" else candidates[0]
        context = [*headline[:at], placed, *headline[at + 1 :]]
        senses.append(lesk(context, verb_base(candidate), net, tie=tie))
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


def diversity(
    headline: Sequence[str], at: int, candidates: Sequence[str], *, swap: Swap = "original"
) -> int:
    """The number of clusters: an estimate of how many source domains there are."""
    return len(cluster_candidates(headline, at, candidates, swap=swap))


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
