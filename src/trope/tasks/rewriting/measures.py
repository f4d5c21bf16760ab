"""The quality of silver labels and candidates, as the NewsMet paper measures it.

Rates are given with their denominators: what the paper calls a false positive rate is a false
discovery rate (one minus precision).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trope.core.errors import BadInput
from trope.lexicon.vectors import Vectors
from trope.tasks.rewriting.features import cosine


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


def silver_quality(silver: Sequence[bool], gold: Sequence[bool]) -> SilverQuality:
    """Precision and the three rates of error; each has a denominator of its own.

    Raises:
        BadInput: where there are more labels of one kind.
    """
    if len(silver) != len(gold):
        raise BadInput(f"{len(silver)} silver labels do not fit {len(gold)} gold ones")
    pairs = list(zip(silver, gold, strict=True))
    predicted = sum(said for said, _ in pairs)
    right = sum(said and true for said, true in pairs)
    missed = sum(true and not said for said, true in pairs)
    literal = sum(not true for _, true in pairs)
    return SilverQuality(
        precision=Rate(right, predicted),
        false_discovery=Rate(predicted - right, predicted),
        false_omission=Rate(missed, len(pairs) - predicted),
        false_positive=Rate(predicted - right, literal),
    )


def share_with_right(accepted: Sequence[int], number: int) -> Rate:
    """Of all headlines those with exactly so many accepted candidates."""
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
