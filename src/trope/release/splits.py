"""Train, validation and test parts that share nothing: what is alike goes into one part.

Items are alike where they are of one group (the recipe says by which field), have one source,
differ in at most one word (a text and its transformations), or are near duplicates.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence

from trope.core.errors import BadInput
from trope.core.records import TextKind
from trope.release.finished_run import RunItem
from trope.tasks.metaphor.silver import alike_groups
from trope.text.duplicates import find_duplicates

PARTS = ("train", "validation", "test")
SHARES = (0.8, 0.1, 0.1)


class Groups:
    """Sets of positions that are joined one pair at a time."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def first(self, position: int) -> int:
        """The lowest position that is joined with this one."""
        while self._parents[position] != position:
            self._parents[position] = self._parents[self._parents[position]]
            position = self._parents[position]
        return position

    def join(self, one: int, other: int) -> None:
        """Put two positions, and all that is joined with them, into one set."""
        low, high = sorted((self.first(one), self.first(other)))
        self._parents[high] = low

    def join_equal(self, keys: Iterable[object]) -> None:
        """Join positions with equal keys; None and the empty string are equal to nothing."""
        seen: dict[object, int] = {}
        for position, key in enumerate(keys):
            if key not in (None, ""):
                self.join(seen.setdefault(key, position), position)


def group_items(items: Sequence[RunItem], *, by: str = "", kind: TextKind = "tweet") -> list[int]:
    """For every item the position of the first one that it is alike.

    Args:
        items: of the data set.
        by: a field whose values belong together.
        kind: how texts are cleaned before they are compared.

    Raises:
        BadInput: where an item lacks the field.
    """
    groups = Groups(len(items))
    if by:
        lacking = [item.id for item in items if by not in item.fields]
        if lacking:
            raise BadInput(f"item {lacking[0]!r} has no field {by!r} to group by; run again")
        groups.join_equal(item.fields[by] for item in items)
    groups.join_equal(item.fields.get("source_id") for item in items)
    groups.join_equal(alike_groups([item.text for item in items]))
    positions = {str(position): position for position in range(len(items))}
    texts = ((str(position), item.text) for position, item in enumerate(items))
    for verdict in find_duplicates(texts, kind):
        if verdict.duplicate_of:
            groups.join(positions[verdict.id], positions[verdict.duplicate_of])
    return [groups.first(position) for position in range(len(items))]


def split_groups(
    groups: Sequence[int], *, shares: Sequence[float] = SHARES, seed: int = 0
) -> list[str]:
    """The part of every item; whole groups are drawn, and the largest ones go to train.

    Raises:
        BadInput: for shares that are none, or that do not add up to 1.
    """
    if len(shares) != len(PARTS) or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        raise BadInput(f"shares {tuple(shares)} must be three numbers that add up to 1")
    sizes = Counter(groups)
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    room = {part: round(share * len(groups)) for part, share in zip(PARTS, shares, strict=True)}
    places: dict[int, str] = {}
    for group in order:
        fits = [part for part in ("test", "validation") if sizes[group] <= room[part]]
        part = fits[0] if fits else "train"
        places[group] = part
        room[part] -= sizes[group]
    return [places[group] for group in groups]
